"""Progress bars as build tools draw them: a bar that is redrawn, lines above it, a spinner, several rows at once."""
import sys
import time

out = sys.stdout.write
STEP = 0.02


def step():
    sys.stdout.flush()
    time.sleep(STEP)


names = ["base", "term", "pty", "vt", "detect", "wire", "store", "daemon", "client", "web"]
for n, name in enumerate(names):
    out(f"\r\x1b[K\x1b[1m\x1b[32m   Compiling\x1b[0m {name} v0.{n}.1\n")
    done = (n + 1) * 25 // len(names)
    bar = "=" * (done - 1) + ">" + " " * (25 - done)
    out(f"\x1b[1m\x1b[36m    Building\x1b[0m [{bar}] {n + 1}/{len(names)}: {', '.join(names[n : n + 3])}\x1b[K\r")
    step()
out("\r\x1b[K\x1b[1m\x1b[32m    Finished\x1b[0m in 0.21s\n")

out("\x1b[?25l")
for n in range(24):
    out(f"\r\x1b[36m{'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'[n % 10]}\x1b[39m resolving… \x1b[2m{n * 4} of 96\x1b[22m")
    step()
out("\r\x1b[2K\x1b[32m✔\x1b[39m resolved 96 packages\n\x1b[?25h")

rows = 4
out("\n" * rows)
for n in range(21):
    out(f"\x1b[{rows}A")
    for row in range(rows):
        part = min(20, max(0, n - row * 2) * 20 // (20 - row * 2))
        shade = "█" * part + "░" * (20 - part)
        out(f"\x1b[2Klayer {row + 1}: \x1b[38;5;{75 + row}m{shade}\x1b[0m {part * 5:3}%\n")
    step()
out("done\x07\n")
sys.stdout.flush()
