#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the files of an app that draws: figures and pictures are each written when the other cannot be, and the exit
# code is that of a refusal. A picture of a variant that records nothing is refused.
#
#     files_test.py LAUNCHER PROGRAM [VARIANT]      VARIANT: one that records nothing

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LAUNCHER, PROGRAM = sys.argv[1:3]
SILENT = sys.argv[3] if len(sys.argv) > 3 else ""


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def refused(self, *words):
        done = subprocess.run([LAUNCHER, "run", "-n", "2", PROGRAM, "--size", "40", "--rounds", "1", "--quiet", *words],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr

    def test_figures_are_written_when_the_picture_cannot_be(self):
        path = self.folder / "m.json"
        self.assertIn("--png /dev/full: the file was not written", self.refused("--json", path, "--png", "/dev/full"))
        self.assertTrue(json.loads(path.read_text(encoding="utf-8"))["variants"])

    def test_the_picture_is_drawn_when_figures_cannot_be_written(self):
        path = self.folder / "m.png"
        self.assertIn("--json /dev/full: ", self.refused("--json", "/dev/full", "--png", path))
        self.assertEqual(path.read_bytes()[1:4], b"PNG")

    def test_files_that_cannot_be_written_are_refused_before_the_work(self):
        for wanted, other in (("--png", "--json"), ("--json", "--png")):
            path = self.folder / "other"
            said = self.refused(wanted, "/nowhere/x", other, path)
            self.assertIn(f"{wanted} /nowhere/x: the file cannot be written: No such file or directory; name a file", said)
            self.assertFalse(path.exists())
        self.assertIn(f"--json {self.folder}: the file cannot be written: Is a directory",
                      self.refused("--json", self.folder))

    def test_a_picture_that_cannot_be_written_removes_nothing(self):
        path = self.folder / "full"
        path.symlink_to("/dev/full")
        self.assertIn(f"--png {path}: the file was not written", self.refused("--png", path))
        self.assertTrue(path.is_symlink())

    def test_a_report_that_cannot_be_written_is_told(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([LAUNCHER, "run", "-n", "2", PROGRAM, "--size", "40", "--rounds", "1"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the report cannot be written; is the disk full?", done.stderr)

    @unittest.skipUnless(SILENT, "all variants record")
    def test_a_variant_that_records_nothing_is_refused(self):
        path = self.folder / "m.png"
        self.assertIn(f"--png {path}: the variant {SILENT} records no schedule; name another first",
                      self.refused("--variants", SILENT, "--png", path))
        self.assertFalse(path.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
