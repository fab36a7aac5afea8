#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Limits the instructions that ATOLL_TUNE=online adds to a broadcast whose search is over, counted by
# callgrind at rank 0 of two (online.cpp). The calls without it use the algorithm that the search has
# found. The smallest of three counts is used: a root that shares its core may have to wait for room in
# the lanes, which takes a few instructions. Exits 77 (skipped) when valgrind is not installed.
#
#   difference_test.py PROGRAM AT_MOST LAUNCHER...

import os
import re
import shutil
import subprocess
import sys

CALLS = 4 * 400
TURNS = 3
SKIPPED = 77


def count(launcher, program, settings):
    """Instructions of the counted calls, and the output of the ranks."""
    words = [*launcher, "valgrind", "--tool=callgrind", "--toggle-collect=counted_broadcasts",
             "--callgrind-out-file=/dev/null", program]
    done = subprocess.run(words, capture_output=True, text=True, check=False,
                          env={**os.environ, "ATOLL_COLL_TABLE": "off", **settings})
    found = [int(each) for each in re.findall(r"Collected : (\d+)", done.stderr)]
    if done.returncode != 0 or not found:
        sys.exit(f"callgrind failed (status {done.returncode}):\n{done.stderr[-2000:]}")
    return max(found), done.stderr  # the other rank calls another function


def main():
    program, at_most, launcher = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if shutil.which("valgrind") is None:
        print("skipped: the instructions of online tuning: valgrind is not installed")
        return SKIPPED
    tuned, output = count(launcher, program, {"ATOLL_TUNE": "online", "ATOLL_COLL_EXPLAIN": "1"})
    winner = re.search(r"waited for.*: (\S+) (?:stays|is) the best of", output)
    if not winner:
        sys.exit(f"no search has come to its end:\n{output[-2000:]}")
    forced_settings = {"ATOLL_COLL_BROADCAST": winner.group(1)}
    forced = min(count(launcher, program, forced_settings)[0] for _ in range(TURNS))
    for _ in range(TURNS - 1):
        again, output = count(launcher, program, {"ATOLL_TUNE": "online", "ATOLL_COLL_EXPLAIN": "1"})
        if f" {winner.group(1)} " in output:
            tuned = min(tuned, again)
    more = (tuned - forced) / CALLS
    print(f"a broadcast by {winner.group(1)}: {forced / CALLS:.1f} instructions, "
          f"with online tuning {more:.1f} more, at most {at_most}")
    return 0 if more <= at_most else 1


if __name__ == "__main__":
    sys.exit(main())
