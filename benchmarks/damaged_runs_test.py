# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded runs with one mistake each: refused in one line, or shown and judged as they are."""

import contextlib
import copy
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import families
import gate
import recorded_run
import report_page
import report_tables
import script

_FOLDER = pathlib.Path(__file__).resolve().parent
_ODD = (None, True, -1, 0, 1e-320, 1e308, float("nan"), float("inf"), 2**2000, "", "/", "n:8",
        "\0", "é\n", "\ud800", [], [[]], [["a"]], {}, {"a": 1}, 3)


def _row(name, **more):
    return {"name": f"{name}/uniform/kernel/hot", "real_time": 2.0, "time_unit": "us",
            "sample_seconds": [[2e-6] * 4, [1e-6, 3e-6] * 2], "least_seconds": 1e-6,
            "most_seconds": 3e-6, "elements_per_second": 1e9, "floor_bytes_per_second": 1e9,
            "copy_bytes_per_second": 4e9, "read_bytes_per_second": 5e9,
            "fill_bytes_per_second": 2e9, "copy_share": 0.25, "ceiling_share": 0.2, **more}


def _run():
    one = "scan/tbb:1/one_pass/int32/n:4096"
    return {
        "schema": 2,
        "context": {"date": "2026-11-23", "commit": "abc", "dirty": "no", "serial.cpu": "A",
                    "load_avg": [1.0], "num_cpus": 2},
        "benchmarks": [
            _row("look_and_say/tbb/atoms/uint8/n:64", case_options={"steps": "10"},
                 disturbed_by=["heat"]),
            _row("look_and_say/tbb/atoms/uint8/n:4096", case_options={"steps": "20"},
                 input_copy_seconds=1e-6, times_input_copy=2.0),
            _row(one, scaling="strong", members=1, one_member=f"{one}/uniform/kernel/hot",
                 speed_up=1.0, efficiency=1.0),
            _row(one.replace("tbb:1", "tbb:2"), scaling="strong", members=2,
                 one_member=f"{one}/uniform/kernel/hot", speed_up=1.8, efficiency=0.9),
            _row(one.replace("tbb:1", "tbb:3"), scaling="strong", members=3, one_member="",
                 efficiency_refused="no row of one member"),
            {"name": "sort/cuda/loop/int32/n:8/uniform/kernel/hot", "error_occurred": True,
             "error_message": "out: differs"},
        ],
    }


def _places(value, path=()):
    """The paths of all that is in it, itself too."""
    yield path
    parts = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else ())
    for key, part in parts:
        yield from _places(part, path + (key,))


def _damaged():
    """(what was done, the run) for each place and each odd value, and with the place gone."""
    whole = _run()
    for path in _places(whole):
        for odd in (*_ODD, KeyError):
            if not path:
                if odd is not KeyError:
                    yield f"{odd!r}", odd
                continue
            run = copy.deepcopy(whole)
            holder = run
            for key in path[:-1]:
                holder = holder[key]
            if odd is KeyError:
                del holder[path[-1]]
            else:
                holder[path[-1]] = odd
            yield f"{path}: {str(odd)[:40]}", run


class DamagedRunsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "run.json")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def use(self, whole):
        """What report and gate do with the file."""
        context, rows = recorded_run.load(self.path)
        report_page.page([families.Run("run", context, rows)]).encode("utf-8")
        report_tables.provenance(context)
        report_tables.tables(rows, "atoms")
        recorded_run.machine(context)
        for pair in ((whole, rows), (rows, whole)):
            with contextlib.suppress(recorded_run.UnusableRun):
                gate.report(gate.judge_runs(*pair, 0.03, 0.05)[0], 0.03, 0.95)

    def test_one_mistake_anywhere_is_refused_in_one_line_or_shown(self):
        self.write(json.dumps(_run()))
        whole = recorded_run.load(self.path)[1]
        refused = shown = 0
        for what, run in _damaged():
            self.write(json.dumps(run))
            with self.subTest(what), contextlib.redirect_stdout(io.StringIO()):
                try:
                    self.use(whole)
                    shown += 1
                except recorded_run.UnusableRun as problem:
                    refused += 1
                    self.assertTrue(str(problem).startswith(self.path + ": "), problem)
                    self.assertNotIn("\n", str(problem))
        self.assertGreater(refused, 1000)
        self.assertGreater(shown, 100)

    def test_texts_that_are_no_runs_are_refused(self):
        whole = json.dumps(_run())
        for text in (*(whole[:end] for end in range(0, len(whole), 37)), "[" * 100000,
                     '{"benchmarks": ' * 5000, "nul", "\ufeff{}"):
            self.write(text)
            with self.subTest(text[:40]), self.assertRaises(recorded_run.UnusableRun):
                recorded_run.load(self.path)

    def test_half_a_character_anywhere_is_refused(self):
        run = _run()
        run["context"]["\ud800"] = "key"
        for text in (json.dumps(run), json.dumps({**_run(), "more": ["\udfff"]})):
            self.write(text)
            with self.assertRaises(recorded_run.UnusableRun):
                recorded_run.load(self.path)

    def test_facts_that_are_used_are_texts_in_every_schema(self):
        for key, value in (("commit", 5), ("date", None), ("seed", "\0")):
            run = _run()
            del run["schema"]
            run["context"][key] = value
            self.write(json.dumps(run))
            with self.assertRaisesRegex(recorded_run.UnusableRun,
                                        f"'{key}' of the context is not a printable text"):
                recorded_run.load(self.path)

    def test_option_of_hundreds_of_digits_is_no_axis(self):
        run = _run()
        run["benchmarks"] = [_row(f"scan/cuda/naive/uint8/n:8/k:{number}")
                             for number in (1, 10, 10**18 - 1, 10**400)]
        self.write(json.dumps(run))
        run = families.Run("run", *recorded_run.load(self.path))
        self.assertTrue(report_page.page([run]))
        over_k = next(family for family in families.families([run]) if family.axis == "k")
        self.assertEqual(over_k.places(), [1, 10, 10**18 - 1])

    def test_what_is_shown_is_printable(self):
        for key, value in (("one_member", "a\n"), ("efficiency_refused", "\x1b[2K"),
                           ("disturbed_by", ["heat", "a\rb"]), ("case_options", {"a\n": "1"})):
            run = _run()
            run["benchmarks"][4][key] = value
            self.write(json.dumps(run))
            with self.subTest(key), self.assertRaisesRegex(recorded_run.UnusableRun, "printable"):
                recorded_run.load(self.path)

    def test_what_is_wrong_is_named(self):
        run = _run()
        run["benchmarks"][1]["ceiling_share"] = 0
        self.write(json.dumps(run))
        with self.assertRaisesRegex(
                recorded_run.UnusableRun,
                "row 'look_and_say/tbb/atoms/uint8/n:4096/uniform/kernel/hot': 'ceiling_share' is "
                "not a number from 1e-100 to 1e100"):
            recorded_run.load(self.path)


class OutputTest(unittest.TestCase):
    """What reads the output ends early, or cannot be written."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "run.json"
        self.path.write_text(json.dumps(_run()), encoding="utf-8")

    def run_script(self, name, *arguments, stdout):
        return subprocess.run([sys.executable, str(_FOLDER / f"{name}.py"), *map(str, arguments)],
                              stdout=stdout, stderr=subprocess.PIPE, encoding="utf-8", check=False)

    def test_reader_that_goes_is_no_error(self):
        for name, arguments in (("report", [self.path]), ("gate", [self.path, self.path])):
            reads, writes = os.pipe()
            os.close(reads)
            result = self.run_script(name, *arguments, stdout=writes)
            os.close(writes)
            self.assertEqual((result.returncode, result.stderr), (128 + 13, ""), name)

    def test_full_disk_is_told(self):
        for name, arguments in (("report", [self.path]), ("gate", [self.path, self.path])):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = self.run_script(name, *arguments, stdout=full)
            self.assertEqual(result.stderr, f"{name}: standard output: No space left on device\n")
            self.assertEqual(result.returncode, 2)

    def test_name_that_is_no_text_is_a_label(self):
        path = os.fsencode(self.folder) + b"/\xff.json"
        os.rename(self.path, path)
        result = subprocess.run([sys.executable, str(_FOLDER / "report.py"), path,
                                 f"--html={self.folder / 'page.html'}"], capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertIn("Benchmarks: \ufffd<", (self.folder / "page.html").read_text(encoding="utf-8"))

    def test_mistake_of_ours_is_no_verdict(self):
        for problem in ("KeyError('a')", "OverflowError('b\\nc')", "TypeError('d')"):
            text = f"import script\ndef main(): raise {problem}\nscript.run('gate', main)"
            result = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False,
                                    encoding="utf-8", env={**os.environ, "PYTHONPATH": str(_FOLDER)})
            self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1), result.stderr)
            self.assertTrue(result.stderr.startswith(f"gate: unexpected {problem.partition('(')[0]}: "))

    def test_neighbours_are_found_wherever_python_looks(self):
        for name in ("report", "gate", "reproduce", "false_alarms"):
            result = subprocess.run([sys.executable, str(_FOLDER / f"{name}.py"), "--help"],
                                    capture_output=True, check=False, encoding="utf-8",
                                    env={**os.environ, "PYTHONSAFEPATH": "1"})
            self.assertEqual((result.returncode, result.stderr), (0, ""), name)

    def test_page_that_cannot_be_encoded_leaves_nothing(self):
        page = self.folder / "page.html"
        with self.assertRaises(UnicodeEncodeError):
            script.write(page, "\ud800")
        self.assertEqual(os.listdir(self.folder), ["run.json"])

    def test_descriptors_are_written_where_they_stand(self):
        log, link = self.folder / "log", self.folder / "link"
        link.symlink_to("/dev/stdout")
        for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", link):
            for mode in ("a", "r+"):
                log.write_text("old\n", encoding="utf-8")
                with open(log, mode, encoding="utf-8") as file:
                    file.seek(0, os.SEEK_END)
                    result = self.run_script("report", self.path, f"--html={path}", stdout=file)
                    # The descriptor has moved on.
                    os.write(file.fileno(), b"footer\n")
                self.assertEqual((result.returncode, result.stderr), (0, ""), path)
                text = log.read_text(encoding="utf-8")
                self.assertTrue(text.startswith("old\n<!DOCTYPE html>"), (path, mode, text[:80]))
                self.assertTrue(text.endswith("</html>\nfooter\n"), (path, mode, text[-80:]))
        self.assertTrue(link.is_symlink())

    def test_minus_is_standard_input_and_output(self):
        text = self.path.read_text(encoding="utf-8")

        def ended(name, *arguments, given=text):
            result = subprocess.run([sys.executable, str(_FOLDER / f"{name}.py"), *arguments],
                                    input=given, capture_output=True, encoding="utf-8", check=False,
                                    cwd=self.folder)
            self.assertEqual(os.listdir(self.folder), ["run.json"])
            return result

        self.assertIn("### scan", ended("report", "-").stdout)
        self.assertIn(", margin 3 %", ended("gate", "-", "run.json").stdout)
        page = ended("report", "-", "--html=-").stdout
        self.assertTrue(page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n"), page[-80:])
        self.assertIn("Benchmarks: stdin<", page)
        self.assertIn("Benchmarks: before<", ended("report", "before=-", "--html=-").stdout)
        picture = ended("report", "-", "--picture=time", "--svg=-").stdout
        self.assertTrue(picture.endswith("</svg>\n"), picture[-80:])
        # Verdicts would be no part of a run.
        copies = f"sh -c 'for word; do case $word in --out=*) cp {self.path} ${{word#--out=}} ;; esac; done' copies"
        result = ended("reproduce", "-", f"--program={copies}", "--out=-")
        self.assertEqual(result.stdout, text, result.stderr)
        self.assertIn(", margin 3 %", result.stderr)
        result = ended("report", "-", given="{")
        self.assertTrue(result.stderr.startswith("report: standard input: not a recorded run ("),
                        result.stderr)

    def test_descriptor_is_left_as_it_is_until_it_is_written(self):
        log = self.folder / "log"
        log.write_text("old", encoding="utf-8")
        with open(log, "a", encoding="utf-8") as file:
            path = f"/dev/fd/{file.fileno()}"
            script.check_writable(path)
            self.assertEqual(log.read_text(encoding="utf-8"), "old")
            script.write(path, "new")
        self.assertEqual(log.read_text(encoding="utf-8"), "oldnew")
        for function in (script.check_writable, lambda path: script.write(path, "x")):
            with self.assertRaisesRegex(recorded_run.UnusableRun, f"{path}: Bad file descriptor"):
                function(path)

    def test_permissions_of_the_old_page_stay(self):
        page = self.folder / "page.html"
        for mode in (0o600, 0o666):
            page.write_text("old", encoding="utf-8")
            page.chmod(mode)
            script.write(page, "new")
            self.assertEqual(page.read_text(encoding="utf-8"), "new")
            self.assertEqual(page.stat().st_mode & 0o777, mode)

    def test_page_that_cannot_be_written_leaves_the_old_one(self):
        page = self.folder / "page.html"
        page.write_text("old", encoding="utf-8")
        command = (f"ulimit -f 1; trap '' XFSZ; exec '{sys.executable}' '{_FOLDER / 'report.py'}' "
                   f"'{self.path}' --html='{page}'")
        result = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8",
                                check=False)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(f"{page}: File too large", result.stderr)
        self.assertEqual(page.read_text(encoding="utf-8"), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["page.html", "run.json"])


if __name__ == "__main__":
    unittest.main()
