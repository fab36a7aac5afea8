# SPDX-License-Identifier: BSD-3-Clause
#
# The display for a person: a bar with the time left while it runs, on a terminal only, and tables
# at the end. With rich when it is installed, in plain text otherwise. Drawn between runs and once a
# second, because drawing takes time from a core that measures.

import sys

from atoll_bench.implementations import OWN

try:
    import rich.console
    import rich.progress
    import rich.table
except ModuleNotFoundError:
    rich = None

SHOWN_SIZES = {8, 64, 512, 4096, 32768, 262144, 1 << 20, 4 << 20}


def time_text(seconds):
    seconds = int(seconds + 0.5)
    return f"{seconds // 60}:{seconds % 60:02}"


def value_text(value, unit):
    """A figure with three digits and a unit that fits."""
    steps = {"ns": ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns")),
             "s": ((1, "s"), (1e-3, "ms"), (1e-6, "us")),
             "op/s": ((1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1, "/s")),
             "GB/s": ((1, "GB/s"), (1e-3, "MB/s"), (1e-6, "KB/s"))}.get(unit, ((1, unit),))
    scale, name = next((each for each in steps if abs(value) >= each[0]), steps[-1])
    return f"{value / scale:.3g} {name}" if value / scale < 999.5 else f"{value / scale:.0f} {name}"


class Plain:
    """A display of plain lines."""

    def __init__(self, quiet=False):
        self.quiet = quiet

    def begin(self, text):
        if not self.quiet:
            print(text, flush=True)

    def running(self, run, turn, clock):
        pass

    def failed(self, run, reason):
        print(f"atoll bench: {run.implementation.name}, {run.series.label}: {reason}", file=sys.stderr)

    def missing(self, failure):
        print(f"left out: {failure['implementation']}: {failure['reason']}", file=sys.stderr)

    def turn_done(self, turn, turns, clock):
        if not self.quiet:
            print(f"turn {turn} of {turns} done, {time_text(clock.remaining_s())} left", flush=True)

    def end(self):
        pass

    def table(self, title, heads, rows):
        widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
        print(f"\n{title}")
        for row in [heads, *rows]:
            cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
            print("  " + "  ".join(cells).rstrip())


class Rich(Plain):
    """A bar that is drawn over itself, and tables with lines."""

    def __init__(self, quiet=False):
        super().__init__(quiet)
        self.console = rich.console.Console()
        columns = rich.progress
        self.bar = columns.Progress(
            columns.TextColumn("{task.description}"), columns.BarColumn(), columns.TextColumn("{task.fields[left]}"),
            console=self.console, auto_refresh=False, transient=True)
        self.task = self.bar.add_task("", total=1, left="")

    def begin(self, text):
        super().begin(text)
        if not self.quiet:
            self.bar.start()

    def running(self, run, turn, clock):
        left = clock.remaining_s()
        done = clock.elapsed()
        self.bar.update(self.task, total=done + left, completed=done, left=f"{time_text(left)} left",
                        description=f"turn {turn}: {run.series.label}, {run.implementation.name}")
        if not self.quiet:
            self.bar.refresh()

    def failed(self, run, reason):
        self.console.print(f"{run.implementation.name}, {run.series.label}: {reason}", markup=False, style="yellow")

    def turn_done(self, turn, turns, clock):
        pass

    def end(self):
        self.bar.stop()

    def table(self, title, heads, rows):
        table = rich.table.Table(title=title, title_justify="left", title_style="bold", box=rich.box.SIMPLE_HEAD)
        table.add_column(heads[0])
        for head in heads[1:]:
            table.add_column(head, justify="right")
        for row in rows:
            table.add_row(*row)
        self.console.print(table)


def make(quiet):
    return Rich(quiet) if rich and sys.stdout.isatty() else Plain(quiet)


def is_shown(case):
    return case.get("bytes") is None or case["operation"] == case["name"] or case["bytes"] in SHOWN_SIZES


def ratio_text(case, peer):
    ratio = case["ratios"].get(peer)
    if not ratio or not ratio["median"]:
        return "-"
    gain = 1 / ratio["median"] if case["better"] == "less" else ratio["median"]
    return f"x{gain:.3g}"


def tables(show, recording):
    """One per series: medians, and how many times better Atoll is than each peer."""
    for series in recording["series"]:
        names = [each["name"] for each in recording["implementations"]
                 if any(each["name"] in case["by"] for case in series["cases"])]
        peers = [name for name in names if name != OWN]
        counted = [name for name in names if any("lines" in case["by"].get(name, {}) for case in series["cases"])]
        rows = [[case["title"], *(value_text(case["by"][name]["median"], case["unit"]) if name in case["by"]
                                  else "-" for name in names), *(ratio_text(case, peer) for peer in peers),
                 *(str(case["by"].get(name, {}).get("lines", "-")) for name in counted)]
                for case in series["cases"] if is_shown(case)]
        excess = ", more ranks than cores" if series["oversubscribed"] else ""
        show.table(f"{series['set']}: {series['benchmark']}, {series['ranks']} ranks{excess}",
                   ["", *names, *(f"to {peer}" for peer in peers), *(f"lines, {name}" for name in counted)], rows)
