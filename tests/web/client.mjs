// SPDX-License-Identifier: Apache-2.0
// client.mjs OPTIONS STEPS: a WebSocket client that is not tend's. Does the steps one after the other, and prints what
// it saw as JSON. OPTIONS: {url, headers, origin, insecure}. A step is one of
//   {keys: "text"} a binary frame · {bytes: N} one of N bytes · {say: {…}} a text frame · {wait: ms}
//   {shows: "text"} until the output has it · {hears: "type"} until a message of that type has come
//   {prompt: "TYPE"} until that is what is asked, or "none"
//   {acknowledge: true} says from now on what it has seen
//   {touch: "path"} makes a file
//   {pause: true|false} reads no more, or again · {closed: true} until it is closed
import { writeFileSync } from "node:fs";
import WebSocket from "ws";

const options = JSON.parse(process.argv[2]);
const steps = JSON.parse(process.argv[3]);
const seen = { output: "", messages: [], closed: null, http: null, received: 0 };
// Where in the output it is, by the rules of docs/web.md.
const place = { offset: 0, snapshot: 0, acknowledges: false };
const changes = new Set();
const changed = () => changes.forEach((call) => call());

const socket = new WebSocket(options.url, {
  headers: options.headers ?? {},
  origin: options.origin,
  rejectUnauthorized: !options.insecure,
  localAddress: options.localAddress,
});
// As a terminal does: what comes behind a resync stands in an empty one.
socket.on("message", (data, binary) => {
  if (binary) {
    const snapshot = Math.min(place.snapshot, data.length);
    place.snapshot -= snapshot;
    place.offset += data.length - snapshot;
    if (place.acknowledges) socket.send(JSON.stringify({ type: "seen", offset: place.offset }));
    seen.received += data.length;
    seen.output += data.toString("latin1");
    if (seen.output.length > 4_000_000) seen.output = seen.output.slice(-2_000_000);
  } else {
    const message = JSON.parse(data.toString());
    seen.messages.push(message);
    if (message.type === "hello") place.offset = message.offset;
    if (message.type === "resync") Object.assign(place, { offset: message.offset, snapshot: message.bytes });
  }
  changed();
});
socket.on("close", (code, reason) => {
  seen.closed = { code, reason: reason.toString() };
  changed();
});
socket.on("unexpected-response", (_, response) => {
  seen.http = response.statusCode;
  changed();
});
socket.on("error", () => {});

function until(condition) {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error("timed out")), 50_000);
    const look = () => {
      if (!condition() && seen.closed === null && seen.http === null) return;
      clearTimeout(deadline);
      changes.delete(look);
      resolve();
    };
    changes.add(look);
    look();
  });
}

const lastPrompt = () => seen.messages.filter((each) => "prompt" in each).at(-1)?.prompt;

const actions = {
  keys: (text) => socket.send(Buffer.from(text, "latin1")),
  bytes: (count) => socket.send(Buffer.alloc(count, "x")),
  say: (message) => socket.send(JSON.stringify(message)),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  shows: (text) => until(() => seen.output.includes(text)),
  hears: (type) => until(() => seen.messages.some((each) => each.type === type)),
  prompt: (type) => until(() => (lastPrompt()?.type ?? "none") === type),
  acknowledge: () => {
    place.acknowledges = true;
    socket.send(JSON.stringify({ type: "seen", offset: place.offset }));
  },
  pause: (on) => (on ? socket.pause() : socket.resume()),
  touch: (path) => writeFileSync(path, ""),
  closed: () => until(() => seen.closed !== null),
};

let failed = null;
try {
  await until(() => socket.readyState === WebSocket.OPEN);
  for (const step of steps) {
    if (seen.http !== null) break;
    for (const [name, value] of Object.entries(step)) await actions[name](value);
  }
} catch (error) {
  failed = error.message;
}
console.log(JSON.stringify({ ...seen, offset: place.offset, failed }));
process.exitCode = failed ? 1 : 0;
socket.terminate();
