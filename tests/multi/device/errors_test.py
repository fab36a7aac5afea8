#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests failing drivers: every call of a driver fails once, at each of the given occurrences (1 is the first). A job
# over the simulated device then either completes all transfers with the right bytes, because there is another way,
# or ends with one message that names the call. It never hangs and no signal kills it.
#
# errors_test.py ATOLL PROGRAM SOURCES KIND TIME...
import os
import re
import subprocess
import sys
from pathlib import Path

LIMIT_S = 30
CODE = 2  # out of memory, as the simulation numbers it


def calls_of(sources: Path, kind: str) -> list[str]:
    """The names in the table of calls."""
    table = (sources / "atoll/memory/device" / f"{kind}_driver.hpp").read_text()
    prefix = {"cuda": "cu[A-Z]", "hip": "hip[A-Z]", "ze": "ze[A-Z]"}[kind]
    return re.findall(rf"^  CALL\(\w+,(?: \w+,)? ({prefix}\w+),", table, re.MULTILINE)


def failures_of(kind: str, call: str, time: int) -> str:
    """The value of TESTDEV_FAIL. The names of errors are only queried when another call fails."""
    fails = f"{call}:{time}:{CODE}"
    another = {"cuda": "cuStreamCreate", "hip": "hipStreamCreateWithFlags"}.get(kind)
    return f"{fails},{another}:1:{CODE}" if "GetError" in call else fails


def try_one(atoll: str, program: str, kind: str, call: str, time: int) -> str:
    """Runs the job; returns what is wrong with it, or an empty text."""
    environment = dict(os.environ, TESTDEV_KINDS=kind, TESTDEV_FAIL=failures_of(kind, call, time),
                       ATOLL_DEVICE_PIN="heaps", ATOLL_SEGMENT_LIMIT="16M")
    command = [atoll, "run", "-n", "2", "--timeout", str(LIMIT_S), program, "any", kind, "small"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True,
                           timeout=LIMIT_S + 10, check=False)
    output = ended.stdout + ended.stderr
    if ended.returncode == 0:
        return "" if "all bytes were right" in output else "it ended well without a word"
    if "killed by" in output or "Sanitizer" in output or "time limit" in output:
        return "it did not end by itself"
    if "GetError" in call:
        is_named = re.search(r"StreamCreate\w*: (error 2|\w+_OUT_OF_MEMORY|hipErrorOutOfMemory)", output) is not None
    else:
        is_named = call.removesuffix("_v2") in output or "test memory" in output  # the program's own allocation failed
    return "" if is_named else "no message names the call: " + output.strip().splitlines()[0]


def main() -> int:
    atoll, program, sources, kind, *words = sys.argv[1:]
    times = [int(word) for word in words]
    calls = calls_of(Path(sources), kind)
    if len(calls) < 20:
        print(f"only {len(calls)} calls were found in the table")
        return 1
    failures = 0
    for call in calls:
        for time in times:
            wrong = try_one(atoll, program, kind, call, time)
            if wrong:
                failures += 1
                print(f"{call}, call {time}: {wrong}")
    print(f"{len(calls)} calls, {len(times)} times each: {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
