# SPDX-License-Identifier: BSD-3-Clause
#
# The figures of a report as plain data: curves with their points, bands and marks, and the words around
# them. The drawing modules (svg for the page, pictures for PNG) add nothing to this data, so both
# show the same.

import math
from dataclasses import dataclass, field

from atoll_report import analysis, quantities, summary

POINTS_MIN = 3          # fewer are a table, not a curve
SHARES = (0.5, 0.9)     # of the peak, at which the curve of a rate is marked
WITHOUT_CURVES = ("collectives", "oversubscription", "startup", "apps")  # tables by ranks and by name say more


@dataclass(frozen=True)
class Curve:
    name: str        # the implementation, or the peer of a ratio
    title: str
    points: tuple
    texts: tuple     # each point's figure as people read it
    marks: tuple = ()


@dataclass(frozen=True)
class Chart:
    key: str
    title: str
    y_title: str
    unit: str
    curves: tuple
    x_title: str = "bytes per operation"
    x_unit: str = "B"
    is_ratio: bool = False
    scales: tuple = ("log", "linear")
    smoke: bool = False
    words: str = field(default="")  # what it shows, for those who do not see it

    def x_text(self, x):
        return quantities.size(x) if self.x_unit == "B" else quantities.digits(x)

    def y_text(self, y):
        """The words of a tick."""
        if not self.is_ratio:
            return quantities.tick(y, self.unit)
        times = f"{max(y, 1 / y):,.0f}×".replace(",", "\u202f")
        return "even" if y == 1 else times if y > 1 else f"1/{times}"


def key_of(series, operation, kind):
    benchmark = "" if series.benchmark == series.set else f"-{series.benchmark}"
    raw = f"{series.set}{benchmark}-{operation}-{series.ranks}-{kind}".lower()
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in raw)


def marks_of(points, better):
    if better != "more":
        return ()
    return tuple(mark for mark in (analysis.reach(points, share) for share in SHARES) if mark)


def spread(figures, unit):
    """The words behind a median: its deviation, or that there was one turn."""
    return "one turn" if figures.turns == 1 else f"± {quantities.value(figures.mad, unit)}"


def value_curve(cases, implementation):
    points = tuple(analysis.curve(cases, implementation.name))
    unit = cases[0].unit
    by_size = {case.bytes: case.by.get(implementation.name) for case in cases}
    texts = tuple(f"{quantities.value(p.y, unit)} {spread(by_size[p.x], unit)}" for p in points)
    return Curve(implementation.name, implementation.title, points, texts,
                 marks_of(points, cases[0].better))


def ratio_curve(cases, peer):
    found = {case.bytes: analysis.advantage(case, peer.name) for case in cases}
    points = tuple(analysis.advantage_curve(cases, peer.name))
    texts = tuple("no difference" if found[p.x].verdict == "same" else quantities.verdict(p.y) for p in points)
    return Curve(peer.name, peer.title, points, texts)


def in_words(curves):
    """One sentence per curve: its two ends and its best point."""
    sentences = []
    for each in curves:
        first, last = each.points[0], each.points[-1]
        sentences.append(f"{each.title}: {each.texts[0]} at {quantities.size(first.x)}, "
                         f"{each.texts[-1]} at {quantities.size(last.x)}.")
    return " ".join(sentences)


def heading(series, operation, cases):
    return f"{summary.operation_words(operation, cases)}, {series.participants}"


def value_chart(recording, series, operation, cases):
    curves = tuple(c for c in (value_curve(cases, i) for i in recording.implementations) if c.points)
    direction = "less is better" if cases[0].better == "less" else "more is better"
    return Chart(key_of(series, operation, "values"),
                 f"{summary.set_title(series.set)}: {heading(series, operation, cases)}",
                 f"{'time' if cases[0].better == 'less' else 'rate'}, {direction}", cases[0].unit, curves,
                 smoke=recording.quick, words=in_words(curves))


def ratio_chart(recording, series, operation, cases):
    curves = tuple(c for c in (ratio_curve(cases, peer) for peer in recording.peers) if c.points)
    return Chart(key_of(series, operation, "ratio"), f"Atoll against each peer: {heading(series, operation, cases)}",
                 "times faster (above) or slower (below)", "", curves, is_ratio=True, scales=("log",),
                 smoke=recording.quick, words=in_words(curves))


def has_curve(cases):
    sizes = {case.bytes for case in cases if case.bytes is not None and case.by}
    one_unit = len({(case.unit, case.better) for case in cases}) == 1
    return len(sizes) >= POINTS_MIN and one_unit


def pairs(recording, set_name):
    """(values, ratios or None) for each operation of a set that has enough sizes."""
    if set_name in WITHOUT_CURVES:
        return
    for series in recording.series:
        if series.set != set_name:
            continue
        for operation, cases in analysis.operations(series).items():
            if not has_curve(cases):
                continue
            ratios = ratio_chart(recording, series, operation, cases) if recording.has_own else None
            yield (value_chart(recording, series, operation, cases),
                   ratios if ratios and ratios.curves else None)


# --- Axes ----------------------------------------------------------------------------------------


def log_ticks(low, high):
    """1, 2, 5 of each decade when there are few decades, else powers of ten."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    every = max(1, math.ceil((last - first) / 7))
    ticks = [step * 10.0**power for power in range(first, last + 1, every) for step in steps]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]


def linear_ticks(high):
    step = 10.0 ** math.floor(math.log10(high / 4))
    step *= next(m for m in (1, 2, 5, 10) if high / (step * m) <= 5)
    return [step * i for i in range(int(high / step) + 1)]


def ratio_ticks(low, high):
    span = math.log2(high / low)
    steps = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000) if span < 9 else \
        (1, 10, 100, 1000, 10000, 100000)
    ticks = sorted({1 / s for s in steps} | set(map(float, steps)))
    return [tick for tick in ticks if low <= tick <= high]


def size_ticks(low, high):
    """Powers of two, at most nine of them."""
    first, last = math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9)
    every = max(1, math.ceil((last - first) / 8))
    return [2.0**power for power in range(first, last + 1, every)]


def x_range(chart):
    xs = [point.x for curve in chart.curves for point in curve.points if point.x > 0]
    return (min(xs), max(xs)) if min(xs) < max(xs) else (min(xs) / 2, max(xs) * 2)


def y_range(chart, scale):
    ys = [point.y for curve in chart.curves for point in curve.points if point.y > 0]
    if chart.is_ratio:
        return min(min(ys) / 1.3, 1 / 2), max(max(ys) * 1.3, 2)
    return (0.0, max(ys) * 1.08) if scale == "linear" else (min(ys) / 1.35, max(ys) * 1.35)


def y_ticks(chart, scale):
    low, high = y_range(chart, scale)
    if chart.is_ratio:
        return ratio_ticks(low, high)
    return linear_ticks(high) if scale == "linear" else log_ticks(low, high)
