#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Limits the number of instructions of a direct put and get. Times of a nanosecond cannot be tested on
# a shared machine, but callgrind counts instructions exactly. Exits 77 (skipped) when valgrind is not
# installed.
#
#   count_test.py PROGRAM FUNCTION AT_MOST [LAUNCHER...]
#
# The program gets the function's name as an argument, and may skip all other functions. With a launcher
# every rank runs under callgrind, and the result of the first rank to end is used.

import re
import shutil
import subprocess
import sys

CALLS = 10000
SKIPPED = 77


def instructions(launcher, program, function):
    """Instructions of all calls of the function, including the functions that it calls."""
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
    # The first call also registers the thread's counters; the division makes that cost negligible.
    each = instructions(sys.argv[4:], program, function) // CALLS
    print(f"{function}: {each} instructions, at most {at_most}")
    return 0 if 0 < each <= at_most else 1


if __name__ == "__main__":
    sys.exit(main())
