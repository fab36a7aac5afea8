# SPDX-License-Identifier: BSD-3-Clause
#
# The tree as the rules see it: its files, and for C and C++ the text with comments and literals
# blanked out, so that a rule about code does not match prose. Blanking keeps every line and column in
# its place. Files that git ignores are left out; without git, the tree is everything outside build/
# and hidden folders.

import pathlib
import re
import subprocess
from functools import cache, cached_property

CODE = {".cpp", ".hpp", ".c", ".h"}
HEADERS = {".hpp", ".h"}
UPC = {".upc", ".uph"}  # C with keywords of its own, which no formatter and no rule about C++ knows
TEXT = CODE | UPC | {".py", ".sh", ".cmake", ".txt", ".md", ".in", ".json"}


# A comment, a raw string, a string, a character. A quote after a letter or digit separates digits.
TOKEN = re.compile(r"""//[^\n]* | /\*.*?(?:\*/|\Z) | (?<=R)"([^(]*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*(?:"|\n|\Z) |
                       (?<![^\W_])'(?:\\.|[^'\\\n])*(?:'|\n|\Z)""", re.DOTALL | re.VERBOSE)
ANY_BUT_LINE_END = re.compile(r"[^\n]")


def blank(text):
    """Spaces instead of everything but line ends."""
    return ANY_BUT_LINE_END.sub(" ", text)


def split_code(text):
    """(code, comments, insides of literals): each as long as `text`, and blank where it is not."""
    code, comments, literals, end = [], [], [], 0
    for token in TOKEN.finditer(text):
        between, found, end = text[end : token.start()], token.group(), token.end()
        code.append(between)
        if found[0] == "/":
            code.append(blank(found))
            comments += (blank(between), found)
            literals.append(blank(between + found))
        else:
            inside = found[1:-1]
            code += (found[0], blank(inside), found[-1])
            comments.append(blank(between + found))
            literals += (blank(between + found[0]), inside, blank(found[-1]))
    code.append(text[end:])
    comments.append(blank(text[end:]))
    literals.append(blank(text[end:]))
    return "".join(code), "".join(comments), "".join(literals)


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

    @property
    def literals(self):
        return self._split[2]

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

    @cache
    def below(self, folder):
        return [f for f in self.files if f.path.startswith(folder + "/")]
