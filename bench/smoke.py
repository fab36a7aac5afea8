#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs a benchmark as a smoke test: it must end well and write a JSON file in which every case and
# every ratio has its figures. Times are not judged: the machine that runs this does other things.
#
#   smoke.py COMMAND [ARGUMENTS...]

import json
import os
import pathlib
import subprocess
import sys
import tempfile

FIGURES = ("median", "mad", "min", "max")


def problems(file):
    for key in ("benchmark", "implementation", "ranks", "rounds", "quick"):
        if key not in file:
            yield f"no '{key}'"
    if not file.get("cases"):
        yield "no cases"
    for case in file.get("cases", []):
        time = case.get("time_ns", {})
        if not all(isinstance(time.get(figure), (int, float)) for figure in FIGURES):
            yield f"case '{case.get('name')}' lacks figures"
        elif not 0 <= time["min"] <= time["median"] <= time["max"]:
            yield f"case '{case.get('name')}': {time} are not in order"
    names = {case.get("name") for case in file.get("cases", [])}
    for ratio in file.get("ratios", []):
        if not {ratio.get("over"), ratio.get("under")} <= names:
            yield f"a ratio of unknown cases: {ratio}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "figures.json")
        status = subprocess.run(sys.argv[1:] + ["--json", path], check=False).returncode
        if status != 0:
            return status
        found = list(problems(json.loads(pathlib.Path(path).read_text())))
    for each in found:
        print(each, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
