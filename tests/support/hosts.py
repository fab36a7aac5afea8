#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Hosts on one machine: network namespaces joined by a bridge in another namespace, so the machine's
# own network is not touched. Each host has one interface, eth0, with the address
# 10.77.0.(1 + number)/24. For tests and by hand, as root:
#
#     hosts.py make 3          makes x-0, x-1, x-2 and prints their names, x being new
#     hosts.py remove x        removes all of x
#     hosts.py run 3 CMD ...   makes them, runs CMD with HOSTS="x-0 x-1 x-2", removes them
#
# With a *wire* in place of the bridge (tests/support/wire), frames go through a program that loses,
# delays, repeats and reorders them as a test asks: `Hosts(3, wire=PROGRAM)`, then for instance
# `net.wire.set("all", delay_ms=20, loss=0.05)`. Few kernels have netem; the wire works on all.
#
# A guard process waits for the end of the test and removes everything that the test has made, even
# if the test is killed.
import json
import os
import shutil
import subprocess
import sys
import unittest
import uuid

import suite


def ip(*words, check=True, namespace=None):
    start = ["ip"] + (["-n", namespace] if namespace else [])
    return subprocess.run(start + [str(word) for word in words], check=check,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def why_no_namespace(probe):
    """Makes a namespace of the name `probe`. Returns why that cannot be done, or an empty text."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not shutil.which("ip"):
        return "the command ip is not installed (iproute2)"
    made = ip("netns", "add", probe, check=False)
    if made.returncode:
        return "no network namespace can be made: " + made.stderr.strip()
    entered = subprocess.run(["ip", "netns", "exec", probe, "unshare", "--pid", "--fork", "--mount-proc", "true"],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if entered.returncode:
        ip("netns", "del", probe, check=False)
        return "no network namespace can be entered: " + entered.stderr.strip()
    return ""


def missing_wire_requirement():
    """The reason why there can be no hosts on a wire here; an empty text when there can."""
    probe = "atl" + uuid.uuid4().hex[:8]
    reason = why_no_namespace(probe)
    if reason:
        return reason
    device = ip("tuntap", "add", "dev", "t0", "mode", "tap", check=False, namespace=probe)
    ip("netns", "del", probe, check=False)
    failed = device.returncode != 0
    return "no network devices can be made by programs: " + device.stderr.strip() if failed else ""


def missing_requirement():
    """The reason why there can be no hosts on a bridge here; an empty text when there can."""
    probe = "atl" + uuid.uuid4().hex[:8]
    reason = why_no_namespace(probe)
    if reason:
        return reason
    pair = ip("link", "add", "name", "va", "type", "veth", "peer", "name", "vb", check=False, namespace=probe)
    bridge = ip("link", "add", "name", "br0", "type", "bridge", check=False, namespace=probe)
    ip("netns", "del", probe, check=False)
    failed = pair if pair.returncode != 0 else bridge
    return "no veth pair or bridge can be made: " + failed.stderr.strip() if failed.returncode else ""


def skip_if(reason, subject):
    """Ends a test that cannot be done here, with the line that `./dev check` shows."""
    if reason:
        print(f"skipped: {subject}: {reason}")
        sys.exit(suite.SKIPPED)


def skip_case_if(reason, subject):
    """The same for one case or class, while others can be done; suite.main() reports it."""
    if reason:
        raise unittest.SkipTest(f"{subject}: {reason}")


def processes_in(name):
    found = ip("netns", "pids", name, check=False)
    return [int(pid) for pid in found.stdout.split()] if found.returncode == 0 else []


def remove(prefix):
    """Removes every namespace of this prefix, and whatever still runs in it."""
    listed = ip("netns", "list", check=False).stdout
    for name in [line.split()[0] for line in listed.splitlines() if line.strip()]:
        if name.startswith(prefix + "-"):
            for pid in processes_in(name):
                try:
                    os.kill(pid, 9)
                except ProcessLookupError:
                    pass
            ip("netns", "del", name, check=False)


# The guard leaves its parent, since ctest ends all descendants of a test that takes too long. It acts at the
# end of its input, which is when the test has ended; if the test writes to that input, the guard only exits.
GUARD = """
import os, sys
if os.fork():
    os._exit(0)
if not sys.stdin.read():
    sys.path.insert(0, sys.argv[1])
    import hosts
    hosts.remove(sys.argv[2])
"""


class Wire:
    """The program that carries the frames; it ends with this process."""

    def __init__(self, program, names, seed=1):
        self.process = subprocess.Popen([program, str(seed), *names], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != "ready\n":
            self.close()
            raise RuntimeError("the wire between the hosts did not start")

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        return self.process.stdout.readline().strip()

    def set(self, host, **conditions):
        """Sets conditions (wire/cable.hpp) of the cable of a host, or of "all", from now on."""
        output = self.ask("set", host, *(f"{name}={value}" for name, value in conditions.items()))
        if output != "ok":
            raise ValueError(output)

    def counts(self):
        """Counts of the frames that each host has sent, by their fate."""
        return json.loads(self.ask("counts"))

    def total(self, fate):
        return sum(each[fate] for each in self.counts())

    def close(self):
        self.process.communicate()


class Hosts:
    """`count` hosts; use it with `with`, or call close()."""

    def __init__(self, count, wire=None):
        self.prefix = "atl" + uuid.uuid4().hex[:6]
        self.names = [f"{self.prefix}-{i}" for i in range(count)]
        self.switch = self.prefix + "-net"
        self.wire = None
        self.guard = subprocess.Popen(
            [sys.executable, "-c", GUARD, os.path.dirname(os.path.abspath(__file__)), self.prefix],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        try:
            self.make_with(wire) if wire else self.make()
        except Exception:
            self.close()
            raise

    def make_with(self, program):
        for name in self.names:
            ip("netns", "add", name)
        self.wire = Wire(program, self.names)
        for number in range(len(self.names)):
            self.start(number)

    def make(self):
        ip("netns", "add", self.switch)
        ip("link", "add", "br0", "type", "bridge", namespace=self.switch)
        ip("link", "set", "br0", "up", namespace=self.switch)
        for number, name in enumerate(self.names):
            ip("netns", "add", name)
            ip("link", "add", "eth0", "type", "veth", "peer", "name", f"p{number}", "netns",
               self.switch, namespace=name)
            ip("link", "set", f"p{number}", "master", "br0", "up", namespace=self.switch)
            self.start(number)

    def start(self, number):
        name = self.names[number]
        ip("address", "add", self.address(number) + "/24", "dev", "eth0", namespace=name)
        ip("link", "set", "lo", "up", namespace=name)
        ip("link", "set", "eth0", "up", namespace=name)

    @staticmethod
    def address(number):
        return f"10.77.0.{1 + number}"

    def on(self, number, *command):
        """The words that run a command on a host."""
        return ["ip", "netns", "exec", self.names[number], *map(str, command)]

    def cut(self, number):
        """Pulls the cable of a host."""
        if self.wire:
            return self.wire.set(number, cut=1)
        ip("link", "set", f"p{number}", "down", namespace=self.switch)

    def mend(self, number):
        if self.wire:
            return self.wire.set(number, cut=0)
        ip("link", "set", f"p{number}", "up", namespace=self.switch)

    def close(self):
        if self.wire:
            self.wire.close()
        if not self.guard.stdin.closed:
            self.guard.communicate()  # until it has removed all and ended

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def main(words):
    reason = missing_requirement()
    if reason:
        sys.exit("hosts.py: " + reason)
    if words[:1] == ["make"] and len(words) == 2:
        made = Hosts(int(words[1]))
        made.guard.communicate("keep them")
        print(*made.names)
    elif words[:1] == ["remove"] and len(words) == 2:
        remove(words[1])
    elif words[:1] == ["run"] and len(words) > 2:
        with Hosts(int(words[1])) as made:
            code = subprocess.call(words[2:], env={**os.environ, "HOSTS": " ".join(made.names)})
        sys.exit(code)
    else:
        sys.exit("usage: hosts.py make N | remove PREFIX | run N COMMAND ...")


if __name__ == "__main__":
    main(sys.argv[1:])
