# SPDX-License-Identifier: BSD-3-Clause
#
# Translates one UPC file and compares the messages with those that the file expects, line by line:
#
#   shared int a[10];  // expect-error: multiple of THREADS
#
# `expect-warning` is the other kind; a line may expect several. Each complaint must be expected and each expected one
# must come, with these words in it. No message may show what the translator gives to Clang. A comment
# `// options: -T 3` near the top of the file is added to the command. A file that expects no error must be translated.
"""usage: upc_messages.py TRANSLATOR FILE..."""

import re
import subprocess
import sys

EXPECTED = re.compile(r"expect-(error|warning): (.*?)(?= // expect-|$)")
COMPLAINT = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?P<kind>fatal error|error|warning|note): (?P<text>.*)$")
INTERNAL = ("address_space", "address space", "btf_type_tag", "__upc", "1573477", "atoll-upc:", "a defect of")


def expectations(lines):
    found = []
    for number, line in enumerate(lines, 1):
        comment = line.partition("// expect-")
        if comment[1]:
            found += [(number, kind, words) for kind, words in EXPECTED.findall("expect-" + comment[2])]
    return found


def options(lines):
    for line in lines[:12]:
        if line.startswith("// options: "):
            return line[len("// options: "):].split()
    return []


def complaints(output):
    found = []
    for line in output.splitlines():
        match = COMPLAINT.match(line)
        if match and match["kind"] != "note":
            kind = "warning" if match["kind"] == "warning" else "error"
            found.append((int(match["line"]), kind, match["text"]))
    return found


def faults_of(file, run, lines):
    expected, given = expectations(lines), complaints(run.stderr)
    faults = []
    for number, kind, words in expected:
        match = next((each for each in given if each[:2] == (number, kind) and words in each[2]), None)
        if match is None:
            faults.append(f"line {number}: no {kind} says: {words}")
        else:
            given.remove(match)
    faults += [f"line {number}: not expected: {kind}: {text}" for number, kind, text in given]
    messages = [line for line in run.stderr.splitlines() if COMPLAINT.match(line)]
    faults += [f"shows '{word}': {line}" for word in INTERNAL for line in messages if word in line]
    wants_failure = any(kind == "error" for _, kind, _ in expected)
    if (run.returncode != 0) != wants_failure:
        faults.append(f"exit code {run.returncode}")
    return faults


def check(translator, file):
    with open(file, encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    command = [translator, *options(lines), "-ferror-limit=0", file, "-o", "/dev/null"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    faults = faults_of(file, run, lines)
    for fault in faults:
        print(f"{file}: {fault}")
    return not faults


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    results = [check(sys.argv[1], file) for file in sys.argv[2:]]
    print(f"{sum(results)} of {len(results)} files give the complaints that they expect")
    sys.exit(0 if all(results) else 1)


main()
