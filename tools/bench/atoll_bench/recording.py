# SPDX-License-Identifier: BSD-3-Clause
#
# The file that a run leaves: format "atoll-bench", version 1. Samples are one median per turn, null where a turn
# failed; ratios are Atoll's value over the peer's, formed within a turn. It is written whole beside its place
# and then moved there, so a reader never sees half of one.

import json
import os
import tempfile
from pathlib import Path

from atoll_bench import figures
from atoll_bench.implementations import OWN
from atoll_bench.sets import counterpart

FORMAT, VERSION = "atoll-bench", 1


def with_samples(samples):
    return {"samples": samples, **figures.summary(samples)}


def filled(samples, turns):
    return samples + [None] * (turns - len(samples))


def case_of(case, all_cases, turns):
    """One case of ours with those of peers, or a case that only peers have."""
    samples = dict(case["samples"])
    other = all_cases.get(counterpart(case["name"]) or "")
    for name, peer_samples in (other["samples"].items() if other else ()):
        samples.setdefault(name, peer_samples)
    samples = {name: filled(each, turns) for name, each in samples.items() if figures.present(each)}
    ratios = {name: figures.ratios(samples[OWN], each) for name, each in samples.items()
              if name != OWN and OWN in samples}
    row = {key: case[key] for key in ("name", "title", "operation", "bytes", "unit", "better")
           if case.get(key) is not None}
    lines = case.get("lines", {})
    return row | {"by": {name: with_samples(each) | ({"lines": lines[name]} if name in lines else {})
                         for name, each in samples.items()},
                  "ratios": {name: found for name, each in ratios.items() if (found := figures.summary(each))}}


def series_of(series, results):
    cases = results.cases[id(series)]
    used = {counterpart(name) for name, case in cases.items() if OWN in case["samples"]}
    rows = [case_of(case, cases, results.turns) for name, case in cases.items()
            if OWN in case["samples"] or not (name in used or series.only)]
    place = {"place": series.place.words} if series.place else {}
    return {"set": series.set, "benchmark": series.benchmark, "ranks": series.ranks,
            "oversubscribed": series.oversubscribed, **place, "cases": rows}


def content(head, results):
    """The whole recording; `head` is what is known before anything runs."""
    found = [series_of(each, results) for each in results.series if results.cases[id(each)]]
    return {"format": FORMAT, "version": VERSION, **head, "series": found}


def write(path, recording):
    text = json.dumps(recording, indent=1) + "\n"
    path = Path(path)
    if path.exists() and not path.is_file():  # a pipe, a device
        path.write_text(text, encoding="utf-8")
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def check_writable(path):
    """Raises OSError when the file cannot be written later."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(21, os.strerror(21))
    if path.exists():
        with path.open("a", encoding="utf-8"):
            return
    tempfile.TemporaryFile(dir=path.parent).close()
