# SPDX-License-Identifier: BSD-3-Clause
#
# The implementations that are measured: Atoll, the MPI libraries that this was built with and that
# are installed, and programs that the user names. An implementation knows how its benchmarks are
# started and tells its version; to add one, add a row to MPI or a function that makes one.

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

OWN = "atoll"
ASK_LIMIT_S = 20


@dataclass(frozen=True)
class Launcher:
    """The command line that starts a library's jobs, up to the number of ranks."""

    program: str
    words: tuple = ()
    as_root: tuple = ()
    tcp: tuple = ()               # words that allow TCP only
    tcp_variables: tuple = ()     # variables for the same
    hosts: tuple = ()             # words for TCP between hosts of several ranks, which share memory
    hosts_variables: tuple = ()   # variables for the same
    loopback: tuple = ()          # words that choose the loopback interface
    loopback_variables: tuple = ()


# Open MPI leaves loopback out unless it is named, and uses shared memory for windows on one machine, whatever carries
# its messages. MPICH is built on UCX or on libfabric, so the variables of both are set.
MPI = {
    "openmpi": Launcher("mpirun.openmpi", ("--oversubscribe", "--bind-to", "none"), ("--allow-run-as-root",),
                        tcp=("--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "osc", "pt2pt"),
                        hosts=("--mca", "pml", "ob1", "--mca", "btl", "tcp,vader,self"),
                        loopback=("--mca", "btl_tcp_if_include", "lo")),
    "mpich": Launcher("mpirun.mpich", tcp_variables=("MPIR_CVAR_NOLOCAL=1", "UCX_TLS=tcp", "FI_PROVIDER=tcp"),
                      hosts_variables=("UCX_TLS=tcp,sm,self", "FI_PROVIDER=tcp"),
                      loopback_variables=("UCX_NET_DEVICES=lo", "FI_TCP_IFACE=lo")),
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
    """The output of a program; empty when it fails."""
    try:
        output = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                                timeout=ASK_LIMIT_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return output.strip()


class Atoll(Implementation):
    def __init__(self, atoll, programs):
        super().__init__(OWN, output_of([str(atoll), "--version"]).removeprefix("atoll ").split("\n")[0])
        self.atoll, self.programs = atoll, programs

    def command(self, series):
        if series.benchmark == "startup":  # starts jobs itself
            return [str(self.programs / series.ours[0]), *series.ours[1:]]
        if not series.ours or (series.place and not self.has_network()):
            return None
        program, *words = series.ours
        return self.job(series, [str(self.programs / program), *words])

    def has_network(self):
        """Whether this was built with libfabric."""
        return (self.programs / "bench_sockets").exists()

    def job(self, series, words):
        place = series.place
        if place is None:
            return [str(self.atoll), "run", "-n", str(series.ranks), *words]
        if not place.hosts:  # ranks that share nothing
            apart = ("ATOLL_NETWORK=ofi", "ATOLL_NEIGHBOURHOOD=1", "ATOLL_OFI_INTERFACE=lo")
            return [*place.start, "env", *apart, str(self.atoll), "run", "-n", str(series.ranks), *words]
        rsh = ("--rsh", shlex.join(place.rsh)) if place.rsh else ()
        slots = ",".join(f"{host}:{place.ranks_per_host(series.ranks)}" for host in place.hosts)
        return [*place.start, str(self.atoll), "run", "--hosts", slots, *rsh, *words]


class Sockets(Atoll):
    """A raw TCP connection between two ranks that Atoll starts, at the places where there is only TCP."""

    def __init__(self, atoll, programs):
        Implementation.__init__(self, "sockets", "", "Raw sockets")
        self.atoll, self.programs = atoll, programs

    def command(self, series):
        if not series.sockets:
            return None
        program, *words = series.sockets
        return self.job(series, [str(self.programs / program), *words])


class Mpi(Implementation):
    def __init__(self, name, programs):
        launcher = MPI[name]
        output = output_of([launcher.program, "--version"])
        found = re.search(r"(?:Version:|\(Open MPI\)|\(OpenRTE\))\s*(\S+)", output)
        super().__init__(name, found.group(1) if found else "unknown")
        self.programs = programs
        self.start = [launcher.program, *(launcher.as_root if os.geteuid() == 0 else ()), *launcher.words]

    def job(self, ranks, program, words, benchmark=""):
        extra = EXTRA_WORDS.get((self.name, benchmark), ())
        return [*self.start, *extra, "-n", str(ranks), str(self.programs / program), *words]

    def command(self, series):
        if series.app:
            words = series.app.mpi_words(self.name)
            known = words and (self.programs / words[0]).exists()  # a library that an app uses may be for one MPI
            if known and series.place:
                return self.job_over_tcp(series, words[0], words[1:])
            return self.job(series.ranks, words[0], words[1:]) if known else None
        if series.shmem:
            program = f"bench_shmem_{self.name}"
            known = (self.programs / program).exists()
            return self.job(series.ranks, program, series.shmem) if known else None
        if not series.mpi:
            return None
        if series.place:
            return self.job_over_tcp(series, f"bench_mpi_{self.name}", series.mpi)
        return self.job(series.ranks, f"bench_mpi_{self.name}", series.mpi, series.mpi[0])

    def job_over_tcp(self, series, program, program_words):
        place, launcher = series.place, MPI[self.name]
        if place.hosts and place.ranks_per_host(series.ranks) > 1:
            words, variables = [*self.start, *launcher.hosts], list(launcher.hosts_variables)
        else:
            words, variables = [*self.start, *launcher.tcp], list(launcher.tcp_variables)
        if place.hosts:
            words += self.words_for_hosts(place, place.ranks_per_host(series.ranks))
        else:
            words += launcher.loopback
            variables += launcher.loopback_variables
        program = str(self.programs / program)
        return [*place.start, "env", *variables, *words, "-n", str(series.ranks), program, *program_words]

    def words_for_hosts(self, place, each):
        """`each` ranks on each host, started as `place` says."""
        if self.name == "openmpi":
            agent = ("--mca", "plm_rsh_agent", place.rsh_program) if place.rsh_program else ()
            return ["--host", ",".join(f"{host}:{each}" for host in place.hosts), *agent]
        agent = ("-launcher", "ssh", "-launcher-exec", place.rsh_program) if place.rsh_program else ()
        local = ("-localhost", place.address) if place.address else ()
        return ["-hosts", ",".join(place.hosts), "-ppn", str(each), *agent, *local]


class OpenCoarrays(Mpi):
    """The apps of Fortran coarrays, from the same source with OpenCoarrays, which is on Open MPI."""

    PROGRAMS = "*_opencoarrays"

    def __init__(self, programs):
        super().__init__("openmpi", programs)
        self.name, self.title = "opencoarrays", "OpenCoarrays"
        self.version = "on Open MPI " + self.version

    def command(self, series):
        program = f"{series.app.program}_{self.name}" if series.app and not series.place else ""
        known = program and (self.programs / program).exists()
        return self.job(series.ranks, program, series.app.words) if known else None


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
    if "openmpi" in wanted and any(programs.glob(OpenCoarrays.PROGRAMS)) and shutil.which(MPI["openmpi"].program):
        found.append(OpenCoarrays(programs))
    if (programs / "bench_sockets").exists():
        found.append(Sockets(prefix / "bin" / "atoll", programs))
    found += [Foreign(name, benchmark, Path(program).absolute()) for name, benchmark, program in foreign]
    return found, missing
