#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# The installed headers of atoll/ are those that HACKING.md names, those that the headers of the fronts
# include, and those that these include: no others, and at most a fixed number. The test reads the includes
# itself, to find mistakes of the script that installs. Usage: public_headers_test.py ROOT INCLUDE

import pathlib
import re
import sys

INSTALLED_MAX = 56  # a header that adds one to this gives programs something to hold on to: think first
INCLUDE = re.compile(r"^ *# *include <(atoll/[^>]+)>", re.MULTILINE)


def includes_of(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def named(root):
    """The public headers that HACKING.md lists."""
    section = (root / "HACKING.md").read_text(encoding="utf-8").split("## What is installed")[1].split("\n## ")[0]
    return set(re.findall(r"^    (atoll/\S+)", section, re.MULTILINE))


def reachable(root, begin):
    found, left = set(), list(begin)
    while left:
        header = left.pop()
        if header not in found:
            found.add(header)
            left += includes_of(root / header)
    return found


def main(root, include):
    public = named(root)
    fronts = {header for path in root.glob("front/*/include/**/*") if path.is_file() for header in includes_of(path)}
    wanted = reachable(root, public | fronts)
    installed = {path.relative_to(include).as_posix() for path in include.glob("atoll/**/*")
                 if path.suffix in (".h", ".hpp")}
    wrong = [f"{header} is installed, and no public header includes it" for header in sorted(installed - wanted)]
    wrong += [f"{header} is not installed, and a public header includes it" for header in sorted(wanted - installed)]
    if not public:
        wrong.append("HACKING.md names no public header")
    if len(installed) > INSTALLED_MAX:
        wrong.append(f"{len(installed)} headers are installed; the limit is {INSTALLED_MAX}")
    print("\n".join(wrong) or f"{len(public)} public headers, {len(installed)} with what they include")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
