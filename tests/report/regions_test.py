# SPDX-License-Identifier: BSD-3-Clause
#
# The page of a table of tuned collectives (`atoll tune page`): every point has its field, with the algorithm
# and the gain in words; missing measurements are marked; the page loads nothing from other places.

import io
import contextlib
import html.parser
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop(1))  # tools/bench

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "../support"))
import suite  # noqa: E402

try:
    import jinja2  # noqa: F401
    from atoll_report import regions
except ModuleNotFoundError as missing:
    print(f"skipped: the page of tuned collectives: {missing}")
    sys.exit(suite.SKIPPED)


def point(collective="broadcast", ranks=2, size=8, chosen="shared", built_in_ns=100.0, chosen_ns=100.0, **more):
    return {"collective": collective, "ranks": ranks, "hosts": 1, "oversubscribed": ranks > 2, "blocking": True,
            "bytes": size, "built_in": "shared", "chosen": chosen, "best": chosen, "built_in_ns": built_in_ns,
            "chosen_ns": chosen_ns, "best_ns": chosen_ns or built_in_ns, **more}


POINTS = [point(), point(size=65536, chosen="tree:4/32768", chosen_ns=50.0),
          point(ranks=4, chosen="chain", chosen_ns=125.0), point(ranks=4, size=65536, chosen="tree:4", chosen_ns=0),
          point("allreduce", hosts=2, ranks=3), point("allreduce", blocking=False)]


class Words(html.parser.HTMLParser):
    """The texts of the page, and the tags that are open."""

    def __init__(self, page):
        super().__init__()
        self.texts, self.attributes, self.cells = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *each) for each in attrs]
        if tag == "g" and "cell" in dict(attrs).get("class", "").split():
            self.cells.append([dict(attrs)["class"]])

    def handle_data(self, data):
        self.texts.append(data)
        if self.cells and data.strip():
            self.cells[-1].append(data.strip().replace("\u00a0", " "))


def page_of(points):
    """The page, and the output of the command."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "points.json"), pathlib.Path(folder, "page.html")
        source.write_text(json.dumps({"table": "<a.json>", "machine": "an abacus", "rules": len(points), "points": points}))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            assert regions.main([str(source), "--output", str(target)]) == 0
        return target.read_text(encoding="utf-8"), output.getvalue()


class Page(unittest.TestCase):
    def setUp(self):
        self.page, self.output = page_of(POINTS)
        self.words = Words(self.page)

    def cell(self, title):
        return next(each for each in self.words.cells if each[1].startswith(title))

    def test_every_point_has_a_field_with_its_algorithm(self):
        self.assertEqual(len(self.words.cells), len(POINTS))
        self.assertIn("built-in", self.cell("8 B, 2 ranks, a core each: shared")[0])
        tree = self.cell("64 KiB, 2 ranks, a core each: tree:4/32768, 2.0× faster than shared")
        self.assertIn("tuned", tree[0])
        self.assertRegex(tree[2], r"^[A-Z][0-9]$")
        self.assertEqual(tree[3], "2.0×")
        self.assertEqual(self.cell("8 B, 4 ranks, shared cores: chain")[3], "slower 1.25×")

    def test_one_algorithm_has_one_letter_in_a_collective(self):
        trees = [each for each in self.words.cells if ": tree" in each[1]]
        self.assertEqual(len({each[2][0] for each in trees}), 1)
        self.assertEqual(len({each[0] for each in trees}), 1, "and one colour")
        self.assertEqual(len({each[2] for each in trees}), 2, "and a number for each set of parameters")
        others = {each[2][0] for each in self.words.cells if ": chain" in each[1] or ": tree" in each[1]}
        self.assertEqual(len(others), 2)

    def test_a_label_fits_into_its_field_and_is_explained_below(self):
        chosen = "hierarchical:2/65536/depth=16/eager=65536/leaders=4/by=get"
        words = Words(page_of([point(chosen=chosen), point(size=64, chosen="hierarchical:2")])[0])
        self.assertEqual(sorted(each[2] for each in words.cells), ["A1", "A2"])
        shown = " ".join(words.texts).replace("\u00a0", " ")
        self.assertIn("hierarchical, radix 2, pieces of 64 KiB, depth 16, eager up to 64 KiB, 4 leaders per host, "
                      "receivers get", shown)
        for parameter in ("radix", "pieces", "depth", "eager up to", "leaders", "receivers get"):
            self.assertIn(f"<b>{parameter}</b>", self.page)
        self.assertEqual(regions.words_of("ring/wire=get"), "wire=get", "one that this page does not know")

    def test_one_rule_is_no_rules(self):
        self.assertEqual(page_of([point()])[0].count("1 rules"), 0)

    def test_forms_and_hosts_are_apart(self):
        for name in ("broadcast-waited-for", "allreduce-waited-for", "allreduce-overlapped"):
            self.assertIn(("section", "id", name), self.words.attributes)
        self.assertIn("3\u00a0ranks, 2 hosts".replace("\u00a0", " "), " ".join(self.words.texts).replace("\u00a0", " "))

    def test_no_two_points_share_a_field(self):
        kinds = [point("reduce"), point("reduce", element_bytes=1), point("reduce", commutative=False),
                 point("reduce", strict=True), point("reduce", hosts=2, network="tcp"),
                 point("reduce", hosts=2, network="verbs")]
        page = page_of(kinds)[0]
        places = re.findall(r'<rect x="([0-9.]+)" y="([0-9.]+)"', page)
        pictures = page.split('<svg class="regions"')[1:]
        self.assertEqual(len(pictures), 4)
        fields = [(number, *place) for number, picture in enumerate(pictures)
                  for place in re.findall(r'<rect x="([0-9.]+)" y="([0-9.]+)"', picture)]
        self.assertEqual(len(set(fields)), len(kinds))
        self.assertEqual(len(places), len(kinds))
        shown = " ".join(Words(page).texts).replace("\u00a0", " ")
        for words in ("reduce, waited for, elements of 1 B", "reduce, waited for, in order", "reduce, waited for, strict",
                      "2 ranks, 2 hosts, verbs"):
            self.assertIn(words, shown)

    def test_two_wires_of_one_provider_are_two_rows(self):
        wires = [point("scan", hosts=2, network="tcp", network_ns=each) for each in (25000, 1200000)]
        page = page_of(wires)[0]
        places = re.findall(r'<rect x="([0-9.]+)" y="([0-9.]+)"', page)
        self.assertEqual(len(set(places)), 2, places)
        shown = [each.replace("\u00a0", " ") for each in Words(page).texts]
        for words in ("2 ranks, 2 hosts, tcp, 25.0 \u00b5s", "2 ranks, 2 hosts, tcp, 1.20 ms"):
            self.assertEqual(shown.count(words), 2, "in the picture and in the table")
            self.assertLess(regions.LETTER_WIDTH * len(words), float(places[0][0]))

    def test_what_is_gained_is_told(self):
        self.assertIn("At 3 of them the table takes another algorithm than the built-in rules; "
                      "at 1 of these its choice was not measured", self.output)
        self.assertIn("1.26× faster in the geometric mean", self.output)  # of 2 and 0.8
        self.assertIn("not measured", self.words.texts)

    def test_a_choice_that_was_not_measured_has_no_time(self):
        unknown = point(chosen="tree:4", chosen_ns=0, built_in_ns=777.0)
        page, output = page_of([unknown])
        self.assertIn("At 1 of them", output)
        self.assertIn("At 0 % of all points it is within 5 %", output)
        self.assertNotIn("mean", output)
        self.assertFalse([each for each in Words(page).texts if each.startswith("777")])

    def test_no_change_is_told(self):
        _, output = page_of([point()])
        self.assertIn("At 0 of them", output)
        self.assertIn("At 100 % of all points it is within 5 %", output)
        self.assertNotIn("mean", output)

    def test_nothing_comes_from_elsewhere_and_nothing_is_injected(self):
        self.assertNotIn("<a.json>", self.page)
        places = [value for _, name, value in self.words.attributes if name in ("src", "href")]
        self.assertEqual([each for each in places if each and not each.startswith(("#", "data:"))], [])
        self.assertIn("default-src 'none'", self.page)

    def test_a_file_without_points_is_refused(self):
        output = io.StringIO()
        with tempfile.NamedTemporaryFile("w") as source, contextlib.redirect_stderr(output):
            self.assertEqual(regions.main([source.name, "--output", "/dev/null"]), 1)
        self.assertIn("has no points of atoll tune", output.getvalue())


if __name__ == "__main__":
    suite.main()
