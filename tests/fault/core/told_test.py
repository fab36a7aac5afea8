#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs told_program, in which a rank is killed: the others must end as ever where the program has asked to be told, and
# where it has not, the job must end with one message. Usage: told_test.py ATOLL TOLD_PROGRAM [NAME=VALUE ...]
import itertools
import os
import subprocess
import sys

GOES_ON = "the others go on without it"
ENDS = "ending the"


def run(atoll, program, settings, ranks, path, argument):
    environment = {**os.environ, **settings, "ATOLL_RMA_PATH": path}
    done = subprocess.run([atoll, "run", "-n", str(ranks), "--timeout", "60", program, argument],
                          capture_output=True, text=True, env=environment)
    asks = argument != "default"
    told = done.stdout.count(": told\n")
    lines = done.stderr.count(GOES_ON if asks else ENDS)
    good = done.returncode == 137 and lines == 1 and done.stderr.count("\n") == 1 and told == (ranks - 1 if asks else 0)
    print(f"{ranks} ranks, path {path}, {argument}: exit code {done.returncode}, {told} told", flush=True)
    if not good:
        print(f"expected code 137, one line about the rank, and all others told unless it is the default reaction; "
              f"on standard error: {done.stderr!r}", flush=True)
    return good


def main():
    atoll, program, *pairs = sys.argv[1:]
    settings = dict(pair.split("=", 1) for pair in pairs)
    cases = [*itertools.product((2, 3), ("direct", "am"), ("asks",)), (2, "am", "default")]
    results = [run(atoll, program, settings, *each) for each in cases]
    return 0 if all(results) else 1


sys.exit(main())
