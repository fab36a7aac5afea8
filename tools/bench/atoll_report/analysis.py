# SPDX-License-Identifier: BSD-3-Clause
#
# Works out the figures of a recording. An *advantage* is how many times better Atoll is than a
# peer: the peer's time over Atoll's, or Atoll's rate over the peer's, so above 1 Atoll is better
# whatever is measured. It is formed turn by turn, because only what ran next to each other
# compares, and then summarized by median and MAD as everything else is. A difference that is small,
# or that the turns do not agree on, is called none.

import math
import statistics
from dataclasses import dataclass

from atoll_report.recording import OWN

SAME_WITHIN = 0.03       # less than that is no difference on any machine that we know
SAME_WITHIN_FEW = 0.25   # where there are too few turns to tell noise
NO_PEERS = ("sockets",)  # the machine's limits, beside which Atoll stands but with which no library competes
MADS_BEYOND = 2.0        # how many MADs the median must be away from 1
TURNS_MIN = 3            # fewer have no spread


@dataclass(frozen=True)
class Advantage:
    peer: str
    median: float
    mad: float
    turns: int

    @property
    def verdict(self):
        """faster, slower or same"""
        least = SAME_WITHIN_FEW if 0 < self.turns < TURNS_MIN else SAME_WITHIN
        if abs(self.median - 1) <= max(least * min(self.median, 1), MADS_BEYOND * self.mad):
            return "same"
        return "faster" if self.median > 1 else "slower"


def median_and_mad(samples):
    middle = statistics.median(samples)
    return middle, statistics.median(abs(each - middle) for each in samples)


def from_turns(case, peer):
    own, others = case.by[OWN].samples, case.by[peer].samples
    pairs = [(a, b) for a, b in zip(own, others) if a and b and a > 0 and b > 0]
    return [b / a if case.better == "less" else a / b for a, b in pairs]


def from_summary(case, peer):
    """Without samples: the ratio that was recorded, else that of the medians; its MAD by proportion."""
    direct = case.ratios.get(peer)
    ratio = direct.median if direct else case.by[OWN].median / (case.by[peer].median or math.inf)
    if ratio <= 0:
        return None
    middle = 1 / ratio if case.better == "less" else ratio
    return Advantage(peer, middle, middle * direct.mad / ratio if direct else 0.0, 0)


def advantage(case, peer):
    """Of Atoll over `peer`; None where one of them has no figure."""
    if OWN not in case.by or peer not in case.by:
        return None
    samples = from_turns(case, peer)
    return Advantage(peer, *median_and_mad(samples), len(samples)) if samples else from_summary(case, peer)


def advantages(case):
    found = (advantage(case, peer) for peer in case.by if peer != OWN)
    return {each.peer: each for each in found if each}


def over_best_peer(case):
    """The advantage over the best peer, or a limit of the machine; None where there is neither."""
    return min(advantages(case).values(), key=lambda each: each.median, default=None)


def over_best_library(case):
    """The advantage over the best peer that is no limit of the machine; None without a peer."""
    found = [each for each in advantages(case).values() if each.peer not in NO_PEERS]
    return min(found, key=lambda each: each.median, default=None)


# --- Curves by size ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    mad: float


def curve(cases, name):
    """The points of one implementation, by size; cases without a size or a figure are left out."""
    points = {case.bytes: Point(case.bytes, case.by[name].median, case.by[name].mad)
              for case in cases if case.bytes is not None and name in case.by}
    return [points[x] for x in sorted(points)]


def advantage_curve(cases, peer):
    found = ((case.bytes, advantage(case, peer)) for case in cases if case.bytes is not None)
    points = {x: Point(x, each.median, each.mad) for x, each in found if each}
    return [points[x] for x in sorted(points)]


def operations(series):
    """operation -> its cases, in the order of the recording."""
    grouped = {}
    for case in series.cases:
        grouped.setdefault(case.operation, []).append(case)
    return grouped


@dataclass(frozen=True)
class Reach:
    """Where a curve first comes to a share of its peak."""

    share: float
    x: float
    y: float
    at_first: bool  # the smallest size reaches it already, so the true size may be smaller


def reach(points, share):
    """By interpolation, linear in the value and in the logarithm of the size; None without points."""
    if not points or max(point.y for point in points) <= 0:
        return None
    wanted = share * max(point.y for point in points)
    index = next(i for i, point in enumerate(points) if point.y >= wanted)
    if index == 0:
        return Reach(share, points[0].x, points[0].y, True)
    lower, upper = points[index - 1], points[index]
    part = (wanted - lower.y) / (upper.y - lower.y)
    if lower.x <= 0:
        return Reach(share, upper.x, upper.y, False)
    return Reach(share, lower.x * (upper.x / lower.x) ** part, wanted, False)


def peak(points):
    """The best point of a curve; None without points."""
    return max(points, key=lambda point: point.y, default=None)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(each) for each in values))
