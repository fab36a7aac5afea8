#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs programs as jobs over several hosts, one program after the other, and prints the time of each. The
# hosts are network namespaces of this machine (hosts.py) or, where these cannot be made, this machine under
# several names; then ranks share no memory either, and communicate over the loopback interface. For
# cmake/testing.cmake, and by hand:
#
#     over_hosts.py ATOLL 2,1,2 PROGRAM ARGUMENTS... [+ PROGRAM ARGUMENTS...]
#
# `2,1,2` are the ranks of each host. Words before a program are conditions: with `exits=7` it must end with
# that status (else 0), with `says=WORDS` its output must match the regular expression; `cores=1` is how many
# cores all of its ranks may use; `delay=10` is how many milliseconds each frame takes between hosts, where the
# environment variable WIRE names the program between them (wire/). The launcher runs on the first host and
# gives each program LIMIT_S seconds (a variable too; 60 by default).
import os
import re
import subprocess
import sys
import tempfile
import time

import hosts


def jobs_of(words):
    """The lists of words between the plus signs."""
    jobs = [[]]
    for word in words:
        if word == "+":
            jobs.append([])
        else:
            jobs[-1].append(word)
    return [job for job in jobs if job]


def expected_of(job):
    """Removes the conditions before the program from a job and returns them: the exit status, the expected
    output, the cores that it may use, and the delay of frames in milliseconds."""
    status, words, cores, delay_ms = 0, "", os.sched_getaffinity(0), 0
    while job[0].startswith(("exits=", "says=", "cores=", "delay=")):
        name, value = job.pop(0).split("=", 1)
        if name == "exits":
            status = int(value)
        elif name == "delay":
            delay_ms = float(value)
        elif name == "cores":
            cores = sorted(cores)[:int(value)]
        else:
            words = value
    return status, words, cores, delay_ms


class OneMachine:
    """This machine under several names; its remote shell drops the name."""

    wire = None

    def __init__(self, count):
        self.names = [f"host{number}" for number in range(count)]
        self.folder = tempfile.TemporaryDirectory(prefix="atoll-hosts-")
        shell = os.path.join(self.folder.name, "rsh")
        with open(shell, "w") as made:
            made.write('#!/bin/sh\nshift\nexec "$@"\n')
        os.chmod(shell, 0o755)
        self.options = ["--rsh", shell, "--interface", "lo"]

    def on(self, number, *command):
        return [str(word) for word in command]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


class Namespaces(hosts.Hosts):
    options = ["--rsh", "ip netns exec"]

    def __init__(self, count):
        super().__init__(count, os.environ.get("WIRE"))


def run(net, atoll, spread, job, limit_s):
    """Runs one job; prints a line, and its output if it failed; returns whether it met its conditions."""
    status, words, cores, delay_ms = expected_of(job)
    if delay_ms and not net.wire:
        print(f"left out, as no frame can be delayed: {job[0]}")
        return True
    if net.wire:
        net.wire.set("all", delay_ms=delay_ms)
    named = ",".join(f"{name}:{ranks}" for name, ranks in zip(net.names, spread))
    began = time.monotonic()
    done = subprocess.run(net.on(0, atoll, "run", "--timeout", limit_s, *net.options, "--hosts", named, *job),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", preexec_fn=lambda: os.sched_setaffinity(0, cores))
    command = " ".join([os.path.basename(job[0]), *job[1:]])
    right = done.returncode == status and re.search(words, done.stdout)
    print(f"{'ok    ' if right else 'FAILED'} {command}: {time.monotonic() - began:.1f} s", flush=True)
    if not right:
        print(f"exit status {done.returncode}, the end of what it printed:", done.stdout[-6000:], sep="\n",
              flush=True)
    return right


def main(atoll, spread, *words):
    reason = hosts.missing_requirement()
    if reason:
        print(f"no namespaces ({reason}): all hosts are this machine, over its loopback interface")
    ranks = [int(each) for each in spread.split(",")]
    with (OneMachine if reason else Namespaces)(len(ranks)) as net:
        ended = [run(net, atoll, ranks, job, os.environ.get("LIMIT_S", "60")) for job in jobs_of(words)]
    return 0 if all(ended) else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: over_hosts.py ATOLL RANKS,RANKS... PROGRAM ARGUMENTS... [+ PROGRAM ...]")
    sys.exit(main(*sys.argv[1:]))
