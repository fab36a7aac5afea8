# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of the tidy rules: a small good tree passes, and each rule finds a sample that breaks it.
# A rule without a bad sample here fails the last test, so every rule is known to find something.

import pathlib
import sys
import tempfile
import unittest

import sizes
import tidy
from tree import Tree, split_code
sys.path.append(str(pathlib.Path(__file__).resolve().parent / "../support"))
import suite  # noqa: E402

OPENING = "// SPDX-License-Identifier: BSD-3-Clause\n//\n// A rank.\n// Its number never changes.\n"
HEADER = OPENING + "#pragma once\n"

GOOD = {
    "CMakeLists.txt": "# SPDX-License-Identifier: BSD-3-Clause\nadd_subdirectory(atoll)\n",
    "README.md": "# Good\n\nSee [the runtime](atoll/README.md#what-it-is), `[not](a-link)`.\n",
    "atoll/CMakeLists.txt": "# SPDX-License-Identifier: BSD-3-Clause\nx(base/rank.cpp core/put.cpp)\n",
    "atoll/README.md": "# Runtime\n\n## What it is\n",
    "atoll/base/README.md": "# base\n\n| `rank.hpp` | a rank |\n",
    "atoll/base/rank.hpp": HEADER + "#include <cstdint>\n",
    "atoll/base/rank.cpp": OPENING + "#include <atoll/base/rank.hpp>\n",
    "atoll/core/README.md": "# core\n",
    "atoll/core/put.cpp": OPENING + """#include <atoll/base/rank.hpp>

#include <string>
namespace atoll {
std::uint32_t bits(std::string_view text);  // the first from rank.hpp, the second with <string>
// Nothing is left in /dev/shm; getenv is not called here.
int put(int target, int bytes) {
  const char* text = "getenv // not a comment";
  return target + bytes + text[0];
}
}  // namespace atoll
""",
}


SUITE = {"tests/core/CMakeLists.txt": "# SPDX-License-Identifier: BSD-3-Clause\natoll_register(core)\n"}


def long_function(lines):
    return "void f() {\n" + "  g();\n" * (lines - 2) + "}\n"


# Rule -> samples, each a set of files laid over the good tree.
BAD = {
    "includes": [
        {"atoll/core/put.cpp": OPENING + "#include <vector>\nstd::string name();\n"},
        {"atoll/core/put.cpp": OPENING + "#include <atoll/base/rank.hpp>\nstd::vector<int> bytes();\n"},
        {"atoll/core/put.cpp": OPENING + "#include <algorithm>\nauto all() { return std::views::iota(3); }\n"},
        {"atoll/core/put.cpp": OPENING + "void end() { ::_exit(1); }\n"},
    ],
    "layering": [
        {"atoll/base/rank.cpp": OPENING + "#include <atoll/core/put.hpp>\n"},
        {"atoll/base/rank.cpp": OPENING + '#include "rank.hpp"\n'},
        {"atoll/core/put.cpp": OPENING + "#include <front/gex/am.hpp>\n"},
        {"atoll/core/put.cpp": OPENING + "#include <gasnetex.h>\n"},
        {"atoll/core/put.cpp": OPENING + "#include <atoll/common/rank.hpp>\n"},
        {"atoll/core/put.cpp": OPENING + "#include <tests/support/ranks.hpp>\n"},
        {"atoll/core/rma/put.hpp": OPENING + "#pragma once\n#include <atoll/core/team/team.hpp>\n"},
        {"atoll/core/rma/put.hpp": OPENING + "#pragma once\n#include <atoll/core/job/runtime.hpp>\n"},
        {"atoll/core/rma/put.cpp": OPENING + "#include <atoll/core/job/router.hpp>\n"},
        {"front/gex/am.cpp": OPENING + "#include <atoll/core/job/core_access.hpp>\n"},
        {"front/gex/am.cpp": OPENING + "#include <front/upcxx/future.hpp>\n"},
        {"front/gex/am.cpp": OPENING + "#include <apps/spin/chain.hpp>\n"},
        {"atoll/transport/shm/a.cpp": OPENING + "#include <atoll/transport/loop/context.hpp>\n"},
        {"atoll/core/put.cpp": OPENING + "#include <nlohmann/json.hpp>\n"},
        {"atoll/core/put.cpp": OPENING + "#include <mpi.h>\n"},
        {"apps/spin/spin.cpp": OPENING + "#include <boost/any.hpp>\n"},
    ],
    "function-size": [
        {"atoll/core/put.cpp": OPENING + long_function(71)},
        {"atoll/core/put.cpp": OPENING + "namespace a {\nclass b {\n" + long_function(71) + "};\n}\n"},
        {"atoll/core/put.cpp": OPENING + "b::b()\n    : c_{1},\n      d_(2) {" + "\n" * 70 + "}\n"},
        {"atoll/core/put.cpp": OPENING + "bool b::operator==(const b& c) {" + "\n" * 70 + "}\n"},
    ],
    "parameters": [
        {"atoll/core/put.cpp": OPENING + "void f(int a, int b, int c, int d, int e, int g) {}\n"},
        {"atoll/core/put.cpp": OPENING + "void f(int a, m<int, 2> b, int c, int d, int e, int g) {}\n"},
    ],
    "file-size": [{"atoll/core/put.cpp": OPENING + "\n" * 1000}],
    "conditionals": [{"atoll/core/put.cpp": OPENING + "#ifdef HAVE_SHM\n#endif\n"}],
    "banned-words": [
        {"atoll/core/put.cpp": OPENING + 'auto x = std::getenv("HOME");\n'},
        {"atoll/core/put.cpp": OPENING + 'auto x = open("/dev/shm/atoll", 0);\n'},
        {"atoll/core/put.cpp": OPENING + "auto x = shm_open(name, 0, 0);\n"},
        {"atoll/core/put.cpp": OPENING + "__attribute__((constructor)) void join();\n"},
        {"atoll/core/put.cpp": OPENING + "[[gnu::constructor]] void join();\n"},
        {"atoll/core/put.cpp": OPENING + "using namespace std;\n"},
        {"atoll/core/put.cpp": OPENING + "#include <bits/stdc++.h>\n"},
        {"atoll/core/put.cpp": OPENING + "// TO" + "DO: later\n"},
        {"atoll/core/put.cpp": OPENING + 'int x = std::system("ls");\n'},
        {"HISTORY.md": "FIX" + "ME\n"},
    ],
    "remedies": [
        {"atoll/core/put.cpp": OPENING + 'auto x = "allocate less, or raise ATOLL_HEAP_LIMIT";\n',
         "atoll/core/settings.hpp": OPENING + '#pragma once\nrow x{.name = "ATOLL_SEGMENT_LIMIT"};\n'},
    ],
    "type-names": [
        {"atoll/core/put.cpp": OPENING + "struct rank_t {};\n"},
        {"atoll/core/put.cpp": OPENING + "using rank_t = int;\n"},
        {"atoll/core/put.cpp": OPENING + "class put_impl final {};\n"},
    ],
    "commented-out": [
        {"atoll/core/put.cpp": OPENING + "// finish(put);\n"},
        {"atoll/core/put.cpp": OPENING + "// if (done) {\n"},
        {"atoll/core/put.cpp": OPENING + "// return nothing;\n"},
    ],
    "plain-names": [
        {"atoll/core/put.cpp": OPENING + "void f(int at, int mine) { at = mine + at + mine + at; }\n"},
        {"tools/x.py": "# SPDX-License-Identifier: BSD-3-Clause\n#\n# Runs x.\nthere = here = what = how = 1\nmine = there\n"},
    ],
    "last-words": [
        {"atoll/core/put.cpp": OPENING + "int ranks_here = 1;\n"},
        {"atoll/core/put.cpp": OPENING + "bool is_present_there(int rank);\n"},
        {"tools/x.py": "# SPDX-License-Identifier: BSD-3-Clause\n#\n# Runs x.\nis_mine = 1\n"},
    ],
    "parameter-names": [
        {"atoll/core/put.cpp": OPENING + "int f(const bytes& address_);\n"},
        {"atoll/core/put.cpp": OPENING + "int f(int target, std::span<int> source_, int);\n"},
        {"atoll/core/put.cpp": OPENING + "auto f = [](int rank_) { return 1; };\n"},
    ],
    "one-name": [
        {"atoll/base/rank.hpp": HEADER + "namespace atl {\nstruct plan {};\n}\n",
         "front/gex/am.hpp": HEADER + "namespace atl::gex {\nenum class plan : char { a };\n}\n"},
        {"atoll/base/rank.hpp": HEADER + "namespace atl {\ntemplate <class T>\nclass plan final : base {\n};\n}\n",
         "tools/run/run.hpp": HEADER + "namespace atl::tools {\nusing plan = std::vector<int>;\n}\n"},
    ],
    "plain-sentences": [
        {"atoll/core/put.cpp": OPENING + "// Who leaves the wait wakes the next one.\n"},
        {"atoll/core/put.cpp": OPENING + "/// Puts. What is sent after\n/// that comes later.\n"},
        {"atoll/core/README.md": "# core\n\nWhatever the sender holds back is lost.\n"},
        {"tools/x.py": "# SPDX-License-Identifier: BSD-3-Clause\n#\n# Runs x.\n# Whose turn it is decides all.\n"},
        {"tools/x.py": "# SPDX-License-Identifier: BSD-3-Clause\n#\n# Runs x.\ndef f():\n    \"\"\"What it is.\"\"\"\n"},
        {"tools/x.py": "# SPDX-License-Identifier: BSD-3-Clause\n#\n# Runs x.\nx = 1  # What it is.\n"},
        {"docs/a.f90": "! SPDX-License-Identifier: BSD-3-Clause\nx = 1 ! What runs in raises it.\n"},
        {"docs/a.upc": "// SPDX-License-Identifier: BSD-3-Clause\n// What all share.\n"},
        {"dev": "#!/bin/sh\n# What it runs is logged.\n"},
        {"atoll/core/README.md": "# core\n\nWhat runs it.\n"},
    ],
    "opening": [
        {"atoll/core/put.cpp": "int x;\n"},
        {"atoll/core/put.cpp": "// SPDX-License-Identifier: BSD-3-Clause\nint x;\n"},
        {"atoll/core/put.cpp": "// SPDX-License-Identifier: BSD-3-Clause\n//\n// Put.\n" + "\n" * 120},
        {"atoll/core/put.cpp": OPENING + "// More.\n" * 30},
        {"atoll/CMakeLists.txt": "x(base/rank.cpp core/put.cpp)\n"},
    ],
    "merge-marks": [
        {"atoll/core/README.md": "# core\n\n" + "<" * 7 + " HEAD\none\n=======\nother\n"},
        {"atoll/core/README.md": "# core\n\nother\n" + ">" * 7 + " 1fa28524 (a commit)\n"},
    ],
    "folders": [
        {"atoll/core/utils/README.md": "# drawer\n"},
        {"tests/detail/a.md": "# drawer\n"},
        {"atoll/core/put/direct/README.md": "# too deep\n"},
    ],
    "readmes": [
        {"atoll/trace/CMakeLists.txt": "# SPDX-License-Identifier: BSD-3-Clause\n"},
        {"atoll/core/README.md": "# core\n" + "line\n" * 60},
    ],
    "named-headers": [
        {"atoll/base/README.md": "# base\n"},
        {"atoll/base/README.md": "# base\n\n`frank.hpp`, `rank-like`\n"},
    ],
    "named-suites": [
        {"tests/README.md": "# tests\n\n| `core/` | puts |\n\n| suite | alone |\n|---|---|\n", **SUITE},
        {"tests/README.md": "# tests\n\n| `coll/` | sums |\n\n| `core/` | a rank |\n", **SUITE},
        {"tests/README.md": "# tests\n\n| `core/`, `old/` | puts |\n\n| `core/` | a rank |\n", **SUITE},
    ],
    "header-guard": [{"atoll/base/rank.hpp": OPENING + "#include <cstdint>\n"}],
    "dead-files": [
        {"atoll/core/get.cpp": OPENING},
        {"atoll/core/get.hpp": HEADER},
        {"atoll/core/input.cpp": OPENING},  # not the put.cpp that is mentioned
    ],
    "test-names": [
        {"tests/core/put.py": "# SPDX-License-Identifier: BSD-3-Clause\n# Tests puts.\n# Of one rank.\n",
         "tests/coll/put.py": "# SPDX-License-Identifier: BSD-3-Clause\n# Tests puts.\n# Of one rank.\n"},
        {"atoll/base/put_test.cpp": OPENING, "atoll/core/put_test.cpp": OPENING},
    ],
    "links": [
        {"README.md": "[x](missing.md)\n"},
        {"README.md": "[x](atoll/README.md#no-such-heading)\n"},
        {"README.md": "![picture](docs/demo.svg)\n"},
    ],
}


def fired(files):
    """The names of the rules that a tree of these files breaks."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            full = pathlib.Path(folder) / path
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text, encoding="utf-8")
        return {rule for _, _, rule, _ in tidy.offences(Tree(folder))}


class TidyRules(unittest.TestCase):
    def test_a_good_tree_passes(self):
        self.assertEqual(fired(GOOD), set())

    def test_each_rule_fires_on_each_bad_sample(self):
        for rule, samples in BAD.items():
            for sample in samples:
                with self.subTest(rule=rule, sample=sample):
                    self.assertIn(rule, fired(GOOD | sample))

    def test_every_rule_has_a_bad_sample(self):
        self.assertEqual({tidy.rule_name(rule) for rule in tidy.RULES}, set(BAD))


class Allowed(unittest.TestCase):
    """Code that looks like an offence and is none."""

    def test_settings_read_the_environment(self):
        extra = {"atoll/base/settings.cpp": OPENING + 'auto x = getenv("A");\n',
                 "atoll/CMakeLists.txt": "# SPDX-License-Identifier: BSD-3-Clause\n"
                                         "x(base/rank.cpp base/settings.cpp core/put.cpp)\n"}
        self.assertEqual(fired(GOOD | extra), set())

    def test_a_table_of_initialisers_is_no_function(self):
        table = "const row rows[] = {\n" + "    {f(1), 2},\n" * 80 + "};\n"
        self.assertEqual(fired(GOOD | {"atoll/core/put.cpp": OPENING + table}), set())

    def test_a_class_of_many_short_functions_is_no_long_function(self):
        body = "class c {\n public:\n" + "  int f(int a) const { return a; }\n" * 90 + "};\n"
        self.assertEqual(fired(GOOD | {"atoll/core/put.cpp": OPENING + body}), set())

    def test_types_of_one_name(self):
        first = HEADER + "namespace atl {\nstruct a {\n  struct plan {};\n};\nstruct context {};\nstruct team {};\nusing b = int;\n}\n"
        other = HEADER + "namespace atl {\nstruct a;\nstruct plan {};\nstruct context {};\nusing b = int;\n}\n" \
            "namespace upcxx {\nclass team {};\n}\n"
        found = fired(GOOD | {"atoll/base/rank.hpp": first, "tools/run/run.hpp": other})
        self.assertNotIn("one-name", found)

    def test_members_as_arguments(self):
        calls = "int f() {\n  g(a * b_, c && d_, sizeof e_);\n  return h(k_, *p_, &q_);\n}\n"
        self.assertEqual(fired(GOOD | {"atoll/core/put.cpp": OPENING + calls}), set())

    def test_a_test_whose_name_is_a_sentence(self):
        self.assertEqual(fired(GOOD | {"atoll/core/put.cpp": OPENING + "void says_what_is_there();\n"}), set())

    def test_a_function_of_seventy_lines(self):
        self.assertEqual(fired(GOOD | {"atoll/core/put.cpp": OPENING + long_function(70)}), set())


class Scanner(unittest.TestCase):
    def test_literals_and_comments_are_told_apart(self):
        code, comments, _ = split_code("a = \"//x\"; // b 'c\nR\"(\"})\" 1'000 '\\'' /* d */ e\n")
        self.assertNotIn("x", code)
        self.assertNotIn("b", code)
        self.assertIn("e", code)
        self.assertIn("1'000", code)
        self.assertIn("d", comments)
        self.assertNotIn("}", code)

    def test_functions_are_found(self):
        code = ("namespace n {\nstruct s {\n  s() : a{1}, b{2} {}\n  int a, b;\n};\n"
                "template <class T>\n  requires(sizeof(T) > 1)\nvoid f(T t, int u = g(1)) {\n"
                "  if (t) { h(); }\n}\nauto k = [] { return 1; };\n}\n")
        found = [(first, last) for first, _, last, _ in sizes.functions(code)]
        self.assertEqual(found, [(3, 3), (6, 10)])


if __name__ == "__main__":
    suite.main()
