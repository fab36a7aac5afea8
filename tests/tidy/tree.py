# SPDX-License-Identifier: BSD-3-Clause
#
# The tree as the rules see it: its files, and for C and C++ the text with comments and literals
# blanked out, so that a rule about code does not trip over prose. Blanking keeps every line and
# column where it was. Files that git ignores do not count; without git, everything outside build/
# and hidden folders does.

import pathlib
import subprocess
from functools import cached_property

CODE = {".cpp", ".hpp", ".c", ".h"}
HEADERS = {".hpp", ".h"}
UPC = {".upc", ".uph"}  # C with keywords of its own, which no formatter and no rule about C++ knows
TEXT = CODE | UPC | {".py", ".sh", ".cmake", ".txt", ".md", ".in", ".json"}


def blank(text, start, end):
    """Spaces instead of everything but line ends."""
    return "".join(c if c == "\n" else " " for c in text[start:end])


def end_of_literal(text, start):
    """The offset after the string or character literal that begins at `start`."""
    quote = text[start]
    if quote == '"' and start > 0 and text[start - 1] == "R":
        mark = text[start + 1 : text.index("(", start)]
        return text.index(")" + mark + '"', start) + len(mark) + 2
    i = start + 1
    while i < len(text) and text[i] not in (quote, "\n"):
        i += 2 if text[i] == "\\" else 1
    return i + 1


def split_code(text):
    """(code, comments): both as long as `text`, each blank where the other is not."""
    code, comments, i = [], [], 0
    while i < len(text):
        two = text[i : i + 2]
        digit_separator = text[i] == "'" and i > 0 and text[i - 1].isalnum()
        if two in ("//", "/*"):
            end = text.find("\n" if two == "//" else "*/", i)
            end = len(text) if end < 0 else end + (0 if two == "//" else 2)
            code.append(blank(text, i, end))
            comments.append(text[i:end])
        elif text[i] in "\"'" and not digit_separator:
            end = min(end_of_literal(text, i), len(text))
            code.append(text[i] + blank(text, i + 1, end - 1) + text[end - 1 : end])
            comments.append(blank(text, i, end))
        else:
            end = i + 1
            code.append(text[i])
            comments.append("\n" if text[i] == "\n" else " ")
        i = end
    return "".join(code), "".join(comments)


def join_continued(code):
    """Blanks preprocessor lines, with those that continue them."""
    lines, continued = [], False
    for line in code.split("\n"):
        directive = continued or line.lstrip().startswith("#")
        continued = directive and line.rstrip().endswith("\\")
        lines.append("" if directive else line)
    return "\n".join(lines)


class SourceFile:
    """One file; `path` is relative to the root, with forward slashes."""

    def __init__(self, root, path):
        self.path = path
        self.parts = path.split("/")
        self.name = self.parts[-1]
        self.suffix = pathlib.PurePosixPath(path).suffix
        self._full = root / path

    @cached_property
    def text(self):
        return self._full.read_text(encoding="utf-8", errors="replace")

    @cached_property
    def lines(self):
        return self.text.splitlines()

    @cached_property
    def _split(self):
        return split_code(self.text)

    @property
    def code(self):
        return self._split[0]

    @property
    def comments(self):
        return self._split[1]

    @cached_property
    def code_without_directives(self):
        return join_continued(self.code)

    @property
    def is_code(self):
        return self.suffix in CODE

    @property
    def is_header(self):
        return self.suffix in HEADERS

    @property
    def is_test(self):
        stem = pathlib.PurePosixPath(self.path).stem
        return self.parts[0] == "tests" or stem.endswith(("_test", "_fuzz"))

    @property
    def is_dictated(self):
        """Headers whose names and shape a standard fixes: front/<model>/include/."""
        return self.parts[0] == "front" and "include" in self.parts[2:-1]


def names_by_git(root):
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return [name for name in answer.stdout.split("\0") if name]


def names_by_walk(root):
    found = []
    for path in root.rglob("*"):
        parts = path.relative_to(root).parts
        if path.is_file() and parts[0] != "build" and not any(p.startswith(".") for p in parts):
            found.append("/".join(parts))
    return found


class Tree:
    """All files of the repository below `root`."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        try:
            top = subprocess.run(["git", "-C", str(self.root), "rev-parse", "--show-toplevel"],
                                 capture_output=True, text=True, check=True).stdout.strip()
            by_git = pathlib.Path(top).resolve() == self.root
        except (OSError, subprocess.CalledProcessError):
            by_git = False
        names = names_by_git(self.root) if by_git else names_by_walk(self.root)
        self.files = [SourceFile(self.root, n) for n in sorted(set(names))
                      if (self.root / n).is_file()]
        self.by_path = {f.path: f for f in self.files}

    def code(self):
        return [f for f in self.files if f.is_code]
