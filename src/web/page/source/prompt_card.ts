// SPDX-License-Identifier: Apache-2.0
// PromptCard: what a program asks, and the ways to answer it. When it was answered elsewhere, the card says by whom.
import { type Answer, api, ApiError } from "./api";
import { announce, el } from "./dom";
import type { Prompt } from "./types";

export class PromptCard {
  readonly element: HTMLElement;
  private readonly countdown = el("time", { class: "countdown" });
  private readonly outcome = el("p", { class: "outcome", role: "status" });
  private readonly answers = el("div", { class: "answers" });
  private busy = false;
  ended = false;
  leaving = false; // its time is running

  constructor(
    private prompt: Prompt,
    readOnly: boolean,
  ) {
    const place = `#/s/${encodeURIComponent(prompt.name)}/${prompt.pty}`;
    const title = prompt.pty === 0 ? prompt.name : `${prompt.name}:${prompt.pty}`;
    this.element = el(
      "article",
      { class: "card", "aria-label": `${title} asks`, "data-prompt": prompt.id },
      el("header", {}, el("a", { href: place }, title), this.countdown),
      prompt.excerpt !== prompt.question && prompt.excerpt !== "" ? el("pre", { class: "excerpt" }, prompt.excerpt) : null,
      el("p", { class: "question" }, prompt.question || "It waits for something; look at the terminal."),
      this.answers,
      this.outcome,
    );
    if (!readOnly) this.answers.append(...this.ways());
    this.tick();
  }

  get session() {
    return this.prompt.session;
  }

  get name() {
    return this.prompt.name;
  }

  tick(now = Date.now()) {
    if (this.ended) return;
    const left = Math.max(0, Math.ceil((Date.parse(this.prompt.expires_at) - now) / 1000));
    this.countdown.textContent = left >= 60 ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : `${left} s`;
    this.countdown.setAttribute("aria-label", `${left} seconds left`);
  }

  // It is not open any more.
  end(prompt: Prompt) {
    this.prompt = prompt;
    this.ended = true;
    this.answers.remove();
    this.countdown.remove();
    this.element.dataset["state"] = prompt.state;
    this.say(ending(prompt));
  }

  private ways(): HTMLElement[] {
    const prompt = this.prompt;
    if (prompt.secret) return [this.field("password", "Password", "Send")];
    switch (prompt.type) {
      case "YES_NO":
      case "MULTIPLE_CHOICE": {
        const buttons = prompt.choices.map((choice, index) => {
          const usual = prompt.default !== null && choice.key === prompt.default;
          return this.button(label(choice), { choice: index + 1 }, usual ? "usual" : "");
        });
        return buttons.length > 0 ? [...buttons, this.cancel()] : [this.field("text", "Answer", "Send"), this.cancel()];
      }
      case "CONFIRM_ENTER":
        return [this.button("Press Enter", {}, "usual"), this.cancel()];
      case "PAGER":
        return [this.button("Next page", { keys: ["Space"] }, "usual"), this.button("Leave", { keys: ["q"] }), this.cancel()];
      case "FREE_TEXT":
        return [this.field("text", "Answer", "Send"), this.cancel()];
      case "UNKNOWN":
        return [this.button("Send Enter", {}), this.field("text", "Answer", "Send"), this.cancel()];
    }
  }

  private button(text: string, answer: Answer, kind = "") {
    return el("button", { type: "button", class: kind, click: () => void this.send(answer) }, text);
  }

  private cancel() {
    return el("button", { type: "button", class: "quiet", click: () => void this.send({ cancel: true }) }, "Dismiss");
  }

  private field(type: "text" | "password", name: string, button: string) {
    const input = el("input", {
      type,
      "aria-label": name,
      placeholder: name,
      autocomplete: type === "password" ? "off" : "on",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "send",
    });
    const form = el("form", { class: "field" }, input, el("button", { type: "submit", class: "usual" }, button));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const answer = input.value;
      // A password is nowhere on the page any more.
      if (type === "password") input.value = "";
      void this.send({ answer });
    });
    return form;
  }

  private async send(answer: Answer) {
    if (this.busy || this.ended) return;
    this.busy = true;
    this.element.setAttribute("aria-busy", "true");
    for (const each of this.answers.querySelectorAll("button, input")) each.setAttribute("disabled", "");
    try {
      const result = await api.answer(this.prompt, answer);
      if (!this.ended) this.end({ ...this.prompt, state: result.state as Prompt["state"], outcome: result.outcome as Prompt["outcome"], by: "you", channel: null });
    } catch (error) {
      const known = await this.settle();
      if (!known) this.say(error instanceof ApiError ? error.message : String(error));
    }
    this.busy = false;
    this.element.removeAttribute("aria-busy");
    for (const each of this.answers.querySelectorAll("button, input")) each.removeAttribute("disabled");
  }

  // After a refusal: it may have been answered by somebody else.
  private async settle(): Promise<boolean> {
    try {
      const now = await api.prompt(this.prompt.id);
      if (now.state === "awaiting" || now.state === "claimed" || now.state === "created" || now.state === "routed") return false;
      this.end(now);
      return true;
    } catch {
      return false;
    }
  }

  private say(text: string) {
    this.outcome.textContent = text;
    announce(text);
  }
}

function label(choice: { key: string; label: string }): string {
  return choice.label === "" ? choice.key : choice.label;
}

export function ending(prompt: Prompt): string {
  const who = prompt.by === "you" ? "by you" : `by ${prompt.by ?? "somebody"}${prompt.channel ? ` (${prompt.channel})` : ""}`;
  switch (prompt.state) {
    case "answered":
      if (prompt.outcome === "rejected") return `Answered ${who}: the program asks the same again.`;
      if (prompt.outcome === "unknown") return `Answered ${who}: what came of it is not known.`;
      return `Answered ${who}.`;
    case "expired":
      return "Not asked any more.";
    case "cancelled":
      return `Dismissed ${who}.`;
    case "failed":
      return "The answer could not be delivered.";
    default:
      return "";
  }
}
