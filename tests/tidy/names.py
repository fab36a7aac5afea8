# SPDX-License-Identifier: BSD-3-Clause
#
# The rule against names that a reader has to decode. A name says what it stands for: a noun, a verb, or
# for a boolean a question. Bare prepositions, pronouns and question words say nothing (`at`, `mine`,
# `what`), so at most one use of names in 200 may be one of them. Some are right: a standard dictates
# `what()`, and a test may be called `then`. No compound ends in a pronoun or in `here` and `there`: the
# reader cannot see which rank, host or owner is meant. Names of more than three words are sentences, as
# tests have.
#
# Only members end in `_`, parameters do not.
#
# One name stands for one thing: two types in namespaces of the library and its programs have different
# names, unless each of several folders has its own form of one idea.

import collections
import io
import tokenize
import re

SHARE_MAX_PERCENT = 0.5
USES_MIN = 5  # in a folder; fewer are no habit
OPAQUE = frozenset("""
    at on of by with off over under up down after before until when where why so as how what
    mine ours yours theirs here there who whom whose it its them these those thing things
    all one ones both any none such then thus whole rest same mean meant is has was be been being did does
    """.split())
NO_LAST_WORD = frozenset("""
    here there meet meets mine ours yours theirs them these those who whom what how why
    """.split())
COMPOUND_WORDS_MAX = 3  # longer names are sentences
NAMES_OF_SPECIFICATIONS = {"when_here"}  # of UPC++'s identifiers
PARAMETER_WITH_MARK = re.compile(
    r"(?:[\w>][&*]+ |[(,]\s*(?:const |unsigned |struct )*"
    r"(?!(?:return|sizeof|co_await|co_yield|throw|new|delete|not)\b)[A-Za-z_][\w:]*(?:<[^()]*>)? )"
    r"(\w*[A-Za-z0-9]_)\s*(?=[,)])")
NAME = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*")

# One idea, of which each of several folders has its own form.
FORMS = {
    "context": "a transport's implementation of the contract; each transport's folder has the same files",
    "kind": "the kinds of messages of a protocol, which the namespace names",
    "process_state": "the state that a front keeps for the process",
}
NAMESPACES_OF_OTHERS = {
    "upcxx": "the specification of UPC++ names its types",
    **{f"atl::memory::{driver}": "named alike for all drivers" for driver in ("cuda", "hip", "ze", "gdr")},
}
TYPE_FOLDERS = ("atoll", "front", "tools", "bench")
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)
# Definitions inside of a type are indented and do not match: the formatter indents no others.
TYPE = re.compile(r"^(?:struct|class|union|enum(?: class)?) (?:alignas\(.*?\) )?(?:\[\[.*?\]\] )?(\w+)\b(?![<(])[^;{]*\{"
                  r"|^using (\w+) = ([^;]*);", re.MULTILINE)
PYTHON_WORDS = frozenset(["as", "is", "with", "any", "all"])


def python_names(file):
    """(line, name) of a Python file, without attributes and keywords."""
    previous = ""
    for token in tokenize.generate_tokens(io.StringIO(file.text).readline):
        if token.type == tokenize.NAME and previous != "." and token.string not in PYTHON_WORDS:
            yield token.start[0], token.string
        if token.type in (tokenize.NAME, tokenize.OP):
            previous = token.string


def code_names(file):
    for number, line in enumerate(file.code.splitlines(), 1):
        if not line.lstrip().startswith("#"):
            for match in NAME.finditer(line):
                yield number, match.group()


def names_of(file):
    if file.suffix == ".py":
        return python_names(file)
    return code_names(file) if file.suffix in (".cpp", ".hpp", ".c", ".h") else ()


def rule_plain_names(tree):
    """plain-names: in no folder are more than 0.5 % of names bare prepositions or pronouns"""
    uses, places = collections.Counter(), collections.defaultdict(list)
    for file in tree.files:
        folder = "/".join(file.parts[:-1][:2])
        for number, name in names_of(file):
            uses[folder] += 1
            if name.rstrip("_") in OPAQUE:
                places[folder].append((file.path, number, name))
    for folder, found in places.items():
        percent = 100.0 * len(found) / uses[folder]
        if len(found) < USES_MIN or percent <= SHARE_MAX_PERCENT:
            continue
        for path, number, name in found:
            yield path, number, f"'{name}' says nothing; {percent:.1f} % of the names in {folder} are such"


def rule_last_words(tree):
    """last-words: no compound name ends in here, there or a pronoun"""
    for file in tree.files:
        seen = set()
        for number, name in names_of(file):
            parts = name.strip("_").lower().split("_")
            if (1 < len(parts) <= COMPOUND_WORDS_MAX and parts[-1] in NO_LAST_WORD
                    and name not in NAMES_OF_SPECIFICATIONS and name not in seen):
                seen.add(name)
                yield file.path, number, f"'{name}': say local, remote, owner, or what it is"


def rule_parameter_names(tree):
    """parameter-names: no parameter ends in _, which marks members"""
    for file in tree.code():
        for match in PARAMETER_WITH_MARK.finditer(file.code_without_directives):
            line = file.code.count("\n", 0, match.start(1)) + 1
            yield file.path, line, f"'{match[1]}': only members end in '_'"


def types_of(file):
    """(line, name, the type for which it is an alias or nothing) of the types that namespaces of a header define."""
    starts = [(match.start(), match[1]) for match in NAMESPACE.finditer(file.code)]
    for match in TYPE.finditer(file.code):
        namespace = next((name for start, name in reversed(starts) if start < match.start()), "")
        if namespace not in NAMESPACES_OF_OTHERS:
            yield file.code.count("\n", 0, match.start()) + 1, match[1] or match[2], match[3]


def rule_one_name(tree):
    """one-name: no two types of namespaces have one name"""
    first = {}
    for file in tree.files:
        if file.suffix != ".hpp" or file.parts[0] not in TYPE_FOLDERS or file.is_test:
            continue
        for line, name, alias in types_of(file):
            path, meaning = first.setdefault(name, (file.path, alias))
            if path != file.path and name not in FORMS and not (alias and alias == meaning):
                yield file.path, line, f"'{name}' is another type in {path}; name each by what it is"


RULES = [rule_plain_names, rule_last_words, rule_parameter_names, rule_one_name]
