# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that wants a name and a password for everything; its port is written to the file named."""
import http.server
import signal
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="demo"')
        self.send_header("Content-Length", "0")
        self.end_headers()


signal.alarm(120)
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1], "w") as file:
    file.write(str(server.server_port))
server.serve_forever()
