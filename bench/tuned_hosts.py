#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures the gain of tuning over a slow network: runs `atoll tune` on one host, over hosts on this machine
# whose wire is fast, and over the same hosts while the wire delays each frame and limits the bits per
# second (tests/support/wire). `atoll tune check` judges all three tables at the points measured over the
# slow wire; the rules of the second, which jobs would not use there, are forced on it. By hand, as root:
#
#     tuned_hosts.py build/release [--hosts 2] [--ranks 4] [--delay-ms 1] [--mbit 100] [--seconds 100]
#
# Tables and records stay in the folder that it names at the end.
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "../tests/support"))
import hosts  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(description="what tuning is worth over a slow network",
                                     formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a build tree, as build/release")
    parser.add_argument("--hosts", type=int, default=2, help="how many, each in a network namespace of its own")
    parser.add_argument("--ranks", type=int, default=4, help="of all hosts together")
    parser.add_argument("--delay-ms", type=float, default=1, help="of each frame on the wire")
    parser.add_argument("--mbit", type=float, default=100, help="that the wire carries in a second")
    parser.add_argument("--sizes", default="8,256,4096,16384,65536", help="in bytes, as atoll tune takes them")
    parser.add_argument("--collectives", default="", help="as atoll tune takes them; none: all")
    parser.add_argument("--rounds", default="6", help="most rounds of a point")
    parser.add_argument("--passes", default="3", help="how often all points are measured")
    parser.add_argument("--seconds", type=float, default=100, help="for the wire; one host takes a third of it")
    parser.add_argument("--folder", type=pathlib.Path, help="for tables and records; none: a new one")
    chosen = parser.parse_args()
    problem = problem_of(chosen)
    if problem:
        parser.error(problem)
    return chosen


def problem_of(chosen):
    """The first reason why this cannot run, with its remedy; None where there is none."""
    if chosen.hosts < 2:
        return f"--hosts {chosen.hosts}: a wire needs at least 2 hosts"
    if chosen.ranks < chosen.hosts:
        return f"--ranks {chosen.ranks}: each of the {chosen.hosts} hosts needs a rank; give --ranks {chosen.hosts} or more"
    if chosen.delay_ms <= 0:
        return f"--delay-ms {chosen.delay_ms}: the wire must delay its frames; give more than 0"
    if not (chosen.build / "bin" / "atoll").exists():
        return f"{chosen.build} has no bin/atoll; name a build tree, as build/release, in which Atoll has been built"
    return None


class Tuning:
    def __init__(self, chosen):
        self.chosen = chosen
        self.atoll = chosen.build.resolve() / "bin" / "atoll"
        self.folder = chosen.folder or pathlib.Path(tempfile.mkdtemp(prefix="atoll-tuned-hosts-"))
        self.folder.mkdir(parents=True, exist_ok=True)

    def table(self, name):
        return str(self.folder / f"{name}.json")

    def run(self, *words, launcher=()):
        command = [*launcher, self.atoll, "tune", *words]
        subprocess.run(list(map(str, command)), check=True, stdin=subprocess.DEVNULL,
                       env={**os.environ, "ATOLL_COLL_TABLE": "off"})

    def tune(self, name, seconds, *words, launcher=()):
        which = ["--collectives", self.chosen.collectives] if self.chosen.collectives else []
        self.run("-n", self.chosen.ranks, "--sizes", self.chosen.sizes, "--rounds", self.chosen.rounds,
                 "--passes", self.chosen.passes, "--seconds", seconds, "-o", self.table(name),
                 *which, *words, launcher=launcher)

    def over_wire(self, net, name="wire"):
        each, more = divmod(self.chosen.ranks, self.chosen.hosts)
        named = ",".join(f"{host}:{each + (number < more)}" for number, host in enumerate(net.names))
        self.tune(name, self.chosen.seconds, "--hosts", named, "--rsh", "ip netns exec", launcher=net.on(0))

    def force_on_wire(self, name):
        """A copy of a table whose rules are for the network of the wire."""
        with open(self.table("wire") + ".records", encoding="utf-8") as lines:
            wire_ns = json.loads(lines.readline())["network_ns"]
        table = json.loads(pathlib.Path(self.table(name)).read_text())
        for rule in table["rules"]:
            if "network_ns" in rule:
                rule["network_ns"] = wire_ns
        pathlib.Path(self.table(name + "_forced")).write_text(json.dumps(table))


def main():
    chosen = parse()
    hosts.skip_if(hosts.missing_wire_requirement(), "tuning over a slow network")
    tuning = Tuning(chosen)
    tuning.tune("one_host", chosen.seconds / 3)
    with hosts.Hosts(chosen.hosts, wire=str(chosen.build / "test" / "network_wire")) as net:
        tuning.over_wire(net, "fast")
        delivered, held_us = net.wire.total("delivered"), net.wire.total("held_us")
        net.wire.set("all", delay_ms=chosen.delay_ms, rate_mbit=chosen.mbit, queue_kib=1024)
        tuning.over_wire(net)
        delivered = net.wire.total("delivered") - delivered
        if net.wire.total("held_us") - held_us < 500 * chosen.delay_ms * delivered:
            sys.exit("tuned_hosts.py: the wire has not delayed its frames")
    records = tuning.table("wire") + ".records"
    tuning.force_on_wire("fast")
    for name in ("one_host", "fast_forced", "wire"):
        print(f"\nThe table {tuning.table(name)} over the wire:", flush=True)
        tuning.run("check", tuning.table(name), "--records", records)


if __name__ == "__main__":
    main()
