// SPDX-License-Identifier: Apache-2.0
// KeyBar: the keys that a phone's keyboard has not. Ctrl holds for the next key.
import { el } from "./dom";

interface Hands {
  send(keys: string): void;
  cursorKeys(): string;
  focus(): void;
}

export class KeyBar {
  readonly element: HTMLElement;
  private readonly control: HTMLButtonElement;
  private held = false;

  constructor(private readonly hands: Hands) {
    this.control = this.button("Ctrl", () => this.hold(!this.held), "Control, for the next key");
    this.control.setAttribute("aria-pressed", "false");
    const arrow = (letter: string) => () => this.press(this.hands.cursorKeys() + letter);
    this.element = el(
      "div",
      { class: "keys", role: "toolbar", "aria-label": "Keys" },
      this.button("Esc", () => this.press("\x1b"), "Escape"),
      this.button("Tab", () => this.press("\t"), "Tab"),
      this.control,
      this.button("←", arrow("D"), "Left"),
      this.button("↑", arrow("A"), "Up"),
      this.button("↓", arrow("B"), "Down"),
      this.button("→", arrow("C"), "Right"),
      this.button("⏎", () => this.press("\r"), "Enter"),
    );
  }

  // What a key becomes while Ctrl is held.
  apply(keys: string): string {
    if (!this.held || keys.length !== 1) return keys;
    this.hold(false);
    const code = keys.toUpperCase().charCodeAt(0);
    if (keys === " ") return "\0";
    if (keys === "?") return "\x7f";
    return code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : keys;
  }

  private press(keys: string) {
    this.hold(false);
    this.hands.send(keys);
  }

  private hold(held: boolean) {
    this.held = held;
    this.control.setAttribute("aria-pressed", String(held));
    if (held) this.hands.focus();
  }

  private button(label: string, pressed: () => void, name: string) {
    // The terminal keeps the focus, or the keyboard of a phone would go.
    return el(
      "button",
      { type: "button", "aria-label": name, click: pressed, pointerdown: (event: PointerEvent) => event.preventDefault() },
      label,
    );
  }
}
