# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the analysis and the texts of the report of `atoll bench`, and which files it refuses. The page
# in a browser is tested in browser_test.py.

import contextlib
import importlib.util
import io
import json
import pathlib
import re
import statistics
import sys
import tempfile
import unittest
from types import SimpleNamespace

sys.path.insert(0, sys.argv.pop(1))  # tools/bench

import sample  # noqa: E402
from atoll_report import analysis, charts, command, quantities, recording, summary, tables  # noqa: E402
sys.path.append(str(pathlib.Path(__file__).resolve().parent / "../support"))
import suite  # noqa: E402


def is_installed(library):
    return importlib.util.find_spec(library) is not None


def read(raw):
    return recording.from_json(raw, "a.json")


def figures(*samples):
    middle = statistics.median(samples)
    return {"samples": list(samples), "median": middle, "mad": 0, "min": min(samples), "max": max(samples)}


def case(better="less", unit="ns", size=None, name="put", **samples):
    return {"name": name, "title": name, "operation": "put", "bytes": size, "unit": unit, "better": better,
            "by": {key: figures(*each) for key, each in samples.items()}, "ratios": {}}


def of_cases(*cases, ranks=2, set_name="bandwidth", failures=(), quick=False):
    names = list(dict.fromkeys(name for each in cases for name in each["by"]))
    return {"format": "atoll-bench", "version": 1, "started": "2026-11-22T09:00:00+00:00", "seconds": 1,
            "machine": {}, "implementations": [{"name": each, "version": "1"} for each in names],
            "settings": {"quick": quick}, "failures": list(failures),
            "series": [{"set": set_name, "benchmark": set_name, "ranks": ranks, "oversubscribed": False,
                        "cases": list(cases)}]}


SCALE = SimpleNamespace(bar=lambda *_: None)  # of bars, which are not drawn


def only_case(raw):
    return read(raw).series[0].cases[0]


class Reaching(unittest.TestCase):
    def points(self, *pairs):
        return [analysis.Point(x, y, 0) for x, y in pairs]

    def test_half_and_ninety_percent_lie_between_the_sizes_measured(self):
        points = self.points((8, 1), (16, 4), (64, 8), (256, 10))
        half, nearly = analysis.reach(points, 0.5), analysis.reach(points, 0.9)
        self.assertAlmostEqual(half.x, 16 * 4 ** (1 / 4))  # a quarter of the way from 4 to 8
        self.assertAlmostEqual(nearly.x, 64 * 4 ** (1 / 2))
        self.assertEqual((half.y, nearly.y, half.at_first), (5, 9, False))

    def test_a_size_that_was_measured_is_met_exactly(self):
        self.assertAlmostEqual(analysis.reach(self.points((8, 1), (16, 5), (32, 10)), 0.5).x, 16)

    def test_a_curve_that_falls_later_counts_from_where_it_first_got_there(self):
        points = self.points((8, 1), (16, 10), (32, 4), (64, 6))
        self.assertLess(analysis.reach(points, 0.9).x, 16)

    def test_the_smallest_size_can_be_enough(self):
        found = analysis.reach(self.points((8, 9), (16, 10)), 0.5)
        self.assertEqual((found.x, found.at_first), (8, True))
        self.assertEqual(tables.reach_cell(found).text, "≤ 8\u00a0B")

    def test_one_size_and_no_size(self):
        self.assertTrue(analysis.reach(self.points((8, 3)), 0.9).at_first)
        self.assertIsNone(analysis.reach([], 0.9))
        self.assertIsNone(analysis.reach(self.points((8, 0), (16, 0)), 0.5))
        self.assertIsNone(analysis.peak([]))


class Comparing(unittest.TestCase):
    def test_an_advantage_is_formed_turn_by_turn(self):
        found = analysis.advantage(only_case(of_cases(case(atoll=(1, 2, 10), openmpi=(3, 4, 90)))), "openmpi")
        self.assertEqual((found.median, found.mad, found.turns), (3, 1, 3))  # of 3, 2 and 9

    def test_more_is_better_where_it_is_a_rate(self):
        row = only_case(of_cases(case("more", "GB/s", atoll=(10, 10), openmpi=(4, 4))))
        self.assertEqual(analysis.advantage(row, "openmpi").median, 2.5)

    def test_failed_turns_are_left_out_in_pairs(self):
        raw = of_cases(case(atoll=(1, 1, 1), openmpi=(2, 2, 2)))
        raw["series"][0]["cases"][0]["by"]["openmpi"]["samples"] = [None, 2, 4]
        self.assertEqual(analysis.advantage(only_case(raw), "openmpi").median, 3)

    def test_without_samples_the_recorded_ratio_counts(self):
        raw = of_cases(case(atoll=(1,), openmpi=(9,)))
        row = raw["series"][0]["cases"][0]
        for each in row["by"].values():
            del each["samples"]
        self.assertEqual(analysis.advantage(only_case(raw), "openmpi").median, 9)
        row["ratios"] = {"openmpi": {"median": 0.5, "mad": 0.1}}
        found = analysis.advantage(only_case(raw), "openmpi")
        self.assertEqual((found.median, round(found.mad, 3)), (2, 0.4))

    def test_a_missing_peer_is_no_comparison(self):
        row = only_case(of_cases(case(atoll=(1,)), case(name="b", openmpi=(2,))))
        self.assertIsNone(analysis.advantage(row, "openmpi"))
        self.assertIsNone(analysis.over_best_peer(row))

    def test_the_best_peer_is_the_one_that_leaves_least(self):
        row = only_case(of_cases(case(atoll=(10,), openmpi=(90,), mpich=(30,))))
        self.assertEqual(analysis.over_best_peer(row).peer, "mpich")

    def test_too_few_turns_tell_large_differences_only(self):
        def verdict(*pairs):
            row = only_case(of_cases(case(atoll=[a for a, _ in pairs], openmpi=[b for _, b in pairs])))
            return analysis.advantage(row, "openmpi").verdict
        self.assertEqual(verdict((100, 120)), "same")
        self.assertEqual(verdict((100, 85), (100, 85)), "same")
        self.assertEqual(verdict((100, 150)), "faster")
        self.assertEqual(verdict((100, 50), (100, 50)), "slower")

    def test_noise_is_not_a_difference(self):
        def verdict(own, other):
            return analysis.advantage(only_case(of_cases(case(atoll=own, openmpi=other))), "openmpi").verdict
        self.assertEqual(verdict((100, 100, 100), (102, 102, 102)), "same")
        self.assertEqual(verdict((100, 100, 100), (98, 98, 98)), "same")
        self.assertEqual(verdict((100, 100, 100), (60, 110, 160)), "same")
        self.assertEqual(verdict((100, 100, 100), (108, 110, 112)), "faster")
        self.assertEqual(verdict((100, 100, 100), (90, 91, 92)), "slower")


class Summing(unittest.TestCase):
    def test_losses_are_counted_and_found_where_they_are_worst(self):
        found = read(of_cases(*(case(size=size, name=f"put_{size}", atoll=(own,), openmpi=(10,))
                                for size, own in ((8, 1), (64, 20), (512, 40), (4096, 10)))))
        count = summary.count(found)
        self.assertEqual((count.faster, count.same, count.slower, count.alone), (1, 1, 2, 0))
        (slower,) = summary.findings(summary.groups(found), "slower")
        self.assertEqual((slower.case.name, slower.count, slower.of), ("put_512", 2, 4))
        self.assertEqual(slower.where, "at 2 of 4 sizes, most at 512\u00a0B")
        (group,) = summary.groups(found)
        self.assertEqual(group.spans["openmpi"].words, "4.0× slower to 10× faster")

    def test_threads_and_variants_are_told_apart(self):
        raw = of_cases(case(atoll=(1,), openmpi=(2,)), set_name="threads")
        raw["series"][0]["benchmark"] = "threads_4"
        (threads,) = summary.groups(read(raw))
        self.assertEqual(threads.words, "Threads: put, 2 ranks of 4 threads")
        variants = [{**case(name=name, atoll=(1,), **peer), "operation": "spin", "title": f"spin: {name}"}
                    for name, peer in (("fence", {}), ("best", {"openmpi": (2,)}))]
        found = summary.groups(read(of_cases(*variants, set_name="apps")))
        self.assertEqual((found[0].title, found[0].extent), ("spin", "2 variants"))
        self.assertEqual(summary.findings(found, "faster")[0].where, "spin: best")

    def test_a_terminal_is_told_the_same(self):
        lines = summary.in_lines(read(sample.recording()), 2)
        count = summary.count(read(sample.recording()))
        self.assertIn(f"{count.faster} faster, {count.same} without a difference, {count.slower} slower", lines[0])
        self.assertRegex(lines[1], r"^slower beyond 1.05: \d+ of \d+ measurements$")
        self.assertEqual([" slower than " in each for each in lines[2:-1]], [True, True, False, False])
        busy = sample.recording(turns=2, quick=True)
        busy["machine"]["load_before"] = 21.7
        self.assertEqual(summary.in_lines(read(busy), 1)[-1], "  doubtful: a smoke run, whose figures mean nothing, "
                         "a load of 22 on 2 cores when it began, only 2 turns, 1 run failed")
        alone = read(of_cases(case(atoll=(1,))))
        self.assertIn("nothing is compared", summary.in_lines(alone, 2)[0])

    def test_the_verdict_is_of_cases_that_are_slower_beyond_five_percent(self):
        def words(*pairs, **more):
            return summary.verdict_lines(read(of_cases(*(
                case(name=f"put_{i}", atoll=own, openmpi=other) for i, (own, other) in enumerate(pairs)), **more)), 1)
        even, a_little, much = ((100,) * 3, (100,) * 3), ((104,) * 3, (100,) * 3), ((120,) * 3, (100,) * 3)
        noisy, more = ((110, 90, 150), (100,) * 3), ((300,) * 3, (100,) * 3)
        self.assertEqual(words(even, a_little), ["slower beyond 1.05: none of 2 measurements"])
        self.assertEqual(words(noisy), ["slower beyond 1.05: none of 1 measurement; 1 more within noise"])
        self.assertEqual(words(even, much, more, a_little), [
            "slower beyond 1.05: 2 of 4 measurements",
            "      3.0× slower than Open MPI  Flood bandwidth: put_2, 2 ranks",
            "  and 1 more: atoll bench report names them all"])
        failed = [{"set": "rate", "implementation": "atoll", "ranks": 2, "reason": "exit code 1"}]
        self.assertEqual(words(even, failures=failed)[-1], "  doubtful: 1 run failed")
        self.assertEqual(summary.verdict_lines(read(of_cases(case(atoll=(1,)))), 1)[0],
                         "slower beyond 1.05: unknown, because nothing has a counterpart at a peer")

    def test_the_sets_of_several_recordings_make_one_table(self):
        first = of_cases(case(name="a", atoll=(10,) * 3, openmpi=(40,) * 3), case(name="b", atoll=(9,), mpich=(9,)))
        more = of_cases(case(name="c", atoll=(20,) * 3, openmpi=(10,) * 3, sockets=(1,) * 3), ranks=4, set_name="am")
        again = of_cases(case(name="d", atoll=(30,) * 3, openmpi=(10,) * 3), case(name="e", atoll=(1,)))
        self.assertEqual(summary.set_table([read(each) for each in (first, more, again)]), [
            "| set | measurements | geometric mean | slower beyond 1.05 | the worst of them |",
            "| --- | --- | --- | --- | --- |",
            "| Flood bandwidth | 3 | 1.10× faster | 1 | 3.0× slower: d, 2 ranks |",
            "| Active messages | 1 | 2.0× slower | 1 | 2.0× slower: c, 4 ranks |",
            "| all | 4 | 1.11× slower | 2 | 3.0× slower: d, 2 ranks |"])
        fast = read(of_cases(case(atoll=(10,) * 3, openmpi=(40,) * 3)))
        self.assertEqual(summary.set_table([fast])[2:], ["| Flood bandwidth | 1 | 4.0× faster | none | |"])
        self.assertEqual(summary.set_table([read(of_cases(case(atoll=(1,))))]),
                         ["nothing has a counterpart at a peer, so nothing is compared"])

    def test_raw_sockets_are_no_peer_in_the_verdict(self):
        found = summary.verdict(read(of_cases(case(atoll=(100,) * 3, sockets=(10,) * 3),
                                              case(name="b", atoll=(100,) * 3, sockets=(10,) * 3, mpich=(90,) * 3))))
        self.assertEqual((found.compared, [each.advantage.peer for each in found.losses]), (1, ["mpich"]))

    def test_a_rate_is_slower_beyond_the_limit_when_it_is_lower(self):
        found = read(of_cases(case("more", "GB/s", atoll=(10,) * 3, openmpi=(12,) * 3)))
        self.assertEqual(len(summary.verdict(found).losses), 1)

    def test_spans_in_words(self):
        def words(*pairs):
            found = read(of_cases(*(case(name=str(i), size=8 + i, atoll=(a,), openmpi=(b,))
                                    for i, (a, b) in enumerate(pairs))))
            return summary.groups(found)[0].spans["openmpi"].words
        self.assertEqual(words((1, 2), (1, 12)), "2.0 to 12× faster")
        self.assertEqual(words((2, 1), (3, 1)), "2.0 to 3.0× slower")
        self.assertEqual(words((1, 1), (1, 3)), "1.00 to 3.0× faster")
        self.assertEqual(words((1, 0.98), (1, 3)), "up to 3.0× faster")
        self.assertEqual(words((1, 1), (1, 1.01)), "no difference")

    def test_a_recording_of_atoll_alone_compares_nothing(self):
        found = read(of_cases(case(atoll=(1,)), case(name="b", atoll=(2,))))
        self.assertEqual((summary.count(found).compared, summary.count(found).alone), (0, 2))

    def test_a_recording_without_atoll_compares_nothing(self):
        found = read(of_cases(case(openmpi=(1,), mpich=(2,))))
        self.assertEqual(summary.count(found).compared, 0)
        self.assertEqual(summary.groups(found)[0].spans, {})


    def test_sizes_are_left_out_of_the_title_of_a_group(self):
        cases = [{**case(size=size, atoll=(1,), openmpi=(2,)), "title": f"{text} put, blocking"}
                 for size, text in ((8, "8 B"), (4096, "4 KiB"))]
        self.assertEqual(summary.groups(read(of_cases(*cases)))[0].title, "put, blocking")
        self.assertEqual(tables.case_words(read(of_cases(*cases)).series[0].cases[1]), "4 KiB put, blocking")


class Drawing(unittest.TestCase):
    def test_few_sizes_are_no_curve(self):
        few = read(of_cases(*(case(size=8 << i, name=str(i), atoll=(1,), openmpi=(2,)) for i in range(2))))
        self.assertEqual(list(charts.pairs(few, "bandwidth")), [])

    def test_an_operation_without_a_peer_has_no_ratios(self):
        alone = read(of_cases(*(case(size=8 << i, name=str(i), atoll=(1,)) for i in range(3))))
        ((values, ratios),) = charts.pairs(alone, "bandwidth")
        self.assertEqual(([c.name for c in values.curves], ratios), (["atoll"], None))

    def test_axes_span_what_is_shown(self):
        self.assertEqual(charts.linear_ticks(43), [0, 10, 20, 30, 40])
        self.assertEqual(charts.log_ticks(8, 120000), [10, 100, 1000, 10000, 100000])
        self.assertEqual(charts.size_ticks(8, 4194304)[0], 8)
        self.assertLessEqual(len(charts.size_ticks(1, 2**40)), 9)
        self.assertIn(1, charts.ratio_ticks(0.5, 2))


class Tables(unittest.TestCase):
    def test_collectives_are_told_by_ranks_and_size(self):
        table = tables.pivot_table(read(sample.recording()), "collectives")
        self.assertEqual([row[0].text.replace("\u00a0", " ") for row in table.rows],
                         ["barrier", "broadcast, 8 B", "broadcast, 1 KiB", "broadcast, 64 KiB",
                          "allreduce, 8 B", "allreduce, 1 KiB", "allreduce, 64 KiB"])
        self.assertEqual([column.title for column in table.columns][1:], ["2 ranks", "4 ranks", "8 ranks"])
        self.assertEqual({cell.css for cell in table.rows[-1][1:]}, {"slower filled"})

    def test_ranks_that_were_not_measured_stay_empty(self):
        raw = of_cases(case(name="a", atoll=(1,), openmpi=(2,)), set_name="collectives")
        more = of_cases({**case(name="b", atoll=(1,)), "operation": "b"}, set_name="collectives", ranks=3)
        raw["series"] += more["series"]
        table = tables.pivot_table(read(raw), "collectives")
        self.assertEqual([[cell.css for cell in row[1:]] for row in table.rows],
                         [["faster filled", "none"], ["none", "alone"]])


    def test_lines_of_code_have_a_column_where_they_are_known(self):
        raw = of_cases(case(name="lu", atoll=(1,), openmpi=(2,)), case(name="fft", atoll=(1,)), set_name="apps")
        self.assertNotIn("Lines", " ".join(c.title for c in tables.case_table(read(raw), "apps", SCALE).columns))
        raw["series"][0]["cases"][0]["by"]["atoll"]["lines"] = 115
        table = tables.case_table(read(raw), "apps", SCALE)
        self.assertEqual(table.columns[-1].title, "Lines of code, Atoll")
        self.assertEqual([row[-1].text for row in table.rows], ["115", "–"])


class Saying(unittest.TestCase):
    def test_quantities(self):
        plain = {("6.912", "ns"): "6.91 ns", ("999.7", "ns"): "1.00 µs", ("83000", "ns"): "83.0 µs",
                 ("0.0112", "GB/s"): "11.2 MB/s", ("3.1e8", "op/s"): "310 M/s", ("2.5", "s"): "2.50 s",
                 ("0", "ns"): "0 ns", ("12", ""): "12.0", ("3", "nodes"): "3.00 nodes"}
        for (number, unit), words in plain.items():
            self.assertEqual(quantities.value(float(number), unit).replace("\u00a0", " "), words)
        self.assertEqual([quantities.size(each).replace("\u00a0", " ") for each in (8, 65536, 5427, 2**34)],
                         ["8 B", "64 KiB", "5.30 KiB", "16 GiB"])
        self.assertEqual([quantities.times(each) for each in (1.4, 0.5, 12.3, 1300)],
                         ["1.40×", "2.0×", "12×", "1\u202f300×"])


@unittest.skipUnless(is_installed("jinja2"), "jinja2 is not installed")
class Writing(unittest.TestCase):
    def test_places_that_cannot_be_written_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.json"
            path.write_text(json.dumps(of_cases(case(atoll=(1,)))))
            output = io.StringIO()
            with contextlib.redirect_stderr(output):
                self.assertEqual(command.main([str(path), "--output", f"{folder}/none/a.html"]), 1)
                self.assertEqual(command.main([str(path), "--output", str(path)]), 1)
            self.assertEqual(output.getvalue().count("with --output"), 2)
            json.loads(path.read_text())


class Refusing(unittest.TestCase):
    """Each refusal is one line that names the file and says what to do."""

    def refused(self, content):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.json"
            if content is not None:
                path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
            output = io.StringIO()
            with contextlib.redirect_stderr(output):
                code = command.main([str(path)])
            self.assertFalse(path.with_suffix(".html").exists())
        line = output.getvalue()
        self.assertEqual((code, line.count("\n")), (1, 1), line)
        self.assertTrue(line.startswith(f"atoll bench report: {path}"), line)
        self.assertRegex(line, r"; (give|use|run|record)|: record")
        return line

    def test_files_that_are_no_recordings(self):
        self.assertIn("cannot be read: No such file", self.refused(None))
        self.assertIn("is not JSON", self.refused(b"latency,6.9\n"))
        self.assertIn("not text", self.refused(b"\xff\xfe\x00"))
        self.assertIn("is not JSON", self.refused(b"[" * 100000))
        self.assertIn("no recording", self.refused([1, 2]))
        self.assertIn("no recording", self.refused({"format": "another"}))

    def test_what_a_table_and_a_page_cannot_be_of(self):
        for words, reason in ((["a.json", "b.json"], "a page is of one recording and 2 were named"),
                              (["a.json", "--table", "--png", "x"], "--table writes no page and no pictures")):
            output = io.StringIO()
            with contextlib.redirect_stderr(output), self.assertRaises(SystemExit) as end:
                command.main(words)
            self.assertEqual(end.exception.code, 2)
            self.assertIn(reason, output.getvalue())

    def test_newer_and_empty_ones(self):
        raw = of_cases(case(atoll=(1,)))
        self.assertIn("version 2", self.refused({**raw, "version": 2}))
        self.assertIn("\"series\"", self.refused({**raw, "series": None}))
        self.assertIn("nothing was measured", self.refused({**raw, "series": []}))
        self.assertIn("nothing was measured", self.refused(of_cases()))

    def test_damaged_ones(self):
        for key, value in (("better", "both"), ("unit", 3), ("by", []), ("name", None),
                           ("by", {"atoll": {"median": "fast"}}), ("by", {"atoll": {"median": float("nan")}}),
                           ("by", {"atoll": {"median": True}}), ("bytes", "8"),
                           ("by", {"atoll": {"median": 1, "samples": ["x"]}})):
            raw = of_cases(case(atoll=(1,)))
            raw["series"][0]["cases"][0][key] = value
            self.assertIn("series 1", self.refused(raw))


@unittest.skipUnless(is_installed("jinja2"), "jinja2 is not installed")
class Page(unittest.TestCase):
    def page(self, raw):
        from atoll_report import page
        return page.render(read(raw))

    def test_it_needs_nothing_from_elsewhere(self):
        text = self.page(sample.recording())
        self.assertEqual(re.findall(r'(?:src|href)="(?!#|data:,)[^"]*"|@import|url\((?!#)', text), [])
        self.assertIn("default-src 'none'", text)

    def test_what_a_recording_says_cannot_become_markup(self):
        raw = sample.recording()
        evil = "</script><script>alert(1)</script>"
        raw["machine"]["processor"] = raw["series"][0]["cases"][0]["operation"] = evil
        raw["implementations"][1]["version"] = raw["failures"][0]["reason"] = evil
        self.assertNotIn("<script>alert", self.page(raw))

    def test_a_smoke_run_is_called_one(self):
        self.assertIn("Smoke run: figures mean nothing", self.page(sample.recording(quick=True)))
        self.assertNotIn("Smoke run", self.page(sample.recording()))

    def test_the_machine_is_told_in_words(self):
        raw = sample.recording()
        raw["machine"]["caches"] = [{"level": 2, "size_bytes": 2**21, "instances": 4},
                                    {"level": 3, "size_bytes": 2**25, "instances": 1}]
        text = self.page(raw).replace("\u00a0", " ")
        self.assertIn("<dd>L2 2 MiB, 4 of them; L3 32 MiB</dd>", text)
        self.assertIn("<dd>16 GiB</dd>", text)
        raw["machine"]["caches"] = "large"
        self.assertIn("<dd>large</dd>", self.page(raw))

    def test_what_makes_figures_doubtful_is_told(self):
        self.assertIn("Only 2 turns.", self.page(sample.recording(turns=2)))
        self.assertNotIn("turns.</b>", self.page(sample.recording()))
        busy = sample.recording()
        busy["machine"]["load_before"] = 4.5
        self.assertIn("the load was 4.5 on 2 cores", self.page(busy))
        busy["machine"]["load_before"] = 0.5
        self.assertNotIn("A busy machine", self.page(busy))

    def test_the_verdict_stands_on_it_with_the_cases(self):
        even = case(name="even", atoll=(100,) * 3, openmpi=(100,) * 3)
        slow = case(name="slow_one", atoll=(120,) * 3, openmpi=(100,) * 3)
        self.assertIn("Slower beyond 1.05: none of 1 measurement.", self.page(of_cases(even)))
        text = self.page(of_cases(even, slow))
        self.assertIn("Slower beyond 1.05: 1 of 2 measurements.", text)
        losses = re.search(r'<ol class="losses">(.*?)</ol>', text, re.DOTALL).group(1)
        self.assertIn("Flood bandwidth: slow_one, 2 ranks", losses)
        self.assertNotIn("even", losses)

    def test_an_interrupted_run_is_called_one(self):
        self.assertIn("Interrupted.", self.page({**sample.recording(), "interrupted": True}))

    def test_poor_recordings_have_pages_too(self):
        alone = self.page(sample.recording(peers=()))
        self.assertIn("No peer.", alone)
        self.assertIn("nothing is compared", alone)
        self.assertIn("no figures of Atoll", self.page(of_cases(case(openmpi=(1,), mpich=(2,)))))
        one_turn = self.page(sample.recording(peers=("mpich",), turns=1))
        self.assertIn("Atoll beside MPICH", one_turn)
        single = self.page(of_cases(case(size=8, atoll=(3,), openmpi=(0,))))
        self.assertIn("nothing is compared", single)


@unittest.skipUnless(is_installed("matplotlib") and is_installed("jinja2"), "matplotlib or jinja2 is not installed")
class Pictures(unittest.TestCase):
    def test_each_chart_becomes_a_picture(self):
        sizes = [case("more", "GB/s", 8 << i, str(i), atoll=(i + 1,), openmpi=(1,)) for i in range(4)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.json"
            path.write_text(json.dumps(of_cases(*sizes, quick=True)))
            with contextlib.redirect_stdout(io.StringIO()) as output:
                self.assertEqual(command.main([str(path), "--png", f"{folder}/png"]), 0)
            names = sorted(each.name for each in pathlib.Path(folder, "png").iterdir())
            self.assertEqual(names, ["bandwidth-put-2-ratio.png", "bandwidth-put-2-values.png"])
            head = pathlib.Path(folder, "png", names[0]).read_bytes()[:8]
            self.assertEqual(head, b"\x89PNG\r\n\x1a\n")
            self.assertIn("pictures: 2", output.getvalue())

    def test_an_overview_shows_latency_and_bandwidth_together(self):
        from atoll_report import page, pictures
        found = page.all_charts(read(sample.recording(turns=1)))
        self.assertEqual([each.key for each in pictures.overview_of(found)],
                         ["latency-put-2-values", "bandwidth-put-2-values"])


if __name__ == "__main__":
    suite.main()
