# SPDX-License-Identifier: BSD-3-Clause
#
# Words that must not appear, each with its exceptions and its replacement, and names that our own types
# must not have. Rules about code look at code alone; rules about text look at everything.

import re

TESTS = ["tests/"]

# (pattern, paths where it is allowed, what to do instead). Seen in code only.
BANNED_IN_CODE = [
    (r"\b(secure_)?getenv\b", ["atoll/base/settings", "tests/multi/", "tests/support/device/"],
     "read it through the settings table (atoll/base/settings.hpp)"),
    (r"\bshm_open\b", [], "memory is a memfd that is passed as a descriptor"),
    (r"__attribute__\s*\(\(\s*(constructor|destructor)", ["front/gex/include/", "tests/multi/upc/",
                                                                "tests/multi/gex/occupied.c"],
     "no static registration: name it in a list.cpp or table.cpp"),
    (r"\[\[\s*gnu::(constructor|destructor)", ["atoll/memory/static_data.hpp"],
     "no static registration: name it in a list.cpp or table.cpp"),
    (r"\binit_priority\b", [], "no order among globals: give it an owner"),
    (r"\busing\s+namespace\s+std\s*;", [], "write std::"),
    (r"#\s*include\s*<bits/", [], "include the standard header"),
    (r"(?<![.>])\b(popen|tmpnam|strcpy|strcat|sprintf|gets)\s*\(|(?<![.>])\bsystem\s*\(\s*[^\s)]",
     TESTS,
     "use a call that cannot overrun or start a shell"),
]

# Searched for in the literals of code: a path that would be opened.
BANNED_IN_LITERALS = [("/dev/shm", ["tests/"], "memory is a memfd; nothing may be left in /dev/shm")]

BANNED_ANYWHERE = [(r"\b(TODO|FIXME|XXX|HACK)\b", ["tests/tidy/", "STYLE.md", "HACKING.md"],
                    "finish it, leave it out, or file an issue")]

OWN_TYPE = re.compile(r"\b(?:struct|class|enum(?:\s+class)?)\s+(\w+(?:_t|_impl))\b\s*(?:[:{;]|final)"
                      r"|\busing\s+(\w+(?:_t|_impl))\s*=")

# Examples in prose are indented by three blanks or more, so they do not match.
COMMENTED_OUT = re.compile(r"^\s*// ?(?:return\b[^.]*;|(?:if|for|while) \(.*\) \{|#\s*include\b"
                           r"|\w[\w:.>-]*\([^()]*\);|[\w:<>]+ \w+ = [^.]*;|\})\s*$")


def allowed(file, prefixes):
    return any(file.path.startswith(prefix) for prefix in prefixes)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def rule_banned_words(tree):
    """banned-words: getenv, /dev/shm, static registration, unfinished work"""
    for file in tree.code():
        for pattern, exceptions, instead in BANNED_IN_CODE:
            excused = exceptions == TESTS and file.is_test
            if not excused and not allowed(file, exceptions):
                for match in re.finditer(pattern, file.code):
                    yield file.path, line_of(file.code, match.start()), f"'{match.group()}': {instead}"
        for word, exceptions, instead in BANNED_IN_LITERALS:
            offset = file.literals.find(word)
            if offset >= 0 and not allowed(file, exceptions):
                yield file.path, line_of(file.text, offset), f"'{word}': {instead}"
    for file in tree.files:
        if file.suffix in (".cpp", ".hpp", ".c", ".h", ".py", ".cmake", ".txt", ".md", ".sh"):
            for pattern, exceptions, instead in BANNED_ANYWHERE:
                match = re.search(pattern, file.text)
                if match and not allowed(file, exceptions):
                    yield file.path, line_of(file.text, match.start()), f"'{match.group()}': {instead}"


SETTING_ROW = re.compile(r'\.name = "(ATOLL_[A-Z0-9_]+)"')
REMEDY = re.compile(r"\b(?:raise|set|unset|lower|see) (ATOLL_[A-Z0-9_]*[A-Z0-9])\b")


def rule_remedies(tree):
    """remedies: a message names only settings that exist"""
    known = {name for file in tree.code() for name in SETTING_ROW.findall(file.text)}
    for file in tree.code():
        if known and not file.is_test:
            for match in REMEDY.finditer(file.literals):
                if match[1] not in known:
                    yield file.path, line_of(file.text, match.start()), f"'{match[1]}' is no setting"


def rule_type_names(tree):
    """type-names: no _t or _impl on our own types"""
    for file in tree.code():
        if file.parts[0] in ("front", "tests"):
            continue  # standards name types with _t, and their clients too
        for match in OWN_TYPE.finditer(file.code):
            name = match.group(1) or match.group(2)
            yield file.path, line_of(file.code, match.start()), f"type '{name}': drop the ending"


def rule_commented_out(tree):
    """commented-out: no code in comments"""
    for file in tree.code():
        for number, line in enumerate(file.lines, 1):
            if COMMENTED_OUT.match(line):
                yield file.path, number, "this comment is code"


RULES = [rule_banned_words, rule_remedies, rule_type_names, rule_commented_out]
