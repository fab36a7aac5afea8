#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# `./dev demo` builds a part of the tree, after which `cmake --install` must find every file that it
# installs. The test asks Ninja which files it would build for that part and reads which files would be
# installed; it builds and installs nothing. Usage: package_parts_test.py BUILD NINJA TARGET
import pathlib
import re
import subprocess
import sys


def installed_files(build):
    """The files of the build tree's bin and lib that an install takes."""
    found = set()
    for script in build.rglob("cmake_install.cmake"):
        for command in re.findall(r"file\(INSTALL.*?\)\n", script.read_text(), re.DOTALL):
            found |= {path for path in re.findall(r'"([^"]+)"', command)
                      if re.match(re.escape(str(build)) + r"/(bin|lib)/[^/]+$", path)}
    return {str(pathlib.Path(path).relative_to(build)) for path in found}


def main():
    build, ninja, target = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    commands = subprocess.run([ninja, "-C", build, "-t", "commands", target], check=True, text=True,
                              capture_output=True).stdout
    made = {word.removeprefix(f"{build}/") for word in re.findall(r"[^\s'\"]+", commands)}
    wanted = {path for path in installed_files(build) if not (build / path).is_symlink()}
    if "bin/atoll" not in wanted:
        sys.exit("the scripts of the install were not understood: they install no bin/atoll")
    missing = sorted(path for path in wanted - made
                     if not any(word.startswith(path + ".") for word in made))
    if missing:
        sys.exit(f"{target} does not make {', '.join(missing)}, which an install would look for")
    print(f"{target} makes all {len(wanted)} files that are installed")


main()
