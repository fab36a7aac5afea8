#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Limits the private memory that a rank needs for each other rank of a job on one host with which it
# never communicates. It is the difference, as the kernel counts it, between a small and a large job of
# a program.
#
#   memory_test.py PROGRAM AT_MOST LAUNCHER [RANKS]
#
# AT_MOST is in bytes per rank of the job; RANKS are those of the larger job. A rank counts in pages, of
# which its stack and its heap may have one more or less by chance, so the mean of sixteen ranks is taken,
# and the larger job is large. Beside other programs more pages are touched by chance: ranks that wait long
# for each other handle what has arrived early. So up to three pairs of jobs are measured. There are no huge
# pages, which would count as a whole.

import ctypes
import re
import statistics
import subprocess
import sys

FEW, MANY = 64, 704  # MANY unless it is given
PRINTED_BY = 16
SKIPPED = 77
ATTEMPTS = 3
PR_SET_THP_DISABLE = 41  # <linux/prctl.h>; kept by children and by exec


def private_bytes(launcher, program, ranks):
    """Mean of the ranks that print their memory; None where the kernel does not count it."""
    done = subprocess.run([launcher, "run", "-n", str(ranks), program], capture_output=True, text=True, check=False,
                          preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
    if done.returncode != 0:
        sys.exit(f"{ranks} ranks failed (status {done.returncode}):\n{done.stderr[-2000:]}")
    sizes = [int(each) for each in re.findall(r"^private (\d+)$", done.stdout, re.MULTILINE)]
    if sizes and len(sizes) != PRINTED_BY:
        sys.exit(f"{ranks} ranks: {len(sizes)} printed their memory, not {PRINTED_BY}:\n{done.stdout[-2000:]}")
    return statistics.mean(sizes) if sizes else None


def main():
    program, at_most, launcher = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    ranks_of_many = int(sys.argv[4]) if len(sys.argv) > 4 else MANY
    for _ in range(ATTEMPTS):
        few, many = (private_bytes(launcher, program, ranks) for ranks in (FEW, ranks_of_many))
        if few is None or many is None:
            print("skipped: the private memory of ranks: the kernel does not count it")
            return SKIPPED
        each = (many - few) / (ranks_of_many - FEW)
        print(f"{few:.0f} bytes with {FEW} ranks, {many:.0f} with {ranks_of_many}: {each:.0f} for each, "
              f"at most {at_most}")
        if 0 < each <= at_most:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
