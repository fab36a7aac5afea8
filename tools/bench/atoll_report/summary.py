# SPDX-License-Identifier: BSD-3-Clause
#
# The report's statements before any table: in how many measurements Atoll is faster and in how many
# slower than the best of its peers, where, and by how much. Losses come first. Measurements of one
# operation at several sizes are one *group*, and each group has one line, so that a curve of twenty
# sizes does not count as twenty findings.

from dataclasses import dataclass

from atoll_report import analysis, quantities
from atoll_report.recording import OWN

SET_TITLES = {
    "latency": "Latency", "bandwidth": "Flood bandwidth", "rate": "Message rate", "am": "Active messages",
    "atomics": "Remote atomics", "strided": "Strided transfers", "collectives": "Collectives",
    "threads": "Threads", "oversubscription": "More ranks than cores", "startup": "Start-up",
    "apps": "Applications", "network": "Network", "shmem": "OpenSHMEM", "upc": "UPC",
    "coarray": "Fortran coarrays", "upcxx": "UPC++",
}


# Blanks that do not break are for pages.
PLAIN_BLANKS = {ord(quantities.GAP): " ", ord("\u202f"): None}


def set_title(name):
    return SET_TITLES.get(name, name.replace("_", " ").capitalize())


@dataclass(frozen=True)
class Span:
    """The advantages over one peer in one group."""

    low: float
    high: float
    mean: float
    verdict: str  # faster, slower, same, or mixed

    @property
    def words(self):
        if self.verdict == "same":
            return "no difference"
        if self.verdict == "mixed":
            return f"{quantities.verdict(self.low)} to {quantities.verdict(self.high)}"
        near, far = sorted((self.low, self.high), key=lambda each: max(each, 1 / each))
        if quantities.times(near) == quantities.times(far):
            return quantities.verdict(far)
        if min(self.low, self.high) < 1 < max(self.low, self.high):  # one end of it is noise
            return f"up to {quantities.verdict(far)}"
        return f"{quantities.times(near).removesuffix('×')} to {quantities.verdict(far)}"


@dataclass(frozen=True)
class Group:
    """The cases of one operation in one series."""

    series: object
    title: str
    cases: tuple
    spans: dict  # peer -> Span

    @property
    def words(self):
        """Its name in a sentence: latency, put, 2 ranks."""
        return f"{set_title(self.series.set)}: {self.title}, {self.series.participants}"

    @property
    def extent(self):
        """The number of its cases, in words, when there is more than one."""
        if len(self.cases) == 1:
            return ""
        return f"{len(self.cases)} {'sizes' if self.cases[0].bytes is not None else 'variants'}"


def span(found):
    verdicts = {each.verdict for each in found}
    if "faster" in verdicts and "slower" in verdicts:
        verdict = "mixed"
    else:
        verdict = next((v for v in ("faster", "slower") if v in verdicts), "same")
    medians = [each.median for each in found]
    return Span(min(medians), max(medians), analysis.geometric_mean(medians), verdict)


def without_size(case):
    """The title of a case without the size that it begins with: "8 B put" is a put."""
    if case.bytes is None:
        return case.title
    return case.title.removeprefix(quantities.size(case.bytes).replace(quantities.GAP, " ")).strip()


def operation_words(operation, cases):
    """The common title of cases of one operation, in words."""
    titles = {without_size(case) for case in cases}
    return titles.pop() if len(titles) == 1 else operation.replace("_", " ")


def group(series, operation, cases):
    by_peer = {}
    for case in cases:
        for peer, found in analysis.advantages(case).items():
            by_peer.setdefault(peer, []).append(found)
    title = cases[0].title if len(cases) == 1 else operation_words(operation, cases)
    return Group(series, title, tuple(cases), {peer: span(found) for peer, found in by_peer.items()})


def groups(recording):
    return [group(series, operation, cases) for series in recording.series
            for operation, cases in analysis.operations(series).items()]


# --- Findings ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """One group that is faster or slower than the best peer somewhere, and where it is most so."""

    group: Group
    verdict: str
    advantage: analysis.Advantage
    case: object
    count: int  # of cases with this verdict
    of: int     # cases that have a peer

    def figures(self, name):
        return quantities.value(self.case.by[name].median, self.case.unit)

    @property
    def where(self):
        """At which sizes or in which variant, when the group has several."""
        if self.case.bytes is None:
            return "" if self.case.title == self.group.title else self.case.title
        if self.of == 1:
            return ""
        place = f"most at {quantities.size(self.case.bytes)}" if self.count > 1 else \
            f"at {quantities.size(self.case.bytes)}"
        everywhere = "all" if self.count == self.of else f"{self.count} of"
        return f"at {everywhere} {self.of} sizes, {place}" if self.count > 1 else f"{place} (1 of {self.of} sizes)"


def findings(all_groups, verdict):
    """The groups with that verdict anywhere, the largest difference first."""
    found = []
    for group in all_groups:
        compared = [(analysis.over_best_peer(case), case) for case in group.cases]
        compared = [(best, case) for best, case in compared if best]
        hits = [(best, case) for best, case in compared if best.verdict == verdict]
        if hits:
            best, case = max(hits, key=lambda each: max(each[0].median, 1 / each[0].median))
            found.append(Finding(group, verdict, best, case, len(hits), len(compared)))
    return sorted(found, key=lambda each: -max(each.advantage.median, 1 / each.advantage.median))


@dataclass(frozen=True)
class Count:
    """Measurements by verdict against the best peer, and those without any peer."""

    faster: int
    same: int
    slower: int
    alone: int

    @property
    def compared(self):
        return self.faster + self.same + self.slower


def count(recording):
    verdicts = []
    for series in recording.series:
        for case in series.cases:
            if OWN in case.by:
                best = analysis.over_best_peer(case)
                verdicts.append(best.verdict if best else "alone")
    return Count(*(verdicts.count(each) for each in ("faster", "same", "slower", "alone")))


# --- The verdict ---------------------------------------------------------------------------------


SLOWER_LIMIT = 1.05  # a case may take so many times the best peer's time


@dataclass(frozen=True)
class Loss:
    """A case that is slower than its best peer beyond the limit."""

    series: object
    case: object
    advantage: analysis.Advantage

    @property
    def words(self):
        """Its name in a sentence; with the benchmark, because series of one set have cases of the same name."""
        set_name = self.series.set
        known = self.series.benchmark == set_name or self.case.title.startswith(self.series.benchmark)
        benchmark = "" if known else f" {self.series.benchmark}"
        return f"{set_title(set_name)}{benchmark}: {self.case.title}, {self.series.participants}"


@dataclass(frozen=True)
class Verdict:
    """Losses are slower than the best peer beyond the limit, and for certain; the largest comes first. Raw sockets
    are no peer: they show what the machine can do."""

    losses: tuple
    compared: int
    uncertain: int  # cases beyond the limit, but within noise

    @property
    def words(self):
        beyond = f"slower beyond {SLOWER_LIMIT}"
        if not self.compared:
            return f"{beyond}: unknown, because nothing has a counterpart at a peer"
        noise = f"; {self.uncertain} more within noise" if self.uncertain else ""
        measurements = "measurement" if self.compared == 1 else "measurements"
        return f"{beyond}: {len(self.losses) or 'none'} of {self.compared} {measurements}{noise}"


def compared_with_libraries(recording):
    return [Loss(series, case, best) for series in recording.series for case in series.cases
            if OWN in case.by and (best := analysis.over_best_library(case))]


def verdict_of(compared):
    beyond = [each for each in compared if each.advantage.median * SLOWER_LIMIT < 1]
    losses = [each for each in beyond if each.advantage.verdict == "slower"]
    return Verdict(tuple(sorted(losses, key=lambda each: each.advantage.median)), len(compared),
                   len(beyond) - len(losses))


def verdict(recording):
    return verdict_of(compared_with_libraries(recording))


# --- Sets in one table ---------------------------------------------------------------------------


HEADS = ("set", "measurements", "geometric mean", f"slower beyond {SLOWER_LIMIT}", "the worst of them")


def set_row(title, compared):
    """A row: how many times better Atoll is in the geometric mean, and the losses beyond the limit."""
    found = verdict_of(compared)
    mean = analysis.geometric_mean([each.advantage.median for each in compared])
    worst = ""
    if found.losses:
        first = found.losses[0]
        worst = f"{quantities.verdict(first.advantage.median)}: {first.case.title}, {first.series.participants}"
    return title, str(len(compared)), quantities.verdict(mean), str(len(found.losses) or "none"), worst


def set_table(recordings):
    """Lines of Markdown: a row for each set of these recordings, and one for all of them."""
    by_set = {}
    for recording in recordings:
        for each in compared_with_libraries(recording):
            by_set.setdefault(each.series.set, []).append(each)
    if not by_set:
        return ["nothing has a counterpart at a peer, so nothing is compared"]
    rows = [set_row(set_title(name), compared) for name, compared in by_set.items()]
    if len(rows) > 1:
        rows.append(set_row("all", [each for compared in by_set.values() for each in compared]))
    lines = [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in (HEADS, ("---",) * len(HEADS), *rows)]
    return [line.translate(PLAIN_BLANKS) for line in lines]


def verdict_lines(recording, most):
    """The verdict for a terminal, with at most `most` of the cases, and what makes it doubtful."""
    found = verdict(recording)
    lines = [found.words]
    for each in found.losses[:most]:
        amount = quantities.times(each.advantage.median)
        lines.append(f"  {amount:>8} slower than {recording.title_of(each.advantage.peer):9} {each.words}")
    if len(found.losses) > most:
        lines.append(f"  and {len(found.losses) - most} more: atoll bench report names them all")
    if reasons := doubts(recording):
        lines.append(f"  doubtful: {', '.join(reasons)}")
    return [line.translate(PLAIN_BLANKS) for line in lines]


def doubts(recording):
    """Reasons to doubt the figures of this recording, in a few words each."""
    found = ["a smoke run, whose figures mean nothing"] if recording.quick else []
    if recording.is_busy:
        found.append(f"a load of {recording.machine['load_before']:.0f} on {recording.machine['cores']} cores "
                     "when it began")
    if recording.turns < analysis.TURNS_MIN:
        found.append(f"only {recording.turns} {'turn' if recording.turns == 1 else 'turns'}")
    if failed := sum(bool(each.get("set")) for each in recording.failures):
        found.append(f"{failed} {'run' if failed == 1 else 'runs'} failed")
    if recording.raw.get("interrupted"):
        found.append("interrupted")
    return found


def in_lines(recording, most):
    """The same for a terminal: sums and the verdict, a line each, then the largest losses and gains."""
    counts = count(recording)
    if not counts.compared:
        return ["nothing has a counterpart at a peer, so nothing is compared"]
    all_groups = groups(recording)
    lines = [f"beside the best peer, {counts.compared} measurements: {counts.faster} faster, "
             f"{counts.same} without a difference, {counts.slower} slower", verdict(recording).words]
    for direction in ("slower", "faster"):
        for each in findings(all_groups, direction)[:most]:
            amount = quantities.times(each.advantage.median)
            peer = recording.title_of(each.advantage.peer)
            lines.append(f"  {amount:>8} {direction} than {peer:9} {each.group.words}")
    if found := doubts(recording):
        lines.append(f"  doubtful: {', '.join(found)}")
    return [line.translate(PLAIN_BLANKS) for line in lines]
