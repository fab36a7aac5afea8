# SPDX-License-Identifier: BSD-3-Clause
#
# One self-contained web page of a recording. page.html is the frame; its style, its script, its figures and
# the recording itself are put inside, and its policy forbids every connection, so it looks the same from a
# disk, in a mail, and in ten years.

import datetime
import json
import pathlib
from dataclasses import dataclass

import jinja2

from atoll_report import analysis, charts, quantities, summary, svg, tables

HERE = pathlib.Path(__file__).parent
PIVOTED = ("collectives", "oversubscription")  # many ranks: tables with ranks across
FINDINGS_SHOWN = 6
ROWS_OPEN = 40  # of the table of all operations; a longer one is folded

SET_WORDS = {
    "latency": "One operation at a time, begun when the one before has completed.",
    "bandwidth": "One direction, many transfers in flight, timed until all have arrived. Rings mark where a "
                 "curve reaches 50 % (dotted) and 90 % (dashed) of its peak.",
    "rate": "Small operations in flight one after another: how many are done in a second.",
    "am": "Messages that run a function at the other rank; MPI's counterpart is send and receive.",
    "atomics": "Operations of one word at another rank that nothing can come between.",
    "strided": "Data that does not lie in one piece; MPI's counterpart is a derived datatype.",
    "collectives": "Operations in which all ranks take part, by their number.",
    "threads": "Several threads of one rank communicate at the same time.",
    "oversubscription": "More ranks than cores: who waits must let others run.",
    "startup": "From the command line to the end of the job.",
    "network": "The same between ranks that reach each other by TCP only. Raw sockets are no library but what the "
               "machine can do: plain calls that send and receive, with nobody to serve.",
    "apps": "Whole programs, the same kernel by several ways of communicating; answers are verified.",
    "shmem": "The same runtime through its OpenSHMEM interface, beside another OpenSHMEM by the same source.",
    "upc": "The same runtime through UPC, beside the same loops on private arrays in plain C.",
    "coarray": "The same runtime through Fortran's coarrays, beside the same loops on local arrays, and beside its own "
               "barrier and atomics.",
    "upcxx": "The same runtime through its UPC++ interface.",
}

MACHINE_WORDS = {"memory_bytes": "memory", "numa_nodes": "NUMA nodes"}


@dataclass(frozen=True)
class Figure:
    chart: charts.Chart
    drawing: str
    points: str
    order: tuple


@dataclass(frozen=True)
class Section:
    """One set of the recording on the page."""

    key: str
    title: str
    words: str
    figures: tuple  # in pairs: values, and ratios or None
    reach: tables.Table | None
    pivot: tables.Table | None
    cases: tables.Table


def figure_of(chart, order):
    return Figure(chart, svg.draw(chart, order), svg.points_of(chart, order), order) if chart else None


def section_of(recording, set_name, order, scale):
    figures = tuple(tuple(figure_of(each, order) for each in pair)
                    for pair in charts.pairs(recording, set_name))
    pivot = tables.pivot_table(recording, set_name) if set_name in PIVOTED and recording.has_own else None
    return Section(set_name, summary.set_title(set_name), SET_WORDS.get(set_name, ""), figures,
                   tables.reach_table(recording, set_name), pivot,
                   tables.case_table(recording, set_name, scale))


def sets_of(recording):
    """The sets that have figures, in the order of the recording."""
    return list(dict.fromkeys(series.set for series in recording.series if series.cases))


def date_of(recording):
    try:
        return datetime.datetime.fromisoformat(recording.started).strftime("%-d %B %Y, %H:%M %Z").strip()
    except ValueError:
        return recording.started


def plain(key, value):
    """One property of the machine or the settings, in words."""
    if key == "caches":
        return caches(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and key.endswith("bytes"):
        return quantities.size(value)
    if isinstance(value, float):
        return quantities.digits(value)
    if isinstance(value, dict):
        return ", ".join(f"{name}={plain(name, each)}" for name, each in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(plain("", each) for each in value) or "none"
    return str(value)


def cache_words(cache):
    """One entry of the machine's caches: L2 2 MiB, 2 of them."""
    words = f"L{cache['level']} {quantities.size(cache['size_bytes'])}"
    return f"{words}, {cache['instances']} of them" if cache.get("instances", 1) > 1 else words


def caches(found):
    try:
        return "; ".join(cache_words(each) for each in found)
    except (KeyError, TypeError):  # recorded in another form
        return plain("", found)


def properties(mapping):
    return [(MACHINE_WORDS.get(key, key.replace("_", " ")), plain(key, value))
            for key, value in mapping.items() if value not in (None, "")]


def machine_line(recording):
    machine = recording.machine
    cores = machine.get("cores")
    parts = [str(machine.get("processor") or "processor unknown")]
    if isinstance(cores, int):
        parts.append("1 core" if cores == 1 else f"{cores} cores")
    if recording.is_virtual:
        parts.append("virtual machine")
    return ", ".join(parts)


def peers_line(recording):
    titles = [each.title for each in recording.peers]
    if not titles:
        return "Atoll"
    return "Atoll beside " + (", ".join(titles[:-1]) + " and " + titles[-1] if titles[1:] else titles[0])


def embedded(recording):
    """The recording as JSON that may stand in a script element."""
    return json.dumps(recording.raw, ensure_ascii=False).replace("<", "\\u003c")


def text_of(name):
    return (HERE / name).read_text(encoding="utf-8")


def environment():
    """The templates beside this file. A name that is not defined is an error, and text is escaped."""
    return jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True,
                              undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def render(recording):
    """The whole page as text."""
    order = [each.name for each in recording.implementations]
    scale = tables.BarScale(recording)
    all_groups = summary.groups(recording)
    return environment().get_template("page.html").render(
        recording=recording, order=order, swatch=svg.swatch, q=quantities,
        heading=peers_line(recording), when=date_of(recording), machine_line=machine_line(recording),
        count=summary.count(recording), verdict=summary.verdict(recording), slower=summary.findings(all_groups, "slower"),
        faster=summary.findings(all_groups, "faster"), shown=FINDINGS_SHOWN, rows_open=ROWS_OPEN, turns_min=analysis.TURNS_MIN,
        groups=tables.group_table(recording, all_groups, scale), full=quantities.times(scale.full),
        sections=[section_of(recording, each, order, scale) for each in sets_of(recording)],
        failures=tables.failure_table(recording), machine=properties(recording.machine),
        settings=properties(recording.settings), embedded=embedded(recording),
        style=text_of("page.css"), script=text_of("page.js"))


def all_charts(recording):
    """Every chart of the page, for pictures."""
    return [chart for each in sets_of(recording) for pair in charts.pairs(recording, each)
            for chart in pair if chart]
