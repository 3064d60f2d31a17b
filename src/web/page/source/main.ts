// SPDX-License-Identifier: Apache-2.0
// The page: sessions at the side, the prompts that wait, and the terminal that was chosen.
//   #/            the overview        #/s/NAME/PTY   a terminal
import { api, ApiError } from "./api";
import { announce, el } from "./dom";
import { Model } from "./model";
import { offer } from "./notify";
import { PromptCard } from "./prompt_card";
import { SessionList } from "./session_list";
import { TerminalView } from "./terminal_view";
import type { Me, Prompt } from "./types";

const LINGER = 8000; // how long a card says what became of it

class Page {
  private readonly offline = el("div", { class: "banner", "data-kind": "state", role: "status", hidden: true },
    "The server is away. This page comes back by itself.");
  private readonly cards = el("div", { class: "cards", role: "region", "aria-label": "Questions" });
  private readonly stage = el("main", { id: "stage", tabindex: "-1" });
  private readonly list = new SessionList();
  private readonly shown = new Map<string, PromptCard>();
  private readonly model: Model;
  private readonly ticking: number;
  private terminal: TerminalView | null = null;
  private place: { name: string; pty: number } | null = null;

  constructor(private readonly me: Me) {
    const readOnly = me.access === "read-only";
    document.getElementById("page")!.replaceChildren(
      el("a", { class: "skip", href: "#stage", click: (event: Event) => { event.preventDefault(); this.stage.focus(); } }, "To the terminal"),
      el(
        "header",
        { class: "top" },
        el("a", { href: "#/", class: "brand", "aria-label": "tend, overview" }, "tend"),
        readOnly ? el("span", { class: "badge" }, "read only") : null,
        el("span", { class: "space" }),
        offer(),
        el("button", { type: "button", class: "quiet", click: () => void this.leave() }, "Log out"),
      ),
      this.offline,
      el("div", { class: "body" }, el("aside", {}, this.list.element), el("div", { class: "centre" }, this.cards, this.stage)),
      el("div", { id: "announcements", class: "unseen", "aria-live": "polite" }),
    );
    this.model = new Model(() => this.show(), () => this.refused());
    this.ticking = window.setInterval(() => this.tick(), 1000);
    window.addEventListener("hashchange", this.moved);
    this.moved();
  }

  private readonly moved = () => {
    const parts = location.hash.split("/");
    const name = parts[1] === "s" && parts[2] ? decodeURIComponent(parts[2]) : null;
    const pty = Number(parts[3] ?? 0);
    this.terminal?.close();
    this.terminal = null;
    this.place = name === null ? null : { name, pty: Number.isInteger(pty) && pty >= 0 ? pty : 0 };
    document.body.dataset["view"] = this.place === null ? "overview" : "terminal";
    document.title = this.place === null ? "tend" : `${this.place.name} · tend`;
    if (this.place === null) {
      this.stage.replaceChildren(el("p", { class: "hint" }, "Choose a session to see its terminal."));
    } else {
      this.terminal = new TerminalView(this.place.name, this.place.pty, this.me.access === "read-only", {
        prompt: (prompt) => this.asked(prompt),
        refused: () => this.refused(),
      });
      this.stage.replaceChildren(this.terminal.element);
      this.terminal.open();
    }
    this.show();
  };

  // The terminal hears of its own prompts first.
  private asked(prompt: Prompt | null) {
    if (prompt !== null && prompt.state === "awaiting" && !this.shown.has(prompt.id)) this.addCard(prompt);
    this.model?.refresh();
  }

  private show() {
    if (this.model === undefined) return;
    this.offline.hidden = this.model.online;
    this.list.show(this.model.sessions, this.place);
    const open = new Set(this.model.prompts.map((each) => each.id));
    for (const prompt of this.model.prompts) if (!this.shown.has(prompt.id)) this.addCard(prompt);
    for (const [id, card] of this.shown) if (!open.has(id) && !card.ended) void this.endCard(id, card);
    for (const [, card] of this.shown) card.element.hidden = !this.concerns(card);
    const waiting = this.model.prompts.length;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${this.place === null ? "tend" : `${this.place.name} · tend`}`;
  }

  // Beside a terminal only its own questions are shown; the list shows who else waits.
  private concerns(card: PromptCard): boolean {
    if (this.place === null) return true;
    const session = this.model.session(this.place.name);
    return card.session === session?.id || card.name === this.place.name;
  }

  private addCard(prompt: Prompt) {
    const card = new PromptCard(prompt, this.me.access === "read-only");
    this.shown.set(prompt.id, card);
    this.cards.append(card.element);
    announce(`${prompt.name} asks: ${prompt.secret ? "a password" : prompt.question}`);
  }

  private async endCard(id: string, card: PromptCard) {
    try {
      const prompt = await api.prompt(id);
      if (prompt.state === "awaiting" || prompt.state === "claimed") return;
      if (!card.ended) card.end(prompt);
    } catch {
      if (!this.model.online) return;
      card.element.remove();
      this.shown.delete(id);
    }
  }

  private tick() {
    this.list.tick();
    for (const [id, card] of this.shown) {
      card.tick();
      if (card.ended && !card.leaving) {
        card.leaving = true;
        window.setTimeout(() => {
          card.element.remove();
          this.shown.delete(id);
        }, LINGER);
      }
    }
  }

  private async leave() {
    try {
      await api.logout();
    } finally {
      this.refused();
    }
  }

  private refused() {
    window.removeEventListener("hashchange", this.moved);
    window.clearInterval(this.ticking);
    this.model.close();
    this.terminal?.close();
    login();
  }
}

function login(said = "") {
  document.body.dataset["view"] = "login";
  const token = el("input", { type: "password", name: "token", "aria-label": "Token", placeholder: "Token", autocomplete: "off", required: true });
  const outcome = el("p", { class: "outcome", role: "alert" }, said);
  const form = el(
    "form",
    { class: "login" },
    el("h1", {}, "tend"),
    el("p", {}, "Open the link that ", el("code", {}, "tend serve"), " printed, or give its token."),
    token,
    el("button", { type: "submit", class: "usual" }, "Log in"),
    outcome,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = token.value.trim();
    token.value = "";
    api.login(given).then(
      (me) => new Page(me),
      (error: unknown) => (outcome.textContent = error instanceof ApiError && error.status === 401 ? "That is no token of this server." : String((error as Error).message)),
    );
  });
  document.getElementById("page")!.replaceChildren(el("main", {}, form));
}

async function begin() {
  try {
    new Page(await api.me());
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return login();
    const said = error instanceof Error ? error.message : String(error);
    document.getElementById("page")!.replaceChildren(
      el("main", { class: "hint", role: "alert" }, `tend: ${said}. Trying again…`));
    window.setTimeout(() => void begin(), 2000);
  }
}

if ("serviceWorker" in navigator && window.isSecureContext) void navigator.serviceWorker.register("/worker.js").catch(() => undefined);
void begin();
