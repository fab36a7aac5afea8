# SPDX-License-Identifier: BSD-3-Clause
#
# `atoll bench compare OLD.json NEW.json`: what changed beyond noise. Two recordings are of two moments of a
# machine, so machine and settings may differ; these differences are printed before any figure. Then,
# case by case: the samples (one per turn) of both are drawn again many times with replacement,
# which gives an interval for new/old of their medians; a change is reported when that interval does
# not hold 1 and the median moved by more than --least. Where a peer moved just as much in the same
# case, the machine did it, and the change is set apart.

import argparse
import random
import statistics
import sys
from dataclasses import dataclass

from atoll_bench import figures
from atoll_report import recording

OWN = recording.OWN
RESAMPLES = 1000
SAMPLES_MIN = 3
SEED = 1  # the same files always give the same answer


@dataclass(frozen=True)
class Change:
    """New over old of one case, as a factor of its cost: above 1 is slower."""

    factor: float
    low: float
    high: float

    def is_beyond(self, least):
        sure = self.low > 1 or self.high < 1
        return sure and max(self.factor, 1 / self.factor) > 1 + least

    def overlaps(self, other):
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True)
class Row:
    series: recording.Series
    case: recording.Case
    old: recording.Figures
    new: recording.Figures
    change: Change | None   # None: too few turns to tell
    peers_too: bool = False

    @property
    def where(self):
        ranks = f", {self.series.ranks} ranks" if self.series.ranks > 1 else ""
        return f"{self.series.set}{ranks}: {self.case.title}"


def drawn_again(values, generator):
    return statistics.median(generator.choices(values, k=len(values)))


def change_of(old, new, better, confidence):
    """The change of the cost; None when there are too few samples."""
    old, new = figures.present(old.samples), figures.present(new.samples)
    if min(len(old), len(new)) < SAMPLES_MIN or min(old + new) <= 0:
        return None
    if better == "more":
        old, new = [1 / each for each in old], [1 / each for each in new]
    generator = random.Random(SEED)
    factors = sorted(drawn_again(new, generator) / drawn_again(old, generator) for _ in range(RESAMPLES))
    cut = int(RESAMPLES * (1 - confidence) / 2)
    return Change(statistics.median(new) / statistics.median(old), factors[cut], factors[-1 - cut])


def key_of(series, case):
    return series.set, series.benchmark, series.ranks, case.name


def cases_of(found):
    return {key_of(series, case): (series, case) for series in found.series for case in series.cases}


def peers_moved(old, new, own, chosen):
    """Whether a peer's interval in the same case overlaps with that of the change, so the machine may be its cause."""
    for name in set(old.by) & set(new.by) - {chosen.of}:
        peer_change = change_of(old.by[name], new.by[name], new.better, chosen.confidence)
        if peer_change and peer_change.is_beyond(0) and (peer_change.factor > 1) == (own.factor > 1) and peer_change.overlaps(own):
            return True
    return False


def row_of(old, new, chosen):
    series, case = new
    old_figures, new_figures = old[1].by[chosen.of], case.by[chosen.of]
    change = change_of(old_figures, new_figures, case.better, chosen.confidence)
    moved = change is not None and change.is_beyond(chosen.least)
    return Row(series, case, old_figures, new_figures, change,
               moved and peers_moved(old[1], case, change, chosen))


@dataclass
class Comparison:
    rows: list      # of cases that both have
    gone: list      # names of cases that only the old one has
    added: list

    def changed(self, least, slower):
        found = [row for row in self.rows if row.change and row.change.is_beyond(least)
                 and (row.change.factor > 1) == slower]
        return sorted(found, key=lambda row: -abs(row.change.factor - 1))


def compare(old, new, chosen):
    old_figures = {key: each for key, each in cases_of(old).items() if chosen.of in each[1].by}
    new_figures = {key: each for key, each in cases_of(new).items() if chosen.of in each[1].by}
    names = [" ".join(map(str, key)) for key in old_figures if key not in new_figures]
    added = [" ".join(map(str, key)) for key in new_figures if key not in old_figures]
    wrong = next((key for key in old_figures if key in new_figures and old_figures[key][1].unit != new_figures[key][1].unit), None)
    if wrong:
        raise recording.Refused(f"{wrong[3]} is in {old_figures[wrong][1].unit} in one file and {new_figures[wrong][1].unit} "
                                "in the other; record both with the same atoll bench")
    return Comparison([row_of(old_figures[key], new_figures[key], chosen) for key in old_figures if key in new_figures], names, added)


def differences(old, new):
    """The differences of machine, versions and settings, in lines."""
    found = []
    for title, left, right, ignored in (("machine", old.machine, new.machine, {"load_before"}),
                                        ("settings", old.settings, new.settings, {"sets", "ranks", "turns"})):
        for key in sorted((set(left) | set(right)) - ignored):
            if left.get(key) != right.get(key):
                found.append(f"{title}, {key}: {left.get(key)} -> {right.get(key)}")
    versions = [{each.name: each.version for each in record.implementations} for record in (old, new)]
    for name in sorted(set(versions[0]) | set(versions[1])):
        if versions[0].get(name) != versions[1].get(name):
            found.append(f"{name}: {versions[0].get(name, 'absent')} -> {versions[1].get(name, 'absent')}")
    return found


def print_rows(title, rows):
    if not rows:
        return
    print(f"\n{title}")
    for row in rows:
        note = "   a peer did too: the machine" if row.peers_too else ""
        unit = row.case.unit
        print(f"  x{row.change.factor:<6.3g} ({row.change.low:.3g} to {row.change.high:.3g})  "
              f"{row.where}   {row.old.median:.4g} -> {row.new.median:.4g} {unit}{note}")


def print_comparison(found, chosen):
    """Prints the comparison; returns the number of cases that became slower while no peer did."""
    slower, faster = found.changed(chosen.least, True), found.changed(chosen.least, False)
    print_rows("slower, time of new over old:", slower)
    print_rows("faster:", faster)
    unsure = sum(row.change is None for row in found.rows)
    unchanged = len(found.rows) - len(slower) - len(faster) - unsure
    print(f"\n{len(found.rows)} cases of {chosen.of} in both: {len(slower)} slower, {len(faster)} faster, "
          f"{unchanged} the same within noise and {chosen.least:.0%}")
    if unsure:
        print(f"{unsure} of them have too few turns to tell (at least {SAMPLES_MIN} in each file)")
    for title, names in (("only in the old file", found.gone), ("only in the new file", found.added)):
        if names:
            print(f"{title}: {len(names)} cases ({names[0]}{', ...' if len(names) > 1 else ''})")
    return sum(not row.peers_too for row in slower)


def part_of_one(text):
    try:
        value = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no part of one like 0.05 or 5%%")
    return value


def parse(words):
    line = argparse.ArgumentParser(prog="atoll bench compare",
                                   description="Tell what changed beyond noise between two recordings.")
    line.add_argument("old", metavar="OLD.json")
    line.add_argument("new", metavar="NEW.json")
    line.add_argument("--least", type=part_of_one, default=0.05, metavar="PART",
                      help="changes up to this are none (default 0.05)")
    line.add_argument("--confidence", type=part_of_one, default=0.99, metavar="PART",
                      help="of the interval of a change (default 0.99)")
    line.add_argument("--of", default=OWN, metavar="NAME", help="of which implementation (default atoll)")
    line.add_argument("--fail-on-slower", action="store_true",
                      help="exit with 1 when a case became slower and no peer did")
    return line.parse_args(words)


def main(words):
    """The exit code: 0, 1 with --fail-on-slower, 2 when a file or option is refused."""
    chosen = parse(words)
    try:
        old, new = recording.read(chosen.old), recording.read(chosen.new)
        found = compare(old, new, chosen)
        if not found.rows:
            raise recording.Refused(f"the files have no case of {chosen.of} in common; record the same sets "
                                    "with both, or name another implementation with --of")
    except recording.Refused as refused:
        print(f"atoll bench compare: {refused}", file=sys.stderr)
        return 2
    different = differences(old, new)
    if different:
        print("not the same conditions:\n  " + "\n  ".join(different))
    if old.quick or new.quick:
        print("a file is of a quick run: its figures mean nothing")
    worse = print_comparison(found, chosen)
    return 1 if chosen.fail_on_slower and worse else 0
