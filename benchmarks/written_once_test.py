# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What is no regular file gets the record of a run once, when the run is over."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

_PROGRAM = "benchmarks/fake_bench"
_TWO_ROWS = ("--sizes=100,200", "--repetitions=2", "--passes=2")
_STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1")
# Whoever waits for a second record would wait for ever.
_PATIENCE = 60


def _bench(*arguments, stdout=subprocess.PIPE):
    return subprocess.run([_PROGRAM, *arguments], check=False, stdout=stdout,
                          stderr=subprocess.PIPE, encoding="utf-8", timeout=_PATIENCE)


class WrittenOnceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "run.json")

    def assert_is_record(self, text, rows=2):
        self.assertEqual(len(json.loads(text)["benchmarks"]), rows)

    def test_standard_output_has_the_record_and_nothing_else(self):
        for path in _STANDARD_OUTPUT:
            result = _bench(*_TWO_ROWS, f"--out={path}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assert_is_record(result.stdout)
            self.assertIn("n:200", result.stderr)

    def test_a_file_that_is_open_has_it_once(self):
        with open(self.path, "w", encoding="utf-8") as file:
            self.assertEqual(_bench(*_TWO_ROWS, "--out=/dev/stdout", stdout=file).returncode, 0)
        self.assert_is_record(self.path.read_text(encoding="utf-8"))

    def test_a_pipe_with_a_name_has_it_once(self):
        os.mkfifo(self.path)
        with subprocess.Popen(["cat", self.path], stdout=subprocess.PIPE) as reader:
            result = _bench(*_TWO_ROWS, f"--out={self.path}")
            text, _ = reader.communicate(timeout=_PATIENCE)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("n:200", result.stdout)
        self.assert_is_record(text)

    def test_rows_that_are_done_are_there_after_an_interruption(self):
        with subprocess.Popen([_PROGRAM, "--sizes=100,200,300", "--repetitions=400", "--max_seconds=60",
                               "--out=-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8") as program:
            while "n:100" not in program.stderr.readline():
                self.assertIsNone(program.poll())
            program.send_signal(signal.SIGINT)
            text, messages = program.communicate(timeout=_PATIENCE)
        self.assertEqual(program.returncode, 130, messages)
        self.assertIn(len(json.loads(text)["benchmarks"]), (1, 2))
        self.assertIn("the rows that are done are in -\n", messages)

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = _bench(*_TWO_ROWS, "--out=-", stdout=full)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write standard output: No space left on device", result.stderr)

    def test_no_run_is_continued_there(self):
        for path in ("-", "/dev/null"):
            result = _bench(*_TWO_ROWS, f"--out={path}", "--continue")
            self.assertEqual(result.returncode, 2, path)
            self.assertIn(f"--continue goes on with a file, and {path} is none", result.stderr)


if __name__ == "__main__":
    unittest.main()
