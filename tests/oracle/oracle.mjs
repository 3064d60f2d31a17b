// SPDX-License-Identifier: Apache-2.0
// The oracle: feeds bytes to xterm.js (@xterm/headless) and prints the terminal that results, as JSON, for
// vt's tests to compare. README.md describes both formats. Many jobs pass through one process.
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';

// The packages stand where this program runs, which need not be beside this file: the build installs them
// into its own directory, so that the source tree stays clean.
const require = createRequire(path.join(process.cwd(), 'package.json'));
const { Terminal } = require('@xterm/headless');
// The addon reads its table from the start of a Buffer's memory; in a pooled Buffer somebody else's bytes stand
// there, and every character beyond the BMP would then count as narrow. So it gets a Buffer of its own.
Buffer.poolSize = 0;
const { UnicodeGraphemesAddon } = require('@xterm/addon-unicode-graphemes');

class Job {
  constructor(cols, rows, scrollback) {
    this.terminal = new Terminal({
      cols,
      rows,
      scrollback,
      allowProposedApi: true,
      logLevel: 'off',
      // Off by default, since shells draw their line again; but vt wraps every line anew, as most terminals do.
      reflowCursorLine: true,
      // Reports of the window are the daemon's own business; the size in cells is the one that both can know.
      windowOptions: { getWinSizeChars: true, pushTitle: true, popTitle: true },
    });
    this.terminal.loadAddon(new UnicodeGraphemesAddon());
    // The internals give what the public view leaves out: scroll region, tab stops, pen, pending wrap, and
    // a write that is done when it returns (safe here, since no asynchronous handler is registered).
    this.core = this.terminal._core;
    this.links = rememberLinks(this.core._oscLinkService);
    this.title = '';
    this.replies = '';
    this.bells = 0;
    this.dumps = [];
    this.terminal.onTitleChange((title) => (this.title = title));
    this.terminal.onData((data) => (this.replies += data));
    this.terminal.onBell(() => this.bells++);
  }

  write(bytes) {
    this.core.writeSync(bytes);
  }

  resize(cols, rows) {
    this.terminal.resize(cols, rows);
    this.cutAlternateScreen(cols);
  }

  // xterm.js only hides what a narrower window has no room for on the alternate screen, even half of a wide character.
  // vt cuts it off, as the program draws its screen again.
  cutAlternateScreen(cols) {
    const { alt } = this.core.buffers;
    const blank = alt.getNullCell();
    for (let y = 0; y < alt.lines.length; y++) {
      const line = alt.lines.get(y);
      if (line.length > cols) line.resize(cols, blank);
      if (line.getWidth(cols - 1) === 2) line.setCell(cols - 1, blank);
    }
  }

  dump(withScrollback) {
    this.dumps.push(dump(this, withScrollback));
  }

  finish() {
    this.terminal.dispose();
    return { dumps: this.dumps };
  }
}

// xterm.js forgets a link's address when the row on which it began is erased, even if cells still refer to it.
function rememberLinks(service) {
  const links = new Map();
  const register = service.registerLink.bind(service);
  service.registerLink = (data) => {
    const id = register(data);
    links.set(id, data.uri);
    return id;
  };
  return links;
}

// -1 default, 0 to 255 palette, 0x1000000 + rgb.
function colour(isDefault, isRgb, value) {
  if (isDefault) return -1;
  return isRgb ? 0x1000000 + value : value;
}

const UNDERLINE = 0x10000000;
const HAS_EXTENDED = 0x10000000;

// `cell` is a cell or the pen: both are xterm.js's AttributeData.
function styleOf(cell, links) {
  const flags =
    (cell.isBold() ? 1 : 0) |
    (cell.isDim() ? 2 : 0) |
    (cell.isItalic() ? 4 : 0) |
    (cell.isBlink() ? 8 : 0) |
    (cell.isInverse() ? 16 : 0) |
    (cell.isInvisible() ? 32 : 0) |
    (cell.isStrikethrough() ? 64 : 0) |
    (cell.isOverline() ? 128 : 0) |
    (cell.isProtected && cell.isProtected() ? 256 : 0);
  const extended = cell.bg & HAS_EXTENDED ? cell.extended : null;
  // Not extended.underlineStyle: that one reports every hyperlink as a dashed line.
  let underline = 0;
  if (cell.fg & UNDERLINE) underline = (extended ? (extended._ext >> 26) & 7 : 0) || 1;
  let underlineColour = -1;
  // SGR 59 leaves all bits set, which xterm.js then takes for white.
  if (extended && (extended._ext & 0x3000000) !== 0 && (extended._ext & 0x3ffffff) !== 0x3ffffff) {
    const rgb = (extended._ext & 0x3000000) === 0x3000000;
    underlineColour = colour(false, rgb, extended._ext & (rgb ? 0xffffff : 0xff));
  }
  const link = extended && extended.urlId ? links.get(extended.urlId) : '';
  return [
    colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
    flags,
    underline,
    underlineColour,
    link,
  ];
}

// The styles of one dump, each once; number 0 is the default one.
class Styles {
  constructor(links) {
    this.links = links;
    this.list = [[-1, -1, 0, 0, -1, '']];
    this.index = new Map([[JSON.stringify(this.list[0]), 0]]);
  }

  number(cell) {
    if (cell.fg === 0 && cell.bg === 0) return 0;
    const style = styleOf(cell, this.links);
    const key = JSON.stringify(style);
    let at = this.index.get(key);
    if (at === undefined) {
      at = this.list.length;
      this.list.push(style);
      this.index.set(key, at);
    }
    return at;
  }
}

function rowOf(line, cols, scratch, styles) {
  const cells = [];
  let used = 0;
  for (let x = 0; x < cols; x++) {
    const cell = line.getCell(x, scratch);
    if (!cell) break;
    const text = cell.getChars();
    const style = styles.number(cell);
    cells.push([text, style, cell.getWidth()]);
    if ((text !== '' && text !== ' ') || style !== 0 || cell.getWidth() !== 1) used = x + 1;
  }
  return { wrapped: line.isWrapped, cells: cells.slice(0, used) };
}

function rowsOf(buffer, from, to, cols, styles) {
  const scratch = buffer.getNullCell();
  const rows = [];
  for (let y = from; y < to; y++) rows.push(rowOf(buffer.getLine(y), cols, scratch, styles));
  return rows;
}

function dump(job, withScrollback) {
  const { terminal, core } = job;
  const { cols, rows } = terminal;
  const styles = new Styles(job.links);
  const active = terminal.buffer.active;
  const normal = terminal.buffer.normal;
  const inner = core.buffers.active;
  const dec = core.coreService.decPrivateModes;
  const tabs = Object.keys(inner.tabs).filter((x) => inner.tabs[x]).map(Number).filter((x) => x < cols);
  const result = {
    cols,
    rows,
    buffer: active.type,
    cursor: { x: Math.min(inner.x, cols - 1), y: inner.y, pendingWrap: inner.x >= cols },
    screen: rowsOf(active, inner.ybase, inner.ybase + rows, cols, styles),
    scrollbackLength: normal.baseY,
    pen: styles.number(core._inputHandler._curAttrData),
    scrollRegion: [inner.scrollTop, inner.scrollBottom],
    tabs: tabs.sort((a, b) => a - b),
    modes: {
      ...terminal.modes,
      cursorHidden: core.coreService.isCursorHidden,
      cursorStyle: dec.cursorStyle ?? null,
      cursorBlink: dec.cursorBlink ?? null,
      mouseEncoding: core.coreMouseService.activeEncoding,
      newlineMode: core.optionsService.rawOptions.convertEol,
    },
    title: job.title,
    replies: job.replies,
    bells: job.bells,
  };
  if (active.type !== 'normal') {
    const base = core.buffers.normal.ybase;
    result.normalScreen = rowsOf(normal, base, base + rows, cols, styles);
  }
  if (withScrollback) result.scrollback = rowsOf(normal, 0, normal.baseY, cols, styles);
  result.styles = styles.list;
  return result;
}

// Bytes from a stream, by line or by count.
class Reader {
  constructor(stream) {
    this.iterator = stream[Symbol.asyncIterator]();
    this.pending = Buffer.alloc(0);
  }

  async more() {
    const { value, done } = await this.iterator.next();
    if (done) return false;
    this.pending = this.pending.length ? Buffer.concat([this.pending, value]) : value;
    return true;
  }

  // Null at the end of the stream.
  async line() {
    let end;
    while ((end = this.pending.indexOf(10)) < 0) {
      if (!(await this.more())) return null;
    }
    const line = this.pending.toString('latin1', 0, end);
    this.pending = this.pending.subarray(end + 1);
    return line;
  }

  async bytes(count) {
    while (this.pending.length < count) {
      if (!(await this.more())) throw new Error('the input ends inside a chunk');
    }
    const bytes = this.pending.subarray(0, count);
    this.pending = this.pending.subarray(count);
    return bytes;
  }
}

async function readJob(reader, cols, rows, scrollback) {
  let job = null;
  let error = null;
  const attempt = (step) => {
    if (error) return;
    try {
      step();
    } catch (thrown) {
      error = String(thrown?.stack ?? thrown);
    }
  };
  attempt(() => (job = new Job(cols, rows, scrollback)));
  for (;;) {
    const line = await reader.line();
    if (line === null) throw new Error('the input ends inside a job');
    const [op, ...numbers] = line.split(' ');
    const [a, b] = numbers.map(Number);
    if (op === 'o') {
      // A copy: the bytes below are a view of a buffer that is read into again.
      const chunk = Uint8Array.from(await reader.bytes(a));
      await reader.bytes(1);
      attempt(() => job.write(chunk));
    } else if (op === 'r') {
      attempt(() => job.resize(a, b));
    } else if (op === 'd' || op === 'D') {
      attempt(() => job.dump(op === 'D'));
    } else if (op === 'end') {
      break;
    } else if (op !== 'm') {
      throw new Error(`unknown line: ${line}`);
    }
  }
  return error ? { error } : job.finish();
}

async function main() {
  const reader = new Reader(process.stdin);
  for (let line; (line = await reader.line()) !== null; ) {
    const match = /^job (\d+) (\d+) (\d+)$/.exec(line);
    if (!match) throw new Error(`expected a job, got: ${line}`);
    const result = await readJob(reader, ...match.slice(1).map(Number));
    if (!process.stdout.write(`${JSON.stringify(result)}\n`)) {
      await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  }
}

main().catch((thrown) => {
  process.stderr.write(`oracle: ${thrown?.message ?? thrown}\n`);
  process.exitCode = 2;
  process.stdin.destroy();
});
