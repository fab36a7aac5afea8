#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the rules of the tree that a program can check: layering, sizes, words, names, prose, layout. Prints
# one line per offence, as compilers do, and fails when there is any. Needs only Python's library.
#
#   tidy.py ROOT          check the tree below ROOT
#   tidy.py --rules       list the rules

import sys

import includes
import layering
import layout
import names
import prose
import sizes
import words
from tree import Tree

RULES = layering.RULES + includes.RULES + sizes.RULES + words.RULES + names.RULES + prose.RULES + layout.RULES


def rule_name(rule):
    return rule.__doc__.partition(":")[0]


def offences(tree):
    """All offences as (path, line, rule name, text), in the order of rules and paths."""
    for rule in RULES:
        for path, line, text in rule(tree):
            yield path, line, rule_name(rule), text


def main(arguments):
    if arguments == ["--rules"]:
        for rule in RULES:
            print(rule.__doc__)
        return 0
    tree = Tree(arguments[0] if arguments else ".")
    count = 0
    for path, line, rule, text in offences(tree):
        print(f"{path}:{line}: {text} [{rule}]" if line else f"{path}: {text} [{rule}]")
        count += 1
    print(f"{len(tree.files)} files, {len(RULES)} rules, {count} offences")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
