// SPDX-License-Identifier: Apache-2.0
// Feed: everything that changes the terminal, in its order. What comes first goes to it at once; of a flood it gets a little at
// a time, in a task of its own each, so that keys and frames have their turn between them. What is still here when a
// snapshot takes its place is not drawn at all. What waits is bounded by the server, which sends no more than 256 KiB
// beyond what it is told was seen.
export interface Screen {
  write(data: Uint8Array | string, done: () => void): void;
}

type Step = { data: Uint8Array | string; done?: (() => void) | undefined } | { change: () => void };

const PIECE = 8 * 1024; // the terminal looks at the time between two of them
const AHEAD = 32 * 1024; // with the terminal, and not drawn yet

export class Feed {
  private steps: Step[] = [];
  private ahead = 0;
  private readonly turn = new MessageChannel(); // sooner than a timer, later than a key

  constructor(private readonly screen: Screen) {
    this.turn.port1.onmessage = () => this.go();
  }

  close() {
    this.steps = [];
    this.turn.port1.close();
  }

  // `done` when all of it is on the screen.
  write(data: Uint8Array | string, done?: () => void) {
    for (let at = 0; at + PIECE < data.length; at += PIECE) {
      this.steps.push({ data: piece(data, at, at + PIECE) });
    }
    const rest = data.length === 0 ? 0 : Math.floor((data.length - 1) / PIECE) * PIECE;
    this.steps.push({ data: piece(data, rest, data.length), done });
    this.go();
  }

  // When everything before it is on the screen.
  change(change: () => void) {
    this.steps.push({ change });
    this.go();
  }

  // What waits is of no use any more.
  restart(change: () => void) {
    this.steps = [];
    this.change(change);
  }

  private go() {
    for (;;) {
      const step = this.steps[0];
      if (step === undefined) return;
      if ("change" in step) {
        if (this.ahead > 0) return;
        this.steps.shift();
        step.change();
        continue;
      }
      if (this.ahead >= AHEAD) return;
      this.steps.shift();
      // An empty one counts too, or what follows it would overtake it.
      const size = step.data.length + 1;
      this.ahead += size;
      this.screen.write(step.data, () => {
        this.ahead -= size;
        step.done?.();
        if (this.ahead === 0 && this.steps.length > 0) this.turn.port2.postMessage(null);
      });
    }
  }
}

function piece(data: Uint8Array | string, begin: number, end: number): Uint8Array | string {
  return typeof data === "string" ? data.slice(begin, end) : data.subarray(begin, end);
}
