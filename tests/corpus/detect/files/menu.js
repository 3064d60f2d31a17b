// SPDX-License-Identifier: Apache-2.0
// A list with a pointer, drawn in raw mode with the cursor hidden, as the prompt libraries of node do.
const choices = ['Vanilla', 'Vue', 'React', 'Svelte'];
const chosen = 1;
process.stdin.setRawMode(true);
process.stdin.resume();
process.stdin.on('data', (key) => { if (key[0] === 3 || key[0] === 13) process.exit(); });
process.stdout.write('\x1b[?25l\x1b[32m?\x1b[0m \x1b[1mWhich framework do you want to use?\x1b[0m › - Use arrow-keys. Return to submit.\n');
for (const [i, name] of choices.entries())
  process.stdout.write(i === chosen ? `\x1b[36m❯   \x1b[4m${name}\x1b[0m\n` : `    ${name}\n`);
