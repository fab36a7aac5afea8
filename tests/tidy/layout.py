# SPDX-License-Identifier: BSD-3-Clause
#
# The layout of the tree: each file begins with its licence and purpose, folders are allowed ones, each
# folder of the runtime has a README, every source is built, headers are guarded, and links in the
# documents lead somewhere.

import posixpath
import re

from tree import UPC

PROSE_LINES_MIN = 2
PROSE_LINES_MIN_SHORT = 1  # for tests, and for short files
SHORT_FILE_LINES = 120
PROSE_LINES_MAX = 25
README_LINES_MAX = 60
FOLDER_LEVELS_MAX = 3
DRAWERS = {"common", "util", "utils", "utility", "detail", "details", "helpers", "misc", "impl"}
NAMES_OF_TOOLS = {"CMakeLists.txt", "Makefile", "README.md"}  # which a build tool or a reader looks for
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
MERGE_MARK = re.compile(r"(<<<<<<<|>>>>>>>) ")
REGISTERS = re.compile(r"^\s*(?:atoll_(?:register|add_|test_|over_)\w*|gex_test|upcxx_refuses|add_test)\(", re.MULTILINE)
FENCE = re.compile(r"^\s*(```|~~~)")


def needs_opening(file):
    return file.is_code or file.suffix in (".py", ".cmake", ".sh") or file.name == "CMakeLists.txt"


def opening_prose(file):
    """How many lines of comment text stand at the top of the file, after the SPDX line."""
    lines = file.lines[1:] if file.lines[0].startswith("#!") else file.lines
    if lines[0].startswith("/*"):
        end = next((i for i, line in enumerate(lines) if "*/" in line), len(lines))
        return sum(line.strip("/* \t") != "" for line in lines[1 : end + 1])
    mark = "//" if file.is_code else "#"
    count = 0
    for line in lines[1:]:
        if not line.startswith(mark):
            break
        count += line[len(mark):].strip() != ""
    return count


def rule_opening(tree):
    """opening: an SPDX line, then prose"""
    for file in tree.files:
        if not needs_opening(file):
            continue
        if not any(LICENCE in line for line in file.lines[:2]):
            yield file.path, 1, f"begin with '{LICENCE}'"
            continue
        if not (file.is_code or file.suffix == ".py"):
            continue
        prose = opening_prose(file)
        short = file.is_test or len(file.lines) <= SHORT_FILE_LINES
        least = PROSE_LINES_MIN_SHORT if short else PROSE_LINES_MIN
        if prose < least:
            yield file.path, 2, "say what this file is and which rule keeps it right"
        elif prose > PROSE_LINES_MAX:
            yield file.path, 2, f"{prose} lines of opening; the limit is {PROSE_LINES_MAX}"


def rule_merge_marks(tree):
    """merge-marks: no marks of a conflict that a merge has left"""
    for file in tree.files:
        for number, line in enumerate(file.lines, 1):
            if MERGE_MARK.match(line):
                yield file.path, number, "keep one side of the conflict, and remove its marks"


def rule_folders(tree):
    """folders: no drawers, three levels at most"""
    seen = set()
    for file in tree.files:
        folders = file.parts[:-1]
        dictated = file.is_dictated
        for depth, folder in enumerate(folders, 1):
            path = "/".join(folders[:depth])
            if path in seen:
                continue
            if folder.lower() in DRAWERS:
                seen.add(path)
                yield path, 0, f"'{folder}' is a drawer; name the folder after a thing"
            if depth > FOLDER_LEVELS_MAX and not dictated:
                seen.add(path)
                yield path, 0, f"{depth} folder levels; the limit is {FOLDER_LEVELS_MAX}"


def rule_readmes(tree):
    """readmes: every folder of atoll/ and front/ explains itself on one page"""
    folders = {"/".join(f.parts[:-1]) for f in tree.files
               if f.parts[0] in ("atoll", "front") and len(f.parts) > 1 and not f.is_dictated}
    for folder in sorted(folders):
        readme = tree.by_path.get(folder + "/README.md")
        if readme is None:
            yield folder, 0, "no README.md: what it is, what it may include, how to add one more"
        elif len(readme.lines) > README_LINES_MAX:
            yield readme.path, 0, f"more than a page ({README_LINES_MAX} lines)"


def rule_named_headers(tree):
    """named-headers: the README of a folder of atoll/ and front/ names each header of it, or its stem"""
    for file in tree.code():
        if not file.is_header or file.parts[0] not in ("atoll", "front") or file.is_dictated or len(file.parts) < 3:
            continue
        readme = tree.by_path.get("/".join([*file.parts[:-1], "README.md"]))
        stem = re.escape(file.name[: -len(file.suffix)])
        if readme is not None and not re.search(r"(?<![\w.-])" + stem + r"(?=\.|\*|`)", readme.text):
            yield readme.path, 0, f"does not name {file.name}; say in a table or list what it is"


def table_rows(text):
    """The tables of a document, each as the first cells of its rows."""
    tables, rows = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append(line.split("|")[1])
        elif rows:
            tables.append(rows)
            rows = []
    return tables


def suites_of(tree):
    """The folders of tests/ that register tests: those whose CMakeLists.txt registers some; outside projects that a test builds are none."""
    for file in tree.below("tests"):
        if file.name == "CMakeLists.txt" and REGISTERS.search(file.text) and "project(" not in file.text:
            yield "/".join(file.parts[1:-1]) + "/"


def rule_named_suites(tree):
    """named-suites: each of the two tables of tests/README.md names every suite"""
    readme = tree.by_path.get("tests/README.md")
    if readme is None:
        return
    tables = [set(re.findall(r"`([\w/]+/)`", "|".join(rows))) for rows in table_rows(readme.text)]
    tables = [names for names in tables if names]
    if len(tables) != 2:
        yield readme.path, 0, f"{len(tables)} tables of suites: one says what each proves, the other how it runs"
        return
    for suite in suites_of(tree):
        for names, title in zip(tables, ("first", "second")):
            if suite not in names:
                yield readme.path, 0, f"the {title} table does not name {suite}"
    for names in tables:
        for name in sorted(names):
            if not tree.below("tests/" + name.rstrip("/")):
                yield readme.path, 0, f"{name} is no suite"


def rule_header_guard(tree):
    """header-guard: #pragma once, or a guard in C headers that a standard names"""
    for file in tree.code():
        if file.is_header and not re.search(r"^\s*#\s*pragma once\b", file.code, re.MULTILINE):
            if not (file.suffix == ".h" and re.search(r"^\s*#\s*ifndef\b", file.code, re.MULTILINE)):
                yield file.path, 1, "no #pragma once"


def built(tree, file):
    """Whether CMake names this source, or its stem where a function adds the ending. The texts that could name it
    are those of its folders, the root's and cmake/."""
    folders = ["/".join(file.parts[:i]) for i in range(len(file.parts))]
    candidates = [posixpath.join(folder, "CMakeLists.txt") for folder in folders]
    for script in [tree.by_path[c] for c in candidates if c in tree.by_path] + tree.below("cmake"):
        if re.search(r"(?<![\w.-])" + re.escape(file.name) + r"(?![\w-])", script.text):
            return True
    own = tree.by_path.get("/".join([*file.parts[:-1], "CMakeLists.txt"]))
    stem = file.name[: -len(file.suffix)]
    return (own is not None and "}" + file.suffix in own.text
            and re.search(r"(?<![\w.-])" + re.escape(stem) + r"(?![\w.-])", own.text) is not None)


def rule_dead_files(tree):
    """dead-files: every source is built, every header included"""
    included = set()
    for file in tree.files:
        if file.is_code or file.suffix in UPC:
            included |= {name.split("/")[-1] for name in re.findall(r'#\s*include\s*[<"]([^>"]+)', file.text)}
    for file in tree.code():
        if file.is_header:
            if file.name not in included and not file.is_dictated:
                yield file.path, 0, "no file includes this header"
        elif not built(tree, file):
            yield file.path, 0, "no CMakeLists.txt mentions this source"


def rule_test_names(tree):
    """test-names: no two files of tests have one name"""
    first = {}
    for file in tree.files:
        stem = file.name.partition(".")[0]
        if file.name in NAMES_OF_TOOLS or not (file.parts[0] == "tests" or stem.endswith("_test")):
            continue
        if file.name in first:
            yield file.path, 0, f"{first[file.name]} has this name too; say what this one is about"
        else:
            first[file.name] = file.path


def anchors(file):
    """The anchors that headings of a document give."""
    found = set()
    for line in file.lines:
        if line.startswith("#"):
            title = re.sub(r"[`*]", "", line.lstrip("#").strip()).lower()
            found.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return found


def links(file):
    fenced = False
    for number, line in enumerate(file.lines, 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            for match in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
                yield number, match.group(1) or match.group(2)


def rule_links(tree):
    """links: every link in a document leads to a file and a heading of this tree"""
    for file in tree.files:
        if file.suffix != ".md":
            continue
        for number, link in links(file):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join("/".join(file.parts[:-1]), path)) if path else file.path
            if path and not (tree.root / target).exists():
                yield file.path, number, f"'{link}' leads nowhere"
            elif anchor and target in tree.by_path and anchor not in anchors(tree.by_path[target]):
                yield file.path, number, f"'{link}': no such heading"


RULES = [rule_opening, rule_merge_marks, rule_folders, rule_readmes, rule_named_headers, rule_named_suites,
         rule_header_guard, rule_dead_files, rule_links, rule_test_names]
