// SPDX-License-Identifier: Apache-2.0
// Notifications when a session begins to wait for a person, where that was allowed and the page is not in front.
import { el } from "./dom";
import type { Prompt } from "./types";

const told = new Set<string>();

export function offer(): HTMLElement | null {
  if (!("Notification" in window) || Notification.permission !== "default") return null;
  const button = el(
    "button",
    {
      type: "button",
      class: "quiet",
      click: () => {
        void Notification.requestPermission().then(() => button.remove());
      },
    },
    "Notify me",
  );
  return button;
}

export async function tell(prompts: Prompt[]) {
  for (const prompt of prompts) {
    if (told.has(prompt.id)) continue;
    told.add(prompt.id);
    if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") continue;
    const options = {
      body: prompt.secret ? "asks for a password" : prompt.question || "waits for an answer",
      tag: prompt.id,
      icon: "/icon.svg",
      data: { place: `/#/s/${encodeURIComponent(prompt.name)}/${prompt.pty}` },
    };
    const registration = await navigator.serviceWorker?.getRegistration();
    if (registration) await registration.showNotification(prompt.name, options);
    else new Notification(prompt.name, options);
  }
}
