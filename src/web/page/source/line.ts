// SPDX-License-Identifier: Apache-2.0
// Line: the WebSocket of one terminal. Comes back by itself after a loss, with what was missed: it counts the bytes of the
// output that it has handed on, and asks for what follows them.
import type { Prompt } from "./types";

export interface Ear {
  output(bytes: Uint8Array): void;
  // A snapshot follows, of a screen of that size: begin with an empty one.
  reset(cols: number, rows: number, why: Reset): void;
  resized(cols: number, rows: number): void;
  notice(text: string): void;
  warning(text: string): void;
  prompt(prompt: Prompt | null): void;
  state(state: LineState, why?: string): void;
}

// It is all that is known; it takes the place of output that was left out, or of a screen that was asked for: then what was
// shown above is not wrong.
export type Reset = "attach" | "slow" | "asked";

export type LineState = "connecting" | "open" | "away" | "over" | "refused";

interface Message {
  type: string;
  cols?: number;
  rows?: number;
  offset?: number;
  bytes?: number;
  text?: string;
  role?: string;
  open?: boolean;
  reason?: string;
  message?: string;
  prompt?: Prompt | null;
}

function resetOf(reason?: string): Reset {
  return reason === "slow" || reason === "asked" ? reason : "attach";
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8000;
const SEEN_EVERY = 32 * 1024;

export class Line {
  private socket: WebSocket | null = null;
  private offset: number | null = null; // of the output, behind the last byte handed on
  private snapshot = 0; // bytes of a snapshot that are still to come
  private shown = 0; // offset up to which the terminal has drawn
  private told = 0; // the last `seen`
  private pause = FIRST_PAUSE;
  private again = 0;
  private closed = false;
  private takesInput = true;
  private farewell = "";
  observer = false;

  constructor(
    private readonly session: string,
    private readonly pty: number,
    private readonly size: () => { cols: number; rows: number },
    private readonly ear: Ear,
  ) {
    window.addEventListener("online", this.retryNow);
    document.addEventListener("visibilitychange", this.retryNow);
    this.connect();
  }

  close() {
    this.closed = true;
    window.removeEventListener("online", this.retryNow);
    document.removeEventListener("visibilitychange", this.retryNow);
    window.clearTimeout(this.again);
    this.socket?.close(1000);
  }

  keys(data: string | Uint8Array<ArrayBuffer>) {
    if (this.observer || !this.takesInput || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(typeof data === "string" ? new TextEncoder().encode(data) : data);
    return true;
  }

  paste(text: string) {
    // A frame holds 64 KiB, and a character four bytes at most, with its escapes in JSON six.
    const letters = [...text];
    for (let at = 0; at < letters.length; at += 8000) this.say({ type: "paste", text: letters.slice(at, at + 8000).join("") });
  }

  window(cols: number, rows: number) {
    this.say({ type: "resize", cols, rows });
  }

  // The whole screen, once more.
  resync() {
    this.say({ type: "resync" });
  }

  // The terminal has drawn everything up to there: the server may send more.
  drawn(offset: number) {
    this.shown = Math.max(this.shown, offset);
    if (this.shown - this.told < SEEN_EVERY && this.shown !== this.offset) return;
    this.told = this.shown;
    this.say({ type: "seen", offset: this.shown });
  }

  get end() {
    return this.offset ?? 0;
  }

  private say(message: object) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private readonly retryNow = () => {
    if (document.hidden || this.closed || this.again === 0) return;
    window.clearTimeout(this.again);
    this.again = 0;
    this.connect();
  };

  private connect() {
    this.again = 0;
    const { cols, rows } = this.size();
    const query = new URLSearchParams({
      session: this.session,
      pty: String(this.pty),
      cols: String(cols),
      rows: String(rows),
      scrollback: "1000",
    });
    if (this.offset !== null) query.set("from", String(this.offset));
    this.ear.state("connecting");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws?${query}`);
    socket.binaryType = "arraybuffer";
    let greeted = false;
    socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
      if (socket !== this.socket) return;
      greeted = true;
      if (typeof event.data === "string") this.hear(JSON.parse(event.data) as Message);
      else this.take(new Uint8Array(event.data));
    };
    socket.onclose = (event) => {
      if (socket === this.socket) this.lost(event, greeted);
    };
    this.socket = socket;
  }

  private take(bytes: Uint8Array) {
    const ofSnapshot = Math.min(this.snapshot, bytes.length);
    this.snapshot -= ofSnapshot;
    if (this.offset !== null) this.offset += bytes.length - ofSnapshot;
    this.ear.output(bytes);
  }

  private hear(message: Message) {
    switch (message.type) {
      case "hello":
        this.pause = FIRST_PAUSE;
        this.snapshot = 0;
        this.takesInput = true;
        this.offset = message.offset ?? 0;
        this.shown = this.told = this.offset;
        this.observer = message.role === "observer";
        this.ear.state("open");
        this.ear.resized(message.cols ?? 80, message.rows ?? 24);
        this.ear.prompt(message.prompt ?? null);
        break;
      case "resync":
        this.offset = message.offset ?? 0;
        this.snapshot = message.bytes ?? 0;
        this.shown = this.told = this.offset;
        this.ear.reset(message.cols ?? 80, message.rows ?? 24, resetOf(message.reason));
        break;
      case "resize":
        this.ear.resized(message.cols ?? 80, message.rows ?? 24);
        break;
      case "notice":
        this.ear.notice(message.text ?? "");
        break;
      case "warning":
        this.ear.warning(message.text ?? "");
        break;
      case "prompt":
        this.ear.prompt(message.prompt ?? null);
        break;
      case "input":
        this.takesInput = message.open ?? true;
        break;
      case "error":
        this.ear.warning(message.message ?? "something that was sent came to nothing");
        break;
      case "detached":
        this.ear.state("over", message.reason);
        break;
    }
  }

  private lost(event: CloseEvent, greeted: boolean) {
    this.socket = null;
    if (this.closed) return;
    if (event.code === 1000) return this.ear.state("over");
    if (event.code === 1008) return this.ear.state("refused");
    // What the server said when it went stays the reason while nobody is there.
    if (greeted) this.farewell = event.reason;
    this.ear.state("away", this.farewell);
    // Never greeted: it may have been refused as HTTP, which a page cannot see here.
    if (!greeted) void this.askWhy();
    this.again = window.setTimeout(() => this.connect(), this.pause * (0.75 + Math.random() / 2));
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }

  private async askWhy() {
    try {
      const response = await fetch(`/api/sessions/${encodeURIComponent(this.session)}`);
      if (this.closed || response.ok) return;
      if (response.status !== 401 && response.status !== 404) return;
      window.clearTimeout(this.again);
      this.again = 0;
      this.ear.state(response.status === 401 ? "refused" : "over", "it is not there any more");
    } catch {
      // Away: it is tried again anyway.
    }
  }
}
