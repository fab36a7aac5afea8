#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Every header stands alone: compiles each by itself, with the warnings of the tree as errors, and
# headers of C interfaces both as C99 and as C++. Headers that <upcxx/upcxx.hpp> includes must
# compile as C++17 too. A header that some source includes before anything else is compiled alone
# by the build already, with the same warnings, and is not compiled again if it has no line that looks at the
# language: programs in C++17 compile it through <upcxx/upcxx.hpp>. One that compiles as C++17 and has no such
# line is not compiled as C++20. Runs one compiler per core. Headers for MPI programs and for Clang are left out: whether they compile depends on what
# is installed.
#
#   headers.py ROOT CXX CC

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tree import Tree

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-Wno-missing-field-initializers"]

LANGUAGE = re.compile(r"^ *# *(if|elif)\b.*(__cplusplus|__cpp_|__has_include|ATOLL_HAS_)", re.MULTILINE)

BUILT = ("apps", "atoll", "bench", "front", "tools")  # each source there belongs to a target


def include_flags(tree):
    folders = sorted({"/".join(f.parts[:3]) for f in tree.files if f.is_dictated})
    return [f"-I{tree.root}"] + [f"-I{tree.root}/{folder}" for folder in folders]


def spelling(file):
    """How programs include a header."""
    return "/".join(file.parts[3:]) if file.is_dictated else file.path


def for_cxx17(headers):
    """Spellings of the headers that programs in C++17 include, directly or through others."""
    included = {spelling(f): re.findall(r"#include <([^>]+)>", f.text) for f in headers}
    found, more = set(), {"upcxx/upcxx.hpp"}
    while more:
        found |= more
        more = {each for file in more for each in included[file] if each in included} - found
    return found


def compiled_by_build(files):
    """Spellings of the headers that some source includes before any other directive."""
    found = set()
    for file in files:
        if file.suffix == ".cpp" and file.parts[0] in BUILT:
            first = re.search(r"^ *# *(.*)$", file.text, re.MULTILINE)
            found |= set(re.findall(r"^include <([^>]+)>$", first[1]) if first else [])
    return found


def commands(file, includes, compilers, cxx17, built):
    """The compiler calls that a header must survive; a C header is included by both languages."""
    cxx, cc = compilers
    flags = [*WARNINGS, *includes, "-fsyntax-only", "-DGASNET_PAR=1"]
    is_built, looks = spelling(file) in built, LANGUAGE.search(file.text)
    if not is_built and (spelling(file) not in cxx17 or looks):
        yield [cxx, "-std=c++20", *flags]
    if spelling(file) in cxx17 and (not is_built or looks):  # a warning that only the umbrella turns off
        yield [cxx, "-std=c++17", *flags, "-Wno-c++20-attribute-extensions"]
    if file.suffix == ".h":
        yield [cc, "-std=c99", *flags]


def check(file, tree, compilers, cxx17, built):
    """The compilers' complaints about this header alone; empty when they accept it."""
    said = ""
    spelled = spelling(file)
    for command in commands(file, include_flags(tree), compilers, cxx17, built):
        suffix = ".cpp" if command[0] == compilers[0] else ".c"
        with tempfile.NamedTemporaryFile("w", suffix=suffix) as source:
            source.write(f"#include <{spelled}>\nextern int alone;\n")
            source.flush()
            answer = subprocess.run([*command, source.name], capture_output=True, text=True)
            said += answer.stderr if answer.returncode else ""
    return said


def for_foreign(headers):
    """Paths of the headers that include mpi.h or those of Clang, directly or through others."""
    found = {"mpi.h", "clang/AST/Type.h"}
    while True:
        more = {f.path for f in headers if any(f"<{path}>" in f.text for path in found)}
        if more <= found:
            return found
        found |= more


def main(root, cxx, cc):
    tree = Tree(root)
    headers = [f for f in tree.code() if f.is_header]
    foreign = for_foreign(headers)
    headers = [f for f in headers if f.path not in foreign]
    cxx17 = for_cxx17(headers)
    built = compiled_by_build(tree.code())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda file: check(file, tree, (cxx, cc), cxx17, built), headers))
    bad = [(file, said) for file, said in zip(headers, answers) if said]
    for file, said in bad:
        print(f"{file.path} does not stand alone:\n{said}")
    print(f"{len(headers)} headers ({len(cxx17)} in C++17 too, {len(built)} by the build), {len(bad)} that do not stand alone")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
