# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's table: every application runs, agrees and fits a terminal."""

import subprocess
import sys
import unittest

sys.path.insert(0, "tools")

import applications  # noqa: E402  pylint: disable=wrong-import-position


class Applications(unittest.TestCase):
    def test_the_skew_is_of_the_four_letters(self):
        self.assertEqual(applications.skew_of(b"AC-GT*UNacgt\xe4"), b"\0\xff\1\0\0\xff\1\0")

    def test_a_program_that_is_not_there_is_named(self):
        result = subprocess.run([sys.executable, "tools/applications.py", "no/concord",
                                 "testing/data/lambda_virus.fa.gz"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "applications.py: no/concord: No such file or directory\n")

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
