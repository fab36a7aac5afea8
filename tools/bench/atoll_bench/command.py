# SPDX-License-Identifier: BSD-3-Clause
#
# `atoll bench`: the options, and what is done in which order. Everything that can be refused is refused before
# the first program starts. Exit codes: 0; 1 when a benchmark of Atoll's own failed (what was measured is kept);
# 2 for wrong options; 130 after Ctrl-C, with what was measured until then.

import argparse
import datetime
import os
import re
import sys
import tempfile
from pathlib import Path

from atoll_bench import implementations, machine, places, plan, processes, recording, running, sets, showing
from atoll_report import recording as reading
from atoll_report import summary

SIZE = re.compile(r"(\d+)([kKmM]?)(?:i?[bB])?$")
SIZE_MAX = 32 << 20
RANKS_MAX = 4096
LOSSES_TOLD = 20  # cases that are named at the end of the command


def size(word):
    found = SIZE.match(word.strip())
    value = int(found.group(1)) << {"": 0, "k": 10, "m": 20}[found.group(2).lower()] if found else 0
    if not 1 <= value <= SIZE_MAX:
        raise argparse.ArgumentTypeError(f"'{word}' is no size from 1 to 32M (8, 4k, 1M)")
    return value


def sizes(text):
    """'8,64,4k', or '8:4M': powers of two from and to."""
    if ":" not in text:
        return sorted({size(word) for word in text.split(",")})
    least, most = (size(word) for word in text.split(":", 1))
    if least > most:
        raise argparse.ArgumentTypeError(f"'{text}' begins with the larger size")
    found = [least]
    while found[-1] * 2 <= most:
        found.append(found[-1] * 2)
    return found


def numbers(text):
    if not re.fullmatch(r"\d+(,\d+)*", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no list of numbers like 2,4,8")
    found = sorted({int(word) for word in text.split(",")})
    if found[0] < 1 or found[-1] > RANKS_MAX:
        raise argparse.ArgumentTypeError(f"'{text}' must be from 1 to {RANKS_MAX}")
    return found


def at_least(least, kind):
    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or value < least:
            raise argparse.ArgumentTypeError(f"'{text}' is no number of at least {least}")
        return value
    return convert


def two_hosts(text):
    found = text.split(",")
    if len(found) != 2 or not all(re.fullmatch(r"[\w.][\w.-]*", each) for each in found):
        raise argparse.ArgumentTypeError(f"'{text}' is not the names of two hosts (A,B)")
    return found


def program(text):
    if not os.access(text, os.X_OK) or Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"'{text}' is no program that can be started")
    return text


def parser():
    line = argparse.ArgumentParser(
        prog="atoll bench", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measure Atoll beside the MPI libraries that are installed, in turns, and record it.",
        epilog="Subcommands: atoll bench report FILE.json (a page of it), atoll bench compare OLD.json NEW.json.\n"
               "How it is measured, and what can go wrong: docs/benchmarking.md.")
    line.add_argument("sets", nargs="*", metavar="SET", help="what to measure (default: all; see --list)")
    line.add_argument("--list", action="store_true", help="tell the sets and who would take part, or the series of the sets named, and end")
    line.add_argument("--sizes", type=sizes, metavar="LIST", help="of curves: 8,64,4k or 8:4M (default 8:4M)")
    line.add_argument("--ranks", type=numbers, metavar="LIST", help="of what all ranks do (default 2,4,8)")
    line.add_argument("--turns", "--repeat", type=at_least(1, int), metavar="N",
                      help="how often each program is run (default 5; 3 with --budget, 2 with --quick)")
    line.add_argument("--rounds", type=at_least(1, int), default=30, metavar="N",
                      help="rounds within a run, at most (default 30)")
    line.add_argument("--budget", type=at_least(1, float), metavar="SECONDS", help="fit all into this time")
    line.add_argument("--quick", action="store_true", help="a smoke test: the figures mean nothing")
    line.add_argument("--pin", "--bind", dest="pinned", action=argparse.BooleanOptionalAction, default=True,
                      help="one core per rank where there are enough (default), or leave it to the system")
    line.add_argument("--peers", default="openmpi,mpich", metavar="LIST",
                      help="which MPI libraries, if installed; none: no peers (default openmpi,mpich)")
    line.add_argument("--hosts", type=two_hosts, metavar="A,B", help="of the set network: between these two as well")
    line.add_argument("--rsh", default="", metavar="CMD",
                      help="starts a command on a host: CMD HOST COMMAND (default: ssh), with --hosts")
    line.add_argument("--veth", action="store_true",
                      help="of the set network: between two network namespaces, too, that are made for it (as root)")
    line.add_argument("--only", default="", metavar="TEXT", help="only the cases whose names contain this, or one of these (A,B)")
    line.add_argument("--gasnet", type=program, metavar="PROGRAM",
                      help="a bench_gex_latency that was linked with GASNet-EX, for the set gasnet")
    line.add_argument("--upcxx", type=program, metavar="PROGRAM",
                      help="a bench_upcxx that was linked with another UPC++, for the set upcxx")
    line.add_argument("--output", "--json", metavar="FILE", help="the recording (default atoll-bench-<date>.json)")
    line.add_argument("--no-tables", dest="tables", action="store_false", help="no tables at the end")
    line.add_argument("--quiet", action="store_true", help="no bar and no tables")
    return line


def complete(chosen):
    """Fills in what follows from other options."""
    chosen.turns = chosen.turns or (3 if chosen.budget else 2 if chosen.quick else 5)
    now = datetime.datetime.now()
    chosen.output = chosen.output or f"atoll-bench-{now:%Y-%m-%d-%H%M%S}.json"
    chosen.peers = [] if chosen.peers == "none" else [word for word in chosen.peers.split(",") if word]
    return chosen


def foreign_of(chosen):
    named = (("gasnet-ex", "gasnet", chosen.gasnet), ("upcxx-reference", "upcxx", chosen.upcxx))
    return [each for each in named if each[2]]


def places_of(chosen, folder):
    """The places at which the set `network` is measured."""
    asked = [name for name, value in (("--hosts", chosen.hosts), ("--veth", chosen.veth)) if value]
    if "network" not in plan.known_sets(chosen.sets, plan.is_brief(chosen)):
        if asked:
            raise plan.Refused(f"{asked[0]} is of the set network; name that too")
        return ()
    found = [places.LOOPBACK]
    if chosen.hosts:
        found.append(places.named(chosen.hosts, chosen.rsh, folder))
    if chosen.veth:
        try:
            found.append(places.veth(folder))
        except places.NoPlace as reason:
            raise plan.Refused(f"--veth: {reason}") from reason
    return tuple(found)


def list_series(chosen, prefix, found):
    """The series of the sets that were named, and who would take part in each."""
    where = [places.LOOPBACK]
    if chosen.hosts:
        where.append(places.Place("hosts", "between hosts", tuple(chosen.hosts)))
    if chosen.veth:
        where.append(places.Place("veth", "over a veth pair", places.VETH_HOSTS))
    series = plan.series_of(chosen, machine.usable_cores(), prefix / "libexec" / "atoll", where)
    for name in chosen.sets:
        print(f"{name}: {sets.HELP[name]}")
        for each, runs in plan.runs_of(series, found):
            if each.set == name:
                crowded = ", more than cores" if each.oversubscribed else ""
                ranks = f"{each.ranks} {'rank' if each.ranks == 1 else 'ranks'}{crowded}"
                print(f"  {each.benchmark:28}{ranks:26}{', '.join(run.implementation.name for run in runs)}")
    return 0


def list_sets(found, missing):
    print("Sets:")
    for name in sets.NAMES:
        print(f"  {name:18}{sets.HELP[name]}")
    print("\nImplementations:")
    for each in found:
        print(f"  {each.name:18}{each.version or each.title}")
    for each in missing:
        print(f"  {each['implementation']:18}left out: {each['reason']}")
    return 0


def settings_of(chosen, planned):
    own = {name: value for name, value in sorted(os.environ.items())
           if name.startswith("ATOLL_") and name not in (
               "ATOLL_JOB", "ATOLL_MEMBER", "ATOLL_RANK", "ATOLL_SIZE")}
    return {"turns": chosen.turns, "rounds": chosen.rounds, "pinned": chosen.pinned, "quick": chosen.quick,
            "budget": chosen.budget, "sets": list(dict.fromkeys(each.set for each, _ in planned)),
            "ranks": sorted({each.ranks for each, _ in planned}), "sizes": chosen.sizes, "only": chosen.only,
            "environment": own}


class Session:
    """One run of the command, from the plan to the file."""

    def __init__(self, chosen, prefix):
        self.chosen, self.atoll = chosen, prefix / "bin" / "atoll"
        self.folder = tempfile.TemporaryDirectory(prefix="atoll-bench-")
        self.found, self.missing = implementations.find(prefix, chosen.peers, foreign_of(chosen))
        network_places = places_of(chosen, Path(self.folder.name))
        series = plan.series_of(chosen, machine.usable_cores(), prefix / "libexec" / "atoll", network_places)
        self.planned = plan.runs_of(series, self.found)
        if not self.planned:
            raise plan.Refused(f"nothing of {' '.join(chosen.sets)} was built here; build with -DATOLL_BUILD_BENCH=ON")
        self.clock = plan.Clock(self.planned, chosen.turns, chosen.budget)
        self.show = showing.make(chosen.quiet)
        self.runner = running.Runner(self.planned, chosen, self.clock, self.show)
        self.started = datetime.datetime.now(datetime.timezone.utc)
        self.machine = machine.describe(self.atoll)
        self.interrupted = False

    def recorded(self):
        head = {"started": self.started.isoformat(timespec="seconds"), "seconds": round(self.clock.elapsed(), 1),
                "interrupted": self.interrupted, "atoll": {"version": self.found[0].version},
                "machine": self.machine, "implementations": [each.described() for each in self.found],
                "settings": settings_of(self.chosen, self.planned) | {"turns": self.runner.results.turns},
                "failures": self.missing + self.runner.results.failures}
        return recording.content(head, self.runner.results)

    def keep(self):
        recording.write(self.chosen.output, self.recorded())

    def after_turn(self):
        self.keep()
        self.show.turn_done(self.runner.results.turns, self.chosen.turns, self.clock)

    def measure(self):
        names = ", ".join(f"{each.name} {each.version}".strip() for each in self.found)
        self.show.begin(f"{len(self.planned)} series, {self.chosen.turns} turns: {names}")
        for each in self.missing:
            self.show.missing(each)
        try:
            self.runner.all_turns(self.after_turn)
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self.show.end()
            self.keep()

    def close(self):
        """Prints the tables, the verdict and where the recording is; returns the exit code."""
        recorded = self.recorded()
        if self.chosen.tables and not self.chosen.quiet:
            showing.tables(self.show, recorded)
            print()
        if self.interrupted:
            print("interrupted; what was measured until then is kept", file=sys.stderr)
        print("\n".join(self.verdict(recorded)))
        print(f"recorded in {self.chosen.output}")
        return 130 if self.interrupted else 1 if self.runner.results.own_failed else 0

    def verdict(self, recorded):
        """Lines that say whether Atoll is slower than its peers beyond the limit, and where."""
        try:
            return summary.verdict_lines(reading.from_json(recorded, self.chosen.output), LOSSES_TOLD)
        except reading.Refused:
            return [f"slower beyond {summary.SLOWER_LIMIT}: unknown, because nothing was measured"]


def main(words, prefix):
    chosen = complete(parser().parse_args(words))
    try:
        if chosen.list and chosen.sets:
            found, _ = implementations.find(prefix, chosen.peers, foreign_of(chosen))
            return list_series(chosen, prefix, found)
        if chosen.list:
            return list_sets(*implementations.find(prefix, chosen.peers, foreign_of(chosen)))
        plan.known_sets(chosen.sets)
        recording.check_writable(chosen.output)
        processes.adopt_orphans()
        processes.interrupt_at_signals()
        session = Session(chosen, prefix)
    except plan.Refused as refused:
        print(f"atoll bench: {refused}", file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"atoll bench: {chosen.output} cannot be written: {problem.strerror}; name another file with --output",
              file=sys.stderr)
        return 2
    session.measure()
    return session.close()
