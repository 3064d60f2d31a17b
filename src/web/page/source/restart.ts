// SPDX-License-Identifier: Apache-2.0
// What brings a terminal back to the state in which a snapshot begins, and leaves its lines and what stands above them alone.

// CAN ends a sequence that was cut off. A soft reset (DECSTR) leaves the mouse, the other screen, colours, tabs and links.
export function startingState(cols: number): string {
  const off = (...modes: number[]) => modes.map((mode) => `\x1b[?${mode}l`).join("");
  let tabs = "\x1b[3g";
  for (let column = 9; column <= cols; column += 8) tabs += `\x1b[${column}G\x1bH`;
  return (
    "\x18\x1b[?1049l\x1b[!p\x1b[?7h\x1b[?25h\x1b[r\x1b[m" +
    off(9, 45, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026) +
    "\x1b[0 q\x1b]8;;\x1b\\\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\" +
    tabs
  );
}

// Moves the screen up into what can be scrolled back to, and says that something is missing behind it.
export function leftOut(rows: number): string {
  return `\x1b[${rows};1H\r\n\x1b[2m[too fast for this page: some output is left out here]\x1b[m${"\r\n".repeat(rows)}`;
}
