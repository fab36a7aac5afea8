# SPDX-License-Identifier: BSD-3-Clause
#
# The rule against sentences that a reader has to decode. A statement names its subject, so no
# statement of a comment, a docstring or a document begins with Who, Whose or What; questions may.

import io
import re
import tokenize

from tree import CODE, UPC

SUBJECT = re.compile(r"(?:^|(?<=[.:;!?])\s+)((?:Who(?:ever|se)?|What(?:ever)?)\b[^.!?]*[.!])")
QUOTES = re.compile(r"^[rbfRBF]*(\"\"\"|\'\'\'|[\"\'])|(\"\"\"|\'\'\'|[\"\'])$")
FORTRAN_COMMENT = re.compile(r"^[^'\"]*?!+[<>]?(?!\$)(.*)$")  # a line with a literal has none here
FENCE = re.compile(r"^```.*?^```", re.S | re.M)
NOT_PROSE = re.compile(r"^\s*(?:#|\||<!--)")


def joined(lines):
    """Runs of prose as one text each, with the number of the line that each begins at."""
    text, begin = "", 0
    for number, line in enumerate([*lines, ""], 1):
        if line and not line.startswith("SPDX-"):
            begin = begin or number
            text += " " + line
        elif text:
            yield begin, text.strip()
            text, begin = "", 0


def python_prose(file):
    """The lines of a Python file with the text of its comments and docstrings."""
    lines, previous = [""] * len(file.lines), tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(file.text).readline):
        first = token.start[0] - 1
        if token.type == tokenize.COMMENT:
            lines[first] = token.string.lstrip("#!").strip()
        elif token.type == tokenize.STRING and previous in (tokenize.NEWLINE, tokenize.INDENT):
            for number, line in enumerate(QUOTES.sub("", token.string).splitlines(), first):
                lines[number] = line.strip()
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            previous = token.type
    return lines


def script_prose(file):
    return [line.strip(" #") if re.match(r"\s*#(?!!)", line) else "" for line in file.lines]


def fortran_prose(file):
    found = [FORTRAN_COMMENT.match(line) for line in file.lines]
    return [match[1].strip() if match else "" for match in found]


def prose_of(file):
    """The lines of a file that are prose, without their marks; others are empty. None: it has no prose."""
    if file.suffix == ".md":
        plain = FENCE.sub(lambda block: "\n" * block.group().count("\n"), file.text)
        return ["" if NOT_PROSE.match(line) else line.strip() for line in plain.splitlines()]
    if file.suffix == ".py":
        return python_prose(file)
    if file.suffix in (".cmake", ".txt", ".sh") or file.text.startswith("#!"):
        return script_prose(file)
    if file.suffix.lower() == ".f90":
        return fortran_prose(file)
    if file.suffix in CODE | UPC:
        return [re.sub(r"^[\s/*<]+|[\s*/]+$", "", line) for line in file.comments.splitlines()]
    return None


def rule_plain_sentences(tree):
    """plain-sentences: no statement begins with Who, Whose or What"""
    for file in tree.files:
        for number, text in joined(prose_of(file) or []):
            for match in SUBJECT.finditer(text):
                yield file.path, number, f"'{match.group(1)[:60]}': name the subject"


RULES = [rule_plain_sentences]
