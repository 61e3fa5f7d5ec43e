# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's table: every application runs, agrees and fits a terminal."""

import subprocess
import sys
import unittest


class Applications(unittest.TestCase):
    def test_all_agree_in_a_table_that_fits_a_terminal(self):
        result = subprocess.run(
            [sys.executable, "tools/applications.py", "tools/concord/concord",
             "testing/data/lambda_virus.fa.gz"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:-1]],
                         ["tensor_sketch", "look_and_say", "cyclospectrum", "max_subarray",
                          "match_parens"])
        self.assertLessEqual(max(map(len, lines)), 80)
        for line in lines[1:-1]:
            self.assertRegex(line, r"  (serial|tbb|cuda)/\w+ +[\d.e+]+x$")
        self.assertEqual(lines[-1], "All implementations agree with the references.")


if __name__ == "__main__":
    unittest.main()
