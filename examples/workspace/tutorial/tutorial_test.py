# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What README shows is what happens, and the programs have this project's kernels beside Concord's."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

README = pathlib.Path("README.md").read_text(encoding="utf-8")


def run(*command, **kwargs):
    return subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)


def lasting(text):
    """Without what is different each time: how long it took, and where the case was saved."""
    text = re.sub(r"\d+ cases in [0-9.]+ m?s ", "cases in TIME ", text)
    return re.sub(r"--replay=\S*/", "--replay=FOLDER/", text).strip()


class Tutorial(unittest.TestCase):
    def test_the_mistake_shown_is_the_one_that_is_compiled(self):
        (shown,) = re.findall(r"```cpp\n(.*?)```", README, re.DOTALL)
        self.assertIn(shown, pathlib.Path("tutorial/forgetful.cc").read_text(encoding="utf-8"))

    def test_the_mistake_is_found_and_made_small(self):
        command, shown = re.findall(
            r"\$ bazel run //tutorial:concord_with_a_mistake -- (.*?)\n(.*?)```", README, re.DOTALL
        )[0]
        found = run("tutorial/concord_with_a_mistake", *command.replace("'", "").split())
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertEqual(lasting(found.stdout), lasting(shown))

    def test_the_kernels_without_a_mistake_pass(self):
        found = run("./concord", "verify", "moving_sum/*", "--cases=20")
        self.assertEqual(found.returncode, 0, found.stdout)

    def test_the_command_line_runs_them_beside_concords(self):
        result = run("./concord", "run", "moving_sum", "--window=2", "--input=-", input="1 2 3 4 5")
        self.assertEqual(result.stdout.split(), ["1", "3", "5", "7", "9"])
        listed = run("./concord", "list").stdout
        for name in ("moving_sum/serial/reference", "moving_sum/tbb/sliding", "stencil/serial/reference",
                     "stencil/tbb/chunks", "run_length_encode/serial/reference"):
            self.assertIn(name, listed)

    def test_the_second_algorithm_runs_as_shown(self):
        (arguments,) = re.findall(r"\$ echo 0 1 4 9 16 \| bazel run //:concord -- (.*)", README)
        self.assertEqual(run("./concord", *arguments.split(), input="0 1 4 9 16").stdout.split(),
                         ["1", "2", "2", "2", "-23"])

    def test_the_gate_says_what_it_compared(self):
        judged = run("./speed_test")
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
        self.assertRegex(judged.stdout, r"(?m)^(same|faster|undecided) .*stencil/tbb:1/chunks/int32/n:4096/")
        self.assertRegex(judged.stdout, r"(?m)^4 rows, margin 900 %")
        self.assertEqual(run("./speed_test", "--rows=^other").returncode, 2)

    def test_benchmarks_name_both_commits(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.json")
            result = run(
                "./concord_bench", "--algorithms=moving_sum,run_length_encode", "--backends=serial", "--sizes=2^10",
                "--types=int32", "--scopes=kernel", "--max_seconds=0.1", f"--benchmark_out={path}",
                env=dict(os.environ, CONCORD_COMMIT="mine"),
            )
            self.assertEqual(result.returncode, 0, result.stderr)
            recorded = json.loads(path.read_text(encoding="utf-8"))
        algorithms = {row["name"].split("/")[0] for row in recorded["benchmarks"]}
        self.assertEqual(algorithms, {"moving_sum", "run_length_encode"})
        self.assertEqual(recorded["context"]["commit"], "mine")
        # An archive has no commit.
        self.assertRegex(recorded["context"]["concord_commit"], r"\A([0-9a-f]{40}|unknown)\Z")


if __name__ == "__main__":
    unittest.main()
