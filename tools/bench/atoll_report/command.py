# SPDX-License-Identifier: BSD-3-Clause
#
# `atoll bench report`: reads a recording, writes a page and, when asked, pictures. The libraries that lay out
# and draw are loaded only where they are needed, so that a wrong file is refused as such on a machine that
# lacks them, and a page needs no matplotlib.

import argparse
import importlib
import pathlib
import sys

from atoll_report import recording, summary

FINDINGS_TOLD = 3  # losses, and as many gains
PACKAGES = {"jinja2": "python3-jinja2", "matplotlib": "python3-matplotlib"}


def parse(words):
    parser = argparse.ArgumentParser(
        prog="atoll bench report",
        description="Make one self-contained web page, and pictures, of what atoll bench recorded.")
    parser.add_argument("files", metavar="FILE.json", nargs="+",
                        help="a recording that atoll bench wrote; several with --table")
    parser.add_argument("--table", action="store_true",
                        help="print one table of the sets of all these recordings, in Markdown, and write no page")
    parser.add_argument("--output", metavar="PAGE.html", type=pathlib.Path,
                        help="the page (default: FILE.html, beside the recording)")
    parser.add_argument("--png", metavar="FOLDER", type=pathlib.Path,
                        help="write each figure as a PNG file too")
    chosen = parser.parse_args(words)
    if chosen.table and (chosen.output or chosen.png):
        parser.error("--table writes no page and no pictures; leave out --output and --png")
    if len(chosen.files) > 1 and not chosen.table:
        parser.error(f"a page is of one recording and {len(chosen.files)} were named; name one, or add --table")
    return chosen


def part(name):
    """A module of this package; refused when a library that it needs is not installed."""
    try:
        return importlib.import_module(f"atoll_report.{name}")
    except ModuleNotFoundError as missing:
        library = (missing.name or "").partition(".")[0]
        package = PACKAGES.get(library)
        if package is None:
            raise
        raise recording.Refused(f"the report needs the Python library {library}, which "
                                f"{sys.executable} does not have; install {package}") from missing


def write(path, text):
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise recording.Refused(f"{path} cannot be written: {problem.strerror}; name another place "
                                "with --output") from problem


def write_pictures(found, folder):
    page, pictures = part("page"), part("pictures")
    order = [each.name for each in found.implementations]
    note = f"{page.machine_line(found)}; {page.date_of(found)}"
    try:
        return pictures.write(page.all_charts(found), order, note, folder)
    except OSError as problem:
        raise recording.Refused(f"{folder} cannot be written to: {problem.strerror}; name another folder "
                                "with --png") from problem


def print_table(files):
    recordings = [recording.read(each) for each in files]
    print("\n".join(summary.set_table(recordings)))
    for path, found in zip(files, recordings):
        if reasons := summary.doubts(found):
            print(f"{path} is doubtful: {', '.join(reasons)}", file=sys.stderr)


def report(arguments):
    if arguments.table:
        print_table(arguments.files)
        return
    file, = arguments.files
    found = recording.read(file)
    output = arguments.output or pathlib.Path(file).with_suffix(".html")
    if output.exists() and output.samefile(file):
        raise recording.Refused(f"{output} is the recording itself; name another place with --output")
    write(output, part("page").render(found))
    print("\n".join(summary.in_lines(found, FINDINGS_TOLD)))
    print(f"report: {output}")
    if arguments.png:
        written = write_pictures(found, arguments.png)
        print(f"pictures: {len(written)} in {arguments.png}")


def main(words):
    """The exit code: 0, 1 when refused, 2 for wrong options (by the parser)."""
    try:
        report(parse(words))
    except recording.Refused as refused:
        print(f"atoll bench report: {refused}", file=sys.stderr)
        return 1
    return 0
