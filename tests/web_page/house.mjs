// SPDX-License-Identifier: Apache-2.0
// A daemon of its own with an open door, and a browser in front of it.
import { execFile } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const run = promisify(execFile);
const tend = process.env.TEND_PROGRAM;
export const pictures = process.env.TEND_PICTURES ?? join(tmpdir(), "tend-pictures");
mkdirSync(pictures, { recursive: true });

export const DEADLINE = 20_000;

export async function until(what, check, deadline = DEADLINE) {
  const end = Date.now() + deadline;
  let last;
  for (;;) {
    try {
      last = await check();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`${what} did not come: ${last?.stack ?? JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

export class House {
  static async open(...options) {
    const house = new House();
    house.home = mkdtempSync(join(tmpdir(), "tend-page-"));
    house.environment = { ...process.env, TEND_HOME: house.home, HOME: house.home, TERM: "xterm-256color", SHELL: "/bin/bash" };
    house.serving = await house.serve(...options);
    return house;
  }

  async tend(...words) {
    const { stdout } = await run(tend, words, { env: this.environment, cwd: this.home, timeout: DEADLINE });
    return stdout;
  }

  async json(...words) {
    return JSON.parse(await this.tend(...words, "--json"));
  }

  async serve(...options) {
    return this.json("serve", "--port", "0", ...options);
  }

  // A session; what it runs is a line for bash.
  async session(name, line) {
    await this.tend("run", "-d", "-n", name, "--", "bash", "--norc", ...(line === undefined ? [] : ["-c", line]));
  }

  async screen(target) {
    return this.tend("screen", target);
  }

  async killDaemon() {
    const { pid } = await this.json("daemon", "status");
    process.kill(pid, "SIGKILL");
    return pid;
  }

  async close() {
    try {
      await this.tend("kill", "--all", "--force");
      await this.tend("daemon", "stop");
    } finally {
      rmSync(this.home, { recursive: true, force: true });
    }
  }
}

// A window with its own cookies, and what it complained about.
export class Window {
  static async open(browser, options = {}) {
    const made = new Window();
    made.context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    made.page = await made.context.newPage();
    made.complaints = [];
    made.expected = []; // patterns of complaints that belong to the test
    made.foreign = [];
    made.page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") made.complaints.push(message.text());
    });
    made.page.on("pageerror", (error) => made.complaints.push(String(error.stack ?? error)));
    made.page.on("request", (request) => made.foreign.push(request.url()));
    return made;
  }

  // What the terminal of the page shows, its rows joined.
  async text() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".xterm-rows > div")].map((row) => row.textContent.replaceAll("\u00a0", " ").trimEnd()).join("\n"),
    );
  }

  async shows(pattern, deadline) {
    await until(`${pattern} on the page`, async () => pattern.test(await this.text()) || Promise.reject(new Error(await this.text())), deadline);
  }

  async attached() {
    await this.page.waitForSelector('.terminal[data-line="open"]', { timeout: DEADLINE });
  }

  async picture(name) {
    await this.page.screenshot({ path: join(pictures, `${name}.png`) });
  }

  unexpected() {
    return this.complaints.filter((each) => !this.expected.some((pattern) => pattern.test(each)));
  }

  async close() {
    await this.context.close();
  }
}

// Without WebGL the terminal is drawn with elements, whose text can be read.
export function launch({ webgl = false } = {}) {
  const drawing = webgl
    ? ["--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader"]
    : ["--disable-gpu", "--disable-3d-apis"];
  return chromium.launch({
    executablePath: process.env.TEND_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--proxy-server=direct://", ...drawing],
  });
}
