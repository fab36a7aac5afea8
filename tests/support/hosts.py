#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Hosts on one machine: network namespaces joined by a bridge in a namespace of its own, so nothing
# of the machine's own network is touched. Each host has one interface, eth0, with the address
# 10.77.0.(1 + number)/24. For tests and by hand, as root:
#
#     hosts.py make 3          makes x-0, x-1, x-2 and prints their names, x being new
#     hosts.py remove x        removes all of x
#     hosts.py run 3 CMD ...   makes them, runs CMD with HOSTS="x-0 x-1 x-2", removes them
#
# What a test makes is removed by a guard process too, which waits for the end of the test: also
# one that is killed leaves nothing. Delay and loss need netem, rate needs tbf; where the kernel has
# none of them, `shape` says so by False.
import os
import shutil
import subprocess
import sys
import uuid


def ip(*words, check=True, namespace=None):
    start = ["ip"] + (["-n", namespace] if namespace else [])
    return subprocess.run(start + [str(word) for word in words], check=check,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def why_not():
    """Why there can be no such hosts here; an empty text when there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not shutil.which("ip"):
        return "the command ip is not installed (iproute2)"
    probe = "atl" + uuid.uuid4().hex[:8]
    made = ip("netns", "add", probe, check=False)
    if made.returncode != 0:
        return "no network namespace can be made: " + made.stderr.strip()
    pair = ip("link", "add", "name", "va", "type", "veth", "peer", "name", "vb", check=False, namespace=probe)
    bridge = ip("link", "add", "name", "br0", "type", "bridge", check=False, namespace=probe)
    ip("netns", "del", probe, check=False)
    failed = pair if pair.returncode != 0 else bridge
    return "no veth pair or bridge can be made: " + failed.stderr.strip() if failed.returncode else ""


SKIPPED = 77  # as an exit status: nothing failed, and nothing was tested


def skip_if(why, what):
    """Ends a test that cannot be done here, with the line that `./dev check` shows."""
    if why:
        print(f"skipped: {what}: {why}")
        sys.exit(SKIPPED)


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


GUARD = "import sys; sys.stdin.read(); sys.path.insert(0, sys.argv[1]); import hosts; hosts.remove(sys.argv[2])"


class Hosts:
    """`count` hosts; use it with `with`, or call close()."""

    def __init__(self, count):
        self.prefix = "atl" + uuid.uuid4().hex[:6]
        self.names = [f"{self.prefix}-{i}" for i in range(count)]
        self.switch = self.prefix + "-net"
        self.guard = subprocess.Popen(
            [sys.executable, "-c", GUARD, os.path.dirname(os.path.abspath(__file__)), self.prefix],
            stdin=subprocess.PIPE, start_new_session=True)
        try:
            self.make()
        except Exception:
            self.close()
            raise

    def make(self):
        ip("netns", "add", self.switch)
        ip("link", "add", "br0", "type", "bridge", namespace=self.switch)
        ip("link", "set", "br0", "up", namespace=self.switch)
        for number, name in enumerate(self.names):
            ip("netns", "add", name)
            ip("link", "add", "eth0", "type", "veth", "peer", "name", f"p{number}", "netns",
               self.switch, namespace=name)
            ip("link", "set", f"p{number}", "master", "br0", "up", namespace=self.switch)
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
        ip("link", "set", f"p{number}", "down", namespace=self.switch)

    def mend(self, number):
        ip("link", "set", f"p{number}", "up", namespace=self.switch)

    def shape(self, number, *words):
        """`shape(0, "netem", "delay", "20ms", "loss", "5%")`; False where the kernel cannot."""
        done = subprocess.run(["tc", "-n", self.names[number], "qdisc", "replace", "dev", "eth0",
                               "root", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done.returncode == 0

    def close(self):
        if self.guard.stdin:
            self.guard.stdin.close()
        self.guard.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def main(words):
    why = why_not()
    if why:
        sys.exit("hosts.py: " + why)
    if words[:1] == ["make"] and len(words) == 2:
        made = Hosts(int(words[1]))
        made.guard.kill()
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
