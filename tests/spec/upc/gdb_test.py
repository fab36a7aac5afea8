#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Pointers-to-shared under gdb, on each of two threads: thread, phase and address, null, and the element.
#
#   gdb_test.py ATOLL PROGRAM PRINTERS

import re
import shutil
import subprocess
import sys

COMMANDS = ["break breakpoint", "run", "up", "print next", "print generic", "print null",
            "print *(int*)$upc_address(next)", "continue"]


def missing(output):
    """The lines that gdb's output lacks for thread 0 and for thread 1."""
    place = r"thread {}, phase 3, offset [0-9]+, address 0x[0-9a-f]+"
    wanted = [rf"= {place.format(owner)}" for owner in (0, 1)]
    wanted += [r"= NULL", r"= 4000\b", r"= 4001\b"]
    found = [each for each in wanted if not re.search(each, output)]
    pointers = re.findall(r"^(.*)\$[12] = (thread .*)", output, re.MULTILINE)
    if len(pointers) != 4 or len(set(pointers)) != 2:
        found.append("a pointer to shared void as the pointer that it was made of")
    return found


def main(atoll, program, printers):
    gdb = shutil.which("gdb")
    if gdb is None:
        print("skipped: gdb: it is not installed")
        return 77
    words = [word for command in COMMANDS for word in ("-ex", command)]
    # A program that is not loaded at a fixed address needs no change of its personality to be debugged.
    ran = subprocess.run([atoll, "run", "-n", "2", "--tag", "--timeout", "50", gdb, "-batch", "-nx",
                          "-ex", "set disable-randomization off", "-x", printers, *words, program],
                         capture_output=True, text=True, stdin=subprocess.DEVNULL)
    output = ran.stdout + ran.stderr
    if re.search("ptrace: Operation not permitted|Could not trace", output):
        print("skipped: gdb: it may not trace processes here")
        return 77
    for each in (lacks := missing(output)):
        print(f"gdb does not say: {each}")
    if lacks:
        print(output)
    return 1 if lacks else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
