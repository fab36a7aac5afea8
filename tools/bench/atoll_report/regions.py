# SPDX-License-Identifier: BSD-3-Clause
#
# `atoll tune page`: one self-contained web page of a table of tuned collectives. For each collective a picture
# says which algorithm is used at which size and number of ranks, and how many times as fast it is there as the
# built-in choice; a table has all points. The points come from `atoll tune`, which has judged them (tools/tune/
# evaluation.hpp); nothing is measured here. Style and script are those of the report.

import argparse
import html
import json
import pathlib
import re
import string
import sys
from dataclasses import dataclass

from atoll_report import analysis, quantities, recording
from atoll_report.command import part, write
from atoll_report.svg import text
from atoll_report.tables import Cell, Column, Table, head

CELL_WIDTH, CELL_HEIGHT = 74, 46
LABEL_WIDTH, LETTER_WIDTH, AXIS_HEIGHT = 150, 6, 24
COLOURS = 12  # of the page; algorithms beyond them share colours, and letters tell them apart
CLEARLY = 1.05


@dataclass(frozen=True)
class Point:
    """A place that was measured. Times are nanoseconds; that of the choice is 0 where it is not known."""

    collective: str
    ranks: int
    hosts: int
    oversubscribed: bool
    blocking: bool
    bytes: int
    built_in: str
    chosen: str
    best: str
    built_in_ns: float
    chosen_ns: float
    best_ns: float
    network: str = ""  # between the hosts
    network_ns: int = 0  # that a message takes there; 0: unknown
    element_bytes: int = 8  # of a reduction
    commutative: bool = True
    strict: bool = False

    @property
    def differs(self):
        return self.chosen != self.built_in

    @property
    def gain(self):
        """How many times as fast as the built-in choice."""
        return self.built_in_ns / self.chosen_ns if self.chosen_ns else None

    @property
    def row(self):
        return (self.hosts, self.ranks, self.oversubscribed, self.network, self.network_ns)

    @property
    def form(self):
        """The calls that share a picture."""
        words = ["waited for" if self.blocking else "overlapped"]
        if self.element_bytes != 8:
            words.append(f"elements of {quantities.size(self.element_bytes)}")
        if not self.commutative:
            words.append("in order")
        if self.strict:
            words.append("strict")
        return ", ".join(words)


@dataclass(frozen=True)
class Region:
    """One collective in one form of call: its picture and the algorithms in it."""

    key: str
    title: str
    drawing: str
    legend: tuple  # of label, algorithm, its parameters in words, number of the colour


def name_of(algorithm):
    """Without its parameters."""
    return algorithm.split("/")[0].split(":")[0]


def parameter_words(parameter):
    """One of the parts behind the name: "65536", "depth=8" or "by=get"."""
    key, _, value = parameter.rpartition("=")
    if key == "by":
        return {"get": "receivers get", "put": "senders put"}.get(value, parameter)
    if not value.isdigit():
        return parameter
    amount = quantities.size(int(value))
    return {"": f"pieces of {amount}", "depth": f"depth {value}", "eager": f"eager up to {amount}",
            "leaders": f"{value} leaders per host"}.get(key, parameter)


def words_of(algorithm):
    """The parameters of "tree:4/65536/depth=8" in words; empty where it has none."""
    base, *parameters = algorithm.split("/")
    _, _, radix = base.partition(":")
    return ", ".join(([f"radix {radix}"] if radix else []) + [parameter_words(each) for each in parameters])


def labels_of(algorithms):
    """A short label for each: a letter per name, and a number where one name has several sets of parameters."""
    names = sorted({name_of(each) for each in algorithms})
    labels = {}
    for index, name in enumerate(names):
        letter = string.ascii_uppercase[index % 26]
        same = sorted(each for each in set(algorithms) if name_of(each) == name)
        for number, each in enumerate(same, 1):
            labels[each] = (letter if len(same) == 1 else f"{letter}{number}", index % COLOURS)
    return labels


def row_words(row):
    """Two wires of one provider are told apart by the time of a message."""
    hosts, ranks, oversubscribed, network, network_ns = row
    place = f"{hosts} hosts" if hosts > 1 else "shared cores" if oversubscribed else "a core each"
    words = [quantities.ranks(ranks), place, network, quantities.value(network_ns, "ns") if network_ns else ""]
    return ", ".join(filter(None, words))


def read(path):
    try:
        raw = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        return raw, [Point(**each) for each in raw["points"]]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise recording.Refused(f"{path} has no points of atoll tune ({problem}); use atoll tune page") from problem


def draw_cell(point, x, y, label, colour):
    """The built-in choice is pale; what the table changes has a frame, and says its gain."""
    words = f"{quantities.size(point.bytes)}, {row_words(point.row)}: {point.chosen}"
    if point.differs and point.gain:
        words += f", {quantities.verdict(point.gain)} than {point.built_in}"
    css = "tuned" if point.differs else "built-in"
    gain = quantities.times(point.gain) if point.differs and point.gain else ""
    if gain and point.gain < 1:
        gain = "slower " + gain
    middle = x + CELL_WIDTH / 2
    return (f'<g class="cell {css} r{colour}"><title>{html.escape(words)}</title>'
            f'<rect x="{x + 1}" y="{y + 1}" width="{CELL_WIDTH - 2}" height="{CELL_HEIGHT - 2}" rx="4"/>'
            f'{text(middle, y + 19, label, "algorithm")}'
            f'{text(middle, y + 36, gain, "gain")}</g>')


def draw(title, points, labels):
    sizes = sorted({each.bytes for each in points})
    rows = sorted({each.row for each in points})
    left = max(LABEL_WIDTH, *(16 + LETTER_WIDTH * len(row_words(row)) for row in rows))
    width, height = left + CELL_WIDTH * len(sizes), AXIS_HEIGHT + CELL_HEIGHT * len(rows)
    parts = [text(left + (column + 0.5) * CELL_WIDTH, 15, quantities.size(size), "tick")
             for column, size in enumerate(sizes)]
    parts += [text(left - 8, AXIS_HEIGHT + (line + 0.5) * CELL_HEIGHT + 4, row_words(row), "tick", "end")
              for line, row in enumerate(rows)]
    for each in points:
        parts.append(draw_cell(each, left + sizes.index(each.bytes) * CELL_WIDTH,
                               AXIS_HEIGHT + rows.index(each.row) * CELL_HEIGHT, *labels[each.chosen]))
    return (f'<svg class="regions" viewBox="0 0 {width} {height}" style="max-width:{width}px" role="img" '
            f'aria-label="{html.escape(title)}: algorithms by size and ranks">{"".join(parts)}</svg>')


def regions_of(points):
    found = []
    for kind in dict.fromkeys(each.collective for each in points):
        of_kind = [each for each in points if each.collective == kind]
        labels = labels_of([each.chosen for each in of_kind])  # alike in all forms
        for form in dict.fromkeys(each.form for each in of_kind):
            shown = [each for each in of_kind if each.form == form]
            title = f"{kind}, {form}"
            key = re.sub(r"[^a-z0-9]+", "-", f"{kind} {form}".lower())
            used = {each.chosen for each in shown}
            legend = tuple((label, name_of(each), words_of(each), colour)
                           for each, (label, colour) in labels.items() if each in used)
            found.append(Region(key, title, draw(title, shown, labels), legend))
    return found


def verdict_cell(point):
    if not point.differs:
        return Cell("–", None, css="none")
    if point.gain is None:
        return Cell("not measured", None, css="none")
    css = "faster" if point.gain >= CLEARLY else "slower" if point.gain <= 1 / CLEARLY else "same"
    return Cell(quantities.verdict(point.gain), round(point.gain, 4), css=css)


def time_cell(point):
    if not point.chosen_ns:
        return Cell("–", None, css="none")
    return Cell(quantities.value(point.chosen_ns, "ns"), point.chosen_ns)


def points_table(points):
    columns = (Column("collective", is_number=False), Column("where", is_number=False), Column("form", is_number=False),
               Column("size"), Column("built in", is_number=False), Column("with the table", is_number=False),
               Column("time"), Column("than the built-in"), Column("best fixed choice", is_number=False))
    rows = tuple((head(each.collective), Cell(row_words(each.row), each.ranks, css="text"),
                  Cell(each.form, css="text"),
                  Cell(quantities.size(each.bytes), each.bytes), Cell(each.built_in, css="text"),
                  Cell(each.chosen, css="text"),
                  time_cell(each), verdict_cell(each), Cell(each.best, css="text")) for each in points)
    return Table("points", f"All {len(points)} points", columns, rows)


def gains(points):
    """By collective: points, those that the table changes, the mean gain there, the largest."""
    rows = []
    for kind in dict.fromkeys(each.collective for each in points):
        of_kind = [each for each in points if each.collective == kind]
        differing = [each for each in of_kind if each.differs]
        known = [each.gain for each in differing if each.gain]
        mean = analysis.geometric_mean(known) if known else None
        largest = max(known, default=None)
        rows.append((head(kind), Cell(str(len(of_kind)), len(of_kind)), Cell(str(len(differing)), len(differing)),
                     *(Cell(quantities.verdict(each), round(each, 4)) if each else Cell("–", None, css="none")
                       for each in (mean, largest))))
    columns = (Column("collective", is_number=False), Column("points"), Column("changed by the table"),
               Column("there, geometric mean"), Column("most"))
    return Table("gains", "What is gained over the built-in rules", columns, tuple(rows))


def lead(points):
    differing = [each for each in points if each.differs]
    known = [each.gain for each in differing if each.gain]
    unknown = len(differing) - len(known)
    words = f"{len(points)} points were measured. At {len(differing)} of them the table takes another algorithm than " \
            "the built-in rules"
    if unknown:
        words += f"; at {unknown} of these its choice was not measured"
    if known:
        words += f"{'; where it was, it is' if unknown else ','} " \
                 f"{quantities.verdict(analysis.geometric_mean(known))} in the geometric mean"
    near = sum(1 for each in points if each.chosen_ns and each.chosen_ns <= CLEARLY * each.best_ns)
    return (f"{words}. At {100 * near / max(len(points), 1):.0f} % of all points it is within 5 % of the best fixed "
            "choice.")


def render(raw, points):
    page = part("page")
    embedded = json.dumps(raw, ensure_ascii=False).replace("<", "\\u003c")
    return page.environment().get_template("regions.html").render(
        table_path=raw["table"], machine=raw["machine"], rules=raw["rules"], lead=lead(points),
        regions=regions_of(points), gains=gains(points), points=points_table(points), embedded=embedded,
        style=page.text_of("page.css"), script=page.text_of("page.js"))


def main(words):
    """The exit code: 0, 1 when refused, 2 for wrong options."""
    parser = argparse.ArgumentParser(prog="atoll tune page", description="a web page of a table of tuned collectives")
    parser.add_argument("points")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args(words)
    try:
        raw, points = read(arguments.points)
        write(arguments.output, render(raw, points))
    except recording.Refused as refused:
        print(f"atoll tune page: {refused}", file=sys.stderr)
        return 1
    print(lead(points))
    print(f"page: {arguments.output}")
    return 0
