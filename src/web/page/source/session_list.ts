// SPDX-License-Identifier: Apache-2.0
// SessionList: the sessions with what they are about and how old they are; rows are kept, so that a focus stays.
import { age, el } from "./dom";
import type { Session } from "./types";

const WORDS: Record<Session["state"], string> = {
  working: "working",
  waiting: "waits for you",
  ready: "ready",
  unknown: "unknown",
  restarting: "restarting",
  exited: "ended",
};

export class SessionList {
  readonly element = el("nav", { class: "sessions", "aria-label": "Sessions" });
  private readonly list = el("ul");
  private readonly empty = el("p", { class: "empty" }, "No sessions. Start one with ", el("code", {}, "tend run -- COMMAND"));
  private readonly rows = new Map<string, HTMLElement>();

  constructor() {
    this.element.append(this.list, this.empty);
  }

  show(sessions: Session[], current: { name: string; pty: number } | null) {
    const order = [...sessions].sort((a, b) => rank(a) - rank(b) || Date.parse(b.created_at) - Date.parse(a.created_at));
    const gone = new Set(this.rows.keys());
    let before: Element | null = this.list.firstElementChild;
    for (const session of order) {
      gone.delete(session.id);
      const fresh = row(session, current);
      const old = this.rows.get(session.id);
      if (old !== undefined && old.dataset["as"] === fresh.dataset["as"]) {
        if (old !== before) this.list.insertBefore(old, before);
        else before = before?.nextElementSibling ?? null;
        continue;
      }
      const focused = old?.contains(document.activeElement) ?? false;
      if (old !== undefined) {
        if (old === before) before = before.nextElementSibling;
        old.remove();
      }
      this.list.insertBefore(fresh, before);
      this.rows.set(session.id, fresh);
      if (focused) fresh.querySelector("a")?.focus();
    }
    for (const id of gone) {
      this.rows.get(id)?.remove();
      this.rows.delete(id);
    }
    this.empty.hidden = sessions.length > 0;
    this.tick();
  }

  tick(now = Date.now()) {
    for (const each of this.list.querySelectorAll("time")) each.textContent = age(each.dateTime, now);
  }
}

function rank(session: Session): number {
  return session.state === "waiting" ? 0 : session.state === "exited" ? 2 : 1;
}

function row(session: Session, current: { name: string; pty: number } | null): HTMLElement {
  const here = current !== null && (current.name === session.name || current.name === session.id);
  const link = (pty: number, ...children: (Node | string)[]) =>
    el(
      "a",
      {
        href: `#/s/${encodeURIComponent(session.name)}/${pty}`,
        "aria-current": here && current.pty === pty ? "page" : null,
      },
      ...children,
    );
  const shells = session.ptys.filter((each) => each.id !== 0 && each.state !== "dead");
  const made = el(
    "li",
    { "data-state": session.state },
    link(
      0,
      el("span", { class: "dot", "aria-hidden": "true" }),
      el("span", { class: "name" }, session.name),
      el("span", { class: "about" }, WORDS[session.state] ?? session.state),
      el("time", { datetime: session.ended_at ?? session.created_at }),
      el("span", { class: "command" }, session.command.join(" ").slice(0, 200)),
    ),
    shells.length > 0
      ? el("span", { class: "shells" }, ...shells.map((each) => link(each.id, `shell ${each.id}`)))
      : null,
  );
  made.dataset["as"] = made.outerHTML;
  return made;
}
