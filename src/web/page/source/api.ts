// SPDX-License-Identifier: Apache-2.0
// Requests to the server, and its events. The cookie goes along by itself.
import type { AppEvent, Me, Prompt, Session } from "./types";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

async function request<T>(method: string, path: string, body?: object): Promise<T> {
  const init: RequestInit = { method, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    init.headers = { ...init.headers, "Content-Type": "application/json" };
    init.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new ApiError(0, "OFFLINE", "the server cannot be reached");
  }
  const text = await response.text();
  let said: unknown = null;
  try {
    said = text === "" ? null : JSON.parse(text);
  } catch {
    throw new ApiError(response.status, "BAD_ANSWER", `the server's answer is no JSON (${response.status})`);
  }
  if (!response.ok) {
    const error = (said as { error?: { code?: string; message?: string } } | null)?.error;
    throw new ApiError(response.status, error?.code ?? "FAILED", error?.message ?? `it failed (${response.status})`);
  }
  return said as T;
}

export interface Answer {
  answer?: string;
  choice?: number;
  keys?: string[];
  cancel?: boolean;
}

export const api = {
  me: () => request<Me>("GET", "/api/me"),
  login: (token: string) => request<Me>("POST", "/api/login", { token }),
  logout: () => request<null>("POST", "/api/logout", {}),

  async sessions(): Promise<Session[]> {
    const all: Session[] = [];
    let after: string | null = null;
    do {
      const query: string = after === null ? "" : `?after=${encodeURIComponent(after)}`;
      const page: { sessions: Session[]; next: string | null } = await request("GET", `/api/sessions${query}`);
      all.push(...page.sessions);
      after = page.next;
    } while (after !== null);
    return all;
  },
  prompts: () => request<Prompt[]>("GET", "/api/prompts"),
  prompt: (id: string) => request<Prompt>("GET", `/api/prompts/${encodeURIComponent(id)}`),
  answer: (prompt: Prompt, answer: Answer) =>
    request<{ state: string; outcome: string | null }>("POST", `/api/prompts/${encodeURIComponent(prompt.id)}/answer`, {
      nonce: prompt.nonce,
      ...answer,
    }),
  shell: (session: string) =>
    request<{ pty: number }>("POST", `/api/sessions/${encodeURIComponent(session)}/ptys`, {}),
};

// The server's events. The browser connects again by itself, and says where it was.
export function follow(heard: { event: (event: AppEvent) => void; anew: () => void; open: (is: boolean) => void }) {
  let source: EventSource | null = null;
  let again = 0;
  const start = () => {
    source = new EventSource("/api/events");
    source.addEventListener("open", () => heard.open(true));
    source.addEventListener("start", () => heard.anew());
    source.addEventListener("missed", () => heard.anew());
    source.addEventListener("event", (message) => {
      try {
        heard.event(JSON.parse((message as MessageEvent<string>).data) as AppEvent);
      } catch {
        heard.anew();
      }
    });
    source.addEventListener("error", () => {
      heard.open(false);
      // A refusal ends it for good; a lost connection does not.
      if (source?.readyState !== EventSource.CLOSED) return;
      window.clearTimeout(again);
      again = window.setTimeout(start, 2000);
    });
  };
  start();
  return () => {
    window.clearTimeout(again);
    source?.close();
  };
}
