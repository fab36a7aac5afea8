#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Lists the functions that the GASNet headers declare, as docs/gasnet-functions.md, and checks that the
# page is up to date and that the library defines all that are neither inline nor macros. The
# declarations are those after the preprocessor; every function of the specification is among them.
#
#   gasnet_functions.py INCLUDE_DIR CC            print the page
#   gasnet_functions.py INCLUDE_DIR CC LIBRARY    check the page and the library

import pathlib
import re
import subprocess
import sys

HEADERS = ["gasnet.h", "gasnet_coll.h", "gasnet_vis.h", "gasnet_ratomic.h", "gasnet_mk.h",
           "gasnet_tools.h"]
NAME = r"(?:gex|gasnet|gasnett)_[A-Za-z]\w*"
PAGE = pathlib.Path(__file__).parent / "gasnet-functions.md"


def preprocess(include, compiler, *options):
    text = "".join(f"#include <{header}>\n" for header in HEADERS)
    command = [compiler, "-x", "c", "-E", "-DGASNET_PAR", "-DGASNETT_THREAD_SAFE", f"-I{include}", f"-I{include.parents[2]}", *options, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def functions(include, compiler):
    """The place of each function (library, inline or macro), by header and name."""
    found = {}
    pieces, header = {}, ""
    for line in preprocess(include, compiler).splitlines():
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            path = pathlib.Path(mark[1])
            header = path.name if path.parent == include else ""
        elif header:
            pieces.setdefault(header, []).append(line)
    for origin, lines in pieces.items():
        text = re.sub(r"__attribute__ *\(\(.*?\)\)+", " ", "\n".join(lines))
        while (flat := re.sub(r"\{[^{}]*\}", ";", text)) != text:
            text = flat
        for statement in text.split(";"):
            declared = re.search(rf"(?<![\w(*]){NAME}(?= *\()", statement)
            if not declared or "typedef" in statement or "=" in statement[: declared.start()]:
                continue
            inline = re.search(r"\binline\b|\b__inline", statement)
            found.setdefault(origin, {}).setdefault(declared[0], "inline" if inline else "library")
    defined = re.findall(rf"^#define ({NAME})\(", preprocess(include, compiler, "-dM"), re.M)
    sources = {path.name: path.read_text() for path in sorted(include.glob("*.h"))}
    for name in defined:
        for origin, text in sources.items():
            if re.search(rf"^#\s*define {name}\(", text, re.M):
                found.setdefault(origin, {})[name] = "macro"
                break
    return found


def rows(names):
    """A row per function, one for a family with 0 to 16 arguments."""
    for name in sorted(names):
        base = name.rstrip("0123456789")
        if base + "16" in names and name != base + "0":
            if name[len(base):].isdigit():
                continue
        shown = f"`{name}` ... `{base}16`" if base + "16" in names else f"`{name}`"
        yield f"| {shown} | {names[name]} |"


def page(found):
    total = sum(len(names) for names in found.values())
    out = ["# The functions of GASNet", "",
           f"All {total} functions that the headers declare, by header: GASNet-EX, GASNet-1 and the tools.",
           "Every function of the specification of GASNet-EX 2025.8.0 is among them.",
           "*Library*: defined in `libatoll.so`; *inline*: defined in the header; *macro*: expands to another function.",
           "Printed by `docs/gasnet_functions.py`; a test compares.", ""]
    for header in sorted(found):
        out += [f"## {header}", "", "| function | where |", "|---|---|"]
        out += [*rows(found[header]), ""]
    return "\n".join(out).rstrip() + "\n"


def main():
    include, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    found = functions(include, compiler)
    if len(sys.argv) == 3:
        print(page(found), end="")
        return 0
    symbols = subprocess.run(["nm", "-D", "--defined-only", sys.argv[3]], capture_output=True, text=True, check=True)
    exported = {line.split()[-1].split("@")[0] for line in symbols.stdout.splitlines()}
    missing = sorted(name for names in found.values() for name, kind in names.items()
                     if kind == "library" and name not in exported)
    for name in missing:
        print(f"{name}: declared, but {sys.argv[3]} does not define it")
    if PAGE.read_text() != page(found):
        print(f"{PAGE} is not what the headers declare; print it again with {__file__}")
        return 1
    return 1 if missing or not found else 0


if __name__ == "__main__":
    sys.exit(main())
