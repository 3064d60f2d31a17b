# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that takes requests and never answers; its port is written to the file named."""
import signal
import socket
import sys

signal.alarm(120)
server = socket.create_server(("127.0.0.1", 0))
with open(sys.argv[1], "w") as file:
    file.write(str(server.getsockname()[1]))
open_ones = []
while True:
    connection, _ = server.accept()
    connection.recv(1024) if len(sys.argv) < 3 else None
    open_ones.append(connection)
