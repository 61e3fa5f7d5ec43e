# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""tools/lane, and what .ci/run makes of the time that it has."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Lane(unittest.TestCase):
    def test_each_lane_is_a_configuration(self):
        bazelrc = pathlib.Path(".bazelrc").read_text(encoding="utf-8")
        lanes = re.findall(r"^([a-z]+) [0-9]+ minutes: .", run("tools/lane").stdout, re.MULTILINE)
        self.assertIn("clang", lanes)
        for own in ("bookworm", "mlton", "mpi", "report", "reproducible", "sid", "valgrind"):  # what is no build of the same tests
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


class ContinuousIntegration(unittest.TestCase):
    def ci(self, seconds, lanes=(), suite="echo 5 passed, 0 failed, 1 skipped"):
        """The status and lines of .ci/run; each lane is a name, its minutes and what it does."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / ".ci").mkdir()
            (root / "tools").mkdir()
            shutil.copy(".ci/run", root / ".ci" / "run")
            named = "".join(f"{name}\n" for name, _, _ in lanes if name != "unproved")
            (root / ".ci" / "lanes").write_text(f"# proved\n{named}", encoding="utf-8")
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

    def test_a_suite_that_fails_ends_it(self):
        status, lines = self.ci(100, [("one", 0, "echo in one")],
                                "echo 5 passed, 2 failed, 1 skipped; exit 3")
        self.assertEqual(status, 3)
        self.assertNotIn("in one", lines)
        self.assertEqual(lines[-1], "5 passed, 2 failed, 1 skipped")


if __name__ == "__main__":
    unittest.main()
