"""Colours, attributes, line drawing and hyperlinks, as a person would look at them on a new terminal."""
import sys

out = sys.stdout.write
ESC = "\x1b"

out("\x1b]2;Colour chart\x07")
for base in (0, 8):
    for n in range(base, base + 8):
        out(f"{ESC}[48;5;{n}m  {n:2} {ESC}[0m")
    out("\n")
for red in range(6):
    for blue in range(6):
        for green in range(6):
            out(f"{ESC}[48;5;{16 + 36 * red + 6 * green + blue}m ")
        out(f"{ESC}[m ")
    out("\n")
for n in range(232, 256):
    out(f"{ESC}[48:5:{n}m  ")
out(f"{ESC}[49m\n")
for x in range(72):
    red, green, blue = 255 - x * 255 // 71, abs(x - 36) * 7, x * 255 // 71
    out(f"{ESC}[48;2;{red};{green};{blue}m{ESC}[38:2::{blue}:{red}:{green}m" + "/\\"[x % 2])
out(f"{ESC}[0m\n\n")

names = ["normal", "bold", "dim", "italic", "underline", "blink", "rapid", "inverse", "hidden", "struck"]
for n, name in enumerate(names):
    if name != "rapid":  # not every terminal blinks at two speeds
        out(f"{ESC}[{n}m{name}{ESC}[0m ")
out(f"{ESC}[21mdouble{ESC}[24m {ESC}[53moverline{ESC}[55m\n")
for style, name in enumerate(["none", "single", "double", "curly", "dotted", "dashed"]):
    out(f"{ESC}[4:{style}m{name}{ESC}[0m ")
out(f"{ESC}[4;58;5;9mred line{ESC}[59;24m {ESC}[4:3;58:2::0:200:80mgreen wave{ESC}[m\n")
out(f"{ESC}[1;31mbold red {ESC}[22mplain red {ESC}[39mdefault {ESC}[7;93;44minverse bright{ESC}[27m upright{ESC}[0m\n")
for n in range(8):
    out(f"{ESC}[{30 + n}m{n}{ESC}[{90 + n}m{n}{ESC}[{40 + n};30m {ESC}[{100 + n}m {ESC}[0m")
out("\n\n")

out(f"{ESC}(0lqqqqwqqqqk{ESC}(B  {ESC}(0`afgjklmnopqrstuvwxyz{{|}}~{ESC}(B\n")
out(f"{ESC}(0x{ESC}(B one {ESC}(0x{ESC}(Btwo {ESC}(0x{ESC}(B  {ESC})0\x0elqqk\x0f and back\n")
out(f"{ESC}(0mqqqqvqqqqj{ESC}(B  {ESC}(A#pound{ESC}(B\n")
out(f"See {ESC}]8;;https://example.org/one{ESC}\\the first link{ESC}]8;;{ESC}\\ and ")
out(f"{ESC}]8;id=two;https://example.org/two?a=1;b=2\x07{ESC}[4mthe second,\n")
out(f"on two rows{ESC}[24m{ESC}]8;;\x07, then none.\n")
out("tabs:\ta\tb\tc\n\x1b[10G*\x1b[20G*\x1b[75Gend of line\n")
sys.stdout.flush()
