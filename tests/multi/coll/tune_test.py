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
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ATOLL, PROGRAM = sys.argv[1:3]
QUICK = ["tune", "-n", "2", "--rounds", "4", "--passes", "1", "--sizes", "8,1024", "--collectives", "reduce,alltoall",
         "--seconds", "100"]


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
        if expect is not None:
            self.assertEqual(ended.returncode, expect, ended.stdout)
        return ended.stdout

    @staticmethod
    def measuring_program():
        return str(pathlib.Path(ATOLL).parent.parent / "libexec" / "atoll" / "atoll_tune_measure")

    def job(self, expect=0, **variables):
        return self.atoll("run", "-n", "2", PROGRAM, "200", expect=expect, **variables)

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
        output = self.atoll(*QUICK)
        self.assertIn("8 points measured", output)
        self.assertIn("[1 of 8, at most ", output)
        table = json.loads(self.table.read_text())
        self.assertEqual(table["version"], 6)
        lines = self.records.read_text().splitlines(keepends=True)
        self.assertEqual(len(lines), 8)
        self.records.write_text("".join(lines[:5]) + lines[5][:20])  # killed in the sixth
        output = self.atoll(*QUICK)
        self.assertIn("[6 of 8,", output)
        self.assertNotIn("[5 of 8,", output)
        self.assertIn("8 points measured", output)
        self.assertNotIn(" of 8,", self.atoll(*QUICK))
        self.assertIn("collective ranks", self.atoll("tune", "show"))
        self.assertIn("the same rules", self.atoll("tune", "compare", str(self.table)))

    def test_calls_that_overlap_are_measured_with_work_beside_them(self):
        self.atoll(*QUICK)
        records = [json.loads(line) for line in self.records.read_text().splitlines()]
        self.assertEqual([each.get("work") for each in records], 4 * [None, 1.0])
        self.assertEqual([each["blocking"] for each in records], 4 * [True, False])
        self.atoll(*QUICK, "--work", "0", "--form", "overlapped")
        idle = [json.loads(line) for line in self.records.read_text().splitlines()][8:]
        self.assertEqual([(each["blocking"], each.get("work")) for each in idle], 4 * [(False, None)])

    def test_points_are_measured_again_in_each_pass(self):
        twice = ["tune", "-n", "2", "--rounds", "4", "--passes", "2", "--sizes", "8", "--collectives", "reduce,scan",
                 "--form", "waited"]
        output = self.atoll(*twice)
        for place in ("[1 of 4, at most", "[2 of 4, about", "[3 of 4, about", "[4 of 4, about"):
            self.assertIn(place, output)
        self.assertRegex(output, r"\[3 of 4, .* left\] pass 2, 2 ranks: reduce of 8 B, waited for")
        self.assertIn("2 points measured", output)
        records = [json.loads(line) for line in self.records.read_text().splitlines()]
        self.assertEqual([each.get("pass", 0) for each in records], [0, 0, 1, 1])
        self.assertNotIn(" of 4,", self.atoll(*twice))
        lines = self.records.read_text().splitlines(keepends=True)
        self.records.write_text("".join(lines[:3]))  # killed in the second pass
        output = self.atoll(*twice)
        self.assertIn("[4 of 4,", output)
        self.assertNotIn("[3 of 4,", output)

    def test_time_that_is_left_goes_to_sizes_between_those_whose_choices_differ(self):
        words = ["tune", "-n", "2", "--rounds", "4", "--collectives", "alltoall", "--form", "waited"]
        self.atoll(*words, "--passes", "1", "--sizes", "8,32,128,512,2k,8k,32k,64k,128k,256k,512k,1M,4M")
        records = [json.loads(line) for line in self.records.read_text().splitlines()]
        for record in records:  # up to 2 KiB one algorithm is faster than the built-in one, above another
            rounds = len(next(iter(record["times_ns"].values())))
            fast = "pairwise" if record["bytes"] <= 2048 else "bruck:2"
            record["times_ns"] = {name: rounds * [100] for name in {record["built_in"], "bruck:2", "pairwise"}}
            record["times_ns"][fast] = rounds * [1]
            record["built_in"] = "shared"
            record["times_ns"].setdefault("shared", rounds * [100])
        self.records.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in records))
        output = self.atoll(*words, "--passes", "1")
        self.assertIn("1 more points, of sizes between those whose choices differ", output)
        sizes = [json.loads(line)["bytes"] for line in self.records.read_text().splitlines()]
        self.assertEqual(sizes[13], 4096)
        self.assertTrue(all(2048 < each < 8192 for each in sizes[13:]), sizes)

    def test_progress_over_hosts_counts_what_was_measured_over_as_many_and_their_network(self):
        words = ["tune", "-n", "2", "--rounds", "4", "--passes", "1", "--sizes", "8", "--collectives", "scan"]
        self.atoll(*words)
        records = [json.loads(line) for line in self.records.read_text().splitlines()]
        for shapes, left in (([(2, "tcp"), (2, "tcp")], 0), ([(2, "verbs"), (2, "tcp")], 1),
                             ([(3, "tcp"), (3, "tcp")], 2), ([(1, "tcp"), (2, "tcp")], 1)):
            lines = [json.dumps({**record, "hosts": hosts, "network": network}) + "\n"
                     for record, (hosts, network) in zip(records, shapes)]
            self.records.write_text("".join(lines))
            output = self.atoll(*words, "--hosts", "a:1,b:1", "--seconds", "1e-9")  # no job is started
            if left == 0:
                self.assertNotIn("the time is up", output)
            else:
                self.assertIn(f"the time is up with {left} of 2 points left", output)

    def test_bad_options_are_refused_once_before_a_job_starts(self):
        for words, cause in ((["--sizes", "0"], "a block of 0 bytes cannot be measured"),
                             (["--sizes", "abc"], '"abc" is no size'),
                             (["--collectives", "foo"], "there are broadcast, reduce, allreduce, scatter"),
                             (["--seconds", "-3"], "in -3 seconds nothing can be measured"),
                             (["--collectives", "barrier"], "barriers on fewer than 3 hosts have nothing to choose"),
                             (["--sizes", "900G", "--collectives", "alltoall"], "that are free"),
                             (["--output", "/proc/none/table.json"], "cannot be written")):
            output = self.atoll("tune", "-n", "2", *words, expect=125 if "--output" in words else 2)
            self.assertEqual(output.count(cause), 1, output)
            self.assertEqual(len(output.splitlines()), 1, output)
        self.assertIn("4 KiB", self.atoll(*QUICK[:-4], "--sizes", "4k", "--collectives", "scan", "--seconds", "100"))

    def test_settings_that_change_times_are_refused(self):
        output = self.atoll(*QUICK, expect=2, ATOLL_RMA_PATH="am")
        self.assertIn("ATOLL_RMA_PATH=am changes what would be measured", output)
        self.assertEqual(len(output.splitlines()), 1, output)
        self.assertFalse(self.table.exists() or self.records.exists())

    def test_files_of_others_stay_as_they_are(self):
        thesis = self.folder / "thesis.txt"
        thesis.write_text("All of it\n")
        scan = ["tune", "-n", "2", "--rounds", "4", "--passes", "1", "--sizes", "8", "--collectives", "scan"]
        for words, cause in ((["--records", str(thesis)], "has no records of atoll tune"),
                             (["--fresh", "--records", str(thesis)], "has no records of atoll tune"),
                             (["--records", "/dev/full"], "what is no file"),
                             (["--output", "/dev/null"], "cannot become a file")):
            output = self.atoll(*scan, *words, expect=125)
            self.assertIn(cause, output)
            self.assertEqual(len(output.splitlines()), 1, output)
        self.assertEqual(thesis.read_text(), "All of it\n")
        kept = self.folder / "kept.records"
        kept.write_text('{"machine":"an abacus"}\n')
        self.atoll(*scan, "--fresh", "--records", str(kept), "--output", "/dev/null", expect=125)
        self.assertEqual(kept.read_text(), '{"machine":"an abacus"}\n')
        self.atoll(*scan, "--records", str(thesis), "--output", str(self.folder / "new" / "table.json"), expect=125)
        self.assertFalse((self.folder / "new").exists())
        link = self.folder / "link.json"
        self.table.parent.mkdir()
        self.table.write_text("old")
        link.symlink_to(self.table)
        self.atoll(*scan, "--output", str(link))
        self.assertTrue(link.is_symlink())
        self.assertIn("tuned collectives", self.table.read_text())
        self.assertEqual(sorted(each.name for each in self.table.parent.iterdir()), ["collectives.json"])
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())

    def test_what_is_known_already_is_told(self):
        self.atoll(*QUICK)
        self.assertIn("has 8 of the 8 points; --fresh measures them again", self.atoll(*QUICK))
        records = self.records.read_text()
        self.assertIn('"version":"', records)
        self.records.write_text(re.sub(r'"version":"([^"-]*)-[^"]*"', r'"version":"\1-000000000000"', records))
        output = self.atoll(*QUICK)
        self.assertIn("has 8 records of other algorithms than those of this Atoll, which do not count", output)
        self.assertIn("[8 of 8,", output)

    def test_records_with_figures_that_cannot_be_do_not_count(self):
        self.atoll(*QUICK)
        lines = self.records.read_text().splitlines()
        bad = [re.sub(f'"{key}":[0-9.]+', f'"{key}":{value}', lines[0])
               for key, value in (("hosts", 0), ("ranks", -2), ("bytes", 1.5))]
        self.records.write_text("\n".join(lines + bad) + "\n")
        for words in (["tune", "check"], QUICK):
            output = self.atoll(*words)
            self.assertIn("has 3 lines that are no records, or have figures that cannot be; they do not count", output)
            self.assertIn("8 points measured", output)

    def test_a_job_of_fewer_cores_is_another_one(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("two ranks share the one core anyway")
        words = ["-n", "2", "--rounds", "4", "--passes", "1", "--sizes", "8", "--collectives", "scan", "--form", "waited"]
        self.atoll("tune", *words)
        self.assertIn("has 1 of the 1 points", self.atoll("tune", *words))
        core = min(os.sched_getaffinity(0))
        ended = subprocess.run([ATOLL, "tune", *words], env={**os.environ, "XDG_CONFIG_HOME": str(self.folder)}, text=True,
                               timeout=120, capture_output=True, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertNotIn("--fresh measures them again", ended.stderr)
        self.assertIn("[1 of 1,", ended.stderr)

    def test_a_table_of_other_algorithms_is_said_to_be_one(self):
        self.atoll(*QUICK)
        words = "other algorithms (0.1.0-000000000000) than those of this Atoll"
        for command in ("info", "tune show"):
            self.assertNotIn("other algorithms", self.atoll(*command.split()))
        table = json.loads(self.table.read_text())
        self.table.write_text(json.dumps({**table, "algorithms": "0.1.0-000000000000"}))
        for command in ("info", "tune show"):
            self.assertIn(words, self.atoll(*command.split()))

    def test_output_that_cannot_be_written_is_reported(self):
        self.write(self.table, [])
        for words in (["tune", "export"], ["tune", "show"], ["info"], ["--help"]):
            with open("/dev/full", "w") as full:
                ended = subprocess.run([ATOLL, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                       env={**os.environ, "XDG_CONFIG_HOME": str(self.folder)})
            self.assertEqual(ended.returncode, 1, words)
            self.assertIn("the output cannot be written", ended.stderr)

    def test_a_time_in_which_no_job_can_start_is_no_fault_of_the_hosts(self):
        output = self.atoll("tune", "-n", "2", "--hosts", "a:1,b:1", "--seconds", "1e-9", expect=1)
        self.assertIn("no point could be finished in 1e-09 s", output)

    def test_hosts_that_get_no_rank_do_not_count(self):
        output = self.atoll("tune", "-n", "2", "--hosts", "localhost:2,b:2,c:2", "--collectives", "barrier,scan", "--sizes", "8",
                            "--form", "waited", "--rounds", "4", "--passes", "1")
        self.assertIn("[1 of 1, ", output)
        self.assertNotIn("points left", output)

    def test_two_commands_do_not_measure_into_one_file(self):
        self.ends_with(signal.SIGTERM, meanwhile=lambda: self.assertIn(
            "another atoll tune measures into it", self.atoll(*QUICK, expect=125)))

    def test_barriers_over_hosts_are_measured_by_radix_and_the_network_with_them(self):
        self.atoll("run", "-n", "5", "-e", "ATOLL_NEIGHBOURHOOD=1", self.measuring_program(), "--records", str(self.folder / "records"),
                   "--collectives", "barrier", "--rounds", "4", "--seconds", "300", "--all")
        records = [json.loads(line) for line in (self.folder / "records").read_text().splitlines()]
        self.assertEqual([(each["collective"], each["blocking"]) for each in records],
                         [("barrier", True), ("barrier", False)])
        for each in records:
            self.assertEqual(sorted(each["times_ns"]), [f"dissemination:{radix}" for radix in (2, 3, 4, 5)])
            self.assertEqual(each["built_in"], "dissemination:2")
            self.assertGreater(each["network_ns"], 0)

    def test_sizes_of_reductions_are_whole_elements(self):
        self.atoll(*QUICK[:7], "--sizes", "7,12", "--collectives", "reduce", "--form", "waited")
        records = [json.loads(line) for line in self.records.read_text().splitlines()]
        self.assertEqual([each["bytes"] for each in records], [8, 16])

    def test_other_elements_operations_and_strict_calls_are_measured_when_asked_for(self):
        usual = strict = 0
        for _ in range(5):  # times are compared, so one of several measurements must be good
            self.records.unlink(missing_ok=True)
            output = self.atoll("tune", "-n", "2", "--rounds", "4", "--passes", "1", "--seconds", "100", "--sizes", "8",
                                "--collectives", "reduce", "--form", "waited", "--elements", "8,1", "--in-order", "--strict")
            self.assertRegex(output, r"atoll tune: 2 ranks, hosts: 1: a message arrives after [0-9.]+ us, costs its sender ")
            records = [json.loads(line) for line in self.records.read_text().splitlines()]
            kinds = [(each.get("element_bytes", 8), each.get("commutative", True), each.get("strict", False))
                     for each in records]
            self.assertEqual(kinds, [(8, True, False), (8, False, False), (1, True, False), (1, False, False),
                                     (8, True, True)])
            for each in records:
                self.assertGreater(each["message_ns"]["latency"], 0)
            usual, strict = (min(map(min, each["times_ns"].values())) for each in (records[0], records[4]))
            if strict > usual:
                return
        self.fail(f"a strict call has two fences around it, and takes {strict} ns, and another one {usual} ns")

    def test_records_say_what_a_message_costs(self):
        self.atoll("tune", "-n", "2", "--rounds", "4", "--passes", "1", "--sizes", "8", "--collectives", "scan",
                   "--form", "waited")
        figures = json.loads(self.records.read_text().splitlines()[0])["message_ns"]
        self.assertGreater(figures["overhead"], 0)
        self.assertLessEqual(figures["overhead"], figures["latency"])

    def test_the_time_ends_a_point(self):
        rounds = 1000  # which would take minutes
        output = self.atoll("tune", "-n", "2", "--sizes", "16M", "--collectives", "alltoall", "--seconds", "1",
                            "--rounds", str(rounds), expect=None)
        self.assertRegex(output, "the time is up with |no point could be finished in 1 s")
        for line in self.records.read_text().splitlines() if self.records.exists() else ():
            self.assertLess(max(map(len, json.loads(line)["times_ns"].values())), rounds)

    def ranks_that_measure(self):
        """The processes of jobs of this test, by their file of records."""
        return [each.name for each in pathlib.Path("/proc").iterdir() if each.name.isdigit() and
                str(self.records).encode() in self.command_line(each)]

    @staticmethod
    def command_line(process):
        try:
            return (process / "cmdline").read_bytes()
        except OSError:
            return b""

    def ends_with(self, number, *words, meanwhile=lambda: None, **options):
        """Returns the output of the command that this signal ends, and its exit code."""
        process = subprocess.Popen([ATOLL, "tune", "-n", "2", "--seconds", "100", *words], text=True,
                                   stderr=subprocess.STDOUT, stdout=subprocess.PIPE, **options,
                                   env={**os.environ, "XDG_CONFIG_HOME": str(self.folder)})
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        for line in process.stdout:
            if "[4 of " in line:
                break
        self.assertTrue(self.ranks_that_measure())
        meanwhile()
        process.send_signal(number)
        output = process.stdout.read()
        return output, process.wait(timeout=30)

    def test_a_signal_to_the_command_ends_its_job(self):
        output, code = self.ends_with(signal.SIGTERM)
        self.assertEqual(code, -signal.SIGTERM, output)
        self.assertRegex(output, r"interrupted; ([3-9]|[1-9][0-9]+) of [0-9]+ points are kept in .*records, and the same command")
        self.assertEqual(self.ranks_that_measure(), [])

    def test_signals_that_are_ignored_end_nothing(self):
        """As under nohup, and in the background of a script."""
        words = ["--rounds", "10", "--passes", "1", "--sizes", "8,1024", "--collectives", "reduce,alltoall"]
        output, code = self.ends_with(signal.SIGHUP, *words,
                                      preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual(code, 0, output)
        self.assertIn("8 points measured", output)
        self.assertNotIn("interrupted", output)

    def test_a_parent_that_ignores_the_ends_of_children_changes_nothing(self):
        command = [ATOLL, *QUICK[:-2], "--seconds", "100", "--form", "waited"]
        ended = subprocess.run(command, env={**os.environ, "XDG_CONFIG_HOME": str(self.folder)}, text=True, timeout=60,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(ended.returncode, 0, ended.stdout)
        self.assertIn("4 points measured", ended.stdout)

    def test_a_job_ends_when_the_command_is_killed(self):
        self.ends_with(signal.SIGKILL)  # reads until the last rank has closed the output
        end = time.monotonic() + 60
        while self.ranks_that_measure() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.ranks_that_measure(), [])

    def test_a_table_is_judged_at_points_that_were_measured(self):
        self.atoll(*QUICK, "--all", "--form", "waited")
        output = self.atoll("tune", "check")
        self.assertIn("4 points measured", output)
        self.assertRegex(output, r"within  5 % of the best +[0-9.]+ % +[0-9.]+ %")
        machine = json.loads(self.table.read_text())["machine"]
        rule = {"collective": "reduce", "ranks": [2, 2], "bytes": [8, 8], "algorithm": "tree", "radix": 2}
        self.write(self.table, [rule], machine=machine)
        output = self.atoll("tune", "check")
        self.assertIn("at 1 points the table differs", output)
        self.write(self.table, [{**rule, "algorithm": "fork", "radix": 7}], machine=machine)
        output = self.atoll("tune", "check")
        self.assertIn("at 1 points the table differs, and at 1 of them its choice was left out early or not measured\n", output)
        self.assertNotIn("takes the built-in choice everywhere", output)
        self.write(self.table, [], machine=machine)
        self.assertIn("takes the built-in choice everywhere", self.atoll("tune", "check"))
        self.write(self.table, [rule], machine=machine)
        page = self.folder / "page.html"
        output = self.atoll("tune", "page", "-o", str(page))
        self.assertIn("4 points were measured. At 1 of them", output)
        self.assertIn("tree:2", page.read_text())
        output = self.atoll("tune", "check", "--records", str(self.folder / "none"), expect=125)
        self.assertIn("there are no records; name the file", output)
        loop = self.folder / "loop"
        loop.symlink_to(loop)
        output = self.atoll("tune", "check", "--records", str(loop), expect=125)
        self.assertIn("it cannot be read (", output)
        (self.folder / "empty").touch()
        output = self.atoll("tune", "check", "--records", str(self.folder / "empty"), expect=125)
        self.assertIn("on the machine that the table was made on", output)

    def test_parameters_of_algorithms_are_measured(self):
        self.records.parent.mkdir()
        self.atoll("run", "-n", "2", "-e", "ATOLL_RMA_PATH=am", self.measuring_program(), "--records", str(self.records),
                   "--rounds", "4", "--seconds", "100", "--all", "--form", "waited",
                   "--sizes", "20000,524288", "--collectives", "alltoall,scan")
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
        output = self.atoll("tune", "-n", "2", "--seconds", "0.001", expect=1)
        self.assertIn("no point could be finished in 0.001 s, so there is no table", output)
        self.assertFalse(self.table.exists())

    def test_jobs_use_the_table_of_the_user(self):
        rule = {"collective": "broadcast", "ranks": [2, 2], "algorithm": "chain"}
        self.write(self.table, [rule])
        output = self.job(ATOLL_COLL_EXPLAIN="1")
        self.assertRegex(output, r"broadcast of .* on 2 members, 1 host, overlapped: chain ")
        self.assertRegex(output, r"broadcast of .*: chain .*tuned: rule 1 of .*collectives.json")
        self.assertRegex(self.atoll("info"), "collectives.json, 1 rule for 2 ranks\n")
        exported = self.folder / "exported.json"
        self.atoll("tune", "export", "-o", str(exported))
        self.assertIn("the same rules", self.atoll("tune", "compare", str(exported)))
        self.assertNotIn("tuned", self.job(ATOLL_COLL_EXPLAIN="1", ATOLL_COLL_TABLE="off"))
        changed = self.folder / "changed.json"
        self.write(changed, [{**rule, "algorithm": "tree", "radix": 4}])
        output = self.atoll("tune", "compare", str(self.table), str(changed), expect=1)
        self.assertRegex(output, r"(?s)- broadcast.*chain.*\+ broadcast.*tree:4")

    def test_a_table_that_jobs_refuse_is_refused_by_the_commands_that_read_it(self):
        rule = {"collective": "broadcast", "algorithm": "telepathy"}
        self.write(self.table, [rule])
        cause = 'rule 1 wants "telepathy" of "broadcast", an algorithm that is not there'
        self.assertIn(cause, self.job())
        self.assertIn(f"not used: {cause}", self.atoll("info"))
        for words in (["show"], ["export"], ["compare", str(self.table)], ["check"]):
            output = self.atoll("tune", *words, expect=125)
            self.assertIn(cause, output)
            self.assertIn("name a table that atoll tune has written", output)
            self.assertNotIn("ATOLL_COLL_TABLE", output)
        output = self.atoll("tune", "show", str(self.folder / "none.json"), expect=125)
        self.assertRegex(output, r"none.json: the table of collectives cannot be read \(No such file or directory\); name a table")

    def test_tables_are_compared_by_all_that_they_say(self):
        rule = {"collective": "reduce", "ranks": [2, 2], "algorithm": "tree", "radix": 2}
        self.write(self.table, [{**rule, "element_bytes": 8, "commutative": True}])
        other = self.folder / "other.json"
        for changed, shown in (({"element_bytes": 4, "commutative": True}, "of 4 bytes, commutative"),
                               ({"element_bytes": 8, "commutative": False}, "of 8 bytes, in order"),
                               ({}, "any")):
            self.write(other, [{**rule, **changed}])
            output = self.atoll("tune", "compare", str(self.table), str(other), expect=1)
            self.assertRegex(output, r"(?s)- reduce .*of 8 bytes, commutative.*\+ reduce .*" + shown)
            self.assertIn(shown, self.atoll("tune", "show", str(other)))
        self.write(other, json.loads(self.table.read_text())["rules"], machine="an abacus")
        output = self.atoll("tune", "compare", str(self.table), str(other), expect=1)
        self.assertRegex(output, r"(?s)- made on .*\+ made on an abacus")

    def test_tables_of_one_network_differ_by_no_figure_of_its_speed(self):
        rule = {"collective": "reduce", "ranks": [4, 4], "one_host": False, "ranks_per_host": [2, 2], "network": "tcp",
                "network_ns": 25001, "algorithm": "tree", "radix": 2}
        self.write(self.table, [rule], version=5)
        same = {"version": 5, "machine": json.loads(self.table.read_text())["machine"]}
        other = self.folder / "other.json"
        for network_ns in (25001, 25002, 25400, 90000):
            self.write(other, [{**rule, "network_ns": network_ns}], **same)
            self.assertEqual(self.atoll("tune", "compare", str(self.table), str(other)), "the same rules\n")
        self.write(other, [{**rule, "network_ns": 1200000}], **same)
        output = self.atoll("tune", "compare", str(self.table), str(other), expect=1)
        self.assertRegex(output, r"(?s)- reduce .*about 25 us.*\+ reduce .*about 1.2 ms")
        chain = {"collective": "scan", "algorithm": "chain"}
        self.write(self.table, [rule, chain], **same)
        self.write(other, [chain, rule], **same)
        self.assertEqual(self.atoll("tune", "compare", str(self.table), str(other), expect=1),
                         "the same rules in another order\n")

    def test_a_site_ships_a_table(self):
        places = {"XDG_CONFIG_HOME": str(self.folder / "user"), "XDG_CONFIG_DIRS": f"none:{self.folder}/a:{self.folder}/b"}
        table = self.folder / "b" / "atoll" / "collectives.json"
        rule = {"collective": "broadcast", "algorithm": "chain"}
        self.write(table, [rule])
        self.assertRegex(self.job(ATOLL_COLL_EXPLAIN="1", **places), rf"broadcast of .*: chain .*tuned: rule 1 of {table}")
        self.assertIn(f"{table}, 1 rule", self.atoll("info", **places))
        self.write(self.folder / "user" / "atoll" / "collectives.json", [rule, rule])
        self.assertIn(f"{self.folder}/user/atoll/collectives.json, 2 rules", self.atoll("info", **places))

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
