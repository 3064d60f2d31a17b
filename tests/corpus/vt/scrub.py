# SPDX-License-Identifier: Apache-2.0
"""Finds what must not stand in a recording: this machine's folders, hosts and people, and addresses of registries.

    scrub.py FILE…      names what it finds; status 1 if there is something
"""
import glob
import pathlib
import re
import shutil
import socket
import subprocess
import sys


def package_hosts():
    """Where this machine gets its packages from, as its own settings name it."""
    text = "".join(pathlib.Path(name).read_text() for name in glob.glob("/etc/apt/sources.list*/**", recursive=True)
                   if pathlib.Path(name).is_file())
    if shutil.which("npm"):
        text += subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True).stdout
    return set(re.findall(r"https?://([^/\s:]+)", text))


def names_of_this_machine():
    project = pathlib.Path(__file__).resolve().parents[3]
    return {str(pathlib.Path.home()), str(project.parent), "@" + socket.gethostname()} - {"/"} | package_hosts()


FORBIDDEN = [re.escape(name).encode() + rb"\b" for name in sorted(names_of_this_machine())] + [
    rb"/tmp/(?!demo)[a-z]+-",
    rb"\broot@(?!demo)",
    rb"\b(?:10|172\.(?:1[6-9]|2\d|3[01])|192\.168)(?:\.\d{1,3}){2,3}\b",
]
ESCAPES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-Z\\^-~]")


def offences(raw):
    """In the raw bytes, and in what is left without escape sequences that might stand inside a name."""
    found = set()
    for data in (raw, ESCAPES.sub(b"", raw)):
        for pattern in FORBIDDEN:
            found.update(match.group().decode("latin1") for match in re.finditer(pattern, data))
    return sorted(found)


def main():
    status = 0
    for name in sys.argv[1:]:
        with open(name, "rb") as file:
            found = offences(file.read())
        if found:
            status = 1
            print(f"{name}: {found}")
    return status


if __name__ == "__main__":
    sys.exit(main())
