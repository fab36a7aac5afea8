# SPDX-License-Identifier: BSD-3-Clause
#
# The sets of series that can be measured. A series is one benchmark at one number of ranks, done by
# Atoll and, by the same loops, by its peers. To add one: a row in a function below; the program is
# bench/<name>, its counterpart for MPI a benchmark of bench/mpi. Cases of the same name are
# compared, and those that COUNTERPARTS names.

from dataclasses import dataclass, field

NAMES = ("latency", "bandwidth", "rate", "am", "atomics", "strided", "collectives", "threads",
         "oversubscription", "startup", "apps", "network", "shmem", "upc", "coarray", "upcxx",
         "kinds", "gasnet")

# Sets that are measured only when they are named; and sets that are left out when time is short.
ONLY_BY_NAME = ("kinds", "gasnet")
NOT_WHEN_BRIEF = ("network",)

HELP = {
    "latency": "puts, gets and messages one at a time, by size; time until a put is seen; fences",
    "bandwidth": "floods of puts, gets and messages, 64 in flight, by size",
    "rate": "operations per second on 8 bytes, many in flight",
    "am": "active messages: short round trip, floods; messages of MPI beside them",
    "atomics": "fetch-and-add, compare-and-swap and add, one at a time and many",
    "strided": "blocks, columns, faces, transposes; derived datatypes of MPI beside them",
    "collectives": "barrier and every collective, 8 B to 4 MiB",
    "threads": "several threads of each rank that put and send at once",
    "oversubscription": "more ranks than cores: barriers, collectives, a ring of messages",
    "startup": "start and end of jobs, by each launcher",
    "apps": "whole programs: every variant, and the best of each implementation",
    "network": "all of it and three apps over TCP: loopback, with --veth or --hosts between hosts; raw sockets beside it",
    "shmem": "OpenSHMEM: p, g, atomics, quiet, puts and gets, waits, collectives, contexts; Open MPI's beside it",
    "upc": "UPC: elements of shared arrays beside plain C, transfers, locks, collectives",
    "coarray": "Fortran coarrays: sections beside loops on local arrays, single values, SYNC ALL, events",
    "upcxx": "UPC++: rput, rget, atomics, rpc, a hash table",
    "kinds": "puts and gets between memories of devices and hosts, six directions, beside plain copies of a device",
    "gasnet": "the C interface of GASNet-EX; GASNet-EX itself with --gasnet",
}

# Which case of Atoll's compares with which case of a peer that has no case of the same name.
COUNTERPARTS = {
    "am_short_round_trip": "message_8_round_trip",
    "am_short_flood": "message_8_flood",
    "am_medium_8_flood": "message_8_flood",
    "am_medium_4k_flood": "message_4k_flood",
    "am_medium_64k_flood": "message_64k_flood",
}

# The sizes over a network, where smaller steps show nothing new.
NETWORK_SIZES = (8, 512, 4096, 65536, 1 << 20)

# The cases of collectives that are measured when time is short.
BRIEF_COLLECTIVES = ",".join(f"{name}_{size}" for name in ("cast", "reduce", "alltoall")
                             for size in ("8", "4k", "64k"))

TITLES = {
    "put": "put, blocking", "get": "get, blocking", "message": "message, one way",
    "put_visible": "put until the target sees it", "put_fence": "put and a fence of all ranks",
    "put_flood": "puts, 64 in flight", "get_flood": "gets, 64 in flight",
    "message_flood": "messages, 64 in flight", "put_rate": "puts, many in flight",
    "am_medium_flood": "medium messages, one way", "broadcast": "broadcast", "reduce": "reduce",
    "allreduce": "allreduce", "alltoall": "all-to-all", "allgather": "all-gather", "broadcast_8_in_turn": "8 broadcasts in turn",
    "broadcast_8_in_flight": "8 broadcasts in flight",
    "put_quiet": "put and quiet", "signal_round_trip": "data with a signal, there and back",
    "get_rate": "gets, many in flight", "message_rate": "messages, many in flight",
}


@dataclass(frozen=True)
class Unit:
    """The unit in which the nanoseconds of an operation are reported."""

    name: str
    better: str

    def of(self, time_ns, case):
        if self.name == "GB/s":
            return case["bytes"] / time_ns if time_ns and case.get("bytes") else None
        return 1e9 / time_ns if self.name == "op/s" and time_ns else time_ns


TIME = Unit("ns", "less")
FLOW = Unit("GB/s", "more")
RATE = Unit("op/s", "more")


@dataclass(frozen=True)
class Series:
    set: str
    benchmark: str
    ranks: int
    ours: tuple                # program and its words
    mpi: tuple = ()            # words of bench_mpi_<library>; empty: MPI has none of this
    shmem: tuple = ()          # words of bench_shmem_<library>
    foreign: tuple = ()        # (name, words) of programs that the user has named
    sockets: tuple = ()        # program and words of the raw connection beside it
    place: object = None       # of places.py: where the ranks are, when they share no memory
    unit: Unit = TIME
    sized: bool = False        # takes --sizes
    sizes: tuple = ()          # the sizes when the user names none
    only: str = ""             # the cases to keep of our program; empty: all
    app: object = None         # an entry of apps.py
    weight: float = 1.0        # of the time that a budget gives it
    oversubscribed: bool = field(default=False, compare=False)

    @property
    def label(self):
        ranks = f", {self.ranks} ranks" if self.ranks > 1 else ""
        return f"{self.benchmark}{ranks}"


def pair_series():
    """Series between two ranks."""
    for name, unit in (("latency", TIME), ("bandwidth", FLOW), ("rate", RATE)):
        yield Series(name, name, 2, ("bench_curves", name), ("curves", name), unit=unit,
                     sized=name != "rate", weight=1 if name == "rate" else 4)
    yield Series("am", "am", 2, ("bench_latency",), ("latency", "--only", "message_"), only="am_,raw_ping")
    yield Series("atomics", "atomics", 2, ("bench_atomics",), ("atomics",))
    yield Series("strided", "strided", 2, ("bench_strided",), ("strided",), unit=FLOW, weight=2)


def thread_series(cores, brief):
    """Series between two ranks with threads; those with more threads than cores are marked as oversubscribed."""
    for threads in (1, 2) if brief else (1, 2, 4):
        words = ("threads", "--threads", str(threads))
        yield Series("threads", f"threads_{threads}", 2, ("bench_threads", *words[1:]), words, unit=RATE,
                     oversubscribed=2 * threads > cores)


def collectives_of(name, benchmark, count, brief, **more):
    only = BRIEF_COLLECTIVES if brief else ""
    words = ("collectives", "--only", only) if only else ("collectives",)
    return Series(name, benchmark, count, ("bench_collectives",), words, only=only, weight=3, **more)


def many_series(ranks, cores, brief):
    """Series of all ranks: one set with a core for each rank, another with fewer cores."""
    for count in ranks:
        oversubscribed = count > cores
        name = "oversubscription" if oversubscribed else "collectives"
        yield Series(name, "barrier", count, ("bench_barrier",), ("barrier",), only="barrier")
        yield collectives_of(name, "collectives", count, brief)
        if oversubscribed:
            yield Series(name, "rate", count, ("bench_curves", "rate"), ("curves", "rate"), unit=RATE)
            yield Series(name, "ring", count, ("bench_ring",), only="ring")


def network_series(places, ranks, brief=False):
    """Series between two ranks that reach each other by TCP only, and collectives of ranks that share no memory or,
    on two hosts, share it with the others of their host."""
    for place in places:
        def series(name, ours, mpi, sockets, of_place=place, **more):
            return Series("network", f"{of_place.name}_{name}", 2, ours, mpi, sockets=("bench_sockets", *sockets),
                          place=of_place, **more)

        sized = {"sized": True, "sizes": NETWORK_SIZES, "weight": 2}
        yield series("latency", ("bench_curves", "latency"), ("curves", "latency"), ("latency",), **sized)
        yield series("bandwidth", ("bench_curves", "bandwidth"), ("curves", "bandwidth"), ("bandwidth",), unit=FLOW,
                     **sized)
        yield series("am", ("bench_latency",), ("latency", "--only", "message_"), ("messages",), only="am_")
        for count in ranks:
            if not place.hosts or count % len(place.hosts) == 0:
                yield collectives_of("network", f"{place.name}_collectives", count, brief, place=place)


def shmem_series(ranks, cores, brief):
    """Series of OpenSHMEM; `words` are the arguments of both our program and the peer's."""
    def series(name, count, *words, **more):
        return Series("shmem", f"shmem_{name}", count, ("bench_shmem", *words), shmem=words, **more)

    yield series("latency", 2, "latency", weight=3)
    yield series("bandwidth", 2, "bandwidth", unit=FLOW, weight=2)
    for count in ranks:
        yield series("collectives", count, "collectives")
    for threads in (1, 2) if brief else (1, 2, 8):
        yield series(f"threads_{threads}", 2, "threads", "--threads", str(threads), unit=RATE,
                     oversubscribed=threads + 1 > cores)


def upc_series(ranks):
    yield Series("upc", "upc_elements", 2, ("bench_upc", "elements"), weight=2)
    yield Series("upc", "upc_transfers", 2, ("bench_upc", "transfers"))
    for count in ranks:
        yield Series("upc", "upc_collectives", count, ("bench_upc", "collectives"))


def coarray_series(ranks):
    yield Series("coarray", "coarray_sections", 2, ("bench_coarray", "sections"), weight=2)
    for count in ranks:
        yield Series("coarray", "coarray_synchronization", count, ("bench_coarray", "synchronization"))


def other_series(foreign, brief):
    yield Series("startup", "startup", 1, ("bench_startup", "--many", "8" if brief else "32"), weight=2)
    yield Series("upcxx", "upcxx", 2, ("bench_upcxx",), foreign=foreign.get("upcxx", ()), weight=2)
    yield Series("kinds", "kinds", 2, ("bench_kinds",))
    yield Series("gasnet", "gex_latency", 2, ("bench_gex_latency",), foreign=foreign.get("gasnet", ()))


def all_series(ranks, cores, foreign, brief, places=()):
    """Everything but the apps, in the order of NAMES; with fewer cases when `brief`."""
    found = [*pair_series(), *thread_series(cores, brief), *many_series(ranks, cores, brief),
             *network_series(places, ranks, brief), *shmem_series(ranks, cores, brief),
             *upc_series(ranks), *coarray_series(ranks), *other_series(foreign, brief)]
    return sorted(found, key=lambda each: NAMES.index(each.set))


def counterpart(name):
    return COUNTERPARTS.get(name)


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def title_of(case):
    """A few words for people."""
    operation = case.get("operation")
    if operation in TITLES and case.get("bytes"):
        return f"{size_text(case['bytes'])} {TITLES[operation]}"
    return case["name"].replace("_", " ")
