# SPDX-License-Identifier: BSD-3-Clause
#
# A made-up recording in the format of `atoll bench`, with every set and with the awkward cases that real ones
# have: a peer that lacks a measurement, losses, noise, a failed turn. Its numbers come from formulas and a
# seeded generator, so a test can say what a report of it must contain.

import copy
import json
import random
import statistics
import sys

SIZES = [2**power for power in range(3, 23)]
# (start in ns, GB/s at best, bytes at which half of it is reached) of each implementation
SPEEDS = {"atoll": (6.5, 30, 300), "openmpi": (160, 11, 9000), "mpich": (420, 8.5, 6000)}


def size_text(size):
    return next((f"{size // unit} {name}" for unit, name in ((2**20, "MiB"), (2**10, "KiB")) if size % unit == 0),
                f"{size} B")


class Maker:
    def __init__(self, peers, turns, seed):
        self.names = ["atoll", *peers]
        self.turns = turns
        self.random = random.Random(seed)

    def figures(self, middle):
        samples = [middle * self.random.lognormvariate(0, 0.02) for _ in range(self.turns)]
        median = statistics.median(samples)
        mad = statistics.median(abs(each - median) for each in samples)
        return {"samples": samples, "median": median, "mad": mad, "min": min(samples), "max": max(samples)}

    def case(self, name, title, values, **more):
        """`values` are the medians by implementation; an implementation without one is missing in the case."""
        measured = {each: self.figures(values[each]) for each in self.names if values.get(each)}
        ratios = {peer: self.ratio(measured["atoll"], measured[peer])
                  for peer in self.names[1:] if peer in measured and "atoll" in measured}
        return {"name": name, "title": title, "operation": more.pop("operation", name), "unit": "ns",
                "better": "less", "by": measured, "ratios": ratios, **more}

    @staticmethod
    def ratio(own, other):
        each = [a / b for a, b in zip(own["samples"], other["samples"])]
        median = statistics.median(each)
        return {"median": median, "mad": statistics.median(abs(x - median) for x in each), "min": min(each),
                "max": max(each)}

    def by_name(self, *values):
        return dict(zip(("atoll", "openmpi", "mpich"), values))


def series(name, cases, ranks=2, **more):
    return {"set": name, "benchmark": more.get("benchmark", name), "ranks": ranks, "oversubscribed": ranks > 2,
            "cases": cases}


def latency(make):
    cases = []
    for operation, factor in (("put", 1), ("get", 1.1)):
        for size in SIZES:
            times = {name: factor * (start + size / best) for name, (start, best, _) in SPEEDS.items()}
            title = f"{size_text(size)} {operation}, blocking"
            cases.append(make.case(f"{operation}_{size}", title, times, operation=operation, bytes=size))
    return series("latency", cases)


def bandwidth(make):
    cases = []
    for size in SIZES:
        rates = {name: best * size / (size + half) for name, (_, best, half) in SPEEDS.items()}
        if size >= 2**20:
            rates["atoll"] = 0.8 * rates["openmpi"]  # a loss at large sizes
        cases.append(make.case(f"put_{size}", f"{size_text(size)} puts, 64 in flight", rates, operation="put",
                               bytes=size, unit="GB/s", better="more"))
    return series("bandwidth", cases)


def collectives(make, ranks):
    cases = [make.case("barrier", "barrier", make.by_name(500 * ranks, 700 * ranks, 650 * ranks))]
    for size in (8, 1024, 65536):
        for operation, loss in (("broadcast", 1.0), ("allreduce", 2.2)):
            base = ranks * (300 + size / 8)
            values = make.by_name(base * (loss if size == 65536 else 0.5), base, base * 1.3)
            cases.append(make.case(f"{operation}_{size}", operation, values, operation=operation, bytes=size))
    return series("collectives", cases, ranks)


def other_sets(make):
    yield series("rate", [make.case("put_8", "8-byte puts", make.by_name(3.1e8, 9.1e6, 4.4e6), unit="op/s",
                                    better="more")])
    yield series("am", [make.case("round_trip", "short message, there and back", make.by_name(900, 1500, 1450)),
                        make.case("medium_4k", "4 KiB message, one way", make.by_name(560, 1900, 1700), bytes=4096)])
    yield series("atomics", [make.case("fetch_add", "fetch-and-add, 64 bit", make.by_name(8, 150, 2600)),
                             make.case("swap", "compare-and-swap, 64 bit", make.by_name(8.2, None, 2700))])
    yield series("strided", [make.case("column", "a column of a matrix", make.by_name(5200, 5250, 9000))])
    yield series("threads", [make.case("put_8_threads_2", "8-byte puts of 2 threads", make.by_name(7, 250, 900))])
    yield series("startup", [make.case("ranks_2", "start and end of 2 ranks", make.by_name(6e6, 9e7, 2.1e7))])
    yield series("apps", [make.case("spin_22", "spin, 22 sites", make.by_name(1.9e9, 2.4e9, 2.6e9))], 4)
    yield series("upcxx", [make.case("rput_8", "rput of a double", {"atoll": 6.6})])


def recording(quick=False, peers=("openmpi", "mpich"), turns=5, seed=1):
    make = Maker(peers, turns, seed)
    versions = {"atoll": "0.1.0", "openmpi": "4.1.4", "mpich": "4.0.2"}
    return {
        "format": "atoll-bench", "version": 1, "started": "2026-11-22T09:20:00+00:00", "seconds": 131.5,
        "atoll": {"version": "0.1.0"},
        "machine": {"processor": "A Processor 9000", "cores": 2, "caches": {"L1d": "32 KiB", "L3": "32 MiB"},
                    "memory_bytes": 2**34, "kernel": "6.1.0", "system": "Debian 12", "virtual": True},
        "implementations": [{"name": name, "version": versions[name]} for name in make.names],
        "settings": {"turns": turns, "rounds": 10, "pinned": True, "quick": quick, "sets": ["latency"],
                     "ranks": [2, 4, 8], "environment": {}},
        "series": [latency(make), bandwidth(make), *(collectives(make, n) for n in (2, 4, 8)), *other_sets(make)],
        "failures": [{"set": "atomics", "implementation": "openmpi", "ranks": 2,
                      "reason": "compare-and-swap ended with a <segmentation fault>"}],
    }


def copied(raw):
    return copy.deepcopy(raw)


if __name__ == "__main__":
    json.dump(recording(quick="--quick" in sys.argv), sys.stdout, indent=1)
