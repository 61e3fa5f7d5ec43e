# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs compare_runs.py and report.py as a user does, against golden files."""

import os
import subprocess
import sys
import tempfile
import unittest

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_BASE = os.path.join(_FOLDER, "testdata", "base.json")
_NEW = os.path.join(_FOLDER, "testdata", "new.json")


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


class CompareRunsTest(unittest.TestCase):
    def test_slower_wrong_and_missing_rows_fail(self):
        result = _run("compare_runs.py", _BASE, _NEW)
        self.assertEqual(result.stdout, _golden("comparison.golden.txt"))
        self.assertEqual(result.returncode, 1)

    def test_run_passes_against_itself(self):
        result = _run("compare_runs.py", _BASE, _BASE)
        self.assertIn("5 rows compared: 0 slower", result.stdout)
        self.assertEqual(result.returncode, 0)

    def test_threshold_decides(self):
        only = "--filter=scan/cuda/lookback/.*/kernel"
        self.assertEqual(_run("compare_runs.py", _BASE, _NEW, only).returncode, 1)
        wide = _run("compare_runs.py", _BASE, _NEW, only, "--threshold=1.1")
        self.assertEqual(wide.returncode, 0)

    def test_nothing_to_compare_is_an_error(self):
        result = _run("compare_runs.py", _BASE, _NEW, "--filter=radix_sort")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no such rows", result.stderr)

    def test_unusable_files_are_named(self):
        result = _run("compare_runs.py", "/nowhere.json", _NEW)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(
            result.stderr, "compare_runs: /nowhere.json: No such file or directory\n"
        )
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write("[1]")
            file.flush()
            result = _run("compare_runs.py", _BASE, file.name)
        self.assertEqual(result.returncode, 2)
        self.assertIn("not a recorded run", result.stderr)


class ReportTest(unittest.TestCase):
    def test_table_matches_golden_file(self):
        result = _run("report.py", _BASE, "--baseline=cub")
        self.assertEqual(result.stdout, _golden("report.golden.md"))
        self.assertEqual(result.returncode, 0)

    def test_rows_without_a_baseline_have_no_such_column(self):
        result = _run("report.py", _BASE, "--filter=tensor_sketch")
        self.assertNotIn("times as fast", result.stdout)
        self.assertNotIn("scan", result.stdout)

    def test_unusable_file_is_named(self):
        result = _run("report.py", "/nowhere.json")
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nowhere.json", result.stderr)


if __name__ == "__main__":
    unittest.main()
