# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of count_test_cases.py on small results made here."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).with_name("count_test_cases.py")


class CountTestCases(unittest.TestCase):
    def count(self, files, *labels, suites="AllTests", flags=()):
        """The program's exit status and lines for these XML files."""
        with tempfile.TemporaryDirectory() as folder:
            for path, content in files.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f'<testsuites name="{suites}"><testsuite>{content}</testsuite>'
                                "</testsuites>")
            result = subprocess.run(
                [sys.executable, str(PROGRAM), *flags, folder, *labels],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
        return result.returncode, result.stdout.splitlines()

    def test_adds_up_targets_and_shards(self):
        passed = '<testcase name="a" status="run"/>'
        skipped = '<testcase name="b" status="run"><skipped message="x.cc:1&#10;no device"/></testcase>'
        status, lines = self.count(
            {
                "core/one/test.xml": passed + skipped,
                "core/two/shard_1_of_2/test.xml": passed,
                "core/two/shard_2_of_2/test.xml": passed + skipped,
            },
            "//core:one",
            "//core:two",
        )
        self.assertEqual(status, 0)
        self.assertEqual(lines, ["skipped 2: no device", "3 passed, 0 failed, 2 skipped"])

    def test_a_filter_that_selects_nothing_is_an_error(self):
        ran, filtered = '<testcase name="a"/>', '<testcase name="a" status="notrun"/>'
        flags = ["--test_filter=Typo*"]
        for content, suites, expected in ((ran, "AllTests", 0), (filtered, "AllTests", 1),
                                          ("", "AllTests", 1), (ran, "pytest tests", 1)):
            status, lines = self.count({"a/b/test.xml": content}, "//a:b", suites=suites,
                                       flags=flags)
            self.assertEqual(status, expected, (content, suites))
            self.assertEqual("no test matches --test_filter=Typo*" in lines, bool(expected))

    def test_adds_up_workspaces(self):
        with tempfile.TemporaryDirectory() as other:
            file = pathlib.Path(other, "a", "test.xml")
            file.parent.mkdir()
            file.write_text('<testsuite><testcase name="d"/><testcase name="e"/></testsuite>')
            status, lines = self.count(
                {"a/b/test.xml": '<testcase name="a"/>'}, "//a:b", other, "@@//:a"
            )
        self.assertEqual(status, 0)
        self.assertEqual(lines, ["3 passed, 0 failed, 0 skipped"])

    def test_a_failure_is_an_error(self):
        for failure in ("<failure message='m'/>", "<error message='m'/>"):
            status, lines = self.count(
                {"a/b/test.xml": f'<testcase name="a"/><testcase name="c">{failure}</testcase>'},
                "//a:b",
            )
            self.assertEqual(status, 1)
            self.assertEqual(lines, ["1 passed, 1 failed, 0 skipped"])

    def test_a_target_without_result_is_a_failure(self):
        status, lines = self.count({"a/b/test.xml": '<testcase name="a"/>'}, "//a:b", "//a:c")
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["//a:c left no result", "1 passed, 1 failed, 0 skipped"])

    def test_nothing_run_is_no_success(self):
        status, lines = self.count({"a/b/test.xml": '<testcase status="notrun"/>'}, "//a:b")
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["0 passed, 0 failed, 0 skipped"])


if __name__ == "__main__":
    unittest.main()
