#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Headers stand alone: compiles each by itself, with the warnings of the tree as errors, and headers of C
# interfaces both as C99 and as C++. Headers that <upcxx/upcxx.hpp> includes must compile as C++17 too; those that ask
# the compiler for its language are compiled as C++20 as well, the others are not. Without --all only headers that
# programs name are compiled: the public ones, those of C interfaces, and those of the fronts that no other includes.
# Runs one compiler per core. Headers for MPI programs and for Clang are left out: whether they compile depends on
# what is installed.
#
#   headers.py ROOT CXX CC [--all]

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from includes import INCLUDE, spelling
from tree import Tree

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-Wno-missing-field-initializers"]

LANGUAGE = re.compile(r"^ *# *(if|elif)\b.*(__cplusplus|__cpp_|__has_include|ATOLL_HAS_)", re.MULTILINE)

def include_flags(tree):
    folders = sorted({"/".join(f.parts[:3]) for f in tree.files if f.is_dictated})
    return [f"-I{tree.root}"] + [f"-I{tree.root}/{folder}" for folder in folders]


def for_cxx17(headers):
    """Spellings of the headers that programs in C++17 include, directly or through others."""
    included = {spelling(f): INCLUDE.findall(f.text) for f in headers}
    found, more = set(), {"upcxx/upcxx.hpp"}
    while more:
        found |= more
        more = {each for file in more for each in included[file] if each in included} - found
    return found


def named_by_programs(headers, root):
    """The headers that programs include by name. UPC++'s main header is one, though others include it as well."""
    public = set(re.findall(r"^    (atoll/\S+)", (root / "cmake/public_headers.cmake").read_text(), re.MULTILINE))
    included = {each for file in headers for each in INCLUDE.findall(file.text)}
    return [file for file in headers if file.path in public or
            (file.is_dictated and (file.suffix == ".h" or spelling(file) not in included or
                                   file.name == "upcxx.hpp"))]


def commands(file, includes, compilers, cxx17):
    """The compiler calls that must accept a header; a C header must compile in both languages."""
    cxx, cc = compilers
    flags = [*WARNINGS, *includes, "-fsyntax-only", "-DGASNET_PAR=1"]
    if spelling(file) not in cxx17 or LANGUAGE.search(file.text):
        yield [cxx, "-std=c++20", *flags]
    if spelling(file) in cxx17:  # a warning that only the umbrella turns off
        yield [cxx, "-std=c++17", *flags, "-Wno-c++20-attribute-extensions"]
    if file.suffix == ".h":
        yield [cc, "-std=c99", *flags]


def check(file, tree, compilers, cxx17):
    """The compilers' messages about this header alone; empty when they accept it."""
    output = ""
    spelled = spelling(file)
    for command in commands(file, include_flags(tree), compilers, cxx17):
        suffix = ".cpp" if command[0] == compilers[0] else ".c"
        with tempfile.NamedTemporaryFile("w", suffix=suffix) as source:
            source.write(f"#include <{spelled}>\nextern int alone;\n")
            source.flush()
            answer = subprocess.run([*command, source.name], capture_output=True, text=True)
            output += answer.stderr if answer.returncode else ""
    return output


def for_foreign(headers):
    """Paths of the headers that include mpi.h or those of Clang, directly or through others."""
    found = {"mpi.h", "clang/AST/Type.h"}
    while True:
        more = {f.path for f in headers if any(f"<{path}>" in f.text for path in found)}
        if more <= found:
            return found
        found |= more


def main(root, cxx, cc, *words):
    tree = Tree(root)
    headers = [f for f in tree.code() if f.is_header]
    foreign = for_foreign(headers)
    headers = [f for f in headers if f.path not in foreign]
    cxx17 = for_cxx17(headers)
    if "--all" not in words:
        headers = named_by_programs(headers, tree.root)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda file: check(file, tree, (cxx, cc), cxx17), headers))
    bad = [(file, output) for file, output in zip(headers, answers) if output]
    for file, output in bad:
        print(f"{file.path} does not stand alone:\n{output}")
    print(f"{len(headers)} headers, {len(bad)} that do not stand alone")
    return 1 if bad or len(headers) < 50 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
