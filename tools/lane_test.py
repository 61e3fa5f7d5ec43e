# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""tools/lane, what tools/test builds without a GPU, and what .ci/run makes of its time."""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


class Lane(unittest.TestCase):
    def test_each_lane_is_a_configuration(self):
        bazelrc = pathlib.Path(".bazelrc").read_text(encoding="utf-8")
        lanes = re.findall(r"^([a-z]+) [0-9]+ minutes: .", run("tools/lane").stdout, re.MULTILINE)
        self.assertIn("clang", lanes)
        # What is no build of the same tests.
        for own in ("architectures", "bookworm", "mlton", "mpi", "report", "reproducible", "sid", "valgrind",
                    "workspace"):
            lanes.remove(own)
        for lane in lanes:
            self.assertIn(f"\nbuild:{lane} ", bazelrc)

    def test_an_unknown_lane_is_refused(self):
        result = run("tools/lane", "clan.")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"\Atools/lane: no lane 'clan\.'; there are .*clang.*\n\Z")

    def test_a_lane_may_be_a_program_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            tools = pathlib.Path(folder) / "tools"
            (tools / "lanes").mkdir(parents=True)
            shutil.copy("tools/lane", tools / "lane")
            for name, text in (("setup", 'echo "setup $*"'), ("test", "echo tests"),
                               ("lanes/shared", 'echo "shared $*"')):
                (tools / name).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
                (tools / name).chmod(0o755)
            result = run(str(tools / "lane"), "shared", "--config=nocuda")
            self.assertRegex(result.stdout,
                             r"\Asetup abigail-tools cmake .*\nshared --config=nocuda\n\Z")


class EveryTest(unittest.TestCase):
    WITHOUT_GPU = "--config=without_gpu"

    def bazel(self, *arguments, command="tools/test", require=""):
        """What the command asks of Bazel, and in which folder."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "examples/workspace").mkdir(parents=True)
            (root / "bin").mkdir()
            (root / "tools/bazel").mkdir(parents=True)
            (root / "tools/lanes").mkdir()
            for script in ("tools/test", "tools/lanes/workspace", "tools/bazel/quick_flags",
                           "tools/bazel/test_workspace"):
                shutil.copy(script, root / script)
            (root / "tools/count_test_cases.py").write_text("print('1 passed, 0 failed, 0 skipped')", encoding="utf-8")
            for program, text in (("tools/setup", ""), ("bin/bazel", f'echo "${{PWD#{root}}} $*" >> {root}/asked')):
                (root / program).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
                (root / program).chmod(0o755)
            done = run(str(root / command), *arguments, CONCORD_REQUIRE=require,
                       PATH=f"{root}/bin:{os.environ['PATH']}")
            self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 0 failed, 0 skipped", done.stderr)
            return (root / "asked").read_text(encoding="utf-8").splitlines()

    @unittest.skipIf(glob.glob("/dev/nvidia[0-9]*") or os.path.exists("/dev/dxg"), "there is a GPU")
    def test_without_a_gpu_one_architecture_is_enough(self):
        flags = f"{self.WITHOUT_GPU} --noshow_progress"
        for command, folder in (("tools/test", ""), ("tools/lanes/workspace", "/examples/workspace")):
            asked = self.bazel("--noshow_progress", command=command)
            self.assertIn(f"{folder} test {flags} //...", asked)
            # Or tests are counted that were not built.
            self.assertTrue([line for line in asked if line.startswith(f"{folder} cquery {flags} ")], asked)

    def test_a_target_is_refused(self):
        refused = run("tools/bazel/test_workspace", ".", "//core/...")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("`bazel test //core/...` runs some", refused.stderr)

    def test_results_are_counted_where_the_flags_put_them(self):
        asked = self.bazel("-c", "dbg", "--config=nocuda")
        self.assertIn(" info -c dbg --config=nocuda bazel-testlogs", asked)

    def test_who_asks_for_something_else_gets_it(self):
        for arguments in (["--config=asan"], ["--config=nocuda"], ["--repo_env=CONCORD_CUDA_ARCHITECTURES=80"]):
            asked = self.bazel(*arguments)
            self.assertIn(f" test {' '.join(arguments)} //...", asked)
            self.assertNotIn(self.WITHOUT_GPU, "".join(asked))
        for require in ("cuda", "tbb,gpus"):
            self.assertIn(" test //...", self.bazel(require=require))


class ContinuousIntegration(unittest.TestCase):
    def ci(self, seconds, lanes=(), suite="echo 5 passed, 0 failed, 1 skipped", more=""):
        """The status and lines of .ci/run; each lane is a name, its minutes and what it does. `more`
        is added to the names in .ci/lanes."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / ".ci").mkdir()
            (root / "tools").mkdir()
            shutil.copy(".ci/run", root / ".ci" / "run")
            named = "".join(f"{name}\n" for name, _, _ in lanes if name != "unproved")
            (root / ".ci" / "lanes").write_text(f"# proved\n{named}{more}", encoding="utf-8")
            listed = "".join(f"{name} {minutes} minutes: x\n" for name, minutes, _ in lanes)
            cases = "".join(f"{name}) {does} ;;\n" for name, _, does in lanes)
            for tool, text in (("test", suite),
                               ("lane", f'case "$*" in "") printf "{listed}" ;; esac\n'
                                        f'case "${{1-}}" in "") ;;\n{cases}esac')):
                (root / "tools" / tool).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
                (root / "tools" / tool).chmod(0o755)
            result = run(str(root / ".ci" / "run"), str(seconds))
        return result.returncode, result.stdout.splitlines()

    def test_lanes_run_while_there_is_time(self):
        status, lines = self.ci(100, [("one", 1, "echo in one"), ("two", 2, "echo in two"),
                                      ("three", 0, "echo in three")])
        self.assertEqual(status, 0)
        self.assertIn("in one", lines)
        self.assertIn("in three", lines)
        self.assertIn("lane two was not run: it takes 2 minutes, and 1 are left", lines)
        self.assertEqual(lines[-1], "5 passed, 0 failed, 1 skipped")
        self.assertRegex(lines[1], r"\Atools/test --noshow_progress: [0-9]+ seconds\Z")

    def test_a_lane_that_is_not_named_does_not_run(self):
        status, lines = self.ci(100, [("unproved", 0, "exit 3")])
        self.assertEqual(status, 0)
        self.assertEqual(lines[-1], "5 passed, 0 failed, 1 skipped")

    def test_a_lane_that_fails_is_a_failure(self):
        status, lines = self.ci(100, [("one", 0, "exit 3"), ("two", 0, "echo in two")])
        self.assertEqual(status, 1)
        self.assertIn("in two", lines)
        self.assertEqual(lines[-1], "5 passed, 1 failed, 1 skipped")

    def test_a_lane_that_the_clock_stops_is_none(self):
        status, lines = self.ci(1, [("one", 0, "sleep 60")])
        self.assertEqual(status, 0)
        self.assertEqual(lines[-2:], ["lane one was stopped by the clock",
                                      "5 passed, 0 failed, 1 skipped"])

    def test_a_lane_that_is_killed_before_its_time_is_a_failure(self):
        for status in (124, 137):
            self.assertEqual(self.ci(100, [("one", 0, f"exit {status}")])[1][-1], "5 passed, 1 failed, 1 skipped")

    def test_lanes_are_whole_names(self):
        # A word of its description, and an empty line, are none.
        status, lines = self.ci(100, [("one", 0, "echo in one"), ("unproved", 0, "exit 3")], more="\nx\n")
        self.assertEqual(status, 1)
        self.assertIn("in one", lines)
        self.assertIn("tools/lane has no lane 'x'", lines)
        self.assertEqual(lines[-1], "5 passed, 1 failed, 1 skipped")

    def test_a_suite_that_fails_ends_it(self):
        status, lines = self.ci(100, [("one", 0, "echo in one")],
                                "echo 5 passed, 2 failed, 1 skipped; exit 3")
        self.assertEqual(status, 3)
        self.assertNotIn("in one", lines)
        self.assertEqual(lines[-1], "5 passed, 2 failed, 1 skipped")


if __name__ == "__main__":
    unittest.main()
