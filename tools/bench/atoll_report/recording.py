# SPDX-License-Identifier: BSD-3-Clause
#
# A recording of `atoll bench` as objects. Files come from elsewhere, so everything that the report relies on
# is looked at here, once, and a file that cannot be used is refused in one line that says what to
# do. The text of the file stays beside the objects (`Recording.raw`), for the page to carry.

import json
import math
import pathlib
import re
from dataclasses import dataclass, field

from atoll_report import quantities

FORMAT, VERSION = "atoll-bench", 1
OWN = "atoll"
BUSY_LOAD = 0.75  # of the cores
TITLES = {"atoll": "Atoll", "openmpi": "Open MPI", "mpich": "MPICH", "gasnet-ex": "GASNet-EX",
          "upcxx": "UPC++ (reference)", "sockets": "Raw sockets", "opencoarrays": "OpenCoarrays"}


class Refused(Exception):
    """This file cannot be reported on; the text is one line: object, cause, remedy."""


@dataclass(frozen=True)
class Figures:
    """One implementation's figures of a case: one sample per turn (None: the turn failed)."""

    median: float
    mad: float
    least: float
    most: float
    samples: tuple = ()
    lines: int | None = None  # of code, where the program counts them

    @property
    def turns(self):
        return sum(each is not None for each in self.samples)


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    operation: str
    bytes: float | None
    unit: str
    better: str  # "less" or "more"
    by: dict = field(default_factory=dict)      # implementation -> Figures
    ratios: dict = field(default_factory=dict)  # peer -> Figures of Atoll's value over the peer's


@dataclass(frozen=True)
class Series:
    set: str
    benchmark: str
    ranks: int
    oversubscribed: bool
    cases: tuple
    place: str = ""  # of ranks that share no memory

    @property
    def threads(self):
        """Of each rank; the benchmark's name tells it: threads_4."""
        match = re.fullmatch(r"threads_(\d+)", self.benchmark)
        return int(match.group(1)) if match else 1

    @property
    def participants(self):
        """The ranks and threads that take part, in words."""
        ranks = quantities.ranks(self.ranks)
        if self.place:
            return f"{ranks} {self.place}"
        return f"{ranks} of {self.threads} threads" if self.threads > 1 else ranks


@dataclass(frozen=True)
class Implementation:
    name: str
    title: str
    version: str


@dataclass(frozen=True)
class Recording:
    raw: dict
    started: str
    seconds: float
    implementations: tuple
    series: tuple
    failures: tuple
    machine: dict
    settings: dict

    @property
    def quick(self):
        return bool(self.settings.get("quick"))

    @property
    def turns(self):
        """The most turns that any figure is of."""
        return max((figures.turns for entry in self.series for case in entry.cases for figures in case.by.values()),
                   default=0)

    @property
    def is_busy(self):
        """Whether other work already had the cores when this began."""
        load, cores = self.machine.get("load_before"), self.machine.get("cores")
        known = isinstance(load, (int, float)) and isinstance(cores, (int, float))
        return known and load > BUSY_LOAD * cores

    @property
    def is_virtual(self):
        return bool(self.machine.get("virtual"))

    @property
    def peers(self):
        return tuple(each for each in self.implementations if each.name != OWN)

    @property
    def has_own(self):
        return any(each.name == OWN for each in self.implementations)

    def title_of(self, name):
        return next((each.title for each in self.implementations if each.name == name), name)


def need(mapping, key, kinds, origin):
    """`mapping[key]`, which must be of one of these types (True is no number)."""
    value = mapping.get(key) if isinstance(mapping, dict) else None
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise Refused(f"{origin} has no usable \"{key}\"; the file is damaged or was edited: record it again")
    return value


def optional(mapping, key, kind):
    """A value that is only shown, and may be missing."""
    value = mapping.get(key)
    return value if isinstance(value, kind) else kind()


def number(mapping, key, origin):
    value = need(mapping, key, (int, float), origin)
    if not math.isfinite(value):
        raise Refused(f"{origin}: \"{key}\" is not a finite number; record it again")
    return float(value)


def samples_of(mapping, origin):
    samples = mapping.get("samples", [])
    good = isinstance(samples, list) and all(
        each is None or isinstance(each, (int, float)) and math.isfinite(each) for each in samples)
    if not good:
        raise Refused(f"{origin}: \"samples\" is not a list of numbers; record it again")
    return tuple(samples)


def figures(mapping, origin):
    median = number(mapping, "median", origin)
    spread = [number(mapping, key, origin) if key in mapping else fallback
            for key, fallback in (("mad", 0.0), ("min", median), ("max", median))]
    lines = int(number(mapping, "lines", origin)) if mapping.get("lines") is not None else None
    return Figures(median, *spread, samples_of(mapping, origin), lines)


def case_of(mapping, origin):
    name = need(mapping, "name", (str,), origin)
    origin = f"{origin}, case {name}"
    better = need(mapping, "better", (str,), origin)
    if better not in ("less", "more"):
        raise Refused(f"{origin}: \"better\" is '{better}', not less or more; record it again")
    by = need(mapping, "by", (dict,), origin)
    size = number(mapping, "bytes", origin) if mapping.get("bytes") is not None else None
    ratios = mapping.get("ratios") or {}
    return Case(name, str(mapping.get("title") or name), str(mapping.get("operation") or name), size,
                need(mapping, "unit", (str,), origin), better,
                {key: figures(value, f"{origin}, {key}") for key, value in by.items() if value},
                {key: figures(value, f"{origin}, ratio to {key}") for key, value in ratios.items() if value})


def series_of(mapping, number_of, path):
    origin = f"{path}: series {number_of}"
    cases = need(mapping, "cases", (list,), origin)
    return Series(need(mapping, "set", (str,), origin), str(mapping.get("benchmark") or mapping["set"]),
                  int(number(mapping, "ranks", origin)), bool(mapping.get("oversubscribed")),
                  tuple(case_of(each, origin) for each in cases), str(mapping.get("place") or ""))


def implementations_of(raw, series, path):
    """Those that are listed, Atoll first, then any other that has figures."""
    listed = [Implementation(need(each, "name", (str,), f"{path}: an implementation"),
                             str(each.get("title") or TITLES.get(each["name"], each["name"])),
                             str(each.get("version") or ""))
              for each in need(raw, "implementations", (list,), path)]
    known = {each.name for each in listed}
    measured = {name: None for entry in series for case in entry.cases for name in case.by}
    listed += [Implementation(name, TITLES.get(name, name), "") for name in measured if name not in known]
    return tuple(sorted(listed, key=lambda each: each.name != OWN))


def check_kind(raw, path):
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise Refused(f"{path} is JSON but no recording of atoll bench; give a file that atoll bench wrote")
    version = need(raw, "version", (int,), path)
    if version > VERSION:
        raise Refused(f"{path} has version {version} of the format and this report knows {VERSION}; "
                      "use the atoll that recorded it, or a newer one")


def from_json(raw, path):
    check_kind(raw, path)
    series = tuple(series_of(each, number_of, path)
                   for number_of, each in enumerate(need(raw, "series", (list,), path), 1))
    if not any(case.by for entry in series for case in entry.cases):
        raise Refused(f"{path} has no figures, nothing was measured; run atoll bench again and look at "
                      "what it says has failed")
    failures = tuple(each for each in optional(raw, "failures", list) if isinstance(each, dict))
    return Recording(raw, optional(raw, "started", str), number(raw, "seconds", path),
                     implementations_of(raw, series, path), series, failures,
                     optional(raw, "machine", dict), optional(raw, "settings", dict))


def read(path):
    """The recording in the file `path`; raises Refused."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        cause = problem.strerror if isinstance(problem, OSError) else "it is not text"
        raise Refused(f"{path} cannot be read: {cause}; give a file that atoll bench wrote") from problem
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Refused(f"{path} is not JSON ({problem}); give a file that atoll bench wrote") from problem
    return from_json(raw, path)
