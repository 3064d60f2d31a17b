// SPDX-License-Identifier: Apache-2.0
// What the server says, as far as the page looks at it (docs/web.md, docs/protocol.md).
export interface Choice {
  key: string;
  label: string;
}

export type PromptState = "created" | "routed" | "awaiting" | "claimed" | "answered" | "expired" | "cancelled" | "failed";

export interface Prompt {
  id: string;
  nonce: string;
  session: string;
  name: string;
  pty: number;
  type: "YES_NO" | "CONFIRM_ENTER" | "MULTIPLE_CHOICE" | "FREE_TEXT" | "PAGER" | "UNKNOWN";
  question: string;
  choices: Choice[];
  default: string | null;
  secret: boolean;
  enter: boolean;
  excerpt: string;
  state: PromptState;
  outcome: "accepted" | "rejected" | "unknown" | null;
  by: string | null;
  channel: string | null;
  created_at: string;
  expires_at: string;
}

export interface Pty {
  id: number;
  state: "running" | "exited" | "restarting" | "dead";
  activity: string;
  exit_code: number | null;
  signal: number | string | null;
  cols: number;
  rows: number;
  clients: number;
  command: string[];
  title: string;
}

export interface Session {
  id: string;
  name: string;
  state: "working" | "waiting" | "ready" | "unknown" | "restarting" | "exited";
  cwd: string;
  command: string[];
  created_at: string;
  ended_at: string | null;
  ptys: Pty[];
  prompt: Prompt | null;
}

export interface Me {
  token: string;
  access: "full" | "read-only";
  version: string;
}

export interface AppEvent {
  number: number;
  kind: string;
  session?: string;
  name?: string;
  pty?: number;
  prompt?: string;
  question?: string;
  state?: string;
}
