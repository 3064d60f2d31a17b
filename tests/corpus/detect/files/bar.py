# SPDX-License-Identifier: Apache-2.0
"""A progress bar as downloads draw it, with pauses of up to a second."""
import sys
import time

for i in range(1000):
    done = i * 40 // 1000
    sys.stdout.write(f"\rDownloading model.bin: {i / 10:5.1f}% [{'#' * done}{'.' * (40 - done)}] 12.3 MB/s eta 0:01:20")
    sys.stdout.flush()
    time.sleep(0.9 if i % 10 == 5 else 0.05)
