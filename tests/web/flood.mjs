// SPDX-License-Identifier: Apache-2.0
// flood.mjs OPTIONS: many clients at one PTY, from several addresses of the loopback network, until each has seen the
// end of the flood. OPTIONS: {url, headers, clients, end, go}. Prints how many did, and how much they were sent.
import { writeFileSync } from "node:fs";
import WebSocket from "ws";

const options = JSON.parse(process.argv[2]);
const result = { opened: 0, ended: 0, bytes: 0, resyncs: 0, closed: 0 };
const perAddress = 25;

const clients = Array.from({ length: options.clients }, (_, i) => {
  const socket = new WebSocket(options.url, {
    headers: options.headers,
    localAddress: `127.0.0.${2 + Math.floor(i / perAddress)}`,
  });
  let tail = "";
  let done = false; // what is painted once more has the end on it once more
  const ended = new Promise((resolve) => {
    socket.on("message", (data, binary) => {
      if (!binary) {
        if (JSON.parse(data.toString()).type === "resync") result.resyncs++;
        return;
      }
      result.bytes += data.length;
      tail = (tail + data.toString("latin1")).slice(-65536);
      if (!done && tail.includes(options.end)) {
        done = true;
        result.ended++;
        resolve();
      }
    });
    socket.on("close", () => {
      result.closed++;
      resolve();
    });
  });
  const opened = new Promise((resolve) => {
    socket.on("open", () => {
      result.opened++;
      resolve();
    });
    socket.on("error", resolve);
  });
  return { socket, opened, ended };
});

await Promise.all(clients.map((each) => each.opened));
writeFileSync(options.go, "go");
// How long a flood takes is the machine's affair: they are waited for as long as anything comes.
const silence = new Promise((resolve) => {
  let seen = 0;
  let silent = 0;
  setInterval(() => {
    silent = result.bytes === seen ? silent + 1 : 0;
    seen = result.bytes;
    if (silent >= 30) resolve();
  }, 1000);
});
await Promise.race([Promise.all(clients.map((each) => each.ended)), silence]);
console.log(JSON.stringify(result));
clients.forEach((each) => each.socket.terminate());
process.exit(0);
