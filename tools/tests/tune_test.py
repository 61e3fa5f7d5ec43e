# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`concord tune`: the table that it writes, and what reads it."""

import json
import os
import pathlib
import shutil
import signal
import unittest

from program import CommandLineTest

_QUICK = ("--algorithms=scan", "--types=int32", "--seconds=0.2")


class TuneTest(CommandLineTest):
    """With a cache folder of its own, which does not exist before."""

    program = "tools/concord/concord"

    def tune(self, *arguments, cache="cache"):
        folder = str(self.folder / cache) if cache else ""
        return self.run_program("tune", *arguments, environment={"CONCORD_CACHE": folder})

    def table(self):
        (table,) = pathlib.Path(self.folder / "cache").glob("*.choices")
        return table

    def test_writes_a_table_that_show_prints(self):
        result = self.tune(*_QUICK)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn(str(self.table()), result.stdout)
        self.assertIn("Measured 1 case ", result.stdout)
        shown = self.tune("--show").stdout
        self.assertRegex(shown, r"scan +int32 +cpu +0: (serial|tbb)/")
        self.assertIn("measured 20", shown)

    def test_keeps_what_it_does_not_measure(self):
        self.tune(*_QUICK)
        self.tune("--algorithms=reduce", "--types=uint8", "--seconds=0.2")
        shown = self.tune("--show").stdout
        self.assertRegex(shown, r"scan +int32 +cpu")
        self.assertRegex(shown, r"reduce +uint8 +cpu")

    def test_floats_have_only_those_that_agree(self):
        # Where only the default does, there is nothing to measure.
        result = self.tune("--algorithms=scan", "--types=float32", "--seconds=0.2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("There is nothing to measure", result.stdout)
        self.assertFalse((self.folder / "cache").exists())

    def test_check_compares_choices_with_the_best(self):
        self.tune(*_QUICK)
        result = self.tune("--check=2", "--algorithms=scan", "--types=int32")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"with it +[0-2] of 2 \(\d+ %\)\n  without it +[0-2] of 2")

    def test_check_times_whole_calls(self):
        self.tune(*_QUICK)
        result = self.tune("--check=2", "--algorithms=scan", "--types=int32")
        self.assertRegex(result.stdout, r"Whole calls on auto.*\n  with it +[0-2] of 2 ")

    def test_check_has_all_that_it_measured_as_json(self):
        self.tune(*_QUICK)
        result = self.tune("--check=3", "--algorithms=scan", "--types=int32", "--json")
        checked = json.loads(result.stdout)
        self.assertEqual(len(checked["choices"]), 3)
        for choice in checked["choices"]:
            self.assertEqual((choice["algorithm"], choice["type"], choice["place"]),
                             ("scan", "int32", "cpu"))
            self.assertLessEqual(choice["best_seconds"], choice["chosen_seconds"])
            ratio = choice["chosen_seconds"] / choice["best_seconds"]
            self.assertEqual(choice["is_near"], ratio <= checked["near_the_best"])
            self.assertGreater(choice["auto_call_seconds"], 0)
            self.assertGreater(choice["named_call_seconds"], 0)

    def test_json_is_of_a_check(self):
        result = self.tune("--json", *_QUICK)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--check", result.stderr)

    def test_show_is_of_what_is_named(self):
        self.tune(*_QUICK)
        self.tune("--algorithms=reduce", "--types=uint8", "--seconds=0.2")
        shown = self.tune("--show", "--algorithms=scan").stdout
        self.assertRegex(shown, r"scan +int32 +cpu")
        self.assertNotIn("reduce", shown)
        self.assertNotIn("scan", self.tune("--show", "--types=uint8,int8").stdout)
        nothing = self.tune("--show", "--algorithms=scan", "--types=int8")
        self.assertEqual(nothing.returncode, 0, nothing.stderr)
        self.assertTrue(nothing.stdout.startswith("The table has nothing of these.\n"))

    def test_options_that_mean_nothing_together(self):
        for arguments in (["--seed=5"], ["--show", "--check=2"], ["--show", "--seconds=1"],
                          ["--show", "--seed=5"], ["--check=2", "--seconds=1"]):
            result = self.tune("--algorithms=scan", "--types=int32", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertRegex(result.stderr, r"\Aconcord: [^\n]+\n\Z")
            self.assertFalse((self.folder / "cache").exists())

    def test_what_is_done_stays_when_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            shutil.rmtree(self.folder / "cache", ignore_errors=True)
            stdout = self.interrupt(
                number, lambda _: list(self.folder.glob("cache/*.choices")), "tune",
                "--seconds=600", environment={"CONCORD_CACHE": str(self.folder / "cache")})
            self.assertEqual(stdout, "")
            self.assertRegex(self.complaints,
                             rf"interrupted; {self.table()} has what was measured of \d+ of \d+")
            # A table without anything half-written beside it.
            self.assertEqual(list((self.folder / "cache").iterdir()), [self.table()])
            self.assertRegex(self.tune("--show").stdout, r"cpu +0: (serial|tbb)/")

    def test_a_signal_that_is_ignored_ends_nothing(self):
        # The table is there after the first of the cases.
        stdout = self.interrupt(
            signal.SIGHUP, lambda _: list(self.folder.glob("cache/*.choices")), "tune",
            "--algorithms=scan,reduce", "--types=int32,int64", "--seconds=2", ignored=True,
            environment={"CONCORD_CACHE": str(self.folder / "cache")})
        self.assertIn("Measured 4 cases", stdout)

    @staticmethod
    def has_threads(process):
        """It measures: nothing before that is parallel."""
        return len(os.listdir(f"/proc/{process.pid}/task")) > 1

    def test_an_interrupted_check_says_what_it_has(self):
        self.tune("--seconds=0.2")
        environment = {"CONCORD_CACHE": str(self.folder / "cache")}
        stdout = self.interrupt(signal.SIGINT, self.has_threads, "tune", "--check=5", environment=environment)
        self.assertIn("Whole calls on auto", stdout)
        self.assertIn("interrupted; this is of ", self.complaints)

    def test_check_and_show_need_a_table(self):
        for argument in ("--check=2", "--show"):
            result = self.tune(argument)
            self.assertEqual(result.returncode, 2)
            self.assertIn("does not exist", result.stderr)

    def test_a_damaged_table_is_named_and_replaced(self):
        self.tune(*_QUICK)
        for content, said in ((self.table().read_text().replace("0 ", "1 "), "damaged"),
                              ("garbage\n", "no table of choices")):
            self.table().write_text(content)
            for argument in ("--show", "--check=1"):
                result = self.tune(argument)
                self.assertEqual(result.returncode, 2)
                self.assertIn(f"concord: {self.table()} cannot be used: it is ", result.stderr)
                self.assertIn(said, result.stderr)
        self.assertEqual(self.tune(*_QUICK).returncode, 0)
        self.assertEqual(self.tune("--show").returncode, 0)

    def test_without_a_folder_nothing_is_measured(self):
        result = self.tune(*_QUICK, cache="")
        self.assertEqual(result.returncode, 2)
        self.assertIn("set CONCORD_CACHE", result.stderr)

    def test_names_that_there_are_not(self):
        for argument in ("--algorithms=scam", "--types=int33"):
            self.assertEqual(self.tune(argument).returncode, 2)

    def test_runs_with_a_table_compute_the_same(self):
        self.tune(*_QUICK)
        for count in (3, 100000):
            numbers = " ".join(["1"] * count)
            outputs = {
                self.run_program("run", "scan", "--input=-", "--backend=" + backend, stdin=numbers,
                                 environment={"CONCORD_CACHE": str(self.folder / "cache")}).stdout
                for backend in ("auto", "serial")
            }
            self.assertEqual(len(outputs), 1)


if __name__ == "__main__":
    unittest.main()
