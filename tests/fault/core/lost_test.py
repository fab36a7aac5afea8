#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests a rank that dies in a job whose other ranks watch for losses, on one host: lost_rank checks that they go on
# without it; this test checks that the launcher allows that, says so once, and ends with the dead rank's code;
# `depend` ends the job. Usage: lost_test.py ATOLL LOST_RANK [NAME=VALUE ...]. CMakeLists.txt has the tests with
# several hosts.
import itertools
import os
import subprocess
import sys

CODES = {"kill": 137, "fail": 0, "depend": 7}
GOES_ON = "the others go on without it"
WORDS = {"kill": GOES_ON, "fail": GOES_ON, "depend": "ending the"}


def run(atoll, program, settings, ranks, ending, path, threads):
    environment = {**os.environ, **settings, "ATOLL_RMA_PATH": path}
    done = subprocess.run([atoll, "run", "-n", str(ranks), "--timeout", "60", program, ending, threads],
                          capture_output=True, text=True, env=environment)
    line = f"{ranks} ranks, {ending}, path {path}, {threads or 'single'}: exit code {done.returncode}"
    print(line, flush=True)
    expected = CODES[ending]
    lines = done.stderr.count(WORDS[ending])
    good = done.returncode == expected and lines == 1 and done.stderr.count("\n") == 1
    if not good:
        print(f"expected {expected} and one line about the rank; on standard error: {done.stderr!r}", flush=True)
    return good


def main():
    atoll, program, *pairs = sys.argv[1:]
    settings = dict(pair.split("=", 1) for pair in pairs)
    cases = itertools.product((2, 3, 5), CODES, ("direct", "am"), ("", "threads"))
    cases = [each for each in cases if each[1] != "depend" or each[2:] == ("direct", "")]
    results = [run(atoll, program, settings, *each) for each in cases]
    return 0 if all(results) else 1


sys.exit(main())
