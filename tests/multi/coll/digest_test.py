#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the digest of the collective algorithms, by which records of `atoll tune` are told apart: it changes with every
# algorithm and with the built-in rules, and not with comments, tests and tables.
#
#     digest_test.py SOURCES DIGEST CMAKE   the folder of the project, and the digest that its build has written
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE = sys.argv[3]
SOURCES, BUILT = (pathlib.Path(each) for each in sys.argv[1:3])


class Digest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="atoll-digest-")
        self.addCleanup(folder.cleanup)
        self.output = pathlib.Path(folder.name, "digest.cpp")
        self.coll = pathlib.Path(folder.name, "coll")
        shutil.copytree(SOURCES / "atoll" / "coll", self.coll)
        self.usual = self.digest()

    def digest(self):
        subprocess.run([CMAKE, f"-DFOLDER={self.coll}", f"-DOUTPUT={self.output}", "-P", SOURCES / "cmake" / "digest.cmake"],
                       check=True, timeout=60)
        return self.of(self.output)

    def of(self, source):
        found = re.search(r'"([0-9a-f]{12})"', source.read_text())
        self.assertIsNotNone(found)
        return found.group(1)

    def changed(self, name, old, new):
        """The digest with another text in one file, which is as before afterwards."""
        source = self.coll / name
        content = source.read_text()
        self.assertIn(old, content)
        source.write_text(content.replace(old, new, 1))
        try:
            return self.digest()
        finally:
            source.write_text(content)

    def test_it_is_that_of_the_build(self):
        self.assertEqual(self.of(BUILT), self.usual)

    def test_it_changes_with_algorithms_and_rules(self):
        digests = {self.usual, self.changed("engine/recommended.cpp", ".size_max = ", ".size_max = 1 + "),
                   self.changed("engine/table.hpp", "depth_of_rings = 2", "depth_of_rings = 3"),
                   self.changed("message/broadcast.cpp", "{", "{;"), self.changed("shared/tree.hpp", "{", "{;"),
                   self.changed("hierarchical/reduce.cpp", "{", "{;"), self.changed("choice.hpp", "{", "{;")}
        self.assertEqual(len(digests), 7)
        (self.coll / "message" / "new.cpp").write_text("int telepathy;\n")
        self.assertNotIn(self.digest(), digests)

    def test_it_stays_with_comments_tests_and_tables(self):
        self.assertEqual(self.changed("message/broadcast.cpp", "\n//", "\n//  Another word."), self.usual)
        self.assertEqual(self.changed("message/broadcast.cpp", "{\n", "{ \n\n"), self.usual)
        self.assertEqual(self.changed("message/fork_tree_test.cpp", "{", "{;"), self.usual)
        self.assertEqual(self.changed("tuned/table.cpp", "{", "{;"), self.usual)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
