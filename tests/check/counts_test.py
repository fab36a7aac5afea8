#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Which tests count as passed, failed and skipped. `./dev check` runs in a folder of its own, with
# scripts in place of cmake, ctest and the package manager that print the text that a test chooses.
# Usage: counts_test.py ROOT SKIPPING [unittest arguments].
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import suite  # noqa: E402

ROOT, SKIPPING = sys.argv[1:3]

# For the preset release it prints the files `first` and `again`; for other presets it reports one test passed.
CTEST = """#!/bin/sh
log=build/$2/Testing/Temporary/LastTest.log
mkdir -p "${log%/*}"
output=$PWD/first
case " $* " in *" --rerun-failed "*) output=$PWD/again ;; esac
if [ "$2" != release ]; then
  echo "100% tests passed, 0 tests failed out of 1"
  : >"$log"
  exit 0
fi
cp "$PWD/log" "$log"
cat "$output"
! grep -q "FAILED" "$output"
"""


def summary(failed, total):
    text = f"{100 * (total - failed) // total}% tests passed, {failed} tests failed out of {total}\n"
    return text + ("The following tests FAILED:\n" if failed else "")


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="atoll-check-")
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(os.path.join(ROOT, "dev"), self.folder)
        for name in ("cmake", "shellcheck", "clang-format-19", "clang++-19"):
            self.write(f"bin/{name}", "#!/bin/sh\n")
        self.write("bin/dpkg-query", "#!/bin/sh\nprintf 'ii '\n")
        self.write("bin/ctest", CTEST)
        self.write("a.cpp", "")
        os.makedirs(os.path.join(self.folder, "build/vendor"))  # so that no headers are fetched

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as made:
            made.write(text)
        os.chmod(path, 0o755)

    def check(self, first, again="", log=""):
        """The exit status of the check, and its output. Six steps and two tests pass beside the release."""
        for name, text in (("first", first), ("again", again), ("log", log)):
            self.write(name, text)
        done = subprocess.run(["./dev", "check"], cwd=self.folder, text=True, capture_output=True,
                              env={**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        return done.returncode, done.stdout + done.stderr

    def closes_with(self, output, line):
        self.assertEqual(output.splitlines()[-1], line, output)

    def test_what_passes(self):
        status, output = self.check(summary(0, 10))
        self.closes_with(output, "17 passed, 0 failed")
        self.assertEqual(status, 0)

    def test_what_fails_twice(self):
        status, output = self.check(summary(3, 10), summary(3, 3))
        self.closes_with(output, "14 passed, 3 failed")
        self.assertEqual(status, 1)
        self.assertNotIn("UNSTEADY", output)

    def test_what_fails_once_is_unsteady_and_has_failed(self):
        status, output = self.check(summary(3, 10), summary(1, 3))
        self.closes_with(output, "14 passed, 3 failed")
        self.assertEqual(status, 1)
        self.assertIn("UNSTEADY test-release: 2 of 3 failed beside others and passed by themselves", output)
        self.assertIn("\n2 of the failed passed when run by themselves: unsteady, see above\n", output)
        status, output = self.check(summary(1, 10), summary(0, 1))
        self.closes_with(output, "16 passed, 1 failed")
        self.assertEqual(status, 1)

    def test_what_is_skipped_has_not_passed(self):
        first = ("1/10 Test #1: whole ......***Skipped 0.1 sec\n2/10 Test #2: part ..... Passed 0.1 sec\n" +
                 summary(0, 10))
        log = ("1/10 Testing: whole\nskipped: all of it: no moon\n"
               "2/10 Testing: part\nskipped: a case: no sun\nskipped: a case: no sun\n")
        status, output = self.check(first, log=log)
        self.closes_with(output, "16 passed, 0 failed, 3 skipped")
        self.assertEqual(status, 0)
        self.assertIn("\nskipped all of it: no moon\n", output)


class Python(unittest.TestCase):
    PREAMBLE = ("import sys, unittest\nsys.path.append(sys.argv.pop(1))\nimport suite\n"
                "class Some(unittest.TestCase):\n")
    PASSES = "  def test_a(self): pass\n"
    FAILS = "  def test_b(self): self.fail()\n"
    SKIPS = "  def test_c(self): self.skipTest('no moon')\n"
    SKIPS_ALL = "  @classmethod\n  def setUpClass(cls): raise unittest.SkipTest('no moon')\n"

    def status(self, *cases):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as made:
            made.write(self.PREAMBLE + "".join(cases) + "  pass\nsuite.main()\n")
            made.flush()
            done = subprocess.run([sys.executable, "-B", made.name, os.path.dirname(suite.__file__)],
                                  text=True, capture_output=True)
            return done.returncode, done.stdout

    def test_endings(self):
        self.assertEqual(self.status(self.PASSES), (0, ""))
        self.assertEqual(self.status(self.PASSES, self.SKIPS), (0, "skipped: Some.test_c: no moon\n"))
        self.assertEqual(self.status(self.SKIPS), (77, "skipped: Some.test_c: no moon\n"))
        self.assertEqual(self.status(self.PASSES, self.SKIPS_ALL),
                         (77, "skipped: setUpClass (Some): no moon\n"))
        self.assertEqual(self.status(self.FAILS, self.SKIPS)[0], 1)
        self.assertEqual(self.status()[0], 1, "nothing was run")

    def test_endings_of_several_suites(self):
        self.assertEqual(suite.status_of_all([0, 77, 0]), 0)
        self.assertEqual(suite.status_of_all([77, 77]), 77)
        for failed in (1, -9, 2):
            self.assertEqual(suite.status_of_all([77, failed, 0]), 1)


class GoogleTest(unittest.TestCase):
    def status(self, cases):
        done = subprocess.run([SKIPPING, f"--gtest_filter={cases}"], text=True, capture_output=True)
        return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("skipped: ")]

    def test_endings(self):
        skipped = ["skipped: cases.are_skipped: there is no moon"]
        self.assertEqual(self.status("*.pass"), (0, []))
        self.assertEqual(self.status("*.pass:*.are_skipped"), (0, skipped))
        self.assertEqual(self.status("*.are_skipped"), (77, skipped))
        self.assertEqual(self.status("*.fail:*.are_skipped"), (1, skipped))


if __name__ == "__main__":
    suite.main(sys.argv[:1] + sys.argv[3:])
