# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs report.py as a user does: tables against a golden file, and the page in a browser."""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser

import chart
import families
import recorded_run
import report_page
import report_tables

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_BASE = os.path.join(_FOLDER, "testdata", "base.json")


def _run(script, *arguments):
    return subprocess.run(
        [sys.executable, os.path.join(_FOLDER, script), *arguments],
        check=False,
        capture_output=True,
        encoding="utf-8",
    )


def _golden(name):
    with open(os.path.join(_FOLDER, "testdata", name), encoding="utf-8") as file:
        return file.read()


class TablesTest(unittest.TestCase):
    def test_table_matches_golden_file(self):
        result = _run("report.py", _BASE, "--baseline=cub")
        self.assertEqual(result.stdout, _golden("report.golden.md"))
        self.assertEqual(result.returncode, 0)

    def test_a_baseline_that_no_row_is_of_is_refused(self):
        result = _run("report.py", _BASE, "--baseline=cubs")
        self.assertIn("--baseline=cubs: no row is of such a variant; there are ", result.stderr)
        self.assertIn("cub", result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.returncode, 2)

    def test_rows_without_a_baseline_have_no_such_column(self):
        result = _run("report.py", _BASE, "--filter=tensor_sketch")
        self.assertNotIn("times as fast", result.stdout)
        self.assertNotIn("scan", result.stdout)

    def test_what_is_in_a_cell_stays_in_it(self):
        rows = [PageTest.row(f"{name}/cuda/lookback/int32/n:8/op:{text}/uniform/kernel/hot", 1.0)
                for name, text in (("scan", "a | b"), ("reduce", "a \\| b"))]
        rows.append({"name": rows[0]["name"].replace("scan", "sort"), "error_occurred": True,
                     "error_message": "a\n| b\x1b"})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"context": {"date": "2026", "serial.cpu": "A\nB"}, "benchmarks": rows}, file)
            result = _run("report.py", path)
        self.assertIn(r"| int32, 8, op:a \| b, uniform |", result.stdout)
        self.assertIn(r"| int32, 8, op:a \\\| b, uniform |", result.stdout)
        self.assertIn(r"| failed: a \| b  |", result.stdout)
        self.assertIn("; cpu A B\n", result.stdout)

    def test_slashes_of_a_program_stay_in_it(self):
        rows = [PageTest.row(f"sequence/tbb/{variant}/int32/n:64/program:map x / 3/ y/unroll:{unroll}/aloud"
                             "/uniform/kernel/hot", unroll * 1e-3) for variant in ("a", "b") for unroll in (2, 4)]
        rows = [recorded_run.Row(row) for row in rows]
        self.assertEqual(rows[0].case, ["int32", "n:64", "program:map x / 3/ y", "unroll:2", "aloud", "uniform"])
        self.assertEqual(rows[0].rival("b"), rows[2].name)
        self.assertIn("| int32, 64, program:map x / 3/ y, unroll:2, aloud, uniform |",
                      "\n".join(report_tables.tables(rows, "")))
        titles = [family.title for family in families.families([families.Run("run", {}, rows)])]
        self.assertIn("int32, n:64, program:map x / 3/ y, aloud, uniform, kernel, hot, over unroll", titles)

    def test_unusable_file_is_named(self):
        result = _run("report.py", "/nowhere.json")
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nowhere.json", result.stderr)


class AxisTest(unittest.TestCase):
    def test_every_piece_of_an_axis_has_ticks(self):
        for low, high in ((8.1e-6, 8.9e-6), (1.01, 1.02), (0.9, 1.1), (3.0, 1e9), (2.0, 2.0)):
            axis = chart.Axis(low, high, 0, 100, logarithmic=True)
            ticks = axis.ticks()
            self.assertIn(len(ticks), range(3, 11), (low, high))
            self.assertTrue(all(axis.low <= tick <= axis.high for tick in ticks), ticks)

    def test_ticks_are_round_and_even_ones_have_as_many_decimals(self):
        texts = chart.tick_texts([5, 10, 20], recorded_run.time_text)
        self.assertEqual(texts, ["5 us", "10 us", "20 us"])
        texts = chart.tick_texts([3.75, 4.0, 4.25, 4.5], recorded_run.time_text)
        self.assertEqual(texts, ["3.75 us", "4.00 us", "4.25 us", "4.50 us"])
        texts = chart.tick_texts([60, 62.5, 65, 67.5], recorded_run.time_text)
        self.assertEqual(texts, ["60.0 us", "62.5 us", "65.0 us", "67.5 us"])
        texts = chart.tick_texts([0.95, 1.0, 1.05], lambda factor: f"{factor:.3g} x")
        self.assertEqual(texts, ["0.95 x", "1.00 x", "1.05 x"])
        texts = chart.tick_texts([0, 0.5, 1], lambda share: f"{100 * share:.0f} %")
        self.assertEqual(texts, ["0 %", "50 %", "100 %"])

    def test_of_neighbouring_sizes_a_power_of_two_has_the_tick(self):
        places = [2**16 - 3, 2**16, 2**16 + 1, 2**20, 2**20 + 1]
        axis = chart.Axis(places[0], places[-1], 0, 300, logarithmic=True)
        self.assertEqual(chart.ticks_across(places, axis), [2**16, 2**20])


class PageTest(unittest.TestCase):
    """A page on two made-up runs, of rows with and without samples, over sizes, an option and
    members."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    @staticmethod
    def row(name, seconds, **more):
        return {"name": name, "real_time": seconds * 1e6, "time_unit": "us", "ceiling_share": 0.5,
                "copy_share": 0.5, "elements_per_second": 4096 / seconds,
                "floor_bytes_per_second": 8192 / seconds, "least_seconds": 0.9 * seconds,
                "most_seconds": 1.2 * seconds, **more}

    def run_file(self, name, factor, sampled):
        rows = []
        variants = (("cuda", "lookback", 1.0), ("cuda", "cub", 1.4), ("serial", "reference", 9.0))
        for backend, variant, seconds in variants:
            for exponent in (10, 14, 18):
                # The library wins at the largest size.
                slower = 2 if (variant, exponent) == ("lookback", 18) else 1
                time = factor * slower * seconds * (2**exponent + 4000) * 1e-9
                rows.append({
                    "name": f"scan/{backend}/{variant}/int32/n:{2**exponent}/op:<add>/uniform/kernel/hot",
                    "real_time": time * 1e6, "time_unit": "us", "ceiling_share": 0.5 / seconds,
                    "copy_share": 0.5 / seconds, "elements_per_second": 2**exponent / time,
                    "floor_bytes_per_second": 8 * 2**exponent / time, "least_seconds": 0.9 * time,
                    "most_seconds": 1.2 * time, "samples": 15})
                if sampled:
                    rows[-1]["sample_seconds"] = [[time * (1 + k / 100) for k in range(-7, 8)]]
        rows[1]["disturbed_by"] = ["<other> programs"]
        rows += [self.row(f"look_and_say/tbb/atoms/uint8/n:{4**steps}/one/kernel/hot",
                          factor * 1e-9 * 4**steps, case_options={"steps": str(steps)})
                 for steps in (10, 12, 14)]
        one = "reduce/tbb:1/tree/int32/n:4096/uniform/kernel/hot"
        rows += [self.row(one.replace("tbb:1", f"tbb:{members}"), factor * 1e-3 / members**0.8,
                          scaling="strong", members=members, one_member=one)
                 for members in (1, 2, 3)]
        rows.append({"name": rows[0]["name"].replace("scan", "sort"), "error_occurred": True,
                     "error_message": "out: differs"})
        content = {"schema": 2, "context": {"commit": "abc", "cuda:0.gpu": "Test GPU"},
                   "benchmarks": rows}
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        return path

    def page(self):
        before = self.run_file("before.json", 1.0, sampled=False)
        after = self.run_file("after.json", 0.8, sampled=True)
        path = os.path.join(self.folder.name, "page.html")
        result = _run("report.py", f"old={before}", f"new={after}", f"--html={path}")
        self.assertEqual(result.returncode, 0, result.stderr)
        return path


class ContentTest(PageTest):
    def text(self):
        with open(self.page(), encoding="utf-8") as file:
            return file.read()

    def test_views_crossovers_tables_and_provenance_are_there(self):
        text = self.text()
        for title in ("time", "elements per second", "share of the ceiling", "speed-up over cuda/cub",
                      "speed-up over the serial reference"):
            self.assertIn(f'y="18">{title}</text>', text)
        self.assertIn("From 262,144 on cuda/cub is the fastest, before it cuda/lookback", text)
        self.assertIn("Test GPU", text)
        self.assertIn("out: differs", text)
        self.assertIn("scan/<wbr>cuda/<wbr>lookback</th><td style", text)
        self.assertIn("cuda/cub (new)</th>", text)
        self.assertEqual(text.count('<abbr title="&lt;other&gt; programs">disturbed</abbr>'), 2)

    def test_overlapping_intervals_are_no_crossover(self):
        run = self.run_file("run.json", 1.0, sampled=True)
        with open(run, encoding="utf-8") as file:
            content = json.load(file)
        for row in content["benchmarks"]:
            if "sample_seconds" in row:
                least, *_, most = row["sample_seconds"][0]
                row["sample_seconds"] = [[least / 3] * 8 + [most * 3] * 7]
        with open(run, "w", encoding="utf-8") as file:
            json.dump(content, file)
        page = os.path.join(self.folder.name, "page.html")
        self.assertEqual(_run("report.py", run, f"--html={page}").returncode, 0)
        with open(page, encoding="utf-8") as file:
            self.assertNotIn("is the fastest, before it", file.read())

    def test_nothing_is_fetched_and_names_are_escaped(self):
        text = self.text()
        self.assertNotRegex(text, r"(src|href)=\"(?!#|data:)")
        self.assertNotIn("<add>", text)
        self.assertIn("op:&lt;add&gt;", text)

    def test_algorithms_of_any_name_have_anchors_of_their_own(self):
        names = ('x"><img src=x onerror=alert(1)>', "x img", "X_img", "scan")
        rows = [self.row(f"{name}/serial/loop/int32/n:8/uniform/kernel/hot", 1.0) for name in names]
        text = report_page.page([families.Run("run", {}, [recorded_run.Row(row) for row in rows])])
        self.assertNotIn("<img", text)
        anchors = re.findall(r'<h2 id="([^"]*)"', text)
        self.assertEqual(anchors, re.findall(r'href="#([^"]*)"', text))
        self.assertEqual(len(set(anchors)), 4)
        for anchor in anchors:
            self.assertRegex(anchor, r"\A[a-z0-9-]+\Z")

    def test_few_samples_are_no_interval_and_no_crossover(self):
        for count in (1, 5, 6):
            rows = [self.row(f"scan/tbb/{variant}/int32/n:{size}/uniform/kernel/hot", seconds,
                             sample_seconds=[[seconds] * count], least_seconds=seconds,
                             most_seconds=seconds)
                    for variant, size, seconds in (("a", 8, 1.0), ("b", 8, 2.0), ("a", 64, 4.0), ("b", 64, 3.0))]
            text = report_page.page([families.Run("run", {}, [recorded_run.Row(row) for row in rows])])
            with self.subTest(count):
                self.assertEqual("is the fastest, before it" in text, count == 6)
                self.assertEqual(text.count("[1.00 s, 1.00 s] least and most<br>"), count < 6)
                self.assertNotIn("its 95 % interval", text)

    def test_tags_are_balanced(self):
        void, stack = {"meta", "link", "br", "wbr"}, []

        class Balance(HTMLParser):
            def handle_starttag(self, tag, attrs):
                if tag not in void:
                    stack.append(tag)

            def handle_endtag(self, tag):
                assert stack.pop() == tag, tag

        Balance().feed(self.text())
        self.assertEqual(stack, [])

    def test_picture_stands_alone(self):
        path = os.path.join(self.folder.name, "picture.svg")
        run = self.run_file("run.json", 1.0, sampled=True)
        result = _run("report.py", run, "--picture=library", f"--svg={path}")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("prefers-color-scheme: dark", text)
        self.assertIn("cuda/lookback</text>", text)
        refused = _run("report.py", run, "--picture=time")
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(refused.stderr, "report: --picture and --svg go together\n")

    def test_runs_need_labels_and_rows(self):
        run = self.run_file("run.json", 1.0, sampled=True)
        self.assertEqual(_run("report.py", f"={run}").returncode, 2)
        self.assertEqual(_run("report.py", run, "--rows=nothing").returncode, 2)
        self.assertEqual(_run("report.py", run, "--rows=(").returncode, 2)


# tools/lane report sets it: without a browser, tests fail in place of being skipped.
_REQUIRED = "CONCORD_REQUIRE_CHROMIUM" in os.environ


def _chromium():
    """Its command, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return [path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                    "--no-first-run", "--disable-background-networking",
                    "--disable-component-update", "--disable-sync"]
    return None


# Runs in the page, and leaves what it saw where --dump-dom shows it.
_PROBE = """<script>{
const seen = {errors: pageErrors, requests: performance.getEntriesByType("resource").length};
seen.families = [...document.querySelectorAll(".family")].map((family) => {
  const saw = {};
  const button = family.querySelector(".legend button");
  const ofButton = () => [...family.querySelectorAll(".plots .series")].filter(
    (series) => series.dataset.series === button.dataset.series);
  const shown = () => ofButton().filter((series) => getComputedStyle(series).display !== "none").length;
  saw.before = shown();
  button.focus(); button.click();
  saw.hidden = shown(); saw.pressed = button.getAttribute("aria-pressed");
  button.click();
  saw.again = shown();
  const mark = family.querySelector(".plots .mark");
  mark.scrollIntoView({block: "center"});
  const box = mark.getBoundingClientRect();
  mark.ownerSVGElement.dispatchEvent(new PointerEvent("pointermove", {bubbles: true,
    clientX: box.x + box.width / 2, clientY: box.y + box.height / 2}));
  const tip = document.getElementById("tip");
  saw.tip = tip.hidden ? "" : tip.textContent;
  family.querySelector("details").open = true;
  const scroll = family.querySelector(".scroll");
  scroll.scrollLeft = 9999;
  saw.scrolled = scroll.scrollLeft;
  saw.name = scroll.querySelector("tbody th").getBoundingClientRect().left - scroll.getBoundingClientRect().left;
  return saw;
});
seen.width = innerWidth;
seen.overflow = document.documentElement.scrollWidth - innerWidth;
const smallest = [...document.querySelectorAll(".plots text")].map((text) =>
  parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getBoundingClientRect().width /
  text.ownerSVGElement.viewBox.baseVal.width);
seen.smallest = Math.min(...smallest);
seen.dark = getComputedStyle(document.body).backgroundColor;
const result = document.createElement("pre");
result.id = "seen"; result.textContent = JSON.stringify(seen);
document.body.append(result);
parent.postMessage(result.textContent, "*");
}</script></body>"""
# A window of headless Chromium is no narrower than 500 pixels; a frame is.
_FRAME = """<!DOCTYPE html><iframe src="PAGE" style="width: WIDTHpx; height: 800px"></iframe>
<pre id="seen"></pre><script>
addEventListener("message", (event) => { document.getElementById("seen").textContent = event.data; });
</script>"""
_CATCH = """<head><script>
const pageErrors = [];
addEventListener("error", (event) => pageErrors.push(String(event.message)));
console.error = (...words) => pageErrors.push(words.join(" "));
</script>"""


@unittest.skipIf(_chromium() is None and not _REQUIRED,
                 "no Chromium on this machine; tools/lane report")
class BrowserTest(PageTest):
    def browse(self, *flags, frame=0):
        self.assertIsNotNone(_chromium(), "CONCORD_REQUIRE_CHROMIUM, and there is none")
        page = pathlib.Path(self.page())
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("<head>", _CATCH, 1).replace("</body>", _PROBE),
                        encoding="utf-8")
        if frame:
            whole = _FRAME.replace("PAGE", page.name).replace("WIDTH", str(frame))
            page = page.with_name("frame.html")
            page.write_text(whole, encoding="utf-8")
        return subprocess.run(
            [*_chromium(), f"--user-data-dir={self.folder.name}/user", *flags,
             page.as_uri()], check=True, capture_output=True, encoding="utf-8", timeout=240
        ).stdout

    def see(self, *flags, frame=0):
        dom = self.browse("--dump-dom", "--window-size=1280,900", "--virtual-time-budget=9000",
                          *flags, frame=frame)
        found = re.search(r'<pre id="seen">(.*?)</pre>', dom)
        self.assertIsNotNone(found, dom[-500:])
        return json.loads(html.unescape(found.group(1)))

    def test_page_works_without_errors_and_without_a_network(self):
        seen = self.see()
        self.assertEqual(seen["errors"], [])
        self.assertEqual(seen["requests"], 0)
        for family, name in zip(seen["families"], ("scan", "look_and_say", "reduce"), strict=True):
            self.assertGreater(family["before"], 1)
            self.assertEqual((family["hidden"], family["pressed"]), (0, "false"))
            self.assertEqual(family["again"], family["before"])
            self.assertRegex(family["tip"], rf"^{name}/.*/kernel/hot\n")
        self.assertLessEqual(seen["overflow"], 0)

    def test_page_is_legible_on_a_phone(self):
        seen = self.see(frame=390)
        self.assertEqual(seen["width"], 390)
        self.assertLessEqual(seen["overflow"], 0)
        # The exponents of sizes are three quarters of the other text.
        self.assertGreaterEqual(seen["smallest"], 8)
        # What names the rows of a wide table is in sight wherever that is scrolled to.
        wide = seen["families"][0]
        self.assertGreater(wide["scrolled"], 100)
        self.assertAlmostEqual(wide["name"], 0, delta=1)

    def test_page_has_a_dark_side(self):
        light = self.see()["dark"]
        dark = self.see("--blink-settings=preferredColorScheme=0")["dark"]
        self.assertNotEqual(light, dark)

    def test_page_prints(self):
        path = os.path.join(self.folder.name, "page.pdf")
        self.browse(f"--print-to-pdf={path}")
        self.assertGreater(os.path.getsize(path), 10000)


if __name__ == "__main__":
    unittest.main()
