#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests `atoll tune` from end to end on two ranks with a small budget: measuring a table is interrupted and
# continued; the table is found and used by a later job, shown, compared and exported; a damaged one and one
# of another machine are ignored with a message, or end the job when the user names them; ranks with
# different tables report that, and none hangs.
#
#     tune_test.py ATOLL PROGRAM      a program that makes collective calls and checks them
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ATOLL, PROGRAM = sys.argv[1:3]
QUICK = ["tune", "-n", "2", "--rounds", "4", "--passes", "1", "--sizes", "8,1024", "--collectives", "reduce,alltoall",
         "--seconds", "20"]


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="atoll-tune-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.table = self.folder / "atoll" / "collectives.json"
        self.records = pathlib.Path(f"{self.table}.records")

    def atoll(self, *words, expect=0, **variables):
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self.folder), **variables}
        ended = subprocess.run([ATOLL, *words], env=environment, text=True, timeout=120,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(ended.returncode, expect, ended.stdout)
        return ended.stdout

    def job(self, expect=0, **variables):
        return self.atoll("run", "-n", "2", PROGRAM, "20", expect=expect, **variables)

    def write(self, place, rules, machine=None, version=1):
        """A table with these rules, of this machine where none is given."""
        if machine is None:
            self.atoll("tune", "-n", "2", "--rounds", "4", "--sizes", "8", "--collectives", "scan",
                       "--records", str(self.folder / "probe"), "-o", str(self.folder / "probe.json"))
            machine = json.loads((self.folder / "probe.json").read_text())["machine"]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps({"format": "atoll tuned collectives", "version": version,
                                     "machine": machine, "rules": rules}))

    def test_a_table_is_measured_and_goes_on_where_it_was_interrupted(self):
        output = self.atoll(*QUICK, "--in-flight")
        self.assertIn("8 points measured", output)
        self.assertIn("[1 of 8,", output)
        table = json.loads(self.table.read_text())
        self.assertEqual(table["version"], 3)
        lines = self.records.read_text().splitlines(keepends=True)
        self.assertEqual(len(lines), 8)
        self.records.write_text("".join(lines[:5]) + lines[5][:20])  # killed in the sixth
        output = self.atoll(*QUICK, "--in-flight")
        self.assertIn("[1 of 3,", output)
        self.assertIn("8 points measured", output)
        self.assertNotIn("[1 of", self.atoll(*QUICK, "--in-flight"))
        self.assertIn("collective ranks", self.atoll("tune", "show"))
        self.assertIn("the same rules", self.atoll("tune", "compare", str(self.table)))

    def test_points_are_measured_again_in_each_pass(self):
        twice = ["tune", "-n", "2", "--rounds", "4", "--passes", "2", "--sizes", "8", "--collectives", "reduce,scan"]
        output = self.atoll(*twice)
        self.assertEqual(output.count("[1 of 2,"), 2, output)
        self.assertIn("2 points measured", output)
        records = [json.loads(line) for line in self.records.read_text().splitlines()]
        self.assertEqual([each.get("pass", 0) for each in records], [0, 0, 1, 1])
        self.assertNotIn("[1 of", self.atoll(*twice))
        lines = self.records.read_text().splitlines(keepends=True)
        self.records.write_text("".join(lines[:3]))  # killed in the second pass
        self.assertIn("[1 of 1,", self.atoll(*twice))

    def test_a_table_is_judged_at_points_that_were_measured(self):
        self.atoll(*QUICK, "--all")
        output = self.atoll("tune", "check")
        self.assertIn("4 points measured", output)
        self.assertRegex(output, r"within  5 % of the best +[0-9.]+ % +[0-9.]+ %")
        machine = json.loads(self.table.read_text())["machine"]
        rule = {"collective": "reduce", "ranks": [2, 2], "bytes": [8, 8], "algorithm": "tree", "radix": 2}
        self.write(self.table, [rule], machine=machine)
        output = self.atoll("tune", "check")
        self.assertIn("at 1 points the table differs", output)
        page = self.folder / "page.html"
        output = self.atoll("tune", "page", "-o", str(page))
        self.assertIn("4 points were measured. At 1 of them", output)
        self.assertIn("tree:2", page.read_text())
        output = self.atoll("tune", "check", "--records", str(self.folder / "none"), expect=125)
        self.assertIn("the records cannot be read (No such file", output)
        (self.folder / "empty").touch()
        output = self.atoll("tune", "check", "--records", str(self.folder / "empty"), expect=125)
        self.assertIn("no records of the machine that the table was made on", output)

    def test_parameters_of_algorithms_are_measured(self):
        self.atoll("tune", "-n", "2", "--rounds", "4", "--passes", "1", "--seconds", "20", "--all", "--sizes",
                   "20000,524288", "--collectives", "alltoall,scan", ATOLL_RMA_PATH="am")
        records = [json.loads(line) for line in self.records.read_text().splitlines()]
        tried = {(each["collective"], each["bytes"]): set(each["times_ns"]) for each in records}
        self.assertLessEqual({"pairwise", "pairwise/eager=65536"}, tried["alltoall", 20000])
        self.assertLessEqual({"chain", "chain/32768", "chain/262144", "chain/depth=2", "chain/depth=16"},
                             tried["scan", 524288])
        for each in records:
            for base, *values in (name.split("/") for name in each["times_ns"]):
                measured = {value.split("=")[0] if "=" in value else "piece" for value in values}
                self.assertLessEqual(measured, set(each["effective"][base]))
            self.assertNotIn("leaders", sum(each["effective"].values(), []))  # on one host

    def test_rules_have_parameters(self):
        rule = {"collective": "broadcast", "ranks": [2, 2], "algorithm": "chain", "depth": 3, "eager_bytes": 2000}
        self.write(self.table, [rule], version=3)
        self.assertIn("chain/depth=3/eager=2000", self.atoll("tune", "show"))
        self.assertRegex(self.job(ATOLL_COLL_EXPLAIN="1"), r"broadcast of .*: chain/depth=3/eager=2000 .*tuned: rule 1")
        self.write(self.table, [{**rule, "depth": 65}], version=3)
        self.assertIn("whose depth is not from 1 to 64", self.job())
        self.write(self.table, [rule], version=2)
        self.assertIn("a word that this version does not know", self.job())

    def test_no_time_is_no_table(self):
        output = self.atoll("tune", "-n", "2", "--seconds", "0", expect=1)
        self.assertIn("the time is up", output)
        self.assertFalse(self.table.exists())

    def test_jobs_use_the_table_of_the_user(self):
        rule = {"collective": "broadcast", "ranks": [2, 2], "algorithm": "chain"}
        self.write(self.table, [rule])
        output = self.job(ATOLL_COLL_EXPLAIN="1")
        self.assertRegex(output, r"broadcast of .*: chain .*tuned: rule 1 of .*collectives.json")
        self.assertIn("1 rules", self.atoll("info"))
        exported = self.folder / "exported.json"
        self.atoll("tune", "export", "-o", str(exported))
        self.assertIn("the same rules", self.atoll("tune", "compare", str(exported)))
        self.assertNotIn("tuned", self.job(ATOLL_COLL_EXPLAIN="1", ATOLL_COLL_TABLE="off"))
        changed = self.folder / "changed.json"
        self.write(changed, [{**rule, "algorithm": "tree", "radix": 4}])
        output = self.atoll("tune", "compare", str(self.table), str(changed), expect=1)
        self.assertRegex(output, r"(?s)- broadcast.*chain.*\+ broadcast.*tree:4")

    def test_a_bad_table_is_left_out_unless_it_is_asked_for(self):
        self.write(self.table, [], machine="an abacus")
        output = self.job()
        self.assertEqual(output.count("made on another machine (an abacus)"), 1, output)
        self.assertIn("another machine", self.atoll("info"))
        output = self.job(expect=134, ATOLL_COLL_TABLE=str(self.table))
        self.assertIn("made on another machine (an abacus)", output)
        self.table.write_text(self.table.read_text()[:40])
        self.assertIn("it is no JSON", self.job())
        output = self.job(expect=134, ATOLL_COLL_TABLE=str(self.folder / "none.json"))
        self.assertIn("none.json: the table of collectives cannot be read", output)

    def with_a_table_for_rank_0_alone(self, variables, expect):
        """The situation of two hosts of which only one has the file."""
        self.write(self.folder / "rank0" / "atoll" / "collectives.json",
                   [{"collective": "broadcast", "algorithm": "chain"}])
        shell = f'export {variables}; exec "$0" 20'
        return self.atoll("run", "-n", "2", "sh", "-c", shell, PROGRAM, expect=expect)

    def test_ranks_with_different_tables_say_so_and_go_on(self):
        output = self.with_a_table_for_rank_0_alone(
            f"XDG_CONFIG_HOME={self.folder}/rank$ATOLL_RANK ATOLL_COLL_EXPLAIN=1", 0)
        self.assertEqual(output.count("rank 1 has another table of tuned collectives"), 1, output)
        self.assertNotIn("tuned: rule", output)

    def test_different_tables_that_were_asked_for_end_the_job(self):
        self.write(self.folder / "rank1" / "atoll" / "collectives.json", [])
        output = self.with_a_table_for_rank_0_alone(
            f"ATOLL_COLL_TABLE={self.folder}/rank$ATOLL_RANK/atoll/collectives.json", 134)
        self.assertRegex(output, "rank [01] has another table of tuned choices")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
