#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# The parts of `atoll bench` by themselves: figures, options, plan and clock, the results read from the programs'
# files, the recording. The test starts only small commands of the system.
#
#   bench_parts_test.py ROOT

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
from types import SimpleNamespace

ROOT = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(ROOT) / "tools" / "bench"))

from atoll_bench import apps, command, figures, implementations, places, plan, processes, recording, running, sets, showing  # noqa: E402
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import suite  # noqa: E402


class Made(implementations.Implementation):
    def command(self, series):
        return ["made", series.benchmark]


class Quiet:
    def __getattr__(self, _name):
        return lambda *_: None


def chosen(*words):
    return command.complete(command.parser().parse_args(words))


def planned(series, *names):
    return plan.runs_of(series, [Made(name) for name in names])


def case(name, median, **more):
    return {"name": name, "time_ns": {"median": median}, **more}


class Figures(unittest.TestCase):
    def test_are_of_the_samples_that_are_there(self):
        found = figures.summary([3, None, 1, 10, 2])
        self.assertEqual(found, {"median": 2.5, "mad": 1.0, "min": 1, "max": 10})
        self.assertIsNone(figures.summary([None]))

    def test_ratios_are_formed_within_a_turn(self):
        self.assertEqual(figures.ratios([1, None, 9], [2, 4, 3]), [0.5, None, 3])


class Options(unittest.TestCase):
    def test_sizes_are_a_list_or_a_range(self):
        self.assertEqual(command.sizes("64,8,4k"), [8, 64, 4096])
        self.assertEqual(command.sizes("8:64"), [8, 16, 32, 64])
        self.assertEqual(command.sizes("1M"), [1 << 20])
        for wrong in ("", "8,", "0", "64:8", "many", "8T", "64M", "-8", "8:"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=wrong):
                command.sizes(wrong)

    def test_ranks_are_a_list(self):
        self.assertEqual(command.numbers("4,2,2"), [2, 4])
        for wrong in ("", "2,", "0", "two", "5000"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=wrong):
                command.numbers(wrong)

    def test_turns_follow_from_the_kind_of_run(self):
        self.assertEqual([chosen().turns, chosen("--quick").turns, chosen("--budget", "60").turns], [5, 2, 3])
        self.assertEqual(chosen("--budget", "60", "--turns", "7").turns, 7)
        self.assertEqual(chosen("--peers", "none").peers, [])
        self.assertFalse(chosen("--no-pin").pinned)


class Plans(unittest.TestCase):
    def series(self, *words, cores=2):
        return plan.series_of(chosen(*words), cores, pathlib.Path("/nowhere"))

    def test_an_unknown_set_is_refused_with_those_that_there_are(self):
        with self.assertRaisesRegex(plan.Refused, "no set latencies; there are latency, bandwidth"):
            self.series("latencies")

    def test_more_ranks_than_cores_are_another_set(self):
        found = self.series("collectives", "oversubscription", "--ranks", "2,4,8", cores=4)
        self.assertEqual({each.ranks for each in found if each.set == "collectives"}, {2, 4})
        self.assertEqual({each.ranks for each in found if each.oversubscribed}, {8})

    def test_sets_are_measured_in_the_order_that_was_asked_for(self):
        self.assertEqual([each.set for each in self.series("atomics", "latency")], ["atomics", "latency"])

    def test_every_set_has_help_and_all_but_some_are_the_default(self):
        self.assertEqual(set(sets.HELP), set(sets.NAMES))
        self.assertNotIn("gasnet", {each.set for each in self.series()})

    def test_upc_random_access_gets_no_smaller_table_than_it_takes(self):
        source = (pathlib.Path(ROOT) / "apps" / "kernels" / "random_access.upc").read_text(encoding="utf-8")
        smallest = int(re.search(r'kernel_smallest = "(\d+)"', source).group(1))
        app = next(each for each in apps.TABLE if each.program == "upc_random_access")
        for words in (app.words, app.brief):
            self.assertGreaterEqual(int(words[0]), smallest)

    def test_names_of_variants_are_those_of_the_programs(self):
        for app in apps.TABLE:
            source = pathlib.Path(ROOT) / "apps" / app.program
            for name in filter(None, [*app.variants.split(","), *app.mpi_variants.split(","), app.library]):
                self.assertTrue(any(f'"{name}"' in file.read_text(encoding="utf-8") for file in source.glob("*.?pp")), name)

    def test_who_cannot_measure_a_series_is_left_out(self):
        class Unable(Made):
            def command(self, series):
                return None
        latency = self.series("latency")
        runs = plan.runs_of(latency, [Made("a"), Unable("b")])[0][1]
        self.assertEqual([run.implementation.name for run in runs], ["a"])


class Shmem(unittest.TestCase):
    def test_only_a_library_whose_program_was_built_takes_part(self):
        series = next(each for each in sets.shmem_series([2], 2, True) if each.benchmark == "shmem_threads_2")
        with tempfile.TemporaryDirectory() as folder:
            programs = pathlib.Path(folder)
            (programs / "bench_shmem_openmpi").touch()
            words = implementations.Mpi("openmpi", programs).command(series)
            self.assertEqual(words[-6:], ["-n", "2", f"{folder}/bench_shmem_openmpi", "threads", "--threads", "2"])
            self.assertIsNone(implementations.Mpi("mpich", programs).command(series))
            own = implementations.Atoll(pathlib.Path("/nowhere/atoll"), programs).command(series)
            self.assertEqual(own[-4:], [f"{folder}/bench_shmem", "threads", "--threads", "2"])


class Coarrays(unittest.TestCase):
    def test_opencoarrays_takes_part_where_the_app_was_built_with_it(self):
        app = next(each for each in apps.TABLE if each.name == "halo_coarray")
        series = sets.Series("apps", app.name, 2, (app.program, *app.words), app=app)
        with tempfile.TemporaryDirectory() as folder:
            peer = implementations.OpenCoarrays(pathlib.Path(folder))
            self.assertIsNone(peer.command(series))
            (pathlib.Path(folder) / "halo_coarray_opencoarrays").touch()
            words = peer.command(series)
            self.assertEqual(words[-5:], ["-n", "2", f"{folder}/halo_coarray_opencoarrays", *app.words])
            self.assertIsNone(peer.command(next(sets.pair_series())))
        self.assertEqual(peer.described()["title"], "OpenCoarrays")


class NetworkedApps(unittest.TestCase):
    """Apps between ranks that share no memory."""

    def series(self, *words, cores=2, place=places.LOOPBACK):
        with tempfile.TemporaryDirectory() as folder:
            self.programs = pathlib.Path(folder)
            for name in ("fft3d", "matmul", "cholesky", "spin", "bench_sockets", "fft3d_mpi_openmpi"):
                (self.programs / name).touch()
            found = plan.series_of(chosen("network", "apps", *words), cores, self.programs, (place,))
            atoll = implementations.Atoll(pathlib.Path("/nowhere/atoll"), self.programs)
            peer = implementations.Mpi("openmpi", self.programs)
            return [(each, " ".join(atoll.command(each)), " ".join(peer.command(each) or ())) for each in found if each.app]

    def named(self, found, name):
        return next(each for each in found if each[0].benchmark == name)

    def test_three_apps_are_measured_beside_their_twins(self):
        found = self.series()
        self.assertEqual([each[0].benchmark for each in found if each[0].set == "network"],
                         ["loopback_fft3d_128", "loopback_matmul_1024", "loopback_cholesky_2048"])
        _, own, peer = self.named(found, "loopback_fft3d_128")
        self.assertIn("ATOLL_NETWORK=ofi ATOLL_NEIGHBOURHOOD=1", own)
        self.assertNotIn("FI_PROVIDER", own)  # hides the provider that Atoll uses
        self.assertIn("/fft3d --size 128", own)
        self.assertIn("--mca btl tcp,self --mca osc pt2pt", peer)
        self.assertIn("/fft3d_mpi_openmpi --size 128", peer)

    def test_a_short_run_measures_them_at_one_place(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "fft3d").touch()
            where = (places.LOOPBACK, places.named(["a", "b"], "", folder))
            names = [[each.benchmark for each in apps.network_series(pathlib.Path(folder), where, [2], brief)]
                     for brief in (True, False)]
        self.assertEqual(names, [["hosts_fft3d_128"], ["loopback_fft3d_128", "hosts_fft3d_128"]])

    def test_hosts_have_equal_numbers_of_ranks(self):
        place = places.named(["a", "b"], "", "/nowhere")
        for words, count in (((), 2), (("--ranks", "3,4"), 4)):
            series, own, peer = self.named(self.series(*words, place=place), "hosts_fft3d_128")
            self.assertEqual(series.ranks, count)
            self.assertIn(f"run --hosts a:{count // 2},b:{count // 2} ", own)
            self.assertIn(f"--host a:{count // 2},b:{count // 2} -n {count} ", peer)
        self.assertEqual([each for each in self.series("--ranks", "3", place=place) if each[0].set == "network"], [])

    def test_the_large_product_has_variants_of_its_own_and_a_core_for_each_rank(self):
        found = self.series()
        self.assertEqual([each[0].ranks for each in found if each[0].benchmark == "matmul_4096"], [2])
        _, own, _ = self.named(found, "matmul_4096")
        self.assertIn("--size 4096 --rounds 2 --variants in_place,gets_ahead,library", own)
        app = next(each for each in apps.TABLE if each.name == "matmul_4096")
        self.assertIn("pdgemm_64,pdgemm_256,mpi_broadcasts_ahead", app.mpi_words("openmpi"))

    def test_the_local_library_is_no_variant_but_a_measure_of_the_best(self):
        app = sets.Series("apps", "matmul", 2, ("matmul",), app=apps.App("matmul", "matmul", library="library"))
        runs = planned([app], "atoll")
        results = running.Results(runs)
        results.begin_turn()
        running.take_variants(results, runs[0][1][0], {"variants": [{"name": "library", "seconds": 0.9},
                                                                    {"name": "in_place", "seconds": 1}]})
        found = {row["name"]: row for row in recording.content({}, results)["series"][0]["cases"]}
        self.assertEqual(found["best"]["by"]["atoll"]["median"], 1)
        share = found["best_of_library"]
        self.assertEqual((share["by"]["atoll"]["median"], share["unit"], share["better"]), (90, "%", "more"))


class Networks(unittest.TestCase):
    """The command lines for ranks of which not all share memory."""

    def words(self, place, name, benchmark="latency", ranks=2):
        series = next(each for each in sets.network_series([place], [2, 3, 4])
                      if each.benchmark.endswith(benchmark) and each.ranks == ranks)
        folder = pathlib.Path("/nowhere")
        made = {"sockets": lambda: implementations.Sockets(folder / "atoll", folder)}
        implementation = made.get(name, lambda: implementations.Mpi(name, folder))()
        return " ".join(implementation.command(series))

    def test_are_left_out_when_time_is_short_or_nothing_was_built(self):
        self.assertNotIn("network", plan.known_sets([], brief=True))
        self.assertIn("network", plan.known_sets([], brief=False))
        series = next(iter(sets.network_series([places.LOOPBACK], [2])))
        atoll = implementations.Atoll(pathlib.Path("/nowhere/atoll"), pathlib.Path("/nowhere"))
        self.assertIsNone(atoll.command(series))

    def test_nobody_may_use_shared_memory_on_one_machine(self):
        self.assertIn("ATOLL_NETWORK=ofi ATOLL_NEIGHBOURHOOD=1", self.words(places.LOOPBACK, "sockets"))
        self.assertIn("--mca btl tcp,self --mca osc pt2pt", self.words(places.LOOPBACK, "openmpi"))
        self.assertIn("--mca btl_tcp_if_include lo", self.words(places.LOOPBACK, "openmpi"))
        self.assertIn("MPIR_CVAR_NOLOCAL=1 UCX_TLS=tcp", self.words(places.LOOPBACK, "mpich"))

    def test_each_launcher_is_told_of_the_hosts_in_its_own_words(self):
        with tempfile.TemporaryDirectory() as folder:
            place = places.named(["a", "b"], "ip netns exec", folder)
            self.assertIn("run --hosts a:1,b:1 --rsh ip netns exec /", self.words(place, "sockets"))
            self.assertIn(f"--host a:1,b:1 --mca plm_rsh_agent {folder}/rsh -n 2", self.words(place, "openmpi"))
            self.assertIn(f"-hosts a,b -ppn 1 -launcher ssh -launcher-exec {folder}/rsh -n 2", self.words(place, "mpich"))
            self.assertNotIn("UCX_NET_DEVICES", self.words(place, "mpich"))
        self.assertNotIn("rsh", self.words(places.named(["a", "b"], "", "/nowhere"), "openmpi"))

    def test_ranks_of_a_host_share_memory_in_collectives_between_hosts(self):
        place = places.named(["a", "b"], "", "/nowhere")
        self.assertIn("--mca btl tcp,self", self.words(place, "openmpi", "collectives", 2))
        for name, expected in (("openmpi", "--mca btl tcp,vader,self --host a:2,b:2"), ("mpich", "UCX_TLS=tcp,sm,self"),
                               ("mpich", "-hosts a,b -ppn 2")):
            self.assertIn(expected, self.words(place, name, "collectives", 4))
        self.assertNotIn("NOLOCAL", self.words(place, "mpich", "collectives", 4))
        counts = {each.ranks for each in sets.network_series([place], [2, 3, 4])}
        self.assertEqual(counts, {2, 4})  # as many on each host

    def test_a_remote_shell_is_called_as_launchers_call_ssh(self):
        with tempfile.TemporaryDirectory() as folder:
            for rsh, expected in (("echo via", "via b sh -c say \"two words\""), ("ssh", None)):
                program = places.named(["a", "b"], rsh, folder).rsh_program
                if expected:
                    output = subprocess.run([program, "-x", "b", 'say "two words"'], capture_output=True, text=True,
                                            check=True).stdout.strip()
                    self.assertEqual(output, expected)
            self.assertIn('exec ssh "$host" "$@"', pathlib.Path(program).read_text(encoding="utf-8"))

    def test_places_are_refused_where_no_network_is_measured(self):
        for words in (("latency", "--veth"), ("rate", "--hosts", "a,b"), ("--budget", "60", "--veth")):
            with self.assertRaisesRegex(plan.Refused, "is of the set network"):
                command.places_of(chosen(*words), pathlib.Path("/nowhere"))
        for wrong in ("a", "a,b,c", "a,-b", ","):
            with self.assertRaises(argparse.ArgumentTypeError, msg=wrong):
                command.two_hosts(wrong)

    @unittest.skipUnless(os.geteuid() == 0, "network namespaces need root")
    def test_a_pair_of_networks_is_joined_and_goes_with_who_made_it(self):
        def namespaces():
            return [os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "uts")]
        initial = namespaces()
        with tempfile.TemporaryDirectory() as folder:
            try:
                place = places.veth(folder)
            except places.NoPlace as reason:
                self.skipTest(str(reason))
            self.assertEqual(namespaces(), initial)
            for host, own, other in (("veth-a", *places.VETH_ADDRESSES), ("veth-b", *places.VETH_ADDRESSES[::-1])):
                output = subprocess.run([*place.rsh, host, "hostname; ip -br address show eth0"], capture_output=True,
                                        text=True, check=True).stdout
                self.assertEqual(output.split()[0], host)
                self.assertIn(own, output)
                self.assertNotIn(other + "/", output)
            refused = subprocess.run([*place.rsh, "veth-c", "true"], capture_output=True, text=True, check=False)
            self.assertIn("no host veth-c", refused.stderr)


class Clocks(unittest.TestCase):
    def test_a_budget_is_divided_over_the_runs_that_are_left(self):
        series = plan.series_of(chosen("rate", "atomics"), 2, pathlib.Path("/nowhere"))
        runs = planned(series, "a", "b")
        clock = plan.Clock(runs, 3, 60)
        self.assertAlmostEqual(clock.seconds(runs[0][1][0]), (60 - 12 * plan.OVERHEAD_GUESS_S) / 12, places=1)
        for run in list(clock.left):
            clock.done(run, 1, 1.5)
        self.assertEqual(clock.remaining_s() > 0, True)  # of the budget
        self.assertEqual(clock.left, [])

    def test_what_failed_costs_nothing_more(self):
        runs = planned(plan.series_of(chosen("rate"), 2, pathlib.Path("/nowhere")), "a", "b")
        clock = plan.Clock(runs, 3, None)
        clock.drop([runs[0][1][1]])
        self.assertEqual(len(clock.left), 3)

    def test_turns_are_given_up_for_the_budget_but_never_the_first(self):
        runs = planned(plan.series_of(chosen("rate", "atomics"), 2, pathlib.Path("/nowhere")), "a", "b")
        for budget, turns in ((100, 3), (2 * 4 * (plan.OVERHEAD_GUESS_S + plan.SECONDS_MIN) + 0.5, 2), (0.1, 1)):
            clock = plan.Clock(runs, 3, budget)
            clock.seconds(runs[0][1][0])
            self.assertEqual(len(clock.left), 4 * turns, budget)

    def test_an_unknown_cost_is_that_of_others_of_the_implementation(self):
        runs = planned(plan.series_of(chosen("rate", "atomics"), 2, pathlib.Path("/nowhere")), "a", "b")
        clock = plan.Clock(runs, 1, 100)
        (first_a, first_b), (second_a, second_b) = runs[0][1], runs[1][1]
        clock.done(first_a, 1, 4)
        self.assertEqual(clock.cost(second_a), 3)
        self.assertEqual(clock.cost(second_b), plan.OVERHEAD_GUESS_S)

    def test_a_spent_budget_still_gives_every_run_a_little(self):
        runs = planned(plan.series_of(chosen("rate"), 2, pathlib.Path("/nowhere")), "a")
        self.assertEqual(plan.Clock(runs, 3, 0.001).seconds(runs[0][1][0]), plan.SECONDS_MIN)


class Taking(unittest.TestCase):
    def setUp(self):
        self.planned = planned(plan.series_of(chosen("bandwidth", "am", "startup"), 2, pathlib.Path("/nowhere")),
                               "atoll", "openmpi")
        self.results = running.Results(self.planned)
        self.results.begin_turn()
        self.runs = {(run.series.set, run.implementation.name): run for _, runs in self.planned for run in runs}

    def recorded(self):
        self.found = recording.content({}, self.results)["series"]
        return {row["name"]: row for series in self.found for row in series["cases"]}

    def test_bandwidth_is_more_of_bytes_per_time(self):
        for name, median in (("atoll", 100), ("openmpi", 400)):
            row = case("put_flood_1000", median, bytes=1000, operation="put_flood")
            running.take_cases(self.results, self.runs["bandwidth", name], {"cases": [row]}, "")
        found = self.recorded()["put_flood_1000"]
        self.assertEqual((found["unit"], found["better"], found["by"]["atoll"]["median"]), ("GB/s", "more", 10))
        self.assertEqual(found["ratios"]["openmpi"]["median"], 4)

    def test_a_counterpart_of_another_name_stands_in_the_same_case(self):
        running.take_cases(self.results, self.runs["am", "atoll"], {"cases": [case("am_short_flood", 5)]}, "")
        running.take_cases(self.results, self.runs["am", "openmpi"],
                           {"cases": [case("message_8_flood", 10), case("message_9_flood", 1)]}, "")
        self.assertEqual(list(self.recorded()), ["am_short_flood"])
        self.assertEqual(self.recorded()["am_short_flood"]["ratios"]["openmpi"]["median"], 0.5)

    def test_the_launchers_of_one_file_are_told_apart(self):
        rows = [case("atoll_2", 5), case("openmpi_2", 50), case("fork_exec_2", 1)]
        running.take_launchers(self.results, self.runs["startup", "atoll"], {"cases": rows})
        self.assertEqual(self.recorded()["job_2"]["ratios"]["openmpi"]["median"], 0.1)
        self.assertEqual(list(self.recorded()["fork_exec_2"]["by"]), ["atoll"])

    def test_a_turn_that_a_peer_missed_is_null(self):
        row = case("put_flood_8", 1, bytes=8)
        running.take_cases(self.results, self.runs["bandwidth", "atoll"], {"cases": [row]}, "")
        self.results.begin_turn()
        for name in ("atoll", "openmpi"):
            running.take_cases(self.results, self.runs["bandwidth", name], {"cases": [row]}, "")
        self.results.begin_turn()
        measured = self.recorded()["put_flood_8"]["by"]
        self.assertEqual(measured["atoll"]["samples"], [8, 8, None])
        self.assertEqual(measured["openmpi"]["samples"], [None, 8, None])

    def test_only_says_which_cases_are_kept(self):
        rows = [case("put_flood_8", 1, bytes=8), case("get_flood_8", 1, bytes=8)]
        running.take_cases(self.results, self.runs["bandwidth", "atoll"], {"cases": rows}, "get")
        self.assertEqual(list(self.recorded()), ["get_flood_8"])
        running.take_cases(self.results, self.runs["bandwidth", "atoll"], {"cases": rows}, "put,get")
        self.assertEqual(set(self.recorded()), {"get_flood_8", "put_flood_8"})

    def test_a_file_that_makes_no_sense_is_a_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "figures.json"
            for text in ("", "{}", "[]", '{"cases": [{}]}', '{"cases": 3}'):
                file.write_text(text, encoding="utf-8")
                self.assertIn("cannot be read", running.take(self.results, self.runs["am", "atoll"], file, ""), text)

    def test_variants_of_an_app_and_the_best_of_each_implementation(self):
        app = sets.Series("apps", "stencil", 2, ("stencil",), app=apps.App("stencil", "stencil"))
        runs = planned([app], "atoll", "openmpi")
        results = running.Results(runs)
        results.begin_turn()
        own, peer = runs[0][1]
        running.take_variants(results, own, {"variants": [{"name": "put", "seconds": 2},
                                                          {"name": "get", "seconds": 1}]})
        running.take_variants(results, peer, {"variants": [{"name": "halo", "seconds": 4}]})
        found = {row["name"]: row for row in recording.content({}, results)["series"][0]["cases"]}
        self.assertEqual(found["best"]["ratios"]["openmpi"]["median"], 0.25)
        self.assertEqual(list(found["halo"]["by"]), ["openmpi"])
        running.take_variants(results, own, {"time_s": 3})
        self.assertEqual(results.cases[id(app)]["stencil"]["samples"], {"atoll": [3]})

    def test_rates_and_lines_of_code_are_kept_beside_the_seconds(self):
        app = sets.Series("apps", "hpcc_fft", 2, ("hpcc",), app=apps.App("hpcc_fft", "hpcc", rated=True))
        runs = planned([app], "atoll")
        results = running.Results(runs)
        for rate in (10, 14):
            results.begin_turn()
            running.take_variants(results, runs[0][1][0], {"variants": [
                {"name": "fft", "seconds": 1 / rate, "rate": rate, "unit": "GFLOP/s", "lines": 143}]})
        series = recording.content({}, results)["series"][0]
        found = {row["name"]: row for row in series["cases"]}
        self.assertEqual(list(found), ["fft", "fft_rate", "best"])
        rate = found["fft_rate"]
        self.assertEqual((rate["unit"], rate["better"], rate["title"]), ("GFLOP/s", "more", "hpcc_fft: fft, rate"))
        self.assertEqual((rate["by"]["atoll"]["median"], rate["by"]["atoll"]["lines"]), (12, 143))
        self.assertEqual(found["fft"]["by"]["atoll"]["lines"], 143)
        self.assertNotIn("lines", found["best"]["by"]["atoll"])
        shown = []
        screen = SimpleNamespace(table=lambda *words: shown.append(words))
        showing.tables(screen, {"implementations": [{"name": "atoll"}], "series": [series]})
        (_, heads, rows), = shown
        self.assertEqual(heads, ["", "atoll", "lines, atoll"])
        self.assertEqual(rows[1], ["hpcc_fft: fft, rate", "12 GFLOP/s", "143"])
        self.assertEqual(rows[2][2], "-")


class Files(unittest.TestCase):
    def test_are_replaced_as_a_whole_and_leave_nothing_beside_them(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.json"
            recording.check_writable(file)
            for number in (1, 2):
                recording.write(file, {"number": number})
            self.assertEqual(json.loads(file.read_text(encoding="utf-8")), {"number": 2})
            self.assertEqual(os.listdir(folder), ["a.json"])

    def test_that_cannot_be_written_are_known_before(self):
        for path in ("/nowhere/a.json", "/"):
            with self.assertRaises(OSError):
                recording.check_writable(path)


class Processes(unittest.TestCase):
    def test_a_program_that_ends_well_gives_no_reason(self):
        self.assertEqual(processes.run(["true"], {}, 10), "")

    def test_a_failure_tells_the_last_words(self):
        self.assertEqual(processes.run(["sh", "-c", "echo first; echo the error; exit 3"], {}, 10),
                         "exit code 3: first | the error")
        self.assertIn("cannot be started", processes.run(["/nowhere/program"], {}, 10))
        self.assertIn("signal 9", processes.run(["sh", "-c", "kill -9 $$"], {}, 10))

    def test_the_reason_is_the_programs_and_not_its_launchers(self):
        said, ended = "upc_random_access: 12 is no size of this kernel", "atoll run: rank 1 (./a, pid 9) exited with code 2"
        box = "echo ----------------------; echo Primary job terminated; echo ----------------------; exit 2"
        for script, reason in ((f"echo '{said}'; echo '{ended}'; exit 2", f"exit code 2: {said}"),
                               (f"echo table; echo right; echo '{said}'; {box}", f"exit code 2: right | {said}"),
                               (f"echo one; echo '{said}'; echo '{said}'; exit 2", f"exit code 2: one | {said}"),
                               (f"echo '{ended}'; exit 2", f"exit code 2: {ended}"),
                               ("echo half; echo 'atoll run: rank 0 was killed by SIGSEGV'; exit 139",
                                "exit code 139: half | atoll run: rank 0 was killed by SIGSEGV"),
                               (box, "exit code 2: Primary job terminated"),
                               ("exit 4", "exit code 4: it said nothing")):
            self.assertEqual(processes.run(["sh", "-c", script], {}, 10), reason)

    def test_what_takes_too_long_is_ended_with_all_that_it_started(self):
        script = ("import sys; sys.path.insert(0, sys.argv[1]); from atoll_bench import processes as p;"
                  "p.adopt_orphans(); print(p.run(['sh', '-c', 'setsid sleep 77 & setsid sleep 77'], {}, 0.3));"
                  "import os; print(len(p.descendants(os.getpid())))")
        begun = time.monotonic()
        output = subprocess.run([sys.executable, "-B", "-c", script, sys.path[0]], capture_output=True, text=True,
                                check=True, timeout=60).stdout.splitlines()
        self.assertEqual(output, ["took more than 0 s and was ended", "0"])
        self.assertLess(time.monotonic() - begun, 40)

    def test_a_signal_ends_the_next_program_though_python_dropped_its_exception(self):
        script = ("import os, signal, sys; sys.path.insert(0, sys.argv[1]); from atoll_bench import processes as p\n"
                  "signal.signal(signal.SIGINT, signal.default_int_handler); p.interrupt_at_signals()\n"
                  "os.register_at_fork(before=lambda: p.is_interrupted or os.kill(os.getpid(), signal.SIGINT))\n"
                  "try: p.run(['sleep', '77'], {}, 40)\n"
                  "except KeyboardInterrupt: print('interrupted')")
        done = subprocess.run([sys.executable, "-B", "-c", script, sys.path[0]], capture_output=True, text=True,
                              check=True, timeout=60)
        self.assertIn("Exception ignored", done.stderr)
        self.assertEqual(done.stdout, "interrupted\n")


class Runs(unittest.TestCase):
    def runner(self, script, turns=2):
        """A runner whose programs are shell scripts that get the name of the file as $F."""
        class Scripted(implementations.Implementation):
            def command(self, series):
                return ["sh", "-c", 'for F; do :; done; ' + script[self.name], "sh"]
        series = [sets.Series("atomics", "atomics", 2, ("made",))]
        plans = plan.runs_of(series, [Scripted(name) for name in script])
        options = SimpleNamespace(turns=turns, rounds=1, budget=None, quick=True, pinned=True, sizes=None, only="")
        return running.Runner(plans, options, plan.Clock(plans, turns, None), Quiet())

    GOOD = """echo '{"cases": [{"name": "add", "time_ns": {"median": 4}}]}' >"$F" """

    def test_a_peer_that_fails_is_told_of_once_and_costs_no_figure_of_ours(self):
        runner = self.runner({"atoll": self.GOOD, "openmpi": "echo broken; exit 1"})
        runner.all_turns(lambda: None)
        found = recording.content({}, runner.results)
        self.assertEqual(found["series"][0]["cases"][0]["by"]["atoll"]["samples"], [4, 4])
        self.assertEqual([each["reason"] for each in runner.results.failures], ["exit code 1: broken"])
        self.assertFalse(runner.results.own_failed)

    def test_a_failure_of_ours_is_known_at_the_end(self):
        runner = self.runner({"atoll": "exit 1", "openmpi": self.GOOD})
        runner.all_turns(lambda: None)
        self.assertTrue(runner.results.own_failed)
        self.assertEqual(len(recording.content({}, runner.results)["series"]), 1)


class TunedHosts(unittest.TestCase):
    def test_what_cannot_be_is_refused_before_anything_runs(self):
        script = pathlib.Path(__file__).resolve().parents[2] / "bench" / "tuned_hosts.py"
        with tempfile.TemporaryDirectory() as build:
            pathlib.Path(build, "bin").mkdir()
            pathlib.Path(build, "bin", "atoll").touch()
            for words, problem in ((["/nowhere"], "/nowhere has no bin/atoll"),
                                   ([build, "--hosts", "0"], "at least 2 hosts"),
                                   ([build, "--ranks", "1"], "each of the 2 hosts needs a rank"),
                                   ([build, "--delay-ms", "0"], "must delay its frames")):
                done = subprocess.run([sys.executable, "-B", script, *words], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(problem, done.stderr)
                self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    suite.main()
