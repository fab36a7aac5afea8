# SPDX-License-Identifier: BSD-3-Clause
#
# Plans which series are measured, by which implementations, in which order and for how long. Each turn runs every
# series, and within a series all implementations directly after each other, so that compared figures
# come from the same state of the machine; a different implementation begins in each turn. A budget
# of seconds is divided over the runs that are left, less the time that earlier runs took besides
# measuring.

import statistics
import time
from dataclasses import dataclass, replace

from atoll_bench import apps, places, sets

SECONDS_DEFAULT = 2.0     # of one run of a series of weight 1, when there is no budget
SECONDS_MIN = 0.1
OVERHEAD_GUESS_S = 0.6    # of a run that was not done before: start, fitting, end
BRIEF_BELOW_S = 600       # a budget below this leaves out sizes and ranks


class Refused(Exception):
    """A line that says which option cannot be followed, why, and what to do."""


@dataclass(frozen=True)
class Run:
    series: sets.Series
    implementation: object
    command: list


def known_sets(words, brief=False):
    unknown = [word for word in words if word not in sets.NAMES]
    if unknown:
        raise Refused(f"there is no set {unknown[0]}; there are {', '.join(sets.NAMES)} (atoll bench --list)")
    left_out = sets.ONLY_BY_NAME + (sets.NOT_WHEN_BRIEF if brief else ())
    return words or [name for name in sets.NAMES if name not in left_out]


def ranks_of(chosen, cores):
    """The numbers of ranks for the series in which all ranks take part."""
    if chosen.ranks:
        return chosen.ranks
    return [2, max(4, 2 * cores)] if is_brief(chosen) else [2, 4, 8]


def is_brief(chosen):
    return chosen.quick or (chosen.budget is not None and chosen.budget < BRIEF_BELOW_S)


def series_of(chosen, cores, programs, network_places=(places.LOOPBACK,)):
    """The series that were asked for; those of the set `network` once for each of `network_places`."""
    wanted = known_sets(chosen.sets, is_brief(chosen))
    ranks = sorted(set(ranks_of(chosen, cores)))
    foreign = {"gasnet": chosen.gasnet, "upcxx": chosen.upcxx}
    found = [each for each in sets.all_series(ranks, cores, foreign, is_brief(chosen), network_places)
             if each.set in wanted]
    if "apps" in wanted:
        found += apps.series(programs, chosen.ranks or ([2] if is_brief(chosen) else [2, 4]), is_brief(chosen), cores)
    if "network" in wanted:
        found += apps.network_series(programs, network_places, ranks, is_brief(chosen))
    found.sort(key=lambda each: wanted.index(each.set))
    return [replace(each, oversubscribed=each.oversubscribed or each.ranks > cores) for each in found]


def runs_of(series, implementations):
    """[(series, [Run, ...])]; series that Atoll itself cannot run are left out."""
    planned = []
    for each in series:
        runs = [Run(each, implementation, command) for implementation in implementations if (command := implementation.command(each))]
        if runs and (not each.place or any(run.implementation.name == implementations[0].name for run in runs)):
            planned.append((each, runs))
    return planned


class Clock:
    """How long each run may measure, and how long all will take."""

    def __init__(self, planned, turns, budget):
        self.budget, self.started = budget, time.monotonic()
        self.each_turn = [run for _, runs in planned for run in runs]
        self.left = self.each_turn * turns
        self.costs = {}  # seconds that a run takes besides measuring
        self.spent = {}  # seconds that it took when it was last run

    @staticmethod
    def key(run):
        return run.series.label, run.series.set, run.implementation.name

    def elapsed(self):
        return time.monotonic() - self.started

    def cost(self, run):
        """Seconds of a run besides measuring: as last seen, or the median of its implementation's runs."""
        alike = [cost for key, cost in self.costs.items() if key[2] == run.implementation.name]
        guess = statistics.median(alike) if alike else OVERHEAD_GUESS_S
        return self.costs.get(self.key(run), guess)

    def free_s(self):
        """The part of the budget that is left for measuring."""
        return self.budget - self.elapsed() - sum(self.cost(each) for each in self.left)

    def drop_turns(self):
        """Gives up whole turns, the last first, while the runs that are left do not fit into the budget."""
        while len(self.left) > len(self.each_turn) and self.free_s() < SECONDS_MIN * len(self.left):
            del self.left[-len(self.each_turn):]

    def is_planned(self, run):
        return run in self.left

    def seconds(self, run):
        """How long this run may measure."""
        if self.budget is None:
            return SECONDS_DEFAULT * min(run.series.weight, 2)
        self.drop_turns()
        free = self.free_s()
        weights = sum(each.series.weight for each in self.left) or 1
        return max(SECONDS_MIN, free * run.series.weight / weights)

    def done(self, run, measured_s, taken_s):
        self.left.remove(run)
        self.spent[self.key(run)] = taken_s
        self.costs[self.key(run)] = max(0.0, taken_s - measured_s)

    def drop(self, runs):
        """Takes these runs out of those that are left."""
        keys = {self.key(run) for run in runs}
        self.left = [run for run in self.left if self.key(run) not in keys]
        self.each_turn = [run for run in self.each_turn if self.key(run) not in keys]

    def remaining_s(self):
        """An estimate of the seconds that are left."""
        guess = SECONDS_DEFAULT if self.budget is None else SECONDS_MIN
        known = sum(self.spent.get(self.key(run), guess * run.series.weight + OVERHEAD_GUESS_S)
                    for run in self.left)
        if self.budget is None:
            return known
        return max(known if self.is_over() else 0.0, self.budget - self.elapsed())

    def is_over(self):
        return self.budget is not None and self.elapsed() > self.budget
