// SPDX-License-Identifier: Apache-2.0
// One terminal: what the program shows, keys and pastes for it, a bar of keys for phones.
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { WebglAddon } from "@xterm/addon-webgl";
import { type IMarker, Terminal } from "@xterm/xterm";
import { announce, el } from "./dom";
import { Feed } from "./feed";
import { KeyBar } from "./key_bar";
import { Line, type LineState, type Reset } from "./line";
import { leftOut, startingState } from "./restart";
import type { Prompt } from "./types";

const DARK = { background: "#14171c", foreground: "#e3e6eb", cursor: "#e3e6eb", selectionBackground: "#3b4a63" };
const LIGHT = {
  background: "#ffffff", foreground: "#1c2128", cursor: "#1c2128", selectionBackground: "#b9d3f5",
  black: "#24292e", red: "#b31d28", green: "#176f2c", yellow: "#735c0f", blue: "#0349b4", magenta: "#622cbc",
  cyan: "#0f6b73", white: "#57606a", brightBlack: "#57606a", brightRed: "#a40e26", brightGreen: "#055d20",
  brightYellow: "#4e2c00", brightBlue: "#023b95", brightMagenta: "#512598", brightCyan: "#0e5a61", brightWhite: "#24292f",
};

export interface TerminalOwner {
  prompt(prompt: Prompt | null): void;
  refused(): void;
}

export class TerminalView {
  readonly element: HTMLElement;
  private readonly screen = el("div", { class: "screen" });
  private readonly banner = el("div", { class: "banner", role: "status", hidden: true });
  private readonly find = el("input", { type: "search", class: "find", placeholder: "Find", "aria-label": "Find in the terminal", hidden: true });
  private readonly terminal: Terminal;
  private readonly feed: Feed;
  private readonly fit = new FitAddon();
  private readonly search = new SearchAddon();
  private readonly keyBar: KeyBar;
  private readonly dark = window.matchMedia("(prefers-color-scheme: dark)");
  private readonly observer: ResizeObserver;
  private line: Line | null = null;
  private gap: IMarker | undefined; // the line that says that something was left out
  private sizeTimer = 0;
  private bannerTimer = 0;

  constructor(session: string, pty: number, readOnly: boolean, private readonly owner: TerminalOwner) {
    this.terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: false,
      disableStdin: readOnly,
      fontFamily: '"DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace',
      fontSize: window.matchMedia("(max-width: 40rem)").matches ? 12 : 14,
      scrollback: 5000,
      screenReaderMode: false,
      theme: this.theme(),
    });
    this.feed = new Feed(this.terminal);
    this.keyBar = new KeyBar({
      send: (keys) => this.type(keys),
      cursorKeys: () => (this.terminal.modes.applicationCursorKeysMode ? "\x1bO" : "\x1b["),
      focus: () => this.terminal.focus(),
    });
    this.element = el(
      "section",
      { class: "terminal", "aria-label": `Terminal ${session}:${pty}` },
      this.banner,
      el("div", { class: "stage" }, this.screen, this.find),
      readOnly ? null : this.keyBar.element,
    );
    this.observer = new ResizeObserver(() => this.windowChanged());
    this.find.addEventListener("keydown", (event) => this.findKey(event));
    this.dark.addEventListener("change", this.themed);
    // Pastes go another way than keys: the server makes them harmless.
    this.screen.addEventListener("paste", this.pasted, { capture: true });
    this.terminal.attachCustomKeyEventHandler((event) => this.key(event));
    this.terminal.onData((data) => this.type(this.keyBar.apply(data)));
    this.terminal.onBinary((data) => this.line?.keys(Uint8Array.from(data, (c) => c.charCodeAt(0))));
    this.open = () => {
      this.terminal.open(this.screen);
      this.load();
      this.line = new Line(session, pty, () => this.wanted(), {
        output: (bytes) => this.write(bytes),
        reset: (cols, rows, why) => this.feed.restart(() => this.clear(cols, rows, why)),
        resized: (cols, rows) => this.feed.change(() => this.resize(cols, rows)),
        notice: (text) => this.feed.write(text),
        warning: (text) => this.warn(text),
        prompt: (prompt) => owner.prompt(prompt),
        state: (state, why) => this.state(state, why),
      });
      this.observer.observe(this.screen);
      if (!window.matchMedia("(pointer: coarse)").matches) this.terminal.focus();
    };
  }

  // When the element is in the document.
  readonly open: () => void;

  close() {
    this.observer.disconnect();
    this.dark.removeEventListener("change", this.themed);
    window.clearTimeout(this.sizeTimer);
    window.clearTimeout(this.bannerTimer);
    this.line?.close();
    this.feed.close();
    this.terminal.dispose();
  }

  focus() {
    this.terminal.focus();
  }

  private load() {
    this.terminal.loadAddon(this.fit);
    this.terminal.loadAddon(this.search);
    this.terminal.loadAddon(new UnicodeGraphemesAddon());
    this.terminal.loadAddon(new WebLinksAddon((_event, address) => window.open(address, "_blank", "noopener,noreferrer")));
    try {
      const webgl = new WebglAddon();
      // Without it xterm draws with elements.
      webgl.onContextLoss(() => webgl.dispose());
      this.terminal.loadAddon(webgl);
    } catch {
      this.screen.dataset["renderer"] = "dom";
    }
  }

  private wanted() {
    const proposed = this.fit.proposeDimensions();
    return { cols: Math.max(2, proposed?.cols || 80), rows: Math.max(1, proposed?.rows || 24) };
  }

  private windowChanged() {
    window.clearTimeout(this.sizeTimer);
    this.sizeTimer = window.setTimeout(() => {
      const { cols, rows } = this.wanted();
      this.line?.window(cols, rows);
    }, 60);
  }

  private write(bytes: Uint8Array) {
    const line = this.line;
    const end = line?.end ?? 0;
    this.feed.write(bytes, () => line?.drawn(end));
  }

  // A terminal that is reset makes all its lines anew while it is written to, which costs more than all else; and whoever
  // looks back would find nothing.
  private clear(cols: number, rows: number, why: Reset) {
    const says = why === "slow" && this.terminal.buffer.active.type === "normal";
    if (why === "attach") this.terminal.reset();
    this.terminal.resize(cols, rows);
    if (why === "attach") return;
    this.terminal.write(startingState(cols) + (says ? leftOut(rows) : "") + "\x1b[H\x1b[2J", () => {
      if (says) this.gap = this.terminal.registerMarker(-1);
    });
  }

  // A terminal that grows shows lines of before again. Where those are none that stood above the screen, because they were
  // left out, they go back to where they were, and the server is asked for the right ones.
  private resize(cols: number, rows: number) {
    const before = this.terminal.buffer.active.baseY;
    this.terminal.resize(cols, rows);
    const after = this.terminal.buffer.active.baseY;
    if (after >= before || !this.gap || this.gap.isDisposed || this.gap.line < after) return;
    this.terminal.write(startingState(cols) + `\x1b[${rows};1H` + "\r\n".repeat(before - after));
    this.line?.resync();
  }

  private type(keys: string) {
    if (keys !== "" && this.line?.keys(keys) === false && this.line.observer) this.warn("This link may look, and not type.");
  }

  private readonly pasted = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text !== "") this.line?.paste(text);
  };

  private key(event: KeyboardEvent): boolean {
    if (event.type !== "keydown") return true;
    if (event.ctrlKey && event.shiftKey && event.code === "KeyF") {
      event.preventDefault();
      this.find.hidden = false;
      this.find.focus();
      return false;
    }
    if (event.ctrlKey && event.shiftKey && event.code === "KeyC" && this.terminal.hasSelection()) {
      event.preventDefault();
      void navigator.clipboard?.writeText(this.terminal.getSelection());
      return false;
    }
    // The browser's own paste, which pasted() hears.
    return !(event.ctrlKey && event.shiftKey && event.code === "KeyV");
  }

  private findKey(event: KeyboardEvent) {
    if (event.key === "Enter") {
      if (event.shiftKey) this.search.findPrevious(this.find.value);
      else this.search.findNext(this.find.value);
    } else if (event.key === "Escape") {
      this.find.hidden = true;
      this.search.clearDecorations();
      this.terminal.focus();
    }
  }

  private warn(text: string) {
    // The filter's text has colours for a terminal.
    // eslint-disable-next-line no-control-regex
    this.say(text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "").trim(), "warning", 6000);
  }

  private say(text: string, kind: string, milliseconds = 0) {
    window.clearTimeout(this.bannerTimer);
    this.banner.textContent = text;
    this.banner.dataset["kind"] = kind;
    this.banner.hidden = text === "";
    if (milliseconds > 0) this.bannerTimer = window.setTimeout(() => (this.banner.hidden = true), milliseconds);
  }

  private state(state: LineState, why?: string) {
    this.element.dataset["line"] = state;
    if (state === "open") {
      if (this.banner.dataset["kind"] === "state") this.say("", "state");
      announce("connected");
    } else if (state === "away") {
      const what = why ? why.charAt(0).toUpperCase() + why.slice(1) : "Connection lost";
      this.say(`${what}: trying again…`, "state");
    } else if (state === "over") {
      this.say(why ? `Not attached any more: ${why}` : "The program has ended.", "state");
    } else if (state === "refused") {
      this.owner.refused();
    }
  }

  private theme() {
    return this.dark.matches ? DARK : LIGHT;
  }

  private readonly themed = () => {
    this.terminal.options.theme = this.theme();
  };
}
