# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What the benchmark program is asked for: its flags, what it refuses, and its exit statuses."""

import json
import os
import subprocess
import tempfile
import unittest

from fake_bench import QUICK, ROW, bench


class ArgumentsTest(unittest.TestCase):
    def assert_refused(self, status, message, *arguments):
        result = bench(*arguments)
        self.assertEqual(result.returncode, status)
        self.assertIn(message, result.stderr)

    def test_unusable_arguments(self):
        for size in ("many", "0", "-1", "2^62"):
            self.assert_refused(2, f"'{size}' is no size such as 1000 or 2^20", f"--sizes=4,{size}")
        self.assert_refused(2, "no algorithm 'invert'; there are negate", "--algorithms=invert")
        self.assert_refused(2, "negate: unknown option --shape;", *QUICK, "--options=shape:round")
        self.assert_refused(2, "'t:7,t:8' says t twice; each --options is one combination",
                            *QUICK, "--options=t:7,t:8")
        self.assert_refused(2, "--no_such_flag", "--no_such_flag")
        self.assert_refused(2, "no row", *QUICK, "--benchmark_filter=nothing_at_all")
        self.assert_refused(2, "--benchmark_filter", *QUICK, "--benchmark_filter=(")
        self.assert_refused(2, "--passes: not a number above 0 that fits: '0'", "--passes=0")
        self.assert_refused(2, "--max_seconds: not a number from 0 on", "--max_seconds=nan")
        self.assert_refused(2, "always JSON", *QUICK, "--benchmark_out_format=csv")
        self.assert_refused(2, "--continue needs", *QUICK, "--continue")
        self.assert_refused(2, "cannot read /nowhere.json: No such file", "--rows_from=/nowhere.json")
        self.assert_refused(2, "cannot read /tmp: Is a directory", "--rows_from=/tmp")

    def test_numbers_are_decimal(self):
        self.assert_refused(2, "--seed: not a number from 0 on that fits: '-1'", "--seed=-1")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            result = bench("--sizes=100", "--repetitions=010", "--seed=010", f"--out={path}")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8") as file:
                record = json.load(file)
        self.assertEqual(record["benchmarks"][0]["samples"], 10)
        self.assertEqual(record["context"]["seed"], "10")

    def test_sizes_for_which_there_is_no_memory(self):
        for size in ("2^50", "2^61", str(2**63 - 1)):
            result = bench(f"--sizes=100,{size}", "--repetitions=2")
            self.assertEqual(result.returncode, 2, size)
            self.assertIn(f"--sizes: there is no memory for {size} elements; ", result.stderr)
            self.assertEqual(result.stdout, "")

    def test_an_option_without_a_value_does_not_take_the_next(self):
        for option in ("--preset", "--sizes", "--backends", "--seed", "--options"):
            result = bench(f"{option}=", "--repetitions=2")
            self.assertEqual(result.returncode, 2, option)
            self.assertIn(f"{option}: the value is empty", result.stderr)

    def test_file_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "none", "run.json")
            for more in ((), ("--continue",), ("--backends=absent",)):
                result = bench(*QUICK, f"--out={path}", *more)
                self.assertEqual((result.returncode, result.stdout), (2, ""), more)
                # Nothing before it: not even what backends there are.
                self.assertEqual(result.stderr,
                                 f"concord_bench: cannot write {path}: No such file or directory\n")
            for lists in ("--benchmark_list_tests", "--benchmark_list_tests=true"):
                result = bench(*QUICK, f"--out={path}", lists)
                self.assertEqual((result.returncode, result.stdout), (0, f"{ROW}\n"), result.stderr)
            self.assert_refused(2, f"cannot write {folder}: Is a directory", f"--out={folder}")
            # To look whether it can be written leaves nothing.
            self.assert_refused(3, "absent", "--backends=absent", f"--out={os.path.join(folder, 'run.json')}")
            self.assertEqual(os.listdir(folder), [])

    def test_full_disk_is_a_failure(self):
        for arguments in (("--help",), (*QUICK, "--benchmark_list_tests"), QUICK):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run(["benchmarks/fake_bench", *arguments], stdout=full,
                                        stderr=subprocess.PIPE, encoding="utf-8", check=False)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertIn("concord_bench: cannot write standard output", result.stderr)

    def test_absent_backend(self):
        self.assert_refused(3, "absent is not available", "--backends=absent")
        self.assertIn("no rows for absent (no_device: pulled out)", bench(*QUICK).stderr)
        self.assertNotIn("no rows for", bench(*QUICK, "--backends=fake").stderr)

    def test_recorded_rows_of_an_absent_backend(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            names = [f"negate/{backend}/loop/int32/n:100/mode:plain/uniform/kernel/hot"
                     for backend in ("absent", "fake")]
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"context": {}, "benchmarks": [{"name": name} for name in names]}, file)
            rows = f"--rows_from={path}"
            self.assert_refused(3, "absent is not available", rows, "--benchmark_filter=absent")
            self.assert_refused(2, "no row has these axes", rows, "--benchmark_filter=neither")
            # A pipe can be read once.
            with open(path, encoding="utf-8") as file:
                result = subprocess.run(
                    ["benchmarks/fake_bench", "--rows_from=-", "--benchmark_filter=absent"],
                    input=file.read(), check=False, capture_output=True, encoding="utf-8")
            self.assertEqual(result.returncode, 3, result.stderr)
            result = bench(rows, "--repetitions=1")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("negate/absent", result.stdout)

    def test_file_that_is_nested_without_end_is_no_recorded_run(self):
        deep = "[" * 200000 + "]" * 200000
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            for text in (f'{{"schema": {deep}, "context": {{}}, "benchmarks": []}}',
                         f'{{"schema": 2, "context": {{"seed": {deep}}}, "benchmarks": []}}'):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                for arguments in ((f"--rows_from={path}",), (*QUICK, f"--out={path}", "--continue")):
                    self.assert_refused(2, f"{path}: not a recorded run", *arguments)

    def test_powers_of_two(self):
        result = bench("--sizes=2^3", "--benchmark_list_tests")
        self.assertIn("/n:8/", result.stdout)

    def test_last_preset_counts(self):
        result = bench("--preset=full", "--preset=quick", "--benchmark_list_tests")
        self.assertIn("/n:1024/", result.stdout)
        self.assertNotIn("/cold", result.stdout)

    def test_help_lists_the_axes(self):
        result = bench("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--distributions", result.stdout)


if __name__ == "__main__":
    unittest.main()
