# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""reproduce.py as a user calls it, with the benchmark program and its fake algorithm."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import pytest

_FOLDER = pathlib.Path(__file__).absolute().parent
_BENCH = "benchmarks/fake_bench"
sys.path.insert(0, str(_FOLDER))

# pylint: disable=wrong-import-position
import reproduce  # noqa: E402
import recorded_run  # noqa: E402


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
            [sys.executable, str(_FOLDER / "reproduce.py"), self.path, f"--program={program}",
             *flags], check=False, capture_output=True, encoding="utf-8")

    def test_same_rows_inputs_and_plan(self):
        before = self.record("--seed=5", "--options=mode:fancy,t:7")
        again = self.path + ".again"
        result = self.reproduce(f"--out={again}", "--margin=900%")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("same commit, flags and machine", result.stdout)
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
        build.write_text(f"""#!/bin/sh
[ "$*" = "build --config=nocuda //benchmarks:concord_bench" ] || exit 1
mkdir -p bazel-bin/benchmarks
ln -s {os.path.abspath(_BENCH)} bazel-bin/benchmarks/concord_bench
""", encoding="utf-8")
        build.chmod(0o755)
        environment = {"BAZEL": str(build), "BUILD_WORKSPACE_DIRECTORY": str(repository)}
        with mock.patch.dict(os.environ, environment):
            result = self.reproduce("--at-commit", "--build-flag=--config=nocuda", "--margin=900%")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertNotIn("commit:", result.stdout)
            trees = subprocess.run([*git, "worktree", "list"], check=True, capture_output=True,
                                   encoding="utf-8").stdout
            self.assertEqual(len(trees.splitlines()), 1)
            self.assertEqual(self.reproduce("--at-commit").returncode, 2)

    def test_unusable_files_and_programs_are_named(self):
        self.assertIn("run.json: No such file", self.reproduce().stderr)
        self.record()
        self.assertEqual(self.reproduce("--rows=nothing").returncode, 2)
        result = self.reproduce(program="/no/such/program")
        self.assertEqual(result.returncode, 2)
        self.assertIn("/no/such/program", result.stderr)


class OtherMachineTest(unittest.TestCase):
    def row(self, seconds, ceiling):
        return recorded_run.Row({
            "name": "scan/cuda/lookback/int32/n:1024/uniform/kernel/hot", "real_time": seconds * 1e6,
            "time_unit": "us", "floor_bytes_per_second": 100 / seconds,
            "ceiling_share": 100 / seconds / ceiling, "sample_seconds": [[seconds] * 15]})

    def judge(self, new_gpu):
        base = ({"cuda:0.gpu": "large"}, [self.row(1.0, 200)])
        new = ({"cuda:0.gpu": new_gpu}, [self.row(4.0, 50)])
        (verdict,) = reproduce.judge(base, new, 0.03, 0.05)
        return verdict

    def test_another_gpu_is_compared_by_what_it_could_do(self):
        verdict = self.judge("small")
        self.assertEqual(verdict.kind, "reproduced")
        self.assertIn("shares of the ceilings", verdict.note)

    def test_same_gpu_is_compared_by_time(self):
        self.assertEqual(self.judge("large").kind, "slower")


if __name__ == "__main__":
    unittest.main()
