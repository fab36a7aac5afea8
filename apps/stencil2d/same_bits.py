#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs stencil2d on Atoll, also in OpenSHMEM, Fortran and UPC, and on each MPI that is installed, with the same problem:
# all must end well, write the figures that `atoll bench` reads, and give the same bits.
#
#   same_bits.py RANKS ATOLL STENCIL2D [shmem|coarray|upc|openmpi|mpich PROGRAM]...

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROBLEM = ["--size", "19x11", "--radius", "2", "--steps", "7", "--rounds", "1"]
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to",
                         "none"],
             "mpich": ["mpirun.mpich"]}
LIMIT_S = 50
OF_A_VARIANT = ("seconds", "mad", "rate", "efficiency")


def figures(command, folder):
    path = os.path.join(folder, "figures.json")
    subprocess.run(command + PROBLEM + ["--json", path], check=True, timeout=LIMIT_S,
                   stdout=subprocess.DEVNULL)
    return json.loads(pathlib.Path(path).read_text())


def check(name, ranks, file):
    assert file["app"] == "stencil2d" and file["implementation"] == name, file
    assert file["ranks"] == ranks and file["right"] is True, file
    for each in file["variants"]:
        assert each["unit"] == "points/s" and each["right"] is True, each
        assert all(isinstance(each[key], (int, float)) for key in OF_A_VARIANT), each
    return {each["bits"] for each in file["variants"]}


def main():
    ranks, launcher, atoll_program, *peers = sys.argv[1:]
    commands = {"atoll": [launcher, "run", "-n", ranks, atoll_program]}
    for name, program in zip(peers[::2], peers[1::2]):
        if name in ("shmem", "coarray", "upc"):
            commands[f"atoll-{name}"] = [launcher, "run", "-n", ranks, program]
        else:
            commands[name] = LAUNCHERS[name] + ["-n", ranks, program]
    bits = {}
    for name, command in commands.items():
        with tempfile.TemporaryDirectory() as folder:
            bits[name] = check(name, int(ranks), figures(command, folder))
    print(bits)
    return 0 if len(set.union(*bits.values())) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
