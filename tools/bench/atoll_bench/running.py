# SPDX-License-Identifier: BSD-3-Clause
#
# Carries a plan out and gathers what the programs wrote. An implementation that fails in a series is reported
# once and not run in that series again; what it has measured until then is kept. No such failure ends the run,
# so an interrupted or half failed run still leaves a recording.

import json
import tempfile
import time
from pathlib import Path

from atoll_bench import apps, processes, sets
from atoll_bench.implementations import OWN

RUN_LIMIT_S = 120
BUDGET_PART = 0.3   # of the budget: the most that one run may take
OVER_BUDGET = 1.15  # of the budget: beyond it a turn is not finished


class Results:
    """Samples by series, case and implementation; one per turn, None where there is none."""

    def __init__(self, planned):
        self.series = [each for each, _ in planned]
        self.cases = {id(each): {} for each in self.series}  # case name -> what is known of it
        self.turns = 0
        self.failures = []

    def begin_turn(self):
        self.turns += 1

    def add(self, series, implementation, case, value, lines=None):
        """One sample; `case` has at least a name, a unit and what is better. `lines` are those of the code."""
        known = self.cases[id(series)].setdefault(case["name"], {**case, "samples": {}, "lines": {}})
        if lines is not None:
            known["lines"][implementation] = lines
        samples = known["samples"].setdefault(implementation, [])
        samples += [None] * (self.turns - len(samples))
        samples[-1] = value

    def fail(self, run, reason):
        self.failures.append({"set": run.series.set, "benchmark": run.series.benchmark,
                              "implementation": run.implementation.name, "ranks": run.series.ranks,
                              "reason": reason})

    @property
    def own_failed(self):
        return any(each["implementation"] == OWN for each in self.failures)


def is_wanted(series, own, name, only):
    """Whether --only and the series keep a case of a file."""
    parts = series.only.split(",") if series.only else [""]
    if own and not any(part in name for part in parts):
        return False
    return not own or any(part in name for part in only.split(","))


def take_cases(results, run, file, only):
    """The cases of one file of the harness."""
    series, own = run.series, run.implementation.name == OWN
    for row in file["cases"]:
        if not is_wanted(series, own, row["name"], only):
            continue
        value = series.unit.of(row["time_ns"]["median"], row)
        if value is not None:
            case = {"name": row["name"], "operation": row.get("operation", row["name"]),
                    "bytes": row.get("bytes"), "unit": series.unit.name, "better": series.unit.better}
            results.add(series, run.implementation.name, case | {"title": sets.title_of(case)}, value)


def take_launchers(results, run, file):
    """bench_startup measures all launchers by itself, in the same rounds; its cases are named for them."""
    for row in file["cases"]:
        name, _, label = row["name"].partition("_")
        if name not in (OWN, "openmpi", "mpich"):
            name, label = OWN, row["name"]
        title = label.replace("_", " ranks ", 1) if label[:1].isdigit() else label.replace("_", " ")
        case = {"name": f"job_{label}" if label[:1].isdigit() else label, "operation": "start and end",
                "bytes": None, "unit": "ns", "better": "less", "title": f"start and end: {title}"}
        results.add(run.series, name, case, row["time_ns"]["median"])


def take_variants(results, run, file):
    """The variants of an app and the best of them, with rates where the app has some, and known lines of code."""
    label, app = run.series.benchmark, run.series.app

    def add(name, title, value, lines=None, operation=label, unit="s", better="less"):
        case = {"name": name, "operation": operation, "bytes": None, "unit": unit, "better": better,
                "title": f"{label}: {title}"}
        results.add(run.series, run.implementation.name, case, value, lines)

    found = apps.variants(file, app)
    for each in found:
        add(each["name"], each["name"], each["seconds"], each.get("lines"))
        if app.rated:
            add(f"{each['name']}_rate", f"{each['name']}, rate", each["rate"], each.get("lines"), f"{label}_rate",
                each["unit"], "more")
    best = min(each["seconds"] for each in found if each["name"] != app.library)
    add("best", "the best variant", best)
    for each in found:
        if each["name"] == app.library:
            add("best_of_library", "speed of the best variant, in percent of the local library's",
                100 * each["seconds"] / best, operation=f"{label}_of_library", unit="%", better="more")


def take(results, run, path, only):
    """Keeps what a run wrote; returns a reason when that is of no use."""
    try:
        file = json.loads(path.read_text(encoding="utf-8"))
        if run.series.app:
            take_variants(results, run, file)
        elif run.series.benchmark == "startup":
            take_launchers(results, run, file)
        else:
            take_cases(results, run, file, only)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        return f"it ended well but what it wrote cannot be read: {problem!r}"
    return ""


class Runner:
    def __init__(self, planned, chosen, clock, show):
        self.planned, self.chosen, self.clock, self.show = planned, chosen, clock, show
        self.results = Results(planned)
        self.broken = set()  # keys of runs that failed

    def options(self, run, seconds):
        """The words after a program's own."""
        series, chosen = run.series, self.chosen
        if series.app:  # measures as long as its words say
            return []
        words = ["--rounds", str(chosen.rounds), "--seconds", f"{seconds:.2f}"]
        words += ["--quick"] if chosen.quick else []
        words += [] if chosen.pinned else ["--no-pin"]
        sizes = chosen.sizes or series.sizes
        words += ["--sizes", ",".join(map(str, sizes))] if series.sized and sizes else []
        if run.implementation.name == OWN and (series.only or chosen.only):
            words += ["--only", chosen.only or series.only]
        elif chosen.only and not series.only:  # its words have an --only already
            words += ["--only", chosen.only]
        return words

    def limit_s(self):
        """The seconds after which a program counts as hung."""
        budget = self.chosen.budget
        return RUN_LIMIT_S if budget is None else min(RUN_LIMIT_S, max(20, BUDGET_PART * budget))

    def once(self, run):
        """One run of one program: measured, or noted as failed."""
        seconds = self.clock.seconds(run)
        begun = time.monotonic()
        self.show.running(run, self.results.turns, self.clock)
        with tempfile.TemporaryDirectory(prefix="atoll-bench-") as folder:
            file = Path(folder) / "figures.json"
            words = [*run.command, *self.options(run, seconds), "--json", str(file)]
            reason = processes.run(words, run.implementation.environment, self.limit_s(),
                                   lambda: self.show.running(run, self.results.turns, self.clock))
            reason = reason or take(self.results, run, file, self.chosen.only)
        self.clock.done(run, seconds, time.monotonic() - begun)
        if reason:
            self.broken.add(self.clock.key(run))
            self.clock.drop([run])
            self.results.fail(run, reason)
            self.show.failed(run, reason)

    def turn(self, number):
        self.results.begin_turn()
        for _, runs in self.planned:
            first = number % len(runs)
            for run in runs[first:] + runs[:first]:
                if self.clock.key(run) in self.broken or not self.clock.is_planned(run):
                    continue
                if number > 0 and self.clock.elapsed() > OVER_BUDGET * (self.clock.budget or 1e9):
                    return False
                self.once(run)
        return True

    def all_turns(self, after_turn):
        for number in range(self.chosen.turns):
            if not self.clock.left:  # given up to stay within the budget
                break
            if not self.turn(number) or (self.clock.is_over() and number > 0):
                break
            after_turn()
