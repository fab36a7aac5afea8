# SPDX-License-Identifier: BSD-3-Clause
#
# The tables of the page as plain data. A cell has the words that people read and, apart from them, the
# number that it stands for: sorting, and programs that read the page, use the number.

import math
from dataclasses import dataclass

from atoll_report import analysis, charts, quantities, summary
from atoll_report.recording import OWN

BAR_LEAST, BAR_MOST = 10.0, 1000.0  # the full length of a bar stands for an advantage between these


@dataclass(frozen=True)
class Bar:
    """A line from one advantage to another, in percent of the width; 50 is even."""

    left: float
    width: float


@dataclass(frozen=True)
class Cell:
    text: str
    number: float | str | None = None
    note: str = ""
    css: str = ""
    by: str = ""  # the implementation that it is of, or is compared with
    bar: Bar | None = None
    heads_row: bool = False


@dataclass(frozen=True)
class Column:
    title: str
    by: str = ""
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    key: str
    caption: str
    columns: tuple
    rows: tuple


class BarScale:
    """All bars of a page have one scale, logarithmic, so that they compare."""

    def __init__(self, recording):
        found = [each.median for series in recording.series for case in series.cases
                 for each in analysis.advantages(case).values()]
        most = max((max(each, 1 / each) for each in found), default=BAR_LEAST)
        self.full = min(max(most, BAR_LEAST), BAR_MOST)

    def at(self, advantage):
        return 50 + 50 * min(max(math.log(advantage) / math.log(self.full), -1), 1)

    def bar(self, low, high):
        left, right = sorted((self.at(low), self.at(high)))
        return Bar(round(left, 1), round(max(right - left, 0.8), 1))


def nothing(by=""):
    return Cell("–", None, css="none", by=by)


def head(words, number=None, note=""):
    return Cell(words, words if number is None else number, note=note, heads_row=True)


def rank_cell(series):
    threads = f"{series.threads} threads each" if series.threads > 1 else ""
    excess = "more than cores" if series.oversubscribed else ""
    return Cell(str(series.ranks), series.ranks, note=", ".join(filter(None, (threads, excess))))


def value_cell(case, name):
    if name not in case.by:
        return nothing(name)
    found = case.by[name]
    return Cell(quantities.value(found.median, case.unit), found.median,
                note=charts.spread(found, case.unit), by=name)


def advantage_words(found):
    return "no difference" if found.verdict == "same" else quantities.verdict(found.median)


def advantage_cell(case, peer, scale):
    found = analysis.advantage(case, peer)
    if found is None:
        return nothing(peer)
    return Cell(advantage_words(found), found.median, css=found.verdict, by=peer,
                bar=scale.bar(1, found.median))


def case_words(case):
    """The title, with the size where the title does not contain it."""
    size = quantities.size(case.bytes) if case.bytes is not None else ""
    if size.replace(quantities.GAP, " ") in case.title:
        return case.title
    return f"{case.title}, {size}"


def lines_cell(case, name):
    lines = case.by[name].lines if name in case.by else None
    return nothing(name) if lines is None else Cell(str(lines), lines, by=name)


def counted(recording, set_name):
    """The implementations of whose programs lines of code are known."""
    known = {name for series in recording.series if series.set == set_name
             for case in series.cases for name, found in case.by.items() if found.lines is not None}
    return [each for each in recording.implementations if each.name in known]


def case_table(recording, set_name, scale):
    """Every figure of one set."""
    columns = [Column("Measurement", is_number=False), Column("Ranks")]
    columns += [Column(each.title, each.name) for each in recording.implementations]
    peers = recording.peers if recording.has_own else ()
    columns += [Column(f"Atoll beside {each.title}", each.name) for each in peers]
    programs = counted(recording, set_name)
    columns += [Column(f"Lines of code, {each.title}", each.name) for each in programs]
    rows = []
    for series in recording.series:
        for number, case in enumerate(series.cases if series.set == set_name else ()):
            order = f"{series.ranks:06} {series.threads:06} {case.operation} {case.bytes or number:020.0f}"
            values = [value_cell(case, each.name) for each in recording.implementations]
            against = [advantage_cell(case, each.name, scale) for each in peers]
            lines = [lines_cell(case, each.name) for each in programs]
            rows.append((head(case_words(case), order, case.name), rank_cell(series), *values, *against, *lines))
    return Table(f"cases-{set_name}", f"All figures: {summary.set_title(set_name)}",
                 tuple(columns), tuple(rows))


def span_cell(group, peer, scale):
    found = group.spans.get(peer)
    if found is None:
        return nothing(peer)
    ends = (1, found.mean) if len(group.cases) == 1 else (found.low, found.high)
    return Cell(found.words, found.mean, css=found.verdict, by=peer, bar=scale.bar(*ends))


def group_table(recording, all_groups, scale):
    """One line per operation and number of ranks."""
    compared = [each for each in all_groups if each.spans]
    columns = (Column("Operation", is_number=False), Column("Ranks"),
               *(Column(peer.title, peer.name) for peer in recording.peers))
    rows = tuple((head(f"{summary.set_title(each.series.set)}: {each.title}", note=each.extent),
                  rank_cell(each.series), *(span_cell(each, peer.name, scale) for peer in recording.peers))
                 for each in compared)
    return Table("groups", "Every operation in one line: Atoll beside each peer, over all sizes", columns, rows)


# --- The size at which a rate is near its peak -----------------------------------------------------


def reach_cell(mark):
    if mark is None:
        return nothing()
    words = f"≤ {quantities.size(mark.x)}" if mark.at_first else quantities.size(mark.x)
    return Cell(words, mark.x)


def reach_row(words, cases, implementation, own_mark):
    points = analysis.curve(cases, implementation.name)
    half, nearly = (analysis.reach(points, share) for share in charts.SHARES)
    best = analysis.peak(points)
    later = Cell("–", None, css="none")
    if implementation.name == OWN:
        later = Cell("1×", 1.0)
    elif own_mark and nearly:
        times = nearly.x / own_mark.x
        later = Cell(f"{quantities.times(times)} {'larger' if times >= 1 else 'smaller'}", times)
    return (head(words), Cell(implementation.title, css="text", by=implementation.name),
            Cell(quantities.value(best.y, cases[0].unit), best.y, note=f"at {quantities.size(best.x)}"),
            reach_cell(half), reach_cell(nearly), later)


def reach_table(recording, set_name):
    """Where each curve of a rate reaches 50 and 90 % of its own peak; None without such curves."""
    rows = []
    for series in recording.series:
        for operation, cases in analysis.operations(series).items() if series.set == set_name else ():
            if not charts.has_curve(cases) or cases[0].better != "more":
                continue
            own_mark = analysis.reach(analysis.curve(cases, OWN), charts.SHARES[1])
            rows += [reach_row(charts.heading(series, operation, cases), cases, each, own_mark)
                     for each in recording.implementations if analysis.curve(cases, each.name)]
    columns = (Column("Operation", is_number=False), Column("Implementation", is_number=False),
               Column("Peak"), Column("50 % of its peak from"), Column("90 % of its peak from"),
               Column("90 %: size beside Atoll's"))
    caption = "The transfer size at which each reaches 50 % and 90 % of its own peak"
    return Table(f"reach-{set_name}", caption, columns, tuple(rows)) if rows else None


# --- Collectives by ranks and size -----------------------------------------------------------------


def pivot_cell(case, recording):
    best = analysis.over_best_peer(case)
    own = quantities.value(case.by[OWN].median, case.unit)
    if best is None:
        return Cell(own, case.by[OWN].median, note="no peer", css="alone")
    peer = f"{quantities.value(case.by[best.peer].median, case.unit)} {recording.title_of(best.peer)}"
    return Cell(advantage_words(best), best.median, note=f"{own}, {peer}", css=f"{best.verdict} filled")


def pivot_words(operation, size, cases):
    words = summary.operation_words(operation, cases)
    names_size = size is None or quantities.size(size).replace(quantities.GAP, " ") in words
    return words if names_size else f"{words}, {quantities.size(size)}"


def pivoted(recording, set_name):
    """(operation, size) -> ranks -> case, operations in the order of the recording, sizes by size."""
    found = {}
    for series in recording.series:
        for case in series.cases if series.set == set_name else ():
            if OWN in case.by:
                found.setdefault((case.operation, case.bytes), {})[series.ranks] = case
    firsts = {}
    for operation, _ in found:
        firsts.setdefault(operation, len(firsts))
    return dict(sorted(found.items(), key=lambda each: (firsts[each[0][0]], each[0][1] or 0)))


def pivot_table(recording, set_name):
    """Operation and size down, ranks across: the ratio to the best peer; None when nothing is compared."""
    found = pivoted(recording, set_name)
    all_ranks = sorted({ranks for by_ranks in found.values() for ranks in by_ranks})
    rows = []
    for place, ((operation, size), by_ranks) in enumerate(found.items()):
        words = pivot_words(operation, size, list(by_ranks.values()))
        cells = [pivot_cell(by_ranks[n], recording) if n in by_ranks else nothing() for n in all_ranks]
        rows.append((head(words, place), *cells))
    columns = (Column("Operation and size", is_number=False),
               *(Column(quantities.ranks(each)) for each in all_ranks))
    caption = "Atoll beside the best peer, by ranks and size"
    return Table(f"pivot-{set_name}", caption, columns, tuple(rows)) if rows else None


def failure_table(recording):
    columns = tuple(Column(each, is_number=False) for each in ("Set", "Implementation")) + (
        Column("Ranks"), Column("What happened", is_number=False))
    rows = tuple((head(summary.set_title(str(each.get("set", "?")))),
                  Cell(recording.title_of(str(each.get("implementation", "?"))), css="text"),
                  Cell(str(each.get("ranks", "–")), each.get("ranks")),
                  Cell(str(each.get("reason", "not told")), css="text")) for each in recording.failures)
    return Table("failures", "What failed or was left out", columns, rows)
