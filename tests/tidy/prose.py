# SPDX-License-Identifier: BSD-3-Clause
#
# The rule against sentences that a reader has to decode. A statement names its subject, so no
# statement of a comment or a document begins with Who, Whose or What; questions may.

import re

SUBJECT = re.compile(r"(?:^|(?<=[.:;!?])\s+)((?:Who(?:ever|se)?|What(?:ever)?)\b[^.!?]*[.!])")
WORDS_MIN = 5  # shorter ones are labels of tables and of lists
FENCE = re.compile(r"^```.*?^```", re.S | re.M)
NOT_PROSE = re.compile(r"^\s*(?:#|\||<!--)")


def joined(lines):
    """Runs of prose as one text each, with the number of the line that each begins at."""
    text, begin = "", 0
    for number, line in enumerate([*lines, ""], 1):
        if line:
            begin = begin or number
            text += " " + line
        elif text:
            yield begin, text.strip()
            text, begin = "", 0


def prose_of(file):
    """The lines of a file that are prose, without their marks; others are empty."""
    if file.suffix == ".md":
        plain = FENCE.sub(lambda block: "\n" * block.group().count("\n"), file.text)
        return ["" if NOT_PROSE.match(line) else line.strip() for line in plain.splitlines()]
    if file.suffix in (".py", ".cmake", ".txt", ".sh"):
        return [line.strip().lstrip("#").strip() if line.strip().startswith("#") else "" for line in file.lines]
    return [re.sub(r"^[\s/*<]+|[\s*/]+$", "", line) for line in file.comments.splitlines()]


def rule_plain_sentences(tree):
    """plain-sentences: no statement begins with Who, Whose or What"""
    for file in tree.files:
        if file.suffix not in (".cpp", ".hpp", ".c", ".h", ".py", ".cmake", ".txt", ".md", ".sh"):
            continue
        for number, text in joined(prose_of(file)):
            for match in SUBJECT.finditer(text):
                if len(match.group(1).split()) >= WORDS_MIN:
                    yield file.path, number, f"'{match.group(1)[:60]}': name the subject"


RULES = [rule_plain_sentences]
