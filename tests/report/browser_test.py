# SPDX-License-Identifier: BSD-3-Clause
#
# The report in a real browser: Chromium without a screen, driven by Selenium. One browser serves all tests;
# each test loads the page anew, because they touch it. A browser that hangs is ended by an alarm, and the test
# is skipped (77) where the browser, its driver or a library is missing.

import json
import math
import pathlib
import shutil
import signal
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop(1))  # tools/bench

import sample  # noqa: E402
sys.path.append(str(pathlib.Path(__file__).resolve().parent / "../support"))
import suite  # noqa: E402

SKIPPED = 77
LIMIT_S = 100  # for everything; it takes 5 s on a quiet machine
LOAD_LIMIT_S = 30

try:
    from atoll_report import analysis, page, quantities, recording
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ModuleNotFoundError as missing:
    print(f"skipped: the browser test of the report: {missing}")
    sys.exit(SKIPPED)

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not BROWSER or not DRIVER:
    print("skipped: the browser test of the report: chromium or chromium-driver is not installed")
    sys.exit(SKIPPED)


def start_browser(profile):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for each in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--no-first-run", "--disable-background-networking", "--window-size=1280,1000",
                 f"--user-data-dir={profile}"):
        options.add_argument(each)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(service=Service(DRIVER), options=options)
    browser.set_page_load_timeout(LOAD_LIMIT_S)
    browser.set_script_timeout(LOAD_LIMIT_S)
    return browser


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        cls.raw = sample.recording()
        cls.recording = recording.from_json(cls.raw, "a.json")
        cls.path = pathlib.Path(cls.folder, "report.html")
        cls.path.write_text(page.render(cls.recording), encoding="utf-8")
        cls.browser = start_browser(f"{cls.folder}/profile")
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.browser.get_log("performance")
        self.browser.get(self.path.as_uri())
        self.assertEqual(self.js("return document.documentElement.dataset.ready"), "yes")

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [], "the page wrote to the console")

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def click(self, element):
        """Clicks in the middle of the window, where the bar at the top covers nothing."""
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def visible(self, selector):
        """The number of visible elements that match."""
        return self.js("return [...document.querySelectorAll(arguments[0])]"
                       ".filter(e => e.getClientRects().length > 0).length", selector)

    def test_nothing_is_requested_from_elsewhere(self):
        messages = [json.loads(each["message"])["message"] for each in self.browser.get_log("performance")]
        asked = [each["params"]["request"]["url"] for each in messages
                 if each["method"] == "Network.requestWillBeSent"]
        self.assertEqual([url for url in asked if not url.startswith("data:")], [self.path.as_uri()])
        # The page's policy forbids every connection, so later scripts cannot load anything either.
        self.assertEqual(self.js("return document.querySelectorAll('img, iframe, link[rel=stylesheet], "
                                 "script[src]').length"), 0)

    def test_every_curve_is_drawn_with_all_its_points(self):
        for set_name, operation in (("latency", "put"), ("latency", "get"), ("bandwidth", "put")):
            for name in ("atoll", "openmpi", "mpich"):
                curve = f"#{set_name}-{operation}-2-values .scale.log [data-by={name}]"
                self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, f"{curve} .marker")),
                                 len(sample.SIZES), curve)
                box = self.js("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                              "return [b.width, b.height]", f"{curve} .line")
                self.assertGreater(min(box), 20, curve)
        shares = ".scale.log [data-by=atoll] .mark"
        self.assertEqual(self.visible(f"#bandwidth-put-2-values {shares}"), 2)

    def test_curves_lie_where_their_values_are(self):
        """On a logarithmic scale equal ratios are equal distances."""
        curves = json.loads(self.js("return document.querySelector('#latency-put-2-values .points').textContent"))
        ys = {each["by"]: each["points"][0]["y"]["log"] for each in curves}
        first = self.raw["series"][0]["cases"][0]["by"]
        ratio = {name: first[name]["median"] / first["atoll"]["median"] for name in ys}
        steps = (ys["atoll"] - ys["openmpi"]) / (ys["atoll"] - ys["mpich"])
        wanted = math.log(ratio["openmpi"]) / math.log(ratio["mpich"])
        self.assertAlmostEqual(steps, wanted, delta=0.01)

    def test_peers_are_switched_off_and_on_everywhere(self):
        selectors = (".chart [data-by=openmpi]", "td[data-by=openmpi]", "th[data-by=openmpi]")
        initial = [self.visible(each) for each in selectors]
        others = self.visible("[data-by=mpich]")
        self.assertTrue(all(initial), initial)
        box = self.find("input[value=openmpi]")
        box.click()
        self.assertEqual([self.visible(each) for each in selectors], [0, 0, 0])
        self.assertEqual(self.visible("[data-by=mpich]"), others)
        box.click()
        self.assertEqual([self.visible(each) for each in selectors], initial)

    def test_scales_are_switched(self):
        chart = "#bandwidth-put-2-values"
        self.assertEqual((self.visible(f"{chart} .log .line"), self.visible(f"{chart} .linear .line")), (3, 0))
        button = self.find(f"{chart} [data-to=linear]")
        self.click(button)
        self.assertEqual((self.visible(f"{chart} .log .line"), self.visible(f"{chart} .linear .line")), (0, 3))
        self.assertEqual(button.get_attribute("aria-pressed"), "true")
        self.assertEqual(self.visible("#latency-put-2-values .log .line"), 3)

    def tip(self, chart):
        return self.js("return [...document.querySelectorAll(arguments[0] + ' .tip:not([hidden]) span')]"
                       ".map(e => e.textContent)", chart)

    def test_the_pointer_tells_values(self):
        chart = "#latency-put-2-values"
        catcher = self.find(f"{chart} .catch")
        self.js("arguments[0].scrollIntoView({block: 'center'})", catcher)
        ActionChains(self.browser, duration=0).move_to_element(catcher).perform()
        size = self.find(f"{chart} .tip b").text.replace("\u00a0", " ")
        case = next(each for each in self.raw["series"][0]["cases"]
                    if each["operation"] == "put" and quantities.size(each["bytes"]).replace("\u00a0", " ") == size)
        lines = self.tip(chart)
        self.assertEqual(len(lines), 3)
        for line, name in zip(lines, ("Atoll", "Open MPI", "MPICH")):
            figures = case["by"][name.lower().replace(" ", "")]
            self.assertTrue(line.startswith(name + quantities.value(figures["median"], "ns")), line)
        self.find("input[value=mpich]").click()
        ActionChains(self.browser, duration=0).move_to_element(catcher).perform()
        self.assertEqual(len(self.tip(chart)), 2)

    def test_the_keyboard_tells_values(self):
        chart = self.find("#bandwidth-put-2-ratio")
        chart.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.find("#bandwidth-put-2-ratio .tip b").text.replace("\u00a0", " "), "8 B")
        chart.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.find("#bandwidth-put-2-ratio .tip b").text.replace("\u00a0", " "), "16 B")
        chart.send_keys(Keys.ESCAPE)
        self.assertEqual(self.tip("#bandwidth-put-2-ratio"), [])

    def column(self, table, column):
        """The numbers of one column, top to bottom; None where there is none."""
        return self.js("return [...document.getElementById(arguments[0]).tBodies[0].rows].map(r => {"
                       "const n = r.cells[arguments[1]].dataset.number; return n === undefined ? null : Number(n)})",
                       table, column)

    def test_tables_sort_by_value_and_what_has_none_stays_last(self):
        heads = self.browser.find_elements(By.CSS_SELECTOR, "#cases-atomics thead button")
        openmpi = 3
        for sign in (1, -1):
            self.click(heads[openmpi])
            self.assertIsNone(self.column("cases-atomics", openmpi)[-1])
        heads = self.browser.find_elements(By.CSS_SELECTOR, "#groups thead button")
        for reverse in (False, True):
            self.click(heads[3])
            shown = self.column("groups", 3)
            numbers = [each for each in shown if each is not None]
            self.assertEqual(numbers, sorted(numbers, reverse=reverse))
            self.assertGreater(len(numbers), 10)
        self.assertEqual(self.js("return document.querySelectorAll('#groups th[aria-sort]').length"), 1)

    def test_numbers_are_those_of_the_recording(self):
        rows = self.js("return [...document.querySelectorAll('table[id^=cases-] tbody tr')].map(r => "
                       "[...r.cells].map(c => [c.dataset.number ?? null, c.querySelector('.words').textContent]))")
        cases = [case for series in self.raw["series"] for case in series["cases"]]
        wanted = {self.row_key(case): case for case in cases}
        self.assertEqual(len(rows), len(cases))
        for row in rows:
            medians = tuple(float(number) if number else None for number, _ in row[2:5])
            case = wanted[medians]
            for (_, words), name in zip(row[2:5], ("atoll", "openmpi", "mpich")):
                figures = case["by"].get(name)
                self.assertEqual(words, quantities.value(figures["median"], case["unit"]) if figures else "–")
            for (number, _), peer in zip(row[5:7], ("openmpi", "mpich")):
                self.check_advantage(case, peer, number)

    @staticmethod
    def row_key(case):
        return tuple(case["by"][name]["median"] if name in case["by"] else None
                     for name in ("atoll", "openmpi", "mpich"))

    def check_advantage(self, case, peer, shown):
        if peer not in case["by"]:
            return self.assertIsNone(shown)
        own, other = case["by"]["atoll"]["samples"], case["by"][peer]["samples"]
        ratios = [b / a if case["better"] == "less" else a / b for a, b in zip(own, other)]
        self.assertAlmostEqual(float(shown), statistics.median(ratios), places=9)

    def test_the_page_carries_the_recording(self):
        self.assertEqual(json.loads(self.js("return document.getElementById('recording').textContent")), self.raw)

    def test_the_sums_at_the_top_are_right(self):
        found = [each for series in self.recording.series for case in series.cases
                 if (each := analysis.over_best_peer(case))]
        lead = self.find("#short .lead").text
        self.assertIn(f"Of {len(found)} measurements", lead)
        for verdict in ("faster", "slower"):
            self.assertIn(f"{verdict} in {sum(each.verdict == verdict for each in found)}", lead)
        losses = self.find(".findings.slower").text
        self.assertIn("Flood bandwidth: puts, 64 in flight", losses)
        self.assertIn("allreduce", losses)

    CONTRAST = """
      const light = c => { const v = c / 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; };
      const luminance = rgb => { const [r, g, b] = rgb.match(/[\\d.]+/g).map(Number);
        return .2126 * light(r) + .7152 * light(g) + .0722 * light(b); };
      const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
        if (!c.startsWith('rgba(0, 0, 0, 0')) return c; } return 'rgb(255, 255, 255)'; };
      return arguments[0].map(s => { const e = document.querySelector(s);
        const [a, b] = [luminance(getComputedStyle(e).color), luminance(ground(e))];
        return [s, (Math.max(a, b) + .05) / (Math.min(a, b) + .05)]; });"""

    def test_text_can_be_read_in_light_and_dark(self):
        texts = ["body", "#short .lead", ".faster .amount", ".slower .amount", ".detail", "td.faster .words",
                 "td.filled.slower .words", "td small", ".notice", ".legend li", ".share .same", "thead button"]
        grounds = set()
        for scheme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for selector, contrast in self.js(self.CONTRAST, texts):
                self.assertGreaterEqual(contrast, 4.5, f"{selector} in {scheme}")
            grounds.add(self.js("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(grounds), 2)

    def test_the_theme_can_be_chosen(self):
        ground = "return getComputedStyle(document.body).backgroundColor"
        button = self.find("[data-theme-switch]")
        button.click()
        light = self.js(ground)
        button.click()
        self.assertNotEqual(self.js(ground), light)
        self.assertIn("dark", button.text)

    def test_it_fits_a_phone_and_paper(self):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), 360)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"media": ""})
        self.assertEqual(self.visible(".tools"), 0)
        self.assertGreater(self.visible(".line"), 6)


def ran_out(_signal, _frame):
    raise TimeoutError(f"the browser test took more than {LIMIT_S} s")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, ran_out)
    signal.alarm(LIMIT_S)
    suite.main()
