// SPDX-License-Identifier: Apache-2.0
// The service worker: the page opens without the server too, and says then that it is away. What the server says always
// comes from the server.
declare const VERSION: string;
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Extendable {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Clicked extends Extendable {
  notification: Notification;
}
interface Window {
  url: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}
const worker = self as unknown as {
  addEventListener(name: string, heard: (event: never) => void): void;
  skipWaiting(): Promise<void>;
  clients: {
    claim(): Promise<void>;
    matchAll(options: object): Promise<Window[]>;
    openWindow(url: string): Promise<unknown>;
  };
  location: Location;
};

const kept = `tend-${VERSION}`;
const files = ["/", "/page.js", "/page.css", "/icon.svg", "/manifest.webmanifest"];

worker.addEventListener("install", (event: Extendable) => {
  event.waitUntil(caches.open(kept).then((cache) => cache.addAll(files)).then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event: Extendable) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name.startsWith("tend-") && name !== kept) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(clean());
});

worker.addEventListener("fetch", (event: Fetching) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== worker.location.origin || url.search !== "" || !files.includes(url.pathname))
    return;
  const answer = async () => {
    try {
      return await fetch(event.request);
    } catch (error) {
      const known = await caches.match(url.pathname);
      if (known === undefined) throw error;
      return known;
    }
  };
  event.respondWith(answer());
});

worker.addEventListener("notificationclick", (event: Clicked) => {
  event.notification.close();
  const place = (event.notification.data as { place?: string } | null)?.place ?? "/";
  const open = async () => {
    const windows = await worker.clients.matchAll({ type: "window" });
    const first = windows[0];
    if (first === undefined) return worker.clients.openWindow(place);
    await first.navigate(place);
    return first.focus();
  };
  event.waitUntil(open());
});
