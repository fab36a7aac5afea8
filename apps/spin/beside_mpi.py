#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs all variants of spin on Atoll, in OpenSHMEM, and on each MPI that is installed, in turns, and prints a table
# for each size: the median time over the turns, and the median of the fastest MPI variant's time divided by it in
# the same turn. The energies of all must have the same bits.
#
#     apps/spin/beside_mpi.py --bin build/release/bin --ranks 2 --sites 22 --rounds 5
#     apps/spin/beside_mpi.py --bin build/release/bin --ranks 1 2 4 8 --sites 22 --weak
#
# Strong series: the same sites for every number of ranks. Weak: a site more for each doubling.

import argparse
import json
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

LAUNCHERS = {
    "openmpi": "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to {bind}",
    "mpich": "mpirun.mpich -bind-to {bind}",
}
ATOLL, SHMEM = "atoll", "shmem"
OWN = (ATOLL, SHMEM)


def programs(options):
    """{implementation: words that start it, up to the number of ranks}"""
    found = {name: [os.path.join(options.bin, "atoll"), "run"] for name in OWN}
    for name, words in LAUNCHERS.items():
        installed = shutil.which(words.split()[0])
        built = os.access(os.path.join(options.bin, f"spin_{name}"), os.X_OK)
        if installed and built and name not in options.without:
            found[name] = shlex.split(words)
    return found


def words_of(name, start, options, ranks):
    """The command line up to spin's own options."""
    cores = os.cpu_count() or 1
    if name in OWN:
        start = start + (["--bind", "core"] if ranks <= cores else [])
    else:
        start = [word.format(bind="core" if ranks <= cores else "none") for word in start]
    program = os.path.join(options.bin, "spin" if name == ATOLL else f"spin_{name}")
    return shlex.split(options.prefix) + start + ["-n", str(ranks), program]


def run(words, sites, options):
    """{variant: (seconds per iteration, energy)}"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spin.json")
        words = words + ["-n", str(sites), "-v", "all", "--steps", str(options.steps), "--quiet",
                         "--json", path]
        # `timeout` ends the launcher by a signal that the launcher passes on to the ranks.
        done = subprocess.run(["timeout", "-k", "5", "900"] + words, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"beside_mpi: {' '.join(words)} ended with {done.returncode}:\n"
                     f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        with open(path) as file:
            rows = json.load(file)["variants"]
    return {row["name"]: (row["seconds"] / options.steps, row["energy"]) for row in rows}


def turns_of(found, options, ranks, sites):
    """A list of {(implementation, variant): seconds}, one for each turn."""
    turns, energies = [], set()
    for number in range(options.rounds):
        turn = {}
        names = list(found)
        first = number % len(names)  # each turn begins with another implementation
        for name in names[first:] + names[:first]:
            start = found[name]
            rows = run(words_of(name, start, options, ranks), sites, options)
            turn.update({(name, variant): seconds for variant, (seconds, _) in rows.items()})
            energies.update(energy for _, energy in rows.values())
        turns.append(turn)
    if len(energies) != 1:
        sys.exit(f"beside_mpi: the energies differ: {sorted(energies)}")
    return turns


def table(turns):
    rows = []
    for key in turns[0]:
        best = [min((s for (name, _), s in turn.items() if name not in OWN), default=math.nan)
                for turn in turns]
        best_own = [min(s for (name, _), s in turn.items() if name in OWN) for turn in turns]
        rows.append({
            "implementation": key[0], "name": key[1],
            "seconds": statistics.median(turn[key] for turn in turns), "unit": "s/iteration",
            "mpi_ratio": statistics.median(b / turn[key] for b, turn in zip(best, turns)),
            "own_ratio": statistics.median(turn[key] / b for b, turn in zip(best_own, turns))})
    return rows


def parse():
    parser = argparse.ArgumentParser(description="spin on Atoll and on MPI, in turns")
    parser.add_argument("--bin", required=True, help="folder of the build's programs")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2])
    parser.add_argument("--sites", type=int, default=22)
    parser.add_argument("--weak", action="store_true", help="a site more for each doubling")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--without", nargs="*", default=[], choices=list(LAUNCHERS))
    parser.add_argument("--prefix", default="", help="words before each launcher, as chrt -r 1")
    parser.add_argument("--json")
    return parser.parse_args()


def main():
    options = parse()
    found, results = programs(options), []
    for ranks in options.ranks:
        sites = options.sites + (int(math.log2(ranks)) if options.weak else 0)
        rows = table(turns_of(found, options, ranks, sites))
        results.append({"app": "spin", "ranks": ranks, "sites": sites, "variants": rows})
        print(f"\n{ranks} ranks, {sites} sites: ms per iteration, the fastest MPI variant's time / "
              "it, it / the fastest of Atoll")
        for row in rows:
            print(f"  {row['implementation']:8s} {row['name']:15s} {row['seconds'] * 1e3:9.2f}"
                  f"  {row['mpi_ratio']:6.2f}  {row['own_ratio']:6.2f}", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=2)


if __name__ == "__main__":
    main()
