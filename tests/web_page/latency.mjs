// SPDX-License-Identifier: Apache-2.0
// What `make bench` says of the page: from a key in the browser to its echo on the screen, and how long a key waits
// during a flood of output.
import { House, launch, until, Window } from "./house.mjs";

const KEYS = 150;
const FLOOD = 50 << 20;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const sorted = (values) => [...values].sort((a, b) => a - b);
const quantile = (values, part) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))];

// From the moment at which the browser has the key (its event's time stamp) to the one at which the picture with its letter
// is on the screen. The page itself is not touched: what it draws is watched. The letter comes into the rows in the
// frame's own callback, so that a mark put beside them there is in the same picture; for it the browser tells when that
// was presented (Element Timing's renderTime). A callback for the next frame would come later than that, and
// one behind this frame's callbacks earlier, before anything was drawn.
function watchEcho() {
  window.echoed = new Promise((done) => {
    let begun = 0;
    const rows = document.querySelector(".xterm-rows");
    const before = rows.textContent;
    const mark = document.createElement("p");
    mark.setAttribute("elementtiming", "echo");
    mark.textContent = "x";
    mark.style.cssText = "position: fixed; left: 0; top: 0; margin: 0";
    document.addEventListener("keydown", (event) => (begun = event.timeStamp), { capture: true, once: true });
    const watch = new MutationObserver(() => {
      if (begun === 0 || rows.textContent === before) return;
      watch.disconnect();
      document.body.append(mark);
    });
    watch.observe(rows, { subtree: true, childList: true, characterData: true });
    const shown = new PerformanceObserver((list) => {
      shown.disconnect();
      mark.remove();
      done(list.getEntries()[0].renderTime - begun);
    });
    shown.observe({ type: "element" });
  });
}

async function times(made, count) {
  const all = [];
  for (let i = 0; i < count; i++) {
    // Ready before the key comes: the two go to the page by different ways.
    await made.page.evaluate(watchEcho);
    // As fast as people type, and not in step with frames.
    await pause(60 + (i % 50));
    await made.page.keyboard.press("abcdefghij"[i % 10]);
    all.push(await made.page.evaluate(() => window.echoed));
  }
  return all;
}

// Types all the time that a program writes 50 MiB. A key is answered when the page has taken it, and sends it on; how long after
// that the next picture comes is told too.
async function flood(house, made) {
  await house.session("flood", `read; head -c ${FLOOD} /dev/zero | tr '\\0' 'x' | fold -w 79; echo the-end-of-it; exec cat`);
  await made.page.evaluate(() => {
    window.waits = [];
    window.pictures = [0];
    document.addEventListener("keydown", (event) => waits.push(performance.now() - event.timeStamp), { capture: true });
    new PerformanceObserver((list) => list.getEntries().forEach((each) => each.name === "keydown" && pictures.push(each.duration))).observe({
      type: "event",
      durationThreshold: 16,
    });
    location.hash = "#/s/flood/0";
  });
  await made.attached();
  await made.page.locator(".xterm-helper-textarea").focus();
  const begun = performance.now();
  await made.page.keyboard.press("Enter");
  while (!/the-end-of-it/.test(await made.text())) {
    if (performance.now() - begun > 120_000) throw new Error("the flood does not end");
    await made.page.keyboard.press("a");
    await pause(20);
  }
  const seconds = (performance.now() - begun) / 1000;
  await until("the right screen", async () => (await made.text()).trimEnd() === (await house.screen("flood")).trimEnd());
  return { seconds, ...(await made.page.evaluate(() => ({ waits, pictures }))) };
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

  const { seconds, waits, pictures } = await flood(house, made);
  const longest = Math.max(...waits);
  console.log(
    `50 MiB of output: on the last screen, the right one, after ${seconds.toFixed(1)} s; ${waits.length} keys meanwhile waited for the page ` +
      `${quantile(waits, 0.5).toFixed(0)} ms, ${longest.toFixed(0)} at most, and ${Math.max(...pictures)} at most for the next picture`,
  );
  console.log(`goal: input answered within 100 ms meanwhile   ${longest < 100 ? "reached" : "MISSED"}`);
} finally {
  await browser.close();
  await house.close();
}
