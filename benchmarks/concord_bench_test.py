# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark program as a whole: its rows, its file, its exit statuses.

fake_bench times `negate` on the backend `fake`; the backend `absent` is not
available. With $FAULT set, results are wrong from the second run on.
"""

import json
import os
import subprocess
import tempfile
import unittest

_ROW = "negate/fake/loop/int32/n:100/mode:plain/uniform/kernel/hot"
_QUICK = ("--sizes=100", "--repetitions=2")


def _bench(*arguments, **environment):
    return subprocess.run(
        ["benchmarks/fake_bench", *arguments],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        encoding="utf-8",
    )


class RecordTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "record.json")

    def record(self, *arguments, **environment):
        result = _bench(*_QUICK, f"--benchmark_out={self.path}", *arguments, **environment)
        with open(self.path, encoding="utf-8") as file:
            return result, json.load(file)

    def test_row_has_its_name_time_and_counters(self):
        result, record = self.record()
        self.assertEqual(result.returncode, 0, result.stderr)
        (row,) = record["benchmarks"]
        self.assertEqual(row["name"], _ROW)
        self.assertGreater(row["real_time"], 0)
        for counter in ("copy_share", "ceiling_share", "elements_per_second"):
            self.assertGreater(row[counter], 0)
        self.assertEqual(row["samples"], 2)

    def test_rows_from_host_memory_relate_to_the_copy_of_the_input(self):
        _, record = self.record("--scopes=call,end_to_end,end_to_end_pinned")
        call, *end_to_end = record["benchmarks"]
        self.assertNotIn("times_input_copy", call)
        self.assertEqual(len(end_to_end), 2)
        for row in end_to_end:
            ratio = row["real_time"] * 1e-6 / row["input_copy_seconds"]
            self.assertAlmostEqual(row["times_input_copy"] / ratio, 1, places=3)

    def test_context_says_what_was_measured(self):
        _, record = self.record("--seed=7", CONCORD_COMMIT="abc123-dirty")
        context = record["context"]
        self.assertEqual(context["commit"], "abc123")
        self.assertEqual(context["dirty"], "yes")
        self.assertEqual(context["seed"], "7")
        self.assertEqual(context["fake.speed"], "imaginary")
        self.assertIn("-O3", context["flags"])

    def test_context_does_not_name_the_machine(self):
        _, record = self.record()
        self.assertNotIn("host_name", record["context"])
        self.assertNotIn("executable", record["context"])

    def test_wrong_result_has_no_time_and_fails(self):
        result, record = self.record(FAULT="1")
        self.assertEqual(result.returncode, 1)
        (row,) = record["benchmarks"]
        self.assertTrue(row["error_occurred"])
        self.assertIn("out: 1 of 100 elements differs", row["error_message"])
        self.assertNotIn("copy_share", row)

    def test_scripts_read_the_file(self):
        self.record()
        for command in (["report.py", self.path], ["compare_runs.py", self.path, self.path]):
            result = subprocess.run(
                ["benchmarks/" + command[0], *command[1:]],
                check=False,
                capture_output=True,
                encoding="utf-8",
            )
            self.assertEqual(result.returncode, 0, result.stderr)


class ArgumentsTest(unittest.TestCase):
    def assert_refused(self, status, message, *arguments):
        result = _bench(*arguments)
        self.assertEqual(result.returncode, status)
        self.assertIn(message, result.stderr)

    def test_unusable_arguments(self):
        self.assert_refused(2, "'many' is no size such as 1000 or 2^20", "--sizes=many")
        self.assert_refused(2, "no algorithm 'invert'; there are negate", "--algorithms=invert")
        self.assert_refused(2, "--no_such_flag", "--no_such_flag")
        self.assert_refused(2, "no row", *_QUICK, "--benchmark_filter=nothing_at_all")

    def test_an_option_without_a_value_does_not_take_the_next(self):
        for option in ("--preset", "--sizes", "--backends", "--seed", "--options"):
            result = _bench(f"{option}=", "--repetitions=2")
            self.assertEqual(result.returncode, 2, option)
            self.assertIn(f"{option}: the value is empty", result.stderr)

    def test_absent_backend(self):
        self.assert_refused(3, "absent is not available", "--backends=absent")
        self.assertIn("no rows for absent (no_device: pulled out)", _bench(*_QUICK).stderr)

    def test_powers_of_two(self):
        result = _bench("--sizes=2^3", "--benchmark_list_tests")
        self.assertIn("/n:8/", result.stdout)

    def test_last_preset_counts(self):
        result = _bench("--preset=full", "--preset=quick", "--benchmark_list_tests")
        self.assertIn("/n:1024/", result.stdout)
        self.assertNotIn("/cold", result.stdout)

    def test_help_lists_the_axes(self):
        result = _bench("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--distributions", result.stdout)


if __name__ == "__main__":
    unittest.main()
