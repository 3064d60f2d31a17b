// SPDX-License-Identifier: Apache-2.0
// Runs telegram-test-api, a Bot API server that somebody else wrote, at a free port of loopback, and does what it is
// told on standard input, a line of JSON each, with a line of JSON in answer:
//   {"say": TEXT, "user": N, "reply_to": N}   {"press": DATA, "user": N}   {"messages": true}
//   node server.mjs TOKEN     in the folder that has the packages
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import readline from 'node:readline';

// The build installs the packages into its own directory, so that the source tree stays clean.
const require = createRequire(path.join(process.cwd(), 'package.json'));
const TelegramServer = require('telegram-test-api');

const token = process.argv[2];
const server = new TelegramServer({ host: '127.0.0.1', storeTimeout: 600 });
server.config.port = 0;
await server.start();
server.config.apiURL = `http://127.0.0.1:${server.server.address().port}`;

const client = (user) => server.getClient(token, { userId: user, chatId: user, userName: `user${user}` });

async function run(command) {
  if (command.say !== undefined) {
    const more = command.reply_to ? { reply_to_message: { message_id: command.reply_to } } : {};
    return client(command.user).sendMessage(client(command.user).makeMessage(command.say, more));
  }
  if (command.press !== undefined)
    return client(command.user).sendCallback(client(command.user).makeCallbackQuery(command.press));
  return server.storage.botMessages.map((each) => ({
    id: each.messageId,
    chat: Number(each.message.chat_id),
    text: each.message.text,
    markup: each.message.reply_markup ?? null,
  }));
}

const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
answer({ url: server.config.apiURL });
for await (const line of readline.createInterface({ input: process.stdin })) answer(await run(JSON.parse(line)));
await server.stop();
process.exit(0);
