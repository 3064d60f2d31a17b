// SPDX-License-Identifier: Apache-2.0
// A spinner in raw mode, as programs on node draw it while they work; with "silent" it draws once and waits for
// an answer of the server at the port named.
const [, , what, port] = process.argv;
process.stdin.setRawMode(true);
process.stdin.resume();
process.stdin.on('data', (key) => { if (key[0] === 3) process.exit(); });
if (what === 'silent') {
  process.stdout.write('Thinking…\n\n> \n');
  require('http').get({ host: '127.0.0.1', port, path: '/' }, () => process.exit());
} else {
  const pictures = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
  let at = 0;
  process.stdout.write('\x1b[?25l');
  setInterval(() => process.stdout.write(`\r\x1b[2K\x1b[36m${pictures[at++ % 10]}\x1b[0m Thinking… (${at} tokens, esc to interrupt)`), 80);
}
