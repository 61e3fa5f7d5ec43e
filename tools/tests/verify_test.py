# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`concord verify` from end to end."""

import unittest

from toy import ToyTest


class Verify(ToyTest):
    def test_right_implementations_pass(self):
        out = self.output_of("verify", "right", "--cases=30")
        self.assertRegex(out, r"toy/tbb/right +30\n")
        self.assertRegex(out, r"30 cases in .* with seed 1: no failure\.\n\Z")

    def test_a_wrong_one_fails_and_the_failure_can_be_replayed(self):
        result = self.run_program("verify", "wrong", "--cases=30",
                                  environment={"TMPDIR": str(self.folder)})
        self.assertEqual(result.returncode, 1)
        line = [line for line in result.stdout.splitlines() if "--replay=" in line]
        self.assertEqual(len(line), 1)
        path = line[0].split("--replay=")[1]
        replayed = self.run_program("verify", f"--replay={path}")
        self.assertEqual(replayed.returncode, 1)
        self.assertIn("2 instead of 1", replayed.stdout)

    def test_replaying_what_is_no_failure(self):
        self.write("in.txt", "1")
        self.assert_refused(2, "in.txt", "verify", "--replay=in.txt")
        self.assert_refused(2, "no.json", "verify", "--replay=no.json")

    def test_skipped_is_said_and_is_not_passed(self):
        result = self.run_program("verify", "any", "--cases=1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("0 cases executed on 0 implementations, 1 skipped (no_device: ",
                      result.stdout)
        self.assertEqual(result.stderr, "concord: nothing was executed\n")

    def test_a_required_backend_must_run(self):
        result = self.run_program("verify", "*a*", "--cases=1",
                                  environment={"CONCORD_REQUIRE": "serial,absent"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("absent is required, but it was skipped", result.stderr)


if __name__ == "__main__":
    unittest.main()
