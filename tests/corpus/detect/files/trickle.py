# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that sends a large file slowly; its port is written to the file named."""
import http.server
import signal
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "50000000")
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 20000)
            time.sleep(0.05)


signal.alarm(120)
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1], "w") as file:
    file.write(str(server.server_port))
server.serve_forever()
