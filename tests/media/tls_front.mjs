// SPDX-License-Identifier: Apache-2.0
// node tls_front.mjs KEY CERTIFICATE PORT: TLS before a plain server at PORT, and a proxy whose CONNECT always
// leads there. Says "TLSPORT PROXYPORT", then a line for each CONNECT: what was asked for.
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';

const [key, cert, port] = process.argv.slice(2);
const join = (one, other) => {
  one.pipe(other).pipe(one);
  for (const each of [one, other]) each.on('error', () => (one.destroy(), other.destroy()));
};
const front = tls.createServer({ key: fs.readFileSync(key), cert: fs.readFileSync(cert) },
                               (socket) => join(socket, net.connect(Number(port), '127.0.0.1')));
front.on('tlsClientError', () => {});
const proxy = http.createServer();
proxy.on('connect', (request, socket, head) => {
  console.log(request.url);
  const there = net.connect(front.address().port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    there.write(head);
    join(socket, there);
  });
});
// Whoever started it holds the other end.
process.stdin.resume().on('end', () => process.exit(0));
front.listen(0, '127.0.0.1', () =>
  proxy.listen(0, '127.0.0.1', () => console.log(front.address().port, proxy.address().port)));
