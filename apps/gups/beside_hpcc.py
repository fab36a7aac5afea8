#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs gups and the MPI programs of Debian's package hpcc in turn, with tables of the same size.
#
#     beside_hpcc.py --atoll build/release/bin/atoll --ranks 2 --rounds 5 [--json FILE]
#
# hpcc always runs all of its benchmarks, and derives the size of its RandomAccess table from that of its
# linear equations: the largest power of two that is not above the elements of their matrix. So its input
# names a matrix with half as many elements again as the table, and nothing else that takes time. Prints the
# median of the rounds, and for each variant of gups the median of its ratio to the faster of hpcc's two
# programs (MPIRandomAccess, and the same with another generator) within a round.

import argparse
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

HPCC_KEYS = {"hpcc": "MPIRandomAccess_GUPs", "hpcc lcg": "MPIRandomAccess_LCG_GUPs"}


def grid(ranks):
    """The squarest P x Q = ranks."""
    rows = next(p for p in range(math.isqrt(ranks), 0, -1) if ranks % p == 0)
    return rows, ranks // rows


def hpcc_input(log2_size, ranks):
    """The lines of hpccinf.txt; the meaning of a line follows its values."""
    order = math.isqrt(3 * 2 ** log2_size // 2)
    rows, columns = grid(ranks)
    lines = [
        ("", "title"), ("", "title"), ("unused", "file"), ("8", "device"),
        ("1", "sizes"), (order, "N"), ("1", "block sizes"), ("80", "NB"), ("0", "mapping"),
        ("1", "grids"), (rows, "P"), (columns, "Q"), ("16.0", "threshold"),
        ("1", "factorizations"), ("2", "PFACT"), ("1", "stops"), ("4", "NBMIN"),
        ("1", "panels"), ("2", "NDIV"), ("1", "recursions"), ("1", "RFACT"),
        ("1", "broadcasts"), ("1", "BCAST"), ("1", "depths"), ("1", "DEPTH"),
        ("2", "swap"), ("64", "swap threshold"), ("0", "L1"), ("0", "U"), ("1", "equilibration"),
        ("8", "alignment"), ("", "separator"),
        ("0", "further sizes for PTRANS"), ("1", "N"), ("0", "further blocks"), ("1", "NB")]
    return "".join(f"{value}  {meaning}\n" for value, meaning in lines)


def run(words, folder):
    # `timeout` ends the launcher by a signal that the launcher passes on to the ranks.
    done = subprocess.run(["timeout", "-k", "5", "600"] + words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"beside_hpcc: {' '.join(words)} ended with {done.returncode}:\n"
                 f"{done.stdout[-2000:]}{done.stderr[-2000:]}")


def run_hpcc(options, folder):
    """{'hpcc': GUP/s, ...} of one run."""
    output = os.path.join(folder, "hpccoutf.txt")
    if os.path.exists(output):
        os.remove(output)
    with open(os.path.join(folder, "hpccinf.txt"), "w") as file:
        file.write(hpcc_input(options.log2_size, options.ranks))
    run(shlex.split(options.prefix) + shlex.split(options.mpirun) +
        ["-n", str(options.ranks), options.hpcc], folder)
    with open(output, errors="replace") as file:
        values = dict(line.strip().split("=", 1) for line in file if line.count("=") == 1)
    size = float(values.get("MPIRandomAccess_N", -1))
    if size != 2 ** options.log2_size:
        sys.exit(f"beside_hpcc: hpcc took a table of {size:.0f} words instead of "
                 f"{2 ** options.log2_size}: the memory for its matrix differs from what was planned")
    return {name: float(values[key]) for name, key in HPCC_KEYS.items()}


def run_gups(options, folder):
    result = os.path.join(folder, "gups.json")
    gups = os.path.join(os.path.dirname(os.path.abspath(options.atoll)), "gups")
    run(shlex.split(options.prefix) +
        [os.path.abspath(options.atoll), "run", "-n", str(options.ranks), gups, "--rounds", "1",
         "--log2-size", str(options.log2_size), "--json", result], folder)
    with open(result) as file:
        return {row["name"]: row["rate"] for row in json.load(file)["variants"]}


def table(rounds):
    """Rows of name, median rate, median ratio to the faster of hpcc's in the same round."""
    rows = []
    for name in rounds[0]:
        ratios = [each[name] / max(each[peer] for peer in HPCC_KEYS) for each in rounds]
        rows.append({"name": name, "rate": statistics.median(each[name] for each in rounds),
                     "unit": "GUP/s", "ratio": statistics.median(ratios)})
    return rows


def parse():
    parser = argparse.ArgumentParser(description="gups and the MPI programs of the package hpcc, in turn")
    parser.add_argument("--atoll", required=True, help="the atoll command; gups is beside it")
    parser.add_argument("--hpcc", default="hpcc")
    parser.add_argument("--mpirun", default="mpirun.openmpi --allow-run-as-root --oversubscribe")
    parser.add_argument("--prefix", default="", help="words before each launcher, as chrt -r 1")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--log2-size", type=int, default=22)
    parser.add_argument("--json")
    return parser.parse_args()


def main():
    options = parse()
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            # They take turns in running first.
            order = [run_hpcc, run_gups] if number % 2 == 0 else [run_gups, run_hpcc]
            first, second = (each(options, folder) for each in order)
            rounds.append({**first, **second})
    rows = table(rounds)
    print(f"{options.ranks} ranks, 2^{options.log2_size} words, medians of {options.rounds} rounds\n")
    for row in rows:
        print(f"  {row['name']:12s}  {row['rate']:8.4f} GUP/s   {row['ratio']:6.2f} x hpcc")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"app": "gups", "ranks": options.ranks, "log2_size": options.log2_size,
                       "rounds": rounds, "variants": rows}, file, indent=2)


if __name__ == "__main__":
    main()
