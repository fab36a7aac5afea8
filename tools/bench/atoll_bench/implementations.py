# SPDX-License-Identifier: BSD-3-Clause
#
# Who is measured: Atoll, the MPI libraries that this was built with and that are installed, and programs that
# the user names. An implementation knows how its benchmarks are started and tells its version; to add one, add
# a row to MPI or a function that makes one.

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

OWN = "atoll"
ASK_LIMIT_S = 20


@dataclass(frozen=True)
class Launcher:
    """How a library's jobs are started, up to the number of ranks."""

    program: str
    words: tuple = ()
    as_root: tuple = ()


MPI = {
    "openmpi": Launcher("mpirun.openmpi", ("--oversubscribe", "--bind-to", "none"), ("--allow-run-as-root",)),
    "mpich": Launcher("mpirun.mpich"),
}

# Open MPI 4.1 crashes in MPI_Compare_and_swap with the windows that it chooses by itself; those of shared
# memory do not, and are its fastest.
EXTRA_WORDS = {("openmpi", benchmark): ("--mca", "osc", "sm")
               for benchmark in ("atomics", "latency", "strided", "curves", "threads")}


@dataclass
class Implementation:
    name: str
    version: str = ""
    title: str = ""
    environment: dict = field(default_factory=dict)

    def command(self, _series):
        """The words that run a series here up to its options; None when it has no such benchmark."""
        raise NotImplementedError

    def described(self):
        return {"name": self.name, "version": self.version} | ({"title": self.title} if self.title else {})


def output_of(words):
    """What a program prints, or nothing."""
    try:
        said = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=ASK_LIMIT_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.strip()


class Atoll(Implementation):
    def __init__(self, atoll, programs):
        super().__init__(OWN, output_of([str(atoll), "--version"]).removeprefix("atoll ").split("\n")[0])
        self.atoll, self.programs = atoll, programs

    def command(self, series):
        if series.benchmark == "startup":  # starts jobs itself
            return [str(self.programs / series.ours[0]), *series.ours[1:]]
        if not series.ours:
            return None
        program, *words = series.ours
        return [str(self.atoll), "run", "-n", str(series.ranks), str(self.programs / program), *words]


class Mpi(Implementation):
    def __init__(self, name, programs):
        launcher = MPI[name]
        said = output_of([launcher.program, "--version"])
        found = re.search(r"(?:Version:|\(Open MPI\)|\(OpenRTE\))\s*(\S+)", said)
        super().__init__(name, found.group(1) if found else "unknown")
        self.programs = programs
        self.start = [launcher.program, *(launcher.as_root if os.geteuid() == 0 else ()), *launcher.words]

    def job(self, ranks, program, words, benchmark=""):
        extra = EXTRA_WORDS.get((self.name, benchmark), ())
        return [*self.start, *extra, "-n", str(ranks), str(self.programs / program), *words]

    def command(self, series):
        if series.app:
            words = series.app.mpi_words(self.name)
            return words and self.job(series.ranks, words[0], words[1:])
        if not series.mpi:
            return None
        return self.job(series.ranks, f"bench_mpi_{self.name}", series.mpi, series.mpi[0])


class Foreign(Implementation):
    """A program that the user has linked with a reference implementation; it starts its ranks itself."""

    def __init__(self, name, benchmark, program):
        super().__init__(name, "", f"{name} ({program.name})")
        self.benchmark, self.program = benchmark, program

    def command(self, series):
        if series.set != self.benchmark:
            return None
        self.environment = {"GASNET_PSHM_NODES": str(series.ranks)}
        return [str(self.program), "--implementation", self.name]


def why_not(name, programs):
    """Why an MPI library cannot take part; empty when it can."""
    if name not in MPI:
        return f"no peer of this name is known; there are {', '.join(MPI)}"
    if not shutil.which(MPI[name].program):
        return f"{MPI[name].program} is not installed"
    if not (programs / f"bench_mpi_{name}").exists():
        return f"this Atoll was built without it: there is no {programs / f'bench_mpi_{name}'}"
    return ""


def find(prefix, wanted, foreign):
    """(implementations, failures): Atoll first, then each peer that is there, and why the others are not."""
    programs = prefix / "libexec" / "atoll"
    found, missing = [Atoll(prefix / "bin" / "atoll", programs)], []
    for name in wanted:
        reason = why_not(name, programs)
        if reason:
            missing.append({"set": "", "implementation": name, "ranks": 0, "reason": reason})
        else:
            found.append(Mpi(name, programs))
    found += [Foreign(name, benchmark, Path(program).absolute()) for name, benchmark, program in foreign]
    return found, missing
