# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of the check of documents: blocks are found, and a wrong one of each sort is refused.

import os
import sys
import unittest

from docs import Checker, blocks_of
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import suite  # noqa: E402

ROOT, BUILD, CXX, CC = sys.argv[1:5]


def wrong(text):
    """The problem that the checker finds in the only block of `text`."""
    (block,) = blocks_of("a.md", text)
    return Checker(ROOT, BUILD, CXX, CC).check(block)


class Documents(unittest.TestCase):
    def test_blocks_are_found(self):
        found = blocks_of("a.md", "x\n```cpp ranks=3\nint a;\n```\ny\n```text\n| |\n```\n")
        self.assertEqual([(b.line, b.language, b.text) for b in found],
                         [(2, "cpp", "int a;\n"), (6, "text", "| |\n")])
        self.assertEqual(found[0].option("ranks", "1"), "3")

    def test_code_that_does_not_compile_is_refused(self):
        self.assertIn("error", wrong("```cpp\nint a = ;\n```\n"))
        self.assertIn("error", wrong("```c\nint a = ;\n```\n"))

    def test_a_program_that_fails_is_refused(self):
        self.assertIn("exit code", wrong("```cpp ranks=2\nint main() { return 1; }\n```\n"))
        self.assertEqual("", wrong("```cpp ranks=2\nint main() {}\n```\n"))

    def test_commands_that_do_not_exist_are_refused(self):
        self.assertIn("does not know", wrong("```sh\n./dev fly\n```\n"))
        self.assertIn("not in bin/", wrong("```sh\nbuild/release/bin/nothing\n```\n"))
        self.assertIn("no option", wrong("```sh\natoll run --fly ./app\n```\n"))
        self.assertIn("unchecked", wrong("```sh\nfrobnicate\n```\n"))
        self.assertIn("exit code", wrong("```sh\nif\n```\n"))
        self.assertEqual("", wrong("```sh\n./dev demo && atoll run -n 4 ./app --own-option\n```\n"))

    def test_a_command_that_fails_is_refused_when_run(self):
        self.assertIn("exit code", wrong("```sh run\ncat missing\n```\n"))

    def test_a_quotation_must_be_true(self):
        self.assertEqual("", wrong("<!-- from: CMakeLists.txt -->\n```cmake\nadd_subdirectory(atoll)\n```\n"))
        self.assertIn("do not stand", wrong("<!-- from: CMakeLists.txt -->\n```cmake\nnot_there()\n```\n"))
        self.assertIn("needs", wrong("```cmake\nadd_subdirectory(atoll)\n```\n"))

    def test_an_output_must_be_what_the_command_prints(self):
        shown = "<!-- output: echo one two -->\n```text\n{}\n```\n"
        self.assertEqual("", wrong(shown.format("one two")))
        self.assertIn("something else", wrong(shown.format("two one")))
        self.assertIn("exit code", wrong("<!-- output: cat missing -->\n```text\nx\n```\n"))

    def test_lines_of_ranks_may_take_turns_in_any_order(self):
        shown = "<!-- output: printf 'b\\na\\n' -->\n```text\n{}\n```\n"
        self.assertEqual("", wrong(shown.format("a\nb")))
        self.assertIn("something else", wrong(shown.format("a")))


if __name__ == "__main__":
    suite.main(sys.argv[:1])
