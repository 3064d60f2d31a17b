// SPDX-License-Identifier: Apache-2.0
// What `make bench` says of the page: from a key in the browser to its echo on the screen, and what is left of that under a
// flood of output.
import { House, launch, until, Window } from "./house.mjs";

const KEYS = 200;
const FLOOD = 50 << 20;

const sorted = (values) => [...values].sort((a, b) => a - b);
const quantile = (values, part) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))];

// From the key's event to the next picture that has its letter. The page itself is not touched: what it draws is watched.
async function times(made, count) {
  const all = [];
  for (let i = 0; i < count; i++) {
    const letter = "abcdefghij"[i % 10];
    // Ready before the key comes: the two go to the page by different ways.
    await made.page.evaluate(() => {
      window.echoed = new Promise((done) => {
        let begun = 0;
        const rows = document.querySelector(".xterm-rows");
        const before = rows.textContent;
        document.addEventListener("keydown", () => (begun = performance.now()), { capture: true, once: true });
        const watch = new MutationObserver(() => {
          if (begun === 0 || rows.textContent === before) return;
          watch.disconnect();
          requestAnimationFrame(() => done(performance.now() - begun));
        });
        watch.observe(rows, { subtree: true, childList: true, characterData: true });
      });
    });
    await made.page.keyboard.press(letter);
    all.push(await made.page.evaluate(() => window.echoed));
  }
  return all;
}

const browser = await launch();
const house = await House.open();
try {
  await house.session("echo", "exec cat");
  const made = await Window.open(browser);
  await made.page.goto(house.serving.link);
  await made.page.waitForSelector(".sessions");
  await made.page.evaluate(() => (location.hash = "#/s/echo/0"));
  await made.attached();
  await made.page.locator(".xterm-helper-textarea").focus();
  await times(made, 20);
  const quiet = await times(made, KEYS);
  const middle = quantile(quiet, 0.5);
  console.log(`key to echo in Chromium        median ${middle.toFixed(1)} ms   p99 ${quantile(quiet, 0.99).toFixed(1)} ms`);
  console.log(`goal: median below 20 ms   ${middle < 20 ? "reached" : "MISSED"}`);

  await house.session("flood", `head -c ${FLOOD} /dev/zero | tr '\\0' 'x' | fold -w 79; echo the-end-of-it; exec cat`);
  await made.page.evaluate(() => (location.hash = "#/s/flood/0"));
  const begun = performance.now();
  await made.attached();
  // How long the page is deaf: the longest wait for an answer of its own thread.
  let longest = 0;
  await until(
    "the end of the flood",
    async () => {
      const asked = performance.now();
      const done = await made.page.evaluate(() => /the-end-of-it/.test(document.querySelector(".xterm-rows")?.textContent ?? ""));
      longest = Math.max(longest, performance.now() - asked);
      return done;
    },
    120_000,
  );
  console.log(`50 MiB of output: on the last screen after ${((performance.now() - begun) / 1000).toFixed(1)} s, the page deaf for ${longest.toFixed(0)} ms at most`);
  console.log(`goal: input answered within 100 ms meanwhile   ${longest < 100 ? "reached" : "MISSED"}`);
} finally {
  await browser.close();
  await house.close();
}
