// SPDX-License-Identifier: Apache-2.0
// Model: sessions and open prompts as the server has them. Events say that something changed; the lists are asked for anew
// then, at most so often.
import { api, ApiError, follow } from "./api";
import { tell } from "./notify";
import type { Prompt, Session } from "./types";

const SHORTEST = 150; // milliseconds between two requests for the lists

export class Model {
  sessions: Session[] = [];
  prompts: Prompt[] = [];
  online = true;
  loaded = false;
  private readonly stop: () => void;
  private timer = 0;
  private asking = false;
  private wanted = false;

  constructor(
    private readonly changed: () => void,
    private readonly refused: () => void,
  ) {
    this.stop = follow({
      event: (event) => {
        if (!event.kind.startsWith("inbox.")) this.refresh();
      },
      anew: () => this.refresh(),
      open: (is) => {
        if (is === this.online) return;
        this.online = is;
        this.changed();
        if (is) this.refresh();
      },
    });
    this.refresh();
  }

  close() {
    this.stop();
    window.clearTimeout(this.timer);
  }

  session(name: string): Session | undefined {
    return this.sessions.find((each) => each.name === name || each.id === name);
  }

  refresh() {
    this.wanted = true;
    if (this.timer === 0 && !this.asking) this.timer = window.setTimeout(() => void this.ask(), this.loaded ? SHORTEST : 0);
  }

  private async ask() {
    this.timer = 0;
    this.asking = true;
    this.wanted = false;
    try {
      const [sessions, prompts] = await Promise.all([api.sessions(), api.prompts()]);
      this.sessions = sessions;
      this.prompts = prompts;
      this.loaded = true;
      this.online = true;
      void tell(prompts);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return this.refused();
      this.online = !(error instanceof ApiError && error.status === 0);
      // The events come back by themselves, and then this is asked for again.
    } finally {
      this.asking = false;
    }
    this.changed();
    if (this.wanted) this.refresh();
  }
}
