#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Limits the instructions that ATOLL_TUNE=online adds to a call whose search is over to a share of those of
# the call, counted by callgrind at rank 0 of two (online.cpp). The calls without it use the algorithm that
# the search has found. The smallest count is used, of five and where that is too large of up to twenty: a
# root that shares its core may have to wait for room in the lanes, which takes a few instructions. Exits 77 (skipped) when valgrind is not installed.
#
#   difference_test.py PROGRAM broadcast|allreduce PER_CENT LAUNCHER...

import os
import re
import shutil
import subprocess
import sys

CALLS = 4 * 400
TURNS = 5
TURNS_MAX = 20
SKIPPED = 77


def count(launcher, program, kind, settings):
    """Instructions of the counted calls, and the output of the ranks."""
    words = [*launcher, "valgrind", "--tool=callgrind", f"--toggle-collect=counted_{kind}",
             "--callgrind-out-file=/dev/null", program, kind]
    done = subprocess.run(words, capture_output=True, text=True, check=False,
                          env={**os.environ, "ATOLL_COLL_TABLE": "off", **settings})
    found = [int(each) for each in re.findall(r"Collected : (\d+)", done.stderr)]
    if done.returncode != 0 or not found:
        sys.exit(f"callgrind failed (status {done.returncode}):\n{done.stderr[-2000:]}")
    return max(found), done.stderr  # the other rank calls another function


def main():
    program, kind, at_most, launcher = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4:]
    if shutil.which("valgrind") is None:
        print("skipped: the instructions of online tuning: valgrind is not installed")
        return SKIPPED
    online = {"ATOLL_TUNE": "online", "ATOLL_COLL_EXPLAIN": "1"}
    tuned, output = count(launcher, program, kind, online)
    winner = re.search(rf"{kind} of .*: (\S+) (?:stays|is) the best of", output)
    if not winner:
        sys.exit(f"no search has come to its end:\n{output[-2000:]}")
    forced_settings = {f"ATOLL_COLL_{kind.upper()}": winner.group(1)}
    forced = min(count(launcher, program, kind, forced_settings)[0] for _ in range(TURNS))
    for turn in range(1, TURNS_MAX):
        if turn >= TURNS and 100 * (tuned - forced) < at_most * forced:
            break
        again, output = count(launcher, program, kind, online)
        if f" {winner.group(1)} " in output:
            tuned = min(tuned, again)
    more = 100 * (tuned - forced) / forced
    print(f"{kind} by {winner.group(1)}: {forced / CALLS:.1f} instructions, with online tuning "
          f"{(tuned - forced) / CALLS:.1f} more, which is {more:.2f} %, to be below {at_most} %")
    return 0 if more < at_most else 1


if __name__ == "__main__":
    sys.exit(main())
