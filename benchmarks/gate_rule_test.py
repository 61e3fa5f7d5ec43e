# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""concord_benchmark_gate: when its tests fail, and that they pass shows in themselves."""

import os
import subprocess
import unittest

_GATE = "benchmarks/benchmark_gate_test"
# The baselines of these are of another machine, and of a program a thousand times as fast.
_ANY_MACHINE = "benchmarks/any_machine_gate_test"
_FASTER = "benchmarks/slower_than_baseline"


def _run(test, *arguments, **environment):
    return subprocess.run([test, *arguments], env={**os.environ, **environment}, check=False,
                          capture_output=True, encoding="utf-8")


class GateRuleTest(unittest.TestCase):
    def assert_fails(self, result, status, message):
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertIn(message, result.stdout + result.stderr)

    def test_wrong_results_fail(self):
        self.assert_fails(_run(_GATE, FAULT="1"), 1, "wrong ")
        self.assert_fails(_run(_ANY_MACHINE, FAULT="1"), 1, "wrong ")

    def test_a_slower_program_fails(self):
        self.assert_fails(_run(_FASTER), 1, "slower ")

    def test_rows_that_are_not_there_fail(self):
        self.assert_fails(_run(_GATE, "--rows=^other"), 2, "no row has these axes")

    def test_a_baseline_of_another_machine_is_undecided_where_that_is_allowed(self):
        result = _run(_ANY_MACHINE)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"undecided .*: recorded on another machine\n")
        self.assertIn("passed, although some rows are undecided", result.stdout)


if __name__ == "__main__":
    unittest.main()
