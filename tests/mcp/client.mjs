// SPDX-License-Identifier: Apache-2.0
// Speaks to `tend mcp` with the official SDK's client: lists and calls every tool, holds each result against the
// schema that the tool gives, sees progress, cancels. Prints one JSON object with what came of it.
//   node client.mjs TEND     in the folder that has the packages; TEND_HOME says which daemon
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';

// The build installs the packages into its own directory, so that the source tree stays clean.
const require = createRequire(path.join(process.cwd(), 'package.json'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { LoggingMessageNotificationSchema } = require('@modelcontextprotocol/sdk/types.js');
const Ajv = require('ajv');

const report = { tools: [], called: {}, errors: {}, invalid: [], progress: [], logs: 0 };
const transport = new StdioClientTransport({
  command: process.argv[2],
  args: ['mcp'],
  env: { ...process.env },
});
const client = new Client({ name: 'sdk', version: '1.0.0' });
await client.connect(transport);
client.setNotificationHandler(LoggingMessageNotificationSchema, () => report.logs++);
report.server = client.getServerVersion();
await client.setLoggingLevel('debug');
await client.ping();

const { tools } = await client.listTools();
report.tools = tools.map((tool) => tool.name);
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false });
const checks = new Map(
  tools.map((tool) => [
    tool.name,
    { input: ajv.compile(tool.inputSchema), output: ajv.compile(tool.outputSchema) },
  ]),
);

async function call(name, args = {}, options = {}) {
  const check = checks.get(name);
  if (!check.input(args)) report.invalid.push({ name, input: check.input.errors });
  const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 60000, ...options });
  if (!check.output(result.structuredContent)) report.invalid.push({ name, output: check.output.errors });
  if (result.isError) report.errors[name] = result.structuredContent.error;
  else report.called[name] = result.structuredContent;
  return result.structuredContent;
}

await call('help');
const { session } = await call('pty_spawn', { name: 'shell', command: ['bash', '--norc', '--noprofile'] });
await call('pty_wait', { session, until: 'ready', timeout_ms: 60000 });
await call('pty_list');
await call('pty_write', { session, data: 'echo written' });
await call('pty_send_keys', { session, keys: ['Enter'] });
await call('pty_wait', { session, until: 'text', pattern: '^written', timeout_ms: 60000 });
await call('pty_wait', { session, until: 'ready', timeout_ms: 60000 });
await call('pty_read', { session, max_chars: 500 });
await call('pty_screen', { session });
await call('pty_resize', { session, cols: 100, rows: 30 });
await call('pty_run', { session, command: 'echo one; echo two; (exit 3)', timeout_ms: 60000 });
await call('k_pty', { action: 'talk', session_id: session, command: 'echo talked', timeout_ms: 60000 });

await call('pty_spawn', { name: 'asks', command: ['bash', '-c', 'read -p "Go on? [y/N] " a; echo "got <$a>"; exec cat'] });
const { prompt } = await call('pty_wait', { session: 'asks', until: 'waiting', timeout_ms: 60000 });
report.prompts = (await call('prompt_list')).prompts.length;
await call('prompt_answer', { prompt_id: prompt.id, answer: 'yes' });
await call('pty_wait', { session: 'asks', until: 'text', pattern: 'got <y>', timeout_ms: 60000 });

const sent = await call('inbox_send', { to: 'sdk', subject: 'stuck', body: 'please look' });
await call('inbox_list', { to: 'sdk' });
await call('inbox_claim', sent.id ? { id: sent.id } : {});
await call('inbox_done', { id: sent.id ?? 'none', result: 'looked' });
await call('evidence_capture', { session, note: 'as it is', ...(sent.thread && { thread: sent.thread }) });

// Progress of something long, until it is cancelled.
async function cancelled(name, args) {
  const stop = new AbortController();
  let ticks = 0;
  try {
    await call(name, args, {
      signal: stop.signal,
      onprogress: (news) => {
        report.progress.push({ name, ...news });
        if (++ticks === 2) stop.abort('enough');
      },
    });
    return 'it ended';
  } catch (error) {
    return ticks === 2 ? 'cancelled' : String(error);
  }
}
report.cancelled_wait = await cancelled('pty_wait', { session, until: 'exited', timeout_ms: 60000 });
report.cancelled_run = await cancelled('pty_run', {
  session,
  command: 'while sleep 0.2; do echo tick; done',
  timeout_ms: 60000,
});
// The command was interrupted, so that the shell is ready again.
report.after_cancel = await call('pty_wait', { session, until: 'ready', timeout_ms: 60000 });

const resources = await client.listResources();
report.resources = resources.resources.length;
report.templates = (await client.listResourceTemplates()).resourceTemplates.length;
report.screen = (await client.readResource({ uri: resources.resources[0].uri })).contents[0].text;
await call('pty_kill', { session });
await client.close();
console.log(JSON.stringify(report));
