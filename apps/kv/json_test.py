#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the file that kv --json writes: the ways of all ranks are variants, and the map of one process is separate.
# Ranks bound to one core each count as many cores together as ranks that may use all cores, and no more when they
# are counted by neighbourhoods.
#
#     json_test.py LAUNCHER KV

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LAUNCHER, KV = sys.argv[1:3]
TIMES = ("insert_seconds", "settle_seconds", "find_seconds")


def written(ranks, *words, rounds=2, **variables):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kv.json"
        subprocess.run([LAUNCHER, "run", "-n", str(ranks), *words, KV, "--keys", "300", "--rounds", str(rounds), "--quiet",
                        "--json", path], check=True, timeout=60, env=os.environ | variables)
        return json.loads(path.read_text(encoding="utf-8"))


class Json(unittest.TestCase):
    def test_the_ways_are_variants_and_the_map_of_one_process_is_not(self):
        file = written(3)
        self.assertEqual([each["name"] for each in file["variants"]], ["one_by_one", "in_batches", "one_sided_find"])
        for each in [file["one_map"], *file["variants"]]:
            self.assertGreater(each["seconds"], 0)
            self.assertAlmostEqual(each["seconds"], sum(each[time] for time in TIMES))
            self.assertIs(each["right"], True)
        summary = {name: file[name] for name in ("app", "ranks", "rounds", "keys", "right")}
        self.assertEqual(summary, {"app": "kv", "ranks": 3, "rounds": 2, "keys": 300, "right": True})

    def test_bound_ranks_have_as_many_cores_as_others(self):
        free = written(2)["cores"]
        self.assertLessEqual(free, min(2, len(os.sched_getaffinity(0))))
        self.assertEqual(written(2, "--bind", "core")["cores"], free)

    def test_neighbourhoods_share_the_cores_of_their_machine(self):
        self.assertEqual(written(4, rounds=1, ATOLL_NEIGHBOURHOOD="2")["cores"], written(4, rounds=1)["cores"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
