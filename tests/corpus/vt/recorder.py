# SPDX-License-Identifier: Apache-2.0
"""A person at a real terminal, who writes down every chunk the program prints.

A Recorder starts one program on a PTY, types, waits for conditions with a deadline, changes the window's size, and
saves what came in the format of README.md. It answers the queries that programs ask a terminal at their start, so
that none of them waits in vain.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

DEADLINE = 30.0

# What programs ask, and what a plain terminal with an empty screen and a dark background says.
ANSWERS = [
    (rb"\x1b\[0?c", b"\x1b[?62;22c"),
    (rb"\x1b\[>0?c", b"\x1b[>1;10;0c"),
    (rb"\x1b\[5n", b"\x1b[0n"),
    (rb"\x1b\[6n", b"\x1b[1;1R"),
    (rb"\x1b\[\?(\d+)\$p", b"\x1b[?%s;0$y"),
    (rb"\x1b\[\?u", b"\x1b[?0u"),
    (rb"\x1b\]10;\?(?:\x07|\x1b\\)", b"\x1b]10;rgb:dddd/dddd/dddd\x1b\\"),
    (rb"\x1b\]11;\?(?:\x07|\x1b\\)", b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"),
]

ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[P_^X][^\x1b]*\x1b\\|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]|[\x00-\x08\x0e-\x1f]"
)


class Failed(Exception):
    pass


class Recorder:
    def __init__(self, cols, rows):
        self.cols, self.rows = cols, rows
        self.events = []  # bytes, ("r", cols, rows) or ("m", name)
        self.output = b""
        self.seen = 0  # expect() looks behind this point
        self.asked = 0  # queries up to here have been answered
        self.ended = False
        self.pid = None

    def start(self, *argv, env=None, cwd=None, user=None):
        master, slave = pty.openpty()
        self._set_size(master, self.cols, self.rows)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                for fd in range(3):
                    os.dup2(slave, fd)
                os.closerange(3, 256)
                if user:
                    os.fchown(0, user, -1)
                    os.setgroups([])
                    os.setgid(user)
                    os.setuid(user)
                os.chdir(cwd or env["HOME"])
                os.execvpe(argv[0], argv, env)
            finally:
                os._exit(127)
        os.close(slave)
        self.master = master
        os.set_blocking(master, False)

    # Types, and waits until `pattern` appears behind, or until something does, and then for quiet.
    def keys(self, text, pattern=None, quiet=0.2, most=4.0):
        self.settle(0.02)
        self.seen = before = len(self.output)
        self._type(text)
        if pattern:
            self.expect(pattern)
        else:
            self._wait(lambda: len(self.output) > before, f"an answer to {text!r}")
        self.settle(quiet, most)

    # Types what the program may answer with nothing.
    def press(self, text):
        self.settle(0.02)
        self._type(text)
        self.settle(0.3)

    # Types what ends the program, and waits for its end.
    def quit(self, text):
        self.settle(0.02)
        self._type(text)
        self.finish()

    def expect(self, pattern, deadline=DEADLINE):
        compiled = re.compile(pattern)
        found = lambda: compiled.search(self.text())
        self._wait(found, f"/{pattern}/", deadline)
        self.settle()

    # Reads until nothing comes for `quiet` seconds, or for `most` seconds of a program that is never quiet.
    def settle(self, quiet=0.2, most=4.0):
        end = time.monotonic() + most
        while time.monotonic() < end and self._read(quiet):
            pass

    def resize(self, cols, rows):
        self.settle()
        self.cols, self.rows = cols, rows
        self.events.append(("r", cols, rows))
        self._set_size(self.master, cols, rows)
        self.settle(0.4)

    # A point worth looking at: pictures are taken there, and the oracle is asked there.
    def mark(self, name):
        self.settle(0.3, 2.0)
        self.events.append(("m", name))

    # Waits for the program's end; one that goes on is killed.
    def finish(self, deadline=10.0):
        end = time.monotonic() + deadline
        while not self.ended and time.monotonic() < end:
            self._read(0.1)
        if not self.ended:
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.master)
        self.pid = None

    # The text behind the last keys, without escape sequences.
    def text(self):
        return ESCAPES.sub("", self.output[self.seen :].decode("utf-8", "replace"))

    def save(self, path):
        with open(path, "wb") as file:
            file.write(b"tend-recording 1 %d %d\n" % self.first_size)
            for event in self.events:
                if isinstance(event, bytes):
                    file.write(b"o %d\n" % len(event) + event + b"\n")
                else:
                    file.write(" ".join(map(str, event)).encode() + b"\n")

    # The cursor keys as the program asked for them (DECCKM).
    def _type(self, text):
        if self.output.rfind(b"\x1b[?1h") > self.output.rfind(b"\x1b[?1l"):
            text = re.sub(r"\x1b\[([A-D])", "\x1bO\\1", text)
        os.write(self.master, text.encode())

    def _wait(self, condition, what, deadline=DEADLINE):
        end = time.monotonic() + deadline
        while not condition():
            if time.monotonic() > end:
                raise Failed(f"waited {deadline:.0f} s for {what}; last came {self.output[-600:]!r}")
            if self.ended:
                raise Failed(f"the program ended before {what}; it said {self.output[-600:]!r}")
            self._read(0.1)

    def _read(self, timeout):
        if self.ended or not select.select([self.master], [], [], timeout)[0]:
            return False
        try:
            chunk = os.read(self.master, 65536)
        except OSError:
            chunk = b""  # EIO: the last process has closed the terminal
        if not chunk:
            self.ended = True
            return False
        self.events.append(chunk)
        self.output += chunk
        self._answer()
        return True

    def _answer(self):
        found = []
        for pattern, answer in ANSWERS:
            for match in re.finditer(pattern, self.output[self.asked :]):
                text = answer % match.groups() if match.groups() else answer
                found.append((match.start(), match.end(), text))
        for _, end, text in sorted(found):
            os.write(self.master, text)
        if found:
            self.asked += max(end for _, end, _ in found)

    def _set_size(self, fd, cols, rows):
        if not self.events:
            self.first_size = (cols, rows)
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
