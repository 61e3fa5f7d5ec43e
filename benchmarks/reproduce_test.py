# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""reproduce.py as a user calls it, with the benchmark program and its fake algorithm."""

import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import pytest

_FOLDER = pathlib.Path(__file__).absolute().parent
_BENCH = "benchmarks/fake_bench"
sys.path.insert(0, str(_FOLDER))

# pylint: disable=wrong-import-position
import reproduce  # noqa: E402
import recorded_run  # noqa: E402
import verdicts  # noqa: E402


@pytest.mark.skipif(not os.path.exists(_BENCH), reason="bazel test has the program")
class ReproduceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "run.json")

    def record(self, *flags):
        subprocess.run([_BENCH, f"--out={self.path}", "--repetitions=3", "--passes=12",
                        "--sizes=1000,5000", *flags], check=True, capture_output=True)
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)

    def reproduce(self, *flags, program=_BENCH):
        return subprocess.run(
            [sys.executable, str(_FOLDER / "reproduce.py"), self.path, *flags,
             *([f"--program={program}"] if program else [])],
            check=False, capture_output=True, encoding="utf-8")

    def test_same_rows_inputs_and_plan(self):
        before = self.record("--seed=5", "--options=mode:fancy,t:7")
        again = self.path + ".again"
        result = self.reproduce(f"--out={again}", "--margin=900%")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("same commit, flags and kind of machine", result.stdout)
        with open(again, encoding="utf-8") as file:
            after = json.load(file)
        for key in ("seed", "repetitions", "max_seconds", "passes"):
            self.assertEqual(before["context"][key], after["context"][key])
        for old, new in zip(before["benchmarks"], after["benchmarks"]):
            self.assertEqual(old["name"], new["name"])
            self.assertEqual([len(samples) for samples in new["sample_seconds"]], [3] * 12)
        self.assertEqual(result.stdout.count("\nreproduced"), 2)

    def test_slower_and_wrong_rows_fail(self):
        content = self.record()
        for row in content["benchmarks"]:
            # No machine is so busy that this could be doubted.
            row["sample_seconds"] = [[seconds / 1000 for seconds in samples]
                                     for samples in row["sample_seconds"]]
            row["real_time"] /= 1000
        pathlib.Path(self.path).write_text(json.dumps(content), encoding="utf-8")
        slower = self.reproduce("--rows=n:5000")
        self.assertEqual(slower.returncode, 1, slower.stdout)
        self.assertRegex(slower.stdout, r"(?m)^slower .*n:5000")
        self.assertNotIn("n:1000", slower.stdout)
        wrong = self.reproduce(program=f"env FAULT=1 {_BENCH}")
        self.assertEqual(wrong.returncode, 1)
        self.assertRegex(wrong.stdout, r"(?m)^wrong ")

    def test_what_differs_is_shown(self):
        content = self.record()
        compiler = content["context"]["compiler"]
        content["context"]["compiler"] = "g++ 9"
        pathlib.Path(self.path).write_text(json.dumps(content), encoding="utf-8")
        self.assertIn(f"compiler: g++ 9 -> {compiler}\n", self.reproduce().stdout)

    def test_backends_of_rows_that_are_left_out_are_no_difference(self):
        before = {"serial.cpu": "A", "tbb:2.cpu": "A", "tbb:2.tbb": "2021.8", "compiler": "x"}
        after = {"tbb:2.cpu": "A", "tbb:2.tbb": "2021.9", "compiler": "x"}
        self.assertEqual(reproduce.differences(before, after, {"tbb"}),
                         ["  tbb:2.tbb: 2021.8 -> 2021.9"])
        self.assertEqual(len(reproduce.differences(before, after, {"tbb", "serial"})), 2)

    def test_file_without_samples_yields_differences_and_no_verdict(self):
        content = self.record()
        del content["schema"]
        for row in content["benchmarks"]:
            del row["sample_seconds"]
        pathlib.Path(self.path).write_text(json.dumps(content), encoding="utf-8")
        result = self.reproduce()
        self.assertEqual(result.returncode, 4)
        self.assertEqual(result.stdout.count("\nno samples"), 2)
        self.assertRegex(result.stdout, r"\d\.\d{3} times as long")

    def test_row_that_the_program_lacks_is_missing(self):
        content = self.record()
        content["benchmarks"][0]["name"] = "negate/gone/loop/int32/n:7/uniform/kernel/hot"
        pathlib.Path(self.path).write_text(json.dumps(content), encoding="utf-8")
        result = self.reproduce()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"(?m)^missing .*/gone/")

    def test_backend_that_is_absent_has_a_status_of_its_own(self):
        content = self.record()
        row = content["benchmarks"][0]
        row["name"] = row["name"].replace("/fake/", "/absent/")
        pathlib.Path(self.path).write_text(json.dumps(content), encoding="utf-8")
        result = self.reproduce("--rows=absent")
        self.assertEqual(result.returncode, 3, result.stdout)
        self.assertIn("absent is not available", result.stderr)
        # What can run here does.
        result = self.reproduce("--margin=900%")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^missing .*/absent/")
        self.assertRegex(result.stdout, r"(?m)^reproduced .*/fake/")

    def test_program_of_the_recorded_commit_is_built_in_a_checkout_of_its_own(self):
        content = self.record()
        folder = pathlib.Path(self.path).parent
        repository = folder / "repository"
        git = ["git", "-C", str(repository), "-c", "user.name=A", "-c", "user.email=a@b"]
        subprocess.run(["git", "init", "-q", str(repository)], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True,
                              encoding="utf-8").stdout.strip()
        content["context"]["commit"] = head
        pathlib.Path(self.path).write_text(json.dumps(content), encoding="utf-8")
        build = folder / "build"
        calls = folder / "calls"
        build.write_text(f"""#!/bin/sh
echo "$*" >> {calls}
[ "$*" = "build --config=nocuda //benchmarks:concord_bench" ] || exit 1
mkdir -p bazel-bin/benchmarks
ln -s {os.path.abspath(_BENCH)} bazel-bin/benchmarks/concord_bench
""", encoding="utf-8")
        build.chmod(0o755)
        environment = {"BAZEL": str(build), "BUILD_WORKSPACE_DIRECTORY": str(repository)}
        with mock.patch.dict(os.environ, environment):
            result = self.reproduce("--at-commit", "--build-flag=--config=nocuda", "--margin=900%",
                                    program=None)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertNotIn("commit:", result.stdout)
            trees = subprocess.run([*git, "worktree", "list"], check=True, capture_output=True,
                                   encoding="utf-8").stdout
            self.assertEqual(len(trees.splitlines()), 1)
            # Neither a server nor gigabytes of outputs are left behind.
            self.assertEqual(calls.read_text(encoding="utf-8").splitlines()[-1], "clean --expunge")
            self.assertEqual(self.reproduce("--at-commit", program=None).returncode, 2)

    def test_interruption_names_no_file_that_is_gone(self):
        subprocess.run([_BENCH, f"--out={self.path}", "--repetitions=400", "--max_seconds=60",
                        "--sizes=100,200,300"], check=True, capture_output=True)
        folder = pathlib.Path(self.path).parent / "temporary"
        folder.mkdir()
        script = subprocess.Popen(
            [sys.executable, str(_FOLDER / "reproduce.py"), self.path, f"--program={_BENCH}"],
            env={**os.environ, "TMPDIR": str(folder)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8")
        while not any(json.loads(run.read_text("utf-8"))["benchmarks"]
                      for run in folder.glob("*/run.json")):
            self.assertIsNone(script.poll())
            time.sleep(0.01)
        script.send_signal(signal.SIGTERM)
        _, messages = script.communicate()
        self.assertEqual(script.returncode, 143)
        self.assertEqual(messages.splitlines()[-1], "concord_bench: interrupted")
        self.assertEqual(list(folder.iterdir()), [])

    def test_unusable_files_and_programs_are_named(self):
        self.assertIn("run.json: No such file", self.reproduce().stderr)
        self.record()
        self.assertEqual(self.reproduce("--rows=nothing").returncode, 2)
        result = self.reproduce(program="/no/such/program")
        self.assertEqual(result.returncode, 2)
        self.assertIn("/no/such/program", result.stderr)

    def test_arguments_without_effect_are_refused_in_one_line(self):
        self.record()
        for flags, why in ((["--build-flag=x"], "--build-flag goes with --at-commit"),
                           (["--at-commit"], "--program and --at-commit each say what measures"),
                           (["--nothing"], "unrecognized arguments: --nothing")):
            result = self.reproduce(*flags)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, rf"\Areproduce: {why}\n\Z")


class OtherMachineOfTheSameKindTest(unittest.TestCase):
    """Runs of which the second is made up: each row `spread` away from what it was."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def runs(self, spread, changed=0.0):
        """Of the first row the code is slower by `changed`."""
        source = random.Random(5)
        base, new = [], []
        for number in range(40):
            moved = math.exp(source.gauss(0, spread)) if number else 1 + changed
            for rows, factor in ((base, 1), (new, moved)):
                samples = [factor * math.exp(source.gauss(0, 0.001)) for _ in range(15)]
                rows.append({"name": f"scan/cuda/v{number}/int32/n:1024/uniform/kernel/hot",
                             "real_time": factor, "time_unit": "s", "sample_seconds": [samples],
                             "floor_bytes_per_second": 1.0, "ceiling_share": 0.5, "copy_share": 0.5,
                             "elements_per_second": 1.0})
        return [({"cuda:0.gpu": "one"}, rows) for rows in (base, new)]

    def judge(self, margin, spread, changed=0.0):
        base, new = ((context, [recorded_run.Row(row) for row in rows])
                     for context, rows in self.runs(spread, changed))
        found, _, within = reproduce.judge(base, new, margin, 0.05)
        return found[0], [verdict.kind for verdict in found[1:]], within

    def test_rows_are_reproduced_within_what_machines_differ_by(self):
        _, kinds, within = self.judge(None, 0.013)
        self.assertTrue(0.05 < within < 0.1, within)
        self.assertGreaterEqual(kinds.count("reproduced"), 0.9 * len(kinds))
        self.assertEqual(self.judge(0.03, 0.013)[1:], (["undecided"] * len(kinds), 0.03))

    def test_machine_that_does_not_differ_has_the_margin_that_matters(self):
        _, kinds, within = self.judge(None, 0.001)
        self.assertEqual((set(kinds), within), ({"reproduced"}, 0.03))

    def test_slower_row_is_found_below_that_margin_and_is_not_reproduced(self):
        slower, _, within = self.judge(None, 0.013, changed=0.1)
        self.assertEqual(slower.kind, "slower")
        self.assertLess(slower.ratio.low, math.log1p(within))
        self.assertEqual(self.judge(None, 0.013, changed=0.06)[0].kind, "undecided")

    def test_machine_that_differs_by_more_reproduces_nothing(self):
        _, kinds, within = self.judge(None, 0.2)
        self.assertEqual((kinds.count("reproduced"), within), (0, 0.1))

    def test_few_samples_decide_nothing(self):
        base, new = ([recorded_run.Row({**row, "sample_seconds": [row["sample_seconds"][0][:2]]})
                      for row in rows] for _, rows in self.runs(0.001))
        found, _, within = reproduce.judge(({}, base), ({}, new), None, 0.05)
        self.assertEqual(({verdict.kind for verdict in found}, within), ({"undecided"}, 0.1))

    def test_margin_is_said(self):
        paths = []
        for name, (context, rows) in zip(("base", "new"), self.runs(0.013)):
            paths.append(self.folder / f"{name}.json")
            paths[-1].write_text(json.dumps({"context": context, "benchmarks": rows}),
                                 encoding="utf-8")
        program = self.folder / "program.py"
        program.write_text("import shutil, sys\nshutil.copy(sys.argv[1], next(\n"
                           "    word[6:] for word in sys.argv if word.startswith('--out=')))\n",
                           encoding="utf-8")
        command = f"{sys.executable} {program} {paths[1]}"
        result = subprocess.run([sys.executable, str(_FOLDER / "reproduce.py"), str(paths[0]),
                                 f"--program={command}"], check=False, capture_output=True,
                                encoding="utf-8")
        self.assertRegex(result.stdout, r"each within [01]\.[0-9] % of that, so rows are reproduced "
                         r"within [6-9] %\n40 rows, margin 3 %, reproduced within [6-9] %, ", result.stderr)


class OtherMachineTest(unittest.TestCase):
    def row(self, seconds, ceiling, backend="cuda"):
        return recorded_run.Row({
            "name": f"scan/{backend}/lookback/int32/n:1024/uniform/kernel/hot", "real_time": seconds * 1e6,
            "time_unit": "us", "floor_bytes_per_second": 100 / seconds,
            "ceiling_share": 100 / seconds / ceiling, "sample_seconds": [[seconds] * 15]})

    def judge(self, new_gpu):
        base = ({"cuda:0.gpu": "large"}, [self.row(1.0, 200)])
        new = ({"cuda:0.gpu": new_gpu}, [self.row(4.0, 50)])
        (verdict,), _, _ = reproduce.judge(base, new, None, 0.05)
        return verdict

    def test_another_gpu_is_compared_by_what_it_could_do(self):
        verdict = self.judge("small")
        self.assertEqual(verdict.kind, "reproduced")
        self.assertIn("shares of the ceilings", verdict.note)

    def test_other_numbers_of_threads_are_compared_by_what_they_could_do(self):
        base = ({"tbb:4.cpu": "A", "tbb:4.threads": "4"}, [self.row(1.0, 200, "tbb")])
        new = ({"tbb:2.cpu": "A", "tbb:2.threads": "2"}, [self.row(2.0, 100, "tbb")])
        (verdict,), _, _ = reproduce.judge(base, new, None, 0.05)
        self.assertEqual(verdict.kind, "reproduced")
        self.assertIn("shares of the ceilings", verdict.note)

    def test_rows_that_failed_are_not_reproduced(self):
        failed = recorded_run.Row({"name": self.row(1, 1).name, "error_occurred": True,
                                   "error_message": "differs"})
        for new, kind in ((self.row(1.0, 200), "no base"), (failed, "wrong")):
            (verdict,), _, _ = reproduce.judge(({}, [failed]), ({}, [new]), None, 0.05)
            self.assertEqual(verdict.kind, kind)
            self.assertNotEqual(verdicts.status_of_both([verdict]), 0)

    def test_same_gpu_is_compared_by_time(self):
        self.assertEqual(self.judge("large").kind, "slower")


if __name__ == "__main__":
    unittest.main()
