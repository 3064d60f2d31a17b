// SPDX-License-Identifier: Apache-2.0
// The flows of the page in Debian's Chromium, against a daemon of its own. Pictures are kept as output.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { DEADLINE, House, launch, until, Window } from "./house.mjs";

let browser;
let house;
let windows = [];

async function window(options) {
  const made = await Window.open(browser, options);
  windows.push(made);
  return made;
}

async function enter(options, url = house.serving.link) {
  const made = await window(options);
  await made.page.goto(url);
  await made.page.waitForSelector(".sessions", { timeout: DEADLINE });
  return made;
}

async function attach(made, name, pty = 0) {
  await made.page.evaluate(([name, pty]) => (location.hash = `#/s/${name}/${pty}`), [name, pty]);
  await made.attached();
  await made.page.locator(".xterm-helper-textarea").focus();
}

before(async () => {
  browser = await launch();
  house = await House.open();
});

after(async () => {
  await browser?.close();
  await house?.close();
});

afterEach(async () => {
  const open = windows;
  windows = [];
  for (const each of open) {
    const complaints = each.unexpected();
    const foreign = each.foreign.filter((url) => !url.startsWith(new URL(house.serving.link).origin) && !/^(data|blob):/.test(url));
    await each.close();
    assert.deepEqual(complaints, []);
    assert.deepEqual(foreign, [], "nothing is asked of any other host");
  }
});

test("a link logs in, and its token leaves the address", async () => {
  await house.session("first");
  const made = await enter();
  assert.ok(!made.page.url().includes("token"));
  await made.page.waitForSelector("text=first");
  const cookies = await made.context.cookies();
  assert.ok(cookies.every((each) => each.httpOnly && each.sameSite === "Strict"));
  await until("the state of the session", async () => /ready|working/.test(await made.page.locator(".sessions li").first().innerText()));
  await made.picture("sessions");
});

test("without a token there is a form, and a wrong token is told so", async () => {
  const made = await window();
  made.expected.push(/401/);
  await made.page.goto(new URL("/", house.serving.link).href);
  await made.page.getByLabel("Token").fill("wrong");
  await made.page.getByRole("button", { name: "Log in" }).click();
  await made.page.waitForSelector("text=That is no token of this server.");
  await made.picture("login");
  await made.page.getByLabel("Token").fill(new URL(house.serving.link).searchParams.get("token"));
  await made.page.getByRole("button", { name: "Log in" }).click();
  await made.page.waitForSelector(".sessions");
});

test("keys go to the program, and what it writes is shown", async () => {
  await house.session("typing");
  const made = await enter();
  await attach(made, "typing");
  await made.page.keyboard.type("echo $((6*7))-answer");
  await made.page.keyboard.press("Enter");
  await made.shows(/^42-answer$/m);
  assert.match(await house.screen("typing"), /^42-answer$/m);
  await made.picture("terminal");
});

test("the window's size is the program's", async () => {
  await house.session("sizes");
  const made = await enter();
  await attach(made, "sizes");
  const columns = async () => (await house.json("ls")).find((each) => each.name === "sizes").ptys[0].cols;
  const before = await columns();
  await made.page.setViewportSize({ width: 800, height: 600 });
  await until("a smaller size", async () => (await columns()) < before);
});

test("two browsers see the same terminal", async () => {
  await house.session("shared");
  const one = await enter();
  const two = await enter();
  await attach(one, "shared");
  await attach(two, "shared");
  await one.page.keyboard.type("echo from-$((1))-one\n");
  await two.shows(/^from-1-one$/m);
  await two.page.keyboard.type("echo from-$((2))-two\n");
  await one.shows(/^from-2-two$/m);
});

test("exit does not reach the agent, and the warning says so", async () => {
  await house.session("agent");
  const made = await enter();
  await attach(made, "agent");
  await made.page.keyboard.type("exit");
  await made.page.keyboard.press("Enter");
  await made.page.waitForSelector("text=Blocked from web. Use local terminal to exit.");
  await made.picture("blocked");
  for (let i = 0; i < 4; i++) await made.page.keyboard.press("Backspace");
  await made.page.keyboard.type("echo still-$((1))-here\n");
  await made.shows(/^still-1-here$/m);
  assert.equal((await house.json("ls")).find((each) => each.name === "agent").ptys[0].state, "running");
});

test("exit ends a shell beside the agent", async () => {
  await house.session("beside");
  await house.tend("shell", "beside", "-d");
  const made = await enter();
  await attach(made, "beside", 1);
  await made.page.keyboard.type("exit\n");
  await until("the shell's end", async () => {
    const session = (await house.json("ls")).find((each) => each.name === "beside");
    return session.ptys.find((each) => each.id === 1)?.state !== "running";
  });
});

test("the second of two quick Ctrl+C is held back", async () => {
  await house.session("interrupts", "trap 'echo got-it' INT; echo up; while :; do sleep 0.1; done");
  const made = await enter();
  await attach(made, "interrupts");
  await made.shows(/^up$/m);
  await made.page.keyboard.press("Control+c");
  await made.page.keyboard.press("Control+c");
  await made.page.waitForSelector('.banner[data-kind="warning"]:not([hidden])');
  await made.shows(/got-it/);
  assert.equal((await made.text()).match(/got-it/g).length, 1);
});

test("a paste is one, and cannot press keys", async () => {
  await house.session("pasting");
  const made = await enter();
  await attach(made, "pasting");
  await made.page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text/plain", "echo pas\u001b[201~ted");
    document.querySelector(".xterm-helper-textarea").dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  await made.shows(/echo pas\[201~ted/);
});

test("a question is a card, and its button answers it", async () => {
  await house.session("asking", "read -p 'Overwrite the file? [y/N] ' a; echo \"got:$a\"; sleep 600");
  const made = await enter();
  const card = made.page.locator(".card", { hasText: "Overwrite the file?" });
  await card.waitFor({ timeout: DEADLINE });
  assert.match(await card.locator(".countdown").innerText(), /^[0-5]:\d\d$|^\d+ s$/);
  await made.picture("question");
  await card.getByRole("button", { name: "Yes" }).click();
  await card.locator("text=Answered by you.").waitFor({ timeout: DEADLINE });
  await until("the program's answer", async () => /^got:y$/m.test(await house.screen("asking")));
});

test("a card that was answered elsewhere says by whom", async () => {
  await house.session("elsewhere", "read -p 'Really delete it? [y/N] ' a; echo \"got:$a\"; sleep 600");
  const made = await enter();
  const card = made.page.locator(".card", { hasText: "Really delete it?" });
  await card.waitFor({ timeout: DEADLINE });
  const [prompt] = (await house.json("prompts")).filter((each) => each.name === "elsewhere");
  await house.tend("answer", prompt.id, "no");
  await card.locator("text=/Answered by .+/").waitFor({ timeout: DEADLINE });
  assert.equal(await card.getByRole("button").count(), 0);
});

test("a password has a field that shows nothing, and is nowhere on the page", async () => {
  await house.session("secret", "read -s -p 'Password: ' a; echo; echo \"length:${#a}\"; sleep 600");
  const made = await enter();
  const card = made.page.locator(".card", { hasText: "Password:" });
  await card.waitFor({ timeout: DEADLINE });
  assert.equal(await card.locator("input").getAttribute("type"), "password");
  await card.locator("input").fill("correct-horse");
  await card.getByRole("button", { name: "Send" }).click();
  await until("the program's answer", async () => /^length:13$/m.test(await house.screen("secret")));
  assert.ok(!(await made.page.content()).includes("correct-horse"));
});

test("a daemon that is killed is missed, and found again with what was missed", async () => {
  await house.session("survivor", "i=0; while :; do echo line-$((i++)); sleep 0.05; done");
  const made = await enter();
  made.expected.push(/ERR_|WebSocket|EventSource|Failed to load/);
  await attach(made, "survivor");
  await made.shows(/line-\d+/);
  const old = await house.killDaemon();
  await until("another daemon", async () => (await house.json("daemon", "status")).pid !== old);
  await made.page.waitForSelector('.terminal[data-line="open"]', { timeout: DEADLINE });
  const seen = Number((await made.text()).match(/line-(\d+)/g).at(-1).slice(5));
  await made.shows(new RegExp(`line-${seen + 20}\\b`));
  const numbers = (await made.text()).match(/line-\d+/g).map((each) => Number(each.slice(5)));
  numbers.forEach((number, i) => assert.equal(number, numbers[0] + i, "no line twice and none missing"));
});

test("a server that closes says so; the page goes on with the next daemon, and logs in to the next server", async () => {
  const other = await House.open();
  const made = await Window.open(browser);
  try {
    await other.session("closing", "exec cat");
    await made.page.goto(other.serving.link);
    await made.page.waitForSelector(".sessions");
    await attach(made, "closing");
    const banner = made.page.locator(".terminal .banner");
    await other.tend("daemon", "stop");
    await banner.getByText("The daemon ends: trying again…").waitFor({ timeout: DEADLINE });
    await other.tend("ls");
    await made.attached();
    await made.page.keyboard.type("typed-to-the-next");
    await made.shows(/typed-to-the-next/);
    assert.ok(await banner.isHidden());
    await other.tend("serve", "--stop");
    await banner.getByText("The server was closed: trying again…").waitFor({ timeout: DEADLINE });
    await made.picture("closed");
    await other.tend("serve", "--port", String(other.serving.port));
    await made.page.getByLabel("Token").waitFor({ timeout: DEADLINE });
  } finally {
    await made.close();
    await other.close();
  }
});

test("what is too fast for the page is left out, said so, and the screen is right", async () => {
  // The page misses that margins, inserting, wrapping and tabs are as usual again.
  const odd = "printf '\\e[3;9r\\e[4h\\e[?7l\\e[?1000h\\e[3g\\e(0'";
  const usual = "printf '\\e[r\\e[4l\\e[?7h\\e[?1000l\\e(B\\e[H\\e[2J\\e[9G\\eH\\e[1G'";
  await house.session("gap", `echo before-it; read; ${odd}; echo; read; ${usual}; seq 1 600000; printf 'a\\tthe-end-of-it\\n%0200d\\n' 7; exec cat`);
  const made = await enter();
  await attach(made, "gap");
  await made.shows(/^before-it$/m);
  await made.page.keyboard.press("Enter");
  await made.page.waitForSelector(".xterm.enable-mouse-events");
  await made.page.keyboard.press("Enter");
  // Deaf until the journal has gone round more than once.
  const page = await made.page.context().newCDPSession(made.page);
  await page.send("Debugger.enable");
  await page.send("Debugger.pause");
  await until("the end of the output", async () => /the-end-of-it/.test(await house.screen("gap")));
  await page.send("Debugger.disable");
  await made.shows(/the-end-of-it/);
  const isRight = async () => {
    const [here, there] = [(await made.text()).trimEnd(), (await house.screen("gap")).trimEnd()];
    return here === there || Promise.reject(new Error(`${here}\n-- and not\n${there}`));
  };
  await until("the right screen", isRight);
  assert.equal(await made.page.locator(".xterm.enable-mouse-events").count(), 0);
  // A screen that grows has lines of before, which the page was not sent.
  const rows = (await made.text()).split("\n").length;
  await made.page.setViewportSize({ width: 1280, height: 1000 });
  await until("a higher terminal", async () => (await made.text()).split("\n").length > rows);
  await until("the right screen, and more of it", isRight);
  await made.page.keyboard.press("Control+Shift+F");
  await made.page.locator(".find").fill("some output is left out here");
  await made.page.locator(".find").press("Enter");
  // Behind what it had seen.
  await made.shows(/^\d+\n\d+\n[^]*some output is left out here/m);
});

test("without a connection the page says so, and heals", async () => {
  const made = await enter();
  made.expected.push(/ERR_|EventSource|Failed to load/);
  // The page itself is kept by then.
  await made.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await made.context.setOffline(true);
  await house.session("while-away");
  await made.page.evaluate(() => fetch("/api/me").catch(() => undefined));
  await made.page.reload().catch(() => undefined);
  await until("a word about it", async () => /cannot be reached|is away/.test(await made.page.locator("body").innerText()));
  await made.picture("offline");
  await made.context.setOffline(false);
  await made.page.waitForSelector("text=while-away", { timeout: DEADLINE });
});

test("a link that only looks does not type, and has no buttons", async () => {
  await house.session("museum", "read -p 'Touch it? [y/N] ' a; sleep 600");
  const link = await house.serve("--read-only");
  const made = await enter({}, link.link);
  await made.page.waitForSelector("text=read only");
  const card = made.page.locator(".card", { hasText: "Touch it?" });
  await card.waitFor({ timeout: DEADLINE });
  assert.equal(await card.getByRole("button").count(), 0);
  await attach(made, "museum");
  await made.page.keyboard.type("y\n");
  // What comes behind it is the first thing that the program gets.
  await house.tend("send", "museum", "n");
  await until("the other key", async () => /\[y\/N\] n/.test(await house.screen("museum")));
});

const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

test("a phone: sessions, a question for a thumb, the bar of keys", async () => {
  await house.session("pocket", "read -p 'Go on with all of it? [y/N] ' a; echo \"got:$a\"; exec cat -v");
  const made = await enter(phone);
  const card = made.page.locator(".card", { hasText: "Go on with all of it?" });
  await card.waitFor({ timeout: DEADLINE });
  await made.picture("phone-question");
  const box = await card.getByRole("button", { name: "Yes" }).boundingBox();
  assert.ok(box.height >= 44, "large enough for a thumb");
  await card.getByRole("button", { name: "Yes" }).tap();
  await card.locator("text=Answered by you.").waitFor({ timeout: DEADLINE });
  await attach(made, "pocket");
  await made.page.getByRole("button", { name: "Escape" }).tap();
  await made.page.getByRole("button", { name: "Up" }).tap();
  await made.page.getByRole("button", { name: "Control, for the next key" }).tap();
  await made.page.keyboard.type("a");
  await made.page.getByRole("button", { name: "Enter", exact: true }).tap();
  await made.shows(/\^\[\^\[(\[|O)A\^A/);
  const wide = await made.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, "nothing to scroll sideways");
  await made.picture("phone-terminal");
});

test("axe finds nothing serious, light and dark, desktop and phone", async () => {
  const axe = readFileSync(join(createRequire(import.meta.url).resolve("axe-core"), "..", "axe.min.js"), "utf8");
  await house.session("inspected", "read -p 'Is this accessible? [y/N] ' a; sleep 600");
  for (const colorScheme of ["light", "dark"]) {
    for (const [name, size] of [["desktop", {}], ["phone", phone]]) {
      const made = await enter({ ...size, colorScheme });
      await made.page.locator(".card", { hasText: "Is this accessible?" }).waitFor({ timeout: DEADLINE });
      for (const view of ["overview", "terminal"]) {
        if (view === "terminal") await attach(made, "inspected");
        const findings = await made.page.evaluate(async (axe) => {
          // A script in the page would be against its policy; this one comes from the test.
          (0, eval)(axe);
          const result = await window.axe.run(document);
          return result.violations.filter((each) => ["serious", "critical"].includes(each.impact)).map((each) => [each.id, each.nodes.map((node) => node.html)]);
        }, axe);
        await made.picture(`${name}-${colorScheme}-${view}`);
        assert.deepEqual(findings, [], `${name}, ${colorScheme}, ${view}`);
      }
    }
  }
});

test("the first load is small, and from here alone", async () => {
  const made = await window();
  let bytes = 0;
  const client = await made.context.newCDPSession(made.page);
  await client.send("Network.enable");
  client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  await made.page.goto(house.serving.link);
  await made.page.waitForSelector(".sessions");
  assert.ok(bytes > 50_000 && bytes < 400_000, `${bytes} bytes`);
});

test("WebGL draws too", async () => {
  const other = await launch({ webgl: true });
  try {
    await house.session("drawn", "printf 'drawn-by-the-card\\n'; sleep 600");
    const made = await Window.open(other);
    made.expected.push(/GPU stall|WebGL|GL Driver/);
    await made.page.goto(house.serving.link);
    await made.page.waitForSelector(".sessions");
    await made.page.evaluate(() => (location.hash = "#/s/drawn/0"));
    await made.attached();
    await made.picture("webgl");
    assert.deepEqual(made.unexpected(), []);
  } finally {
    await other.close();
  }
});
