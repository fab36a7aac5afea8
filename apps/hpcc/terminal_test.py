#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that hpcc on a terminal shows what runs, in a line that it erases before it prints a refusal.
#
#     terminal_test.py HPCC

import os
import pty
import subprocess
import sys

near, far = pty.openpty()
done = subprocess.run([sys.argv[1], "--kernels", "stream,fft", "--stream-numbers", "100", "--log2-points", "22",
                       "--rounds", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=far, timeout=60,
                      check=False, env=os.environ | {"ATOLL_SEGMENT_LIMIT": "8M"})
os.close(far)
shown = ""
try:
    while piece := os.read(near, 65536):
        shown += piece.decode()
except OSError:  # all has been read
    pass
if done.returncode != 2 or "stream: round 1 of 1" not in shown or "\r\033[Khpcc: shared memory: " not in shown:
    sys.exit(f"ended with {done.returncode} and showed {shown!r}")
