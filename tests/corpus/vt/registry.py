# SPDX-License-Identifier: Apache-2.0
"""A package registry on this machine alone, with three empty packages and slow answers, so that npm's spinner turns
with no network."""
import base64
import hashlib
import io
import json
import tarfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def pack(name):
    manifest = json.dumps({"name": name, "version": "1.0.0"}).encode()
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        entry = tarfile.TarInfo("package/package.json")
        entry.size = len(manifest)
        tar.addfile(entry, io.BytesIO(manifest))
    return file.getvalue()


class Registry(ThreadingHTTPServer):
    def __init__(self, pause):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pause = pause
        self.url = f"http://127.0.0.1:{self.server_port}/"
        self.packages = {name: pack(name) for name in ("one", "two", "three")}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(self.server.pause)
        name = self.path.strip("/").removesuffix(".tgz")
        body = self.server.packages.get(name)
        if body is None:
            self.send_error(404)
            return
        if not self.path.endswith(".tgz"):
            body = json.dumps(self.document(name, body)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def document(self, name, body):
        digest = base64.b64encode(hashlib.sha512(body).digest()).decode()
        dist = {"tarball": f"{self.server.url}{name}.tgz", "integrity": f"sha512-{digest}"}
        version = {"name": name, "version": "1.0.0", "dist": dist}
        return {"name": name, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}

    def log_message(self, *_):
        pass
