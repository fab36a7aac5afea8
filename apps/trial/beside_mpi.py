#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs an app built on apps/trial and its twins for MPI in turn, and prints for every variant the median time, and the
# median over the turns of the fastest MPI variant's time divided by its own. Words after -- go to all programs.
#
#     apps/trial/beside_mpi.py --bin build/release/bin --app fft3d --ranks 2 4 8 --turns 5 -- --size 128
#
# With --apart ranks share no memory: each is a host of its own, and all is TCP over loopback.

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

LAUNCHERS = {"openmpi": "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none",
             "mpich": "mpirun.mpich"}
# These restrict each library to TCP over loopback, as atoll bench does. Only MPICH gets FI_PROVIDER=tcp: in libfabric
# 1.17 it hides the faster provider of TCP, which Atoll uses.
APART_WORDS = {"openmpi": "--mca pml ob1 --mca btl tcp,self --mca osc pt2pt --mca btl_tcp_if_include lo"}
APART_VARIABLES = {"atoll": {"ATOLL_NETWORK": "ofi", "ATOLL_NEIGHBOURHOOD": "1", "ATOLL_OFI_INTERFACE": "lo"},
                   "openmpi": {},
                   "mpich": {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp", "FI_PROVIDER": "tcp", "UCX_NET_DEVICES": "lo",
                             "FI_TCP_IFACE": "lo"}}


def starts(options):
    """{implementation: (the words that start it, up to the number of ranks; the program; its variables)}"""
    variables = APART_VARIABLES if options.apart else {}
    found = {"atoll": ([os.path.join(options.bin, "atoll"), "run"], os.path.join(options.bin, options.app),
                       variables.get("atoll", {}))}
    for name, words in LAUNCHERS.items():
        twin = os.path.join(options.bin, f"{options.app}_mpi_{name}")
        if name not in options.without and shutil.which(words.split()[0]) and os.access(twin, os.X_OK):
            apart = shlex.split(APART_WORDS.get(name, "")) if options.apart else []
            found[name] = ([*shlex.split(words), *apart], twin, variables.get(name, {}))
    return found


def seconds_of(start, program, variables, ranks, options):
    """{variant: seconds} of one run, with these variables in its environment."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        words = [*shlex.split(options.prefix), "timeout", "-k", "5", str(options.limit), *start, "-n", str(ranks), program,
                 "--quiet", "--json", path, *options.words]
        if "_mpi_" not in program and options.variants:
            words += ["--variants", options.variants]
        done = subprocess.run(words, capture_output=True, text=True, env=os.environ | variables)
        if done.returncode != 0:
            print(f"  {shlex.join(words)} ended with {done.returncode}: {done.stderr[-500:]}", file=sys.stderr)
            return {}
        with open(path) as file:
            return {each["name"]: each["seconds"] for each in json.load(file)["variants"]}


def compare(ranks, options):
    """Prints the comparison; returns how many turns Atoll's program has ended well."""
    programs = starts(options)
    turns = []
    for turn in range(options.turns):
        order = list(programs) if turn % 2 == 0 else list(programs)[::-1]
        turns.append({name: seconds_of(*programs[name], ranks, options) for name in order})
    complete = [turn for turn in turns if turn["atoll"]]
    print(f"\n{options.app}, {ranks} ranks, medians of {len(complete)} turns\n")
    for name in programs:
        for variant in complete[0][name] if complete else ():
            found = [turn for turn in complete if variant in turn[name]]
            ms = 1e3 * statistics.median(turn[name][variant] for turn in found)
            ratios = [min(best) / turn[name][variant] for turn in found
                      if (best := [s for peer in programs if peer != "atoll" for s in turn[peer].values()])]
            ratio = f"   peer's best / this {statistics.median(ratios):6.2f}" if ratios else ""
            print(f"  {name:8s} {variant:20s} {ms:11.3f} ms{ratio}")
    sys.stdout.flush()
    return len(complete)


def parse():
    parser = argparse.ArgumentParser(description="an app and its twins for MPI, in turn")
    parser.add_argument("--bin", required=True, help="the folder of the programs")
    parser.add_argument("--app", required=True, help="its name: fft3d, matmul, cholesky")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2], help="numbers of ranks, one after the other")
    parser.add_argument("--turns", type=int, default=5, help="how often each program runs")
    parser.add_argument("--prefix", default="", help="words before each launcher, as chrt -r 1")
    parser.add_argument("--apart", action="store_true", help="ranks share no memory: TCP over loopback")
    parser.add_argument("--variants", help="of Atoll's, when not all")
    parser.add_argument("--without", nargs="*", default=[], help="MPI libraries to leave out")
    parser.add_argument("--limit", type=int, default=300, help="seconds of one run")
    parser.add_argument("words", nargs="*", help="for the programs, behind --")
    return parser.parse_args()


def main():
    options = parse()
    ended = [compare(ranks, options) for ranks in options.ranks]
    if not all(ended):
        sys.exit(f"beside_mpi: {options.app} has not run; its messages are above")


if __name__ == "__main__":
    main()
