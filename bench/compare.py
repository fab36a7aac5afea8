#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs our benchmarks and those of each peer that is installed (Open MPI, MPICH, and a
# bench_gex_latency linked with GASNet-EX when one is named) in turns, and prints a table: the median
# of each case over the turns, and the median of ours divided by the best peer's in the same turn.
# Turns, because the machine changes while this runs; only what ran next to each other compares.
#
#   bench/compare.py --bin build/release/bin --turns 5 --json figures.json

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

# What of ours compares with which case of a peer that has no case of the same name.
COUNTERPARTS = {
    "am_short_round_trip": "message_8_round_trip",
    "am_short_flood": "message_8_flood",
    "am_medium_8_flood": "message_8_flood",
    "am_medium_4k_flood": "message_4k_flood",
    "am_medium_64k_flood": "message_64k_flood",
}

# Open MPI 4.1 crashes in MPI_Compare_and_swap with the windows that it chooses by itself (as in
# open-mpi/ompi#7027); those of shared memory do not, and are its fastest.
MPI_OPTIONS = {("openmpi", benchmark): ["--mca", "osc", "sm"]
               for benchmark in ("atomics", "latency", "strided")}

MANY_RANKS = ("barrier", "collectives")  # the others are between two

TURN_LIMIT_S = 120


class Runner:
    """One implementation: how its benchmarks are started."""

    def __init__(self, name, command, environment=None):
        self.name = name
        self.command = command  # (benchmark, ranks) -> list of words, or None if it has no such one
        self.environment = environment or {}

    def run(self, benchmark, ranks, extra):
        """The medians by case, in nanoseconds; empty when it failed."""
        words = self.command(benchmark, ranks)
        if words is None:
            return {}
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "figures.json")
            try:
                done = subprocess.run(words + ["--json", file] + extra, timeout=TURN_LIMIT_S,
                                      env={**os.environ, **self.environment}, check=False,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            except subprocess.TimeoutExpired:
                print(f"{self.name}: {benchmark} of {ranks} ranks took over {TURN_LIMIT_S} s",
                      file=sys.stderr)
                return {}
            if done.returncode != 0:
                last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
                print(f"{self.name}: {benchmark} failed: {' '.join(last)}", file=sys.stderr)
                return {}
            cases = json.loads(pathlib.Path(file).read_text())["cases"]
        return {case["name"]: case["time_ns"]["median"] for case in cases}


def ours(folder):
    def command(benchmark, ranks):
        program = folder / f"bench_{benchmark}"
        return [str(folder / "atoll"), "run", "-n", str(ranks), str(program)]
    return Runner("atoll", command)


def mpi(folder, name, launcher):
    def command(benchmark, ranks):
        if benchmark == "gex_latency":
            return None
        return launcher + MPI_OPTIONS.get((name, benchmark), []) + ["-n", str(ranks),
            str(folder / f"bench_mpi_{name}"), benchmark]
    return Runner(name, command)


def gasnet(program):
    def command(benchmark, ranks):
        return [program, "--implementation", "gasnet-ex"] if benchmark == "gex_latency" else None
    return Runner("gasnet-ex", command, {"GASNET_PSHM_NODES": "2"})


def find_peers(folder, wanted, gasnet_program):
    launchers = {
        "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"],
        "mpich": ["mpirun.mpich"],
    }
    peers = [mpi(folder, name, launcher) for name, launcher in launchers.items()
             if name in wanted and shutil.which(launcher[0])
             and (folder / f"bench_mpi_{name}").exists()]
    if gasnet_program:
        peers.append(gasnet(gasnet_program))
    return peers


def measure(runners, benchmark, ranks, arguments):
    """One dictionary per turn: implementation -> case -> nanoseconds."""
    extra = ["--rounds", str(arguments.rounds)] + (["--quick"] if arguments.quick else [])
    extra += ["--only", arguments.only] if arguments.only else []
    return [{runner.name: runner.run(benchmark, ranks, extra) for runner in runners}
            for _ in range(arguments.turns)]


def peer_time(times, case):
    return times.get(case, times.get(COUNTERPARTS.get(case)))


def rows_of(turns, names):
    """Per case of ours: medians by implementation, and the ratio to the best peer."""
    rows = []
    for case in turns[0]["atoll"]:
        medians, ratios = {}, []
        for name in names:
            times = [t for t in (peer_time(turn[name], case) for turn in turns) if t]
            if times:
                medians[name] = statistics.median(times)
        for turn in turns:
            peers = [t for t in (peer_time(turn[n], case) for n in names if n != "atoll") if t]
            if peers and case in turn["atoll"]:
                ratios.append(turn["atoll"][case] / min(peers))
        rows.append({"case": case, "median_ns": medians,
                     "ratio_to_best_peer": statistics.median(ratios) if ratios else None})
    return rows


def print_table(title, rows, names):
    print(f"\n{title}\n  {'ns, median of the turns':32}" + "".join(f"{n:>14}" for n in names)
          + f"{'to best peer':>14}")
    for row in rows:
        cells = [f"{row['median_ns'][n]:14.1f}" if n in row["median_ns"] else f"{'-':>14}"
                 for n in names]
        ratio = row["ratio_to_best_peer"]
        print(f"  {row['case']:32}" + "".join(cells) + (f"{ratio:14.3f}" if ratio else f"{'-':>14}"))


def parse():
    parser = argparse.ArgumentParser(description="Our benchmarks and the peers', in turns")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs")
    parser.add_argument("--turns", type=int, default=5, help="runs of each program (default 5)")
    parser.add_argument("--rounds", type=int, default=10, help="rounds in each run (default 10)")
    parser.add_argument("--benchmarks", default="latency,bandwidth,barrier",
                        help="latency, bandwidth, barrier, strided, atomics, collectives, "
                             "gex_latency (default the first three)")
    parser.add_argument("--ranks", default="2,4,8,16,64",
                        help="numbers of ranks for the barrier and collectives")
    parser.add_argument("--peers", default="openmpi,mpich", help="which MPIs, if installed")
    parser.add_argument("--only", help="only the cases whose names contain this")
    parser.add_argument("--gasnet", help="a bench_gex_latency that was linked with GASNet-EX")
    parser.add_argument("--quick", action="store_true", help="a smoke test")
    parser.add_argument("--json", type=pathlib.Path, help="write the table to this file")
    return parser.parse_args()


def main():
    arguments = parse()
    runners = [ours(arguments.bin)] + find_peers(arguments.bin, arguments.peers.split(","), arguments.gasnet)
    names = [runner.name for runner in runners]
    tables = []
    for benchmark in arguments.benchmarks.split(","):
        counts = arguments.ranks.split(",") if benchmark in MANY_RANKS else ["2"]
        for ranks in counts:
            turns = measure(runners, benchmark, int(ranks), arguments)
            if not all(turn["atoll"] for turn in turns):
                return 1
            rows = rows_of(turns, names)
            print_table(f"{benchmark}, {ranks} ranks", rows, names)
            tables.append({"benchmark": benchmark, "ranks": int(ranks), "rows": rows})
    if arguments.json:
        arguments.json.write_text(json.dumps(tables, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
