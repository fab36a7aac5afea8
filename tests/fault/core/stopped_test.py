#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests a rank that stops, on one host: stopped_rank checks that its memory stays usable; this test checks that the
# launcher ends with its code, and soon. Usage: stopped_test.py ATOLL STOPPED_RANK. CMakeLists.txt has the tests with
# several hosts.
import itertools
import os
import subprocess
import sys

EXPECTED = 3


def run(atoll, program, ranks, ending, path):
    environment = {**os.environ, "ATOLL_RMA_PATH": path}
    done = subprocess.run([atoll, "run", "-n", str(ranks), "--timeout", "60", program, ending],
                          capture_output=True, text=True, env=environment)
    line = f"{ranks} ranks, the others {ending}, path {path}: exit code {done.returncode}"
    print(line, flush=True)
    good = done.returncode == EXPECTED and "stopped with code 3" in done.stderr and done.stderr.count("\n") == 1
    if not good:
        print(f"expected {EXPECTED} and one line that says so; on standard error: {done.stderr!r}", flush=True)
    return good


def main():
    atoll, program = sys.argv[1:]
    results = [run(atoll, program, *each)
               for each in itertools.product((1, 2, 3, 5), ("stop", "leave", "exit"), ("direct", "am"))]
    return 0 if all(results) else 1


sys.exit(main())
