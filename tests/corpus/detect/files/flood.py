# SPDX-License-Identifier: Apache-2.0
"""A log that is full of questions which nobody asks."""
import sys
import time

LINES = ["Do you want to continue? [Y/n]", "prompt: Overwrite? (y/n)", "Password:", "Enter your name:", "Press Enter to continue",
         "  1) one", "  2) two", "#?", "Are you sure (yes/no)?"]
rest = float(sys.argv[1])
while True:
    for line in LINES:
        print(f"2024-01-01 12:00:00 INFO {line}" if rest == 0 else line, flush=True)
        time.sleep(rest)
