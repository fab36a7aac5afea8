#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# `atoll bench` as a user types it, on two ranks, beside the peers that are installed: the recording is
# readable; wrong options are refused; a missing peer, a failure of Atoll and Ctrl-C are handled. Times are
# not checked.
#
#   command_test.py PREFIX        of an installed tree, or a build

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import suite  # noqa: E402

PREFIX = pathlib.Path(sys.argv.pop(1)).resolve()
ATOLL = str(PREFIX / "bin" / "atoll")
PEERS = [name for name in ("openmpi", "mpich") if shutil.which(f"mpirun.{name}")
         and (PREFIX / "libexec" / "atoll" / f"bench_mpi_{name}").exists()]
LIMIT_S = 100


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "a recording.json"

    def bench(self, *words, **more):
        return subprocess.run([ATOLL, "bench", *words], cwd=self.folder.name, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False, stdin=subprocess.DEVNULL,
                              env={**os.environ, **more})

    def recorded(self):
        return json.loads(self.file.read_text(encoding="utf-8"))

    def test_measures_records_and_compares(self):
        done = self.bench("latency", "--quick", "--turns", "2", "--sizes", "8,4k", "--output", str(self.file))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = self.recorded()
        self.assertEqual((found["format"], found["version"], found["settings"]["turns"]), ("atoll-bench", 1, 2))
        cases = {case["name"]: case for case in found["series"][0]["cases"]}
        self.assertEqual({case["bytes"] for case in cases.values()}, {8, 4096})
        for name in ("put_8", "get_4096", "message_8", "put_visible_8", "put_fence_8"):
            self.assertEqual(len(cases[name]["by"]["atoll"]["samples"]), 2, name)
            self.assertEqual(set(cases[name]["ratios"]), set(PEERS), f"{name}: {found['failures']}")
        self.assertIn("8 B put, blocking", done.stdout)
        self.assertRegex(done.stdout, r"\nslower beyond 1.05: (none|\d+) of \d+ measurements" if PEERS
                         else r"\nslower beyond 1.05: unknown")
        self.assertIn("  doubtful: a smoke run", done.stdout)
        self.assertEqual(os.listdir(self.folder.name), [self.file.name])
        compared = self.bench("compare", str(self.file), str(self.file))
        self.assertEqual(compared.returncode, 0, compared.stderr)
        self.assertIn("0 slower, 0 faster", compared.stdout)
        self.check_report()

    def check_report(self):
        """The page of the recording, or nothing where the library that lays it out is not installed."""
        done = self.bench("report", str(self.file), "--output", f"{self.folder.name}/page.html")
        if "install python3-jinja2" in done.stderr:
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a smoke run, whose figures mean nothing", done.stdout)
        page = pathlib.Path(self.folder.name, "page.html").read_text(encoding="utf-8")
        for case in self.recorded()["series"][0]["cases"]:
            self.assertIn(f'data-number="{case["by"]["atoll"]["median"]}"', page)

    @unittest.skipUnless((PREFIX / "libexec" / "atoll" / "bench_sockets").exists(), "built without libfabric")
    def test_measures_a_network_beside_sockets_and_peers(self):
        words = ("--quick", "--turns", "1", "--sizes", "8,4k", "--ranks", "2", "--no-tables", "--peers", "openmpi",
                 "--output", str(self.file))
        places = {"over loopback", "over a veth pair"}
        done = self.bench("network", "--veth", *words)
        if done.returncode == 2:  # no root, or no namespaces here
            self.assertIn("--veth: ", done.stderr)
            places = {"over loopback"}
            done = self.bench("network", *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = self.recorded()
        self.assertEqual({each["place"] for each in found["series"]}, places)
        failed = [each["benchmark"] for each in found["failures"]]  # peers' failures are allowed
        for series in found["series"]:
            cases = {case["name"]: case for case in series["cases"]}
            kind = series["benchmark"].partition("_")[2]
            if kind.startswith(("fft3d", "matmul", "cholesky")):  # has a twin only where the peer has the library
                self.assertIn("atoll", cases["best"]["by"], series["benchmark"])
                continue
            name = {"latency": "put_8", "bandwidth": "put_flood_8", "collectives": "broadcast_8"}.get(
                kind, "am_short_round_trip")
            peers = {"openmpi"} & set(PEERS) if series["benchmark"] not in failed else set()
            sockets = {"sockets"} if kind != "collectives" else set()
            self.assertLessEqual(sockets | peers, set(cases[name]["ratios"]), series["benchmark"])

    def test_tells_the_sets_and_who_takes_part(self):
        output = self.bench("--list").stdout
        for name in ["latency", "oversubscription", "upcxx", *PEERS]:
            self.assertIn(f"  {name} ", output)

    def test_tells_the_series_of_a_set(self):
        output = self.bench("apps", "--list", "--ranks", "2").stdout.splitlines()
        self.assertTrue(output[0].startswith("apps: "), output)
        self.assertNotIn("Implementations:", output)
        series = {line.split()[0]: line.split()[-1] for line in output[1:]}
        self.assertEqual(series["gups"], "atoll")
        self.assertNotIn("latency", series)
        two = self.bench("rate", "network", "--list", "--hosts", "a,b", "--ranks", "2").stdout
        self.assertIn("\n  hosts_latency ", two)
        self.assertIn("\n  loopback_latency ", two)
        self.assertIn("there is no set latencies", self.bench("latencies", "--list").stderr)

    def test_refuses_before_anything_runs(self):
        for words, reason in ((("latencies",), "there is no set latencies"),
                              (("latency", "--sizes", "8,much"), "'much' is no size"),
                              (("latency", "--ranks", "0"), "must be from 1"),
                              (("latency", "--turns", "0"), "at least 1"),
                              (("latency", "--output", "/nowhere/a.json"), "cannot be written: No such file"),
                              (("gasnet", "--gasnet", "/nowhere/program"), "no program that can be started"),
                              (("--python", "/bin/false"), "no Python of version 3.11")):
            done = self.bench(*words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(reason, done.stderr)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_peer_that_is_missing_is_told_and_recorded(self):
        done = self.bench("rate", "--quick", "--turns", "1", "--peers", "abacus", "--no-tables",
                          "--output", str(self.file))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("8 B puts", done.stdout)
        self.assertIn("left out: abacus", done.stderr)
        self.assertEqual([each["implementation"] for each in self.recorded()["failures"]], ["abacus"])

    def test_a_failure_of_our_own_is_one_at_the_end(self):
        done = self.bench("rate", "--quick", "--turns", "1", "--peers", "none", "--output", str(self.file),
                          ATOLL_RING_CELLS="3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ATOLL_RING_CELLS", self.recorded()["failures"][0]["reason"])

    def test_ctrl_c_keeps_what_there_is(self):
        # A shell starts background jobs with this signal ignored, and their children inherit that.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.SIG_DFL))
        words = [ATOLL, "bench", "rate", "--quick", "--turns", "1000", "--peers", "none", "--output", str(self.file)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            for line in running.stdout:
                if line.startswith("turn 2 "):
                    running.send_signal(signal.SIGINT)
                    break
            running.communicate(timeout=LIMIT_S)
        self.assertEqual(running.returncode, 130)
        self.assertTrue(self.recorded()["interrupted"])
        self.assertGreaterEqual(len(self.recorded()["series"][0]["cases"][0]["by"]["atoll"]["samples"]), 2)


if __name__ == "__main__":
    suite.main()
