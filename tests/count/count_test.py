#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Holds the number of instructions of a direct put and get: times of a nanosecond cannot be tested on
# a shared machine, but instructions can be counted exactly, by callgrind. Exits 77 (skipped) when
# valgrind is not installed.
#
#   count_test.py PROGRAM FUNCTION AT_MOST [LAUNCHER...]
#
# The program is told the function, and may leave out what is not counted. With a launcher every rank
# runs under callgrind, and the first to end is looked at.

import re
import shutil
import subprocess
import sys

CALLS = 10000
SKIPPED = 77


def instructions(launcher, program, function):
    """Instructions of all calls of the function, what it calls included."""
    words = [*launcher, "valgrind", "--tool=callgrind", f"--toggle-collect={function}",
             "--callgrind-out-file=/dev/null", program, function]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"callgrind failed (status {done.returncode}):\n{done.stderr[-2000:]}")
    return int(found.group(1))


def main():
    program, function, at_most = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if shutil.which("valgrind") is None:
        print(f"skipped: the instructions of {function}: valgrind is not installed")
        return SKIPPED
    # The first call also enlists the thread's counters; what it costs more is lost in the division.
    each = instructions(sys.argv[4:], program, function) // CALLS
    print(f"{function}: {each} instructions, at most {at_most}")
    return 0 if 0 < each <= at_most else 1


if __name__ == "__main__":
    sys.exit(main())
