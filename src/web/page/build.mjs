// SPDX-License-Identifier: Apache-2.0
// build.mjs OUT: the page's files in OUT, as the daemon serves them. Packages come from ./node_modules of where it runs.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? "dist");
mkdirSync(out, { recursive: true });

const common = {
  bundle: true,
  minify: true,
  target: ["es2022"],
  format: "esm",
  legalComments: "none",
  nodePaths: [resolve("node_modules")],
  logLevel: "warning",
};
await build({ ...common, entryPoints: { page: join(here, "source/main.ts") }, outdir: out });
await build({ ...common, entryPoints: { page: join(here, "source/page.css") }, outdir: out });
for (const name of ["manifest.webmanifest", "icon.svg"]) copyFileSync(join(here, name), join(out, name));

// The worker keeps the files of one version: its name changes with any of them.
const version = createHash("sha256");
for (const name of ["page.js", "page.css"]) version.update(readFileSync(join(out, name)));
await build({
  ...common,
  entryPoints: { worker: join(here, "source/worker.ts") },
  outdir: out,
  define: { VERSION: JSON.stringify(version.digest("hex").slice(0, 12)) },
});

// What the licences of the packages ask for: their texts go along.
const notices = ["@xterm/xterm", "@xterm/addon-fit", "@xterm/addon-search", "@xterm/addon-unicode-graphemes",
  "@xterm/addon-web-links", "@xterm/addon-webgl"].map((name) => {
  const folder = join(resolve("node_modules"), name);
  const { version: number, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  let text = "";
  try {
    text = readFileSync(join(folder, "LICENSE"), "utf8");
  } catch {
    text = `(no text in the package; ${license})\n`;
  }
  return `${name} ${number}\n\n${text}`;
});
writeFileSync(join(out, "licenses.txt"), notices.join("\n\n"));

// Last: the build takes it for a sign that all is there.
copyFileSync(join(here, "index.html"), join(out, "index.html"));
