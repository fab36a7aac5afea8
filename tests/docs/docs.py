#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the documents are true: every fenced block of code in them is compiled, run or found
# in a file of the tree. The first line of a block says which:
#
#   ```cpp, ```c        a whole source: compiled with warnings as errors and, when it has main(),
#                       run on as many ranks as `ranks=N` says (1 without it)
#   ```sh               commands: their syntax, and that commands, options and files exist
#   ```sh run           the same, and run with the commands of this build in an empty folder
#   ```text             a drawing: not checked
#   ```text             preceded by <!-- output: COMMAND -->: the output of that command, with its
#                       lines in any order; skipped where the guide's programs are not built
#   ```LANGUAGE         preceded by <!-- from: PATH -->: the lines stand in that file
#
#   docs.py ROOT BUILD CXX CC

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```\s*(.*)$")
FROM = re.compile(r"^<!-- from: (\S+) -->$")
OUTPUT = re.compile(r"^<!-- output: (.+) -->$")
NOT_CODE = {"text"}
KNOWN_COMMANDS = {"git", "cd", "cmake", "ctest", "make", "export", "c++", "cc", "gcc", "g++",
                  "pkg-config", "apt-get", "sudo", "ls", "cat", "python3", "sh", "gdb", "echo",
                  "upcxx", "upcxx-run", "upcc", "upcrun"}  # these four are checked where the build has them
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-missing-field-initializers"]
RUN_LIMIT_S = 60


class Block:
    """One fenced block: where it starts, its first line's words, its text, and its origin, which the
    line before it names: the file that it quotes, the command that prints it."""

    def __init__(self, path, line, info, origin):
        self.path, self.line = path, line
        self.source, self.command = origin
        words = info.split()
        self.language = words[0] if words else ""
        self.words = words[1:]
        self.lines = []

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def option(self, name, default):
        return next((w.split("=")[1] for w in self.words if w.startswith(name + "=")), default)


def blocks_of(path, text):
    """All fenced blocks of one document."""
    block, origin, found = None, (None, None), []
    for number, line in enumerate(text.splitlines(), 1):
        fence, quoted, printed = FENCE.match(line), FROM.match(line), OUTPUT.match(line)
        if block is None and fence:
            block = Block(path, number, fence.group(1), origin)
        elif block is not None and line.strip() == "```":
            found.append(block)
            block, origin = None, (None, None)
        elif block is not None:
            block.lines.append(line)
        elif quoted:
            origin = (quoted.group(1), None)
        elif printed:
            origin = (None, printed.group(1))
        elif line.strip():
            origin = (None, None)
    if block is not None:
        raise SystemExit(f"{path}:{block.line}: this block is not closed")
    return found


class Checker:
    """Knows the tree and the build; each check returns what is wrong, or an empty string."""

    def __init__(self, root, build, cxx, cc):
        self.root, self.build = pathlib.Path(root).resolve(), pathlib.Path(build).resolve()
        self.cxx, self.cc = cxx, cc
        self.helps = {}
        self.skipped = 0
        path = f"{self.build / 'bin'}:{os.environ.get('PATH', '')}"
        self.environment = {**os.environ, "PATH": path}

    def answer(self, command, folder):
        """(the problem, the output of the command)."""
        try:
            answer = subprocess.run(command, cwd=folder, env=self.environment, text=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, timeout=RUN_LIMIT_S)
        except (OSError, subprocess.TimeoutExpired) as problem:
            return f"{problem}\n", ""
        failed = f"exit code {answer.returncode}:\n{answer.stdout}"
        return "" if answer.returncode == 0 else failed, answer.stdout

    def call(self, command, folder):
        return self.answer(command, folder)[0]

    @staticmethod
    def has_guide(folder, program):
        """Whether this build has the guide of a program: its folder, and in it programs of that name's
        first part, such as ./coarray_hello, for which a compiler may be missing."""
        guide, part, _ = program.removeprefix("./").partition("_")
        return folder.is_dir() and (not part or any(folder.glob(f"{guide}_*")))

    def printed(self, block):
        """Runs the command of an output, whose ./programs are the guides' in this build."""
        words = shlex.split(block.command)
        folder = self.build / "test" / "guide"
        if any(word.startswith("./") and not self.has_guide(folder, word) for word in words):
            self.skipped += 1
            return ""
        wrong, shown = self.answer(words, folder if folder.is_dir() else self.root)
        expected = sorted(line.rstrip() for line in block.lines)
        if wrong or sorted(line.rstrip() for line in shown.splitlines()) == expected:
            return wrong
        return f"'{block.command}' prints something else:\n{shown}"

    def compiled(self, block):
        cpp = block.language == "cpp"
        flags = ["-std=c++20"] if cpp else ["-std=gnu99", "-DGASNET_PAR=1"]
        includes = [f"-I{self.root}", f"-I{self.root}/front/gex/include",
                    f"-I{self.root}/front/upcxx/include"]
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / ("block.cpp" if cpp else "block.c")
            source.write_text(block.text, encoding="utf-8")
            command = [self.cxx if cpp else self.cc, *flags, *FLAGS, *includes, str(source)]
            if not re.search(r"\bmain\(", block.text):
                return self.call([*command, "-fsyntax-only"], folder)
            libraries = [f"-L{self.build}/lib", f"-Wl,-rpath,{self.build}/lib", "-latoll", "-pthread"]
            wrong = self.call([*command, "-o", "block", *libraries], folder)
            run = ["atoll", "run", "-n", block.option("ranks", "1"), "--timeout", "30", "./block"]
            return wrong or self.call(run, folder)

    def help_of(self, command):
        """The output of `command --help`; each command runs once."""
        if command not in self.helps:
            answer = subprocess.run([*command, "--help"], env=self.environment, text=True,
                                    stdin=subprocess.DEVNULL, capture_output=True)
            self.helps[command] = answer.stdout + answer.stderr
        return self.helps[command]

    def unknown_options(self, command, words):
        """Options among `words` that the command's help does not mention; stops at a program."""
        for word in words:
            option = word.split("=")[0]
            if re.match(r"--?[A-Za-z]", option):
                shown = re.escape(option)
                if not re.search(rf"(?<![\w-]){shown}(?![\w-])", self.help_of(command)):
                    return f"{' '.join(command)} has no option {option}\n"
            elif self.is_program(word):
                break
        return ""

    def is_program(self, word):
        """Whether a word of a command line is a program to start, by its path or from bin/."""
        return "/" in word or (self.build / "bin" / word).is_file()

    def command_line(self, words):
        name = words[0]
        if "=" in name and len(words) > 1:  # A=b command
            return self.command_line(words[1:])
        if name == "./dev":
            known = re.search(rf"^  {re.escape(words[1] if len(words) > 1 else '')}\b",
                              self.dev_help(), re.MULTILINE)
            return "" if known else f"'{' '.join(words)}': ./dev help does not know it\n"
        program = name.rsplit("/", 1)[-1]
        if name.startswith("build/") or name.endswith("bin/atoll") or (self.build / "bin" / name).exists():
            if not (self.build / "bin" / program).exists():
                return f"{name} is not in bin/ of the build\n"
            command = (program, words[1]) if program == "atoll" and len(words) > 1 else (program,)
            wrong = self.unknown_options(command, words[len(command):])
            inner = [i for i, w in enumerate(words) if i and self.is_program(w) and not w.startswith("./")]
            return wrong or (self.command_line(words[inner[0]:]) if inner else "")
        if name in KNOWN_COMMANDS or name.startswith(("./", "#")):
            return ""
        return f"'{name}' is no command that a document may use unchecked\n"

    def dev_help(self):
        if "dev" not in self.helps:
            answer = subprocess.run(["./dev", "help"], cwd=self.root, capture_output=True, text=True)
            self.helps["dev"] = answer.stdout
        return self.helps["dev"]

    def shell(self, block):
        wrong = self.call(["sh", "-n", "-c", block.text], self.root)
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            while words and not wrong:
                end = words.index("&&") if "&&" in words else len(words)
                wrong, words = self.command_line(words[:end]), words[end + 1:]
        if not wrong and "run" in block.words:
            with tempfile.TemporaryDirectory() as folder:
                wrong = self.call(["sh", "-e", "-c", block.text], folder)
        return wrong

    def quoted(self, block):
        if block.source is None:
            return f"'{block.language}' needs <!-- from: PATH --> before it, or to be text\n"
        path = self.root / block.source
        if not path.is_file():
            return f"{block.source} does not exist\n"
        document = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        part = [line.strip() for line in block.lines]
        starts = range(len(document) - len(part) + 1)
        found = any(document[start:start + len(part)] == part for start in starts)
        return "" if found else f"these lines do not stand in {block.source}\n"

    def check(self, block):
        if block.command is not None:
            return self.printed(block)
        if block.language in NOT_CODE:
            return ""
        if block.source is not None:
            return self.quoted(block)
        if block.language in ("cpp", "c"):
            return self.compiled(block)
        return self.shell(block) if block.language == "sh" else self.quoted(block)


def documents(root):
    skip = {"build", ".git"}
    return [p for p in sorted(root.rglob("*.md")) if not skip & set(p.relative_to(root).parts)]


def main(root, build, cxx, cc):
    checker = Checker(root, build, cxx, cc)
    count = bad = 0
    for path in documents(checker.root):
        for block in blocks_of(path.relative_to(checker.root), path.read_text(encoding="utf-8")):
            count += 1
            wrong = checker.check(block)
            if wrong:
                bad += 1
                print(f"{block.path}:{block.line}: {wrong}")
    skipped = f", {checker.skipped} of programs that this build leaves out" if checker.skipped else ""
    print(f"{count} blocks, {bad} wrong{skipped}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
