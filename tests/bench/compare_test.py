#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# `atoll bench compare` on made-up recordings: nothing changed, a certain change, a change that a peer shows too,
# too few turns, missing cases, different machines, files that are no recordings.
#
#   compare_test.py ROOT

import contextlib
import copy
import io
import json
import pathlib
import random
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "tools" / "bench"))

from atoll_bench import comparing, figures  # noqa: E402
sys.path.append(str(pathlib.Path(__file__).resolve().parent / "../support"))
import suite  # noqa: E402


def case(name, samples_by_name, better="less", unit="ns"):
    return {"name": name, "title": name, "operation": name, "unit": unit, "better": better, "ratios": {},
            "by": {each: {"samples": samples, **figures.summary(samples)}
                   for each, samples in samples_by_name.items()}}


def noisy(middle, seed, turns=7):
    generator = random.Random(seed)
    return [middle * generator.lognormvariate(0, 0.02) for _ in range(turns)]


def recorded(cases, **more):
    return {"format": "atoll-bench", "version": 1, "started": "2026-01-01T00:00:00+00:00", "seconds": 1,
            "atoll": {"version": "0.1.0"}, "machine": {"processor": "one", "load_before": 1},
            "implementations": [{"name": "atoll", "version": "0.1.0"}, {"name": "openmpi", "version": "4"}],
            "settings": {"turns": 7, "quick": False, "pinned": True}, "failures": [],
            "series": [{"set": "latency", "benchmark": "latency", "ranks": 2, "oversubscribed": False,
                        "cases": cases}], **more}


class Comparisons(unittest.TestCase):
    def compare(self, old, new, *words):
        """(exit code, what was printed, what was refused)."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, content in (("old.json", old), ("new.json", new)):
                paths.append(str(pathlib.Path(folder) / name))
                text = content if isinstance(content, str) else json.dumps(content)
                pathlib.Path(paths[-1]).write_text(text, encoding="utf-8")
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = comparing.main([*paths, *words])
        return code, out.getvalue(), err.getvalue()

    def test_noise_is_no_change(self):
        names = [f"put_{number}" for number in range(40)]
        old = recorded([case(name, {"atoll": noisy(10, f"old {name}")}) for name in names])
        new = recorded([case(name, {"atoll": noisy(10, f"new {name}")}) for name in names])
        code, output, _ = self.compare(old, new, "--fail-on-slower")
        self.assertEqual(code, 0)
        self.assertIn("40 cases of atoll in both: 0 slower, 0 faster, 40 the same", output)
        self.assertNotIn("conditions", output)

    def test_a_sure_change_is_told_and_can_fail(self):
        old = recorded([case("put", {"atoll": noisy(10, 1)}), case("get", {"atoll": noisy(10, 2)})])
        new = recorded([case("put", {"atoll": noisy(13, 3)}), case("get", {"atoll": noisy(7, 4)})])
        code, output, _ = self.compare(old, new)
        self.assertEqual(code, 0)
        self.assertIn("1 slower, 1 faster, 0 the same", output)
        self.assertRegex(output, r"slower.*:\n  x1\.[23]\d* .*latency, 2 ranks: put ")
        self.assertEqual(self.compare(old, new, "--fail-on-slower")[0], 1)
        self.assertEqual(self.compare(old, new, "--fail-on-slower", "--least", "50%")[0], 0)

    def test_more_is_better_of_a_bandwidth(self):
        old = recorded([case("put", {"atoll": noisy(10, 1)}, "more", "GB/s")])
        new = recorded([case("put", {"atoll": noisy(20, 2)}, "more", "GB/s")])
        self.assertIn("0 slower, 1 faster", self.compare(old, new)[1])

    def test_what_a_peer_did_too_was_the_machine(self):
        old = recorded([case("put", {"atoll": noisy(10, 1), "openmpi": noisy(100, 2)})])
        new = recorded([case("put", {"atoll": noisy(20, 3), "openmpi": noisy(200, 4)})])
        code, output, _ = self.compare(old, new, "--fail-on-slower")
        self.assertEqual(code, 0)
        self.assertIn("a peer did too", output)

    def test_few_turns_tell_nothing(self):
        old = recorded([case("put", {"atoll": [10, 10]})])
        new = recorded([case("put", {"atoll": [20, None, 20, 20]})])
        code, output, _ = self.compare(old, new, "--fail-on-slower")
        self.assertEqual(code, 0)
        self.assertIn("1 of them have too few turns", output)

    def test_cases_that_one_file_lacks_are_counted(self):
        shared = case("put", {"atoll": noisy(10, 1)})
        old = recorded([shared, case("gone", {"atoll": noisy(10, 1)})])
        new = recorded([shared, case("new", {"atoll": noisy(10, 1)}), case("newer", {"atoll": noisy(1, 1)})])
        output = self.compare(old, new)[1]
        self.assertIn("only in the old file: 1 cases (latency latency 2 gone)", output)
        self.assertIn("only in the new file: 2 cases", output)

    def test_other_conditions_are_told_first(self):
        old = recorded([case("put", {"atoll": noisy(10, 1)})])
        new = copy.deepcopy(old)
        new["machine"] |= {"processor": "another", "load_before": 9}
        new["settings"]["pinned"] = False
        new["implementations"][1]["version"] = "5"
        output = self.compare(old, new)[1].splitlines()
        self.assertEqual(output[:4], ["not the same conditions:", "  machine, processor: one -> another",
                                      "  settings, pinned: True -> False", "  openmpi: 4 -> 5"])

    def test_files_that_cannot_be_compared_are_refused(self):
        good = recorded([case("put", {"atoll": noisy(10, 1)})])
        other = recorded([case("get", {"atoll": noisy(10, 1)})])
        in_s = recorded([case("put", {"atoll": noisy(10, 1)}, unit="s")])
        for new, reason in (("nonsense", "is not JSON"), ({"format": "other"}, "no recording"),
                            (other, "no case of atoll in common"), (in_s, "record both with the same"),
                            (good | {"version": 2}, "version 2")):
            code, _, refused = self.compare(good, new)
            self.assertEqual(code, 2, reason)
            self.assertIn(reason, refused)
            self.assertTrue(refused.startswith("atoll bench compare: "))

    def test_another_implementation_can_be_compared(self):
        old = recorded([case("put", {"atoll": noisy(10, 1), "openmpi": noisy(100, 2)})])
        new = recorded([case("put", {"atoll": noisy(10, 3), "openmpi": noisy(200, 4)})])
        self.assertIn("of openmpi in both: 1 slower", self.compare(old, new, "--of", "openmpi")[1])
        self.assertEqual(self.compare(old, new, "--of", "openmpi", "--fail-on-slower")[0], 1)
        self.assertEqual(self.compare(old, new, "--of", "mpich")[0], 2)


if __name__ == "__main__":
    suite.main()
