# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`concord verify` from end to end."""

import re
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
        self.assertEqual(result.returncode, 3)
        self.assertIn("0 cases executed on 0 implementations, 1 skipped (no_device: ",
                      result.stdout)
        self.assertRegex(result.stderr, "^concord: nothing was executed: absent is not available "
                                        r"\(no_device: .*\)\n$")

    def test_a_backend_is_not_absent_where_an_implementation_does_not_suit_it(self):
        result = self.run_program("verify", "picky", "--cases=1")
        self.assertEqual(result.returncode, 3)
        self.assertIn("1 skipped (it needs a better machine)", result.stdout)
        self.assertEqual(result.stderr, "concord: nothing was executed: toy/tbb/picky: it needs a better machine\n")
        # Each for its own reason.
        result = self.run_program("verify", "toy/*[nk]y", "--cases=1")
        self.assertRegex(result.stderr, r"^concord: nothing was executed: absent is not available "
                                        r"\(no_device: .*\), toy/tbb/picky: it needs a better machine\n$")

    def test_an_empty_name_of_a_backend_is_refused(self):
        for names in (",", "tbb,", ",tbb", "tbb,,serial"):
            self.assert_refused(2, f"'{names}' has an empty name in it",
                                "verify", "right", "--cases=1", f"--backend={names}")

    def require(self, backends):
        return {"environment": {"CONCORD_REQUIRE": backends}}

    def test_a_required_backend_must_be_there(self):
        self.assert_refused(3, "CONCORD_REQUIRE names absent, which is not available (no_device: ",
                            "verify", "right", "--cases=1", **self.require("tbb,absent"))
        self.assert_refused(2, ["CONCORD_REQUIRE names gpu, but the backends", "serial, tbb"],
                            "verify", "right", "--cases=1", **self.require("gpu"))
        self.assert_refused(3, "CONCORD_REQUIRE names cuda", "verify", "right", "--cases=1",
                            **self.require("cuda"))

    def test_a_required_backend_must_run(self):
        result = self.run_program("verify", "right", "--cases=1", **self.require("tbb"))
        self.assertEqual(result.returncode, 0, result.stderr)
        result = self.run_program("verify", "right", "--cases=1", **self.require("tbb,serial"))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "concord: CONCORD_REQUIRE names serial, but nothing was "
                                        "executed on it\n")

    def cases_of(self, *arguments):
        out = self.output_of("verify", "right", *arguments)
        return int(re.search(r"toy/tbb/right +([0-9,]+)\n", out).group(1).replace(",", ""))

    def test_minutes_come_after_the_suite(self):
        suite = self.cases_of()
        self.assertGreaterEqual(self.cases_of("--minutes=0.0000001"), suite)
        self.assertGreater(self.cases_of("--minutes=0.01"), suite)

    def test_minutes_come_after_the_cases(self):
        self.assertGreater(self.cases_of("--cases=3", "--minutes=0.01"), 3)

    def test_numbers_are_decimal(self):
        out = self.output_of("verify", "right", "--cases=010", "--seed=09")
        self.assertRegex(out, r"toy/tbb/right +10\n")
        self.assertIn(" with seed 9: ", out)

    def test_numbers_that_are_none(self):
        for flag in ("--cases=0", "--cases=-1", "--cases=1.5", "--cases=99999999999999999999",
                     "--cases=few"):
            name, value = flag.split("=")
            self.assert_refused(2, [name, f"above 0 that fits: '{value}'"], "verify", "right", flag)
        for flag in ("--minutes=-1", "--minutes=nan", "--minutes=inf", "--minutes=1e400",
                     "--seed=-1", "--seed=18446744073709551616"):
            name, value = flag.split("=")
            self.assert_refused(2, [name, f"from 0 on that fits: '{value}'"], "verify", "right", flag)


if __name__ == "__main__":
    unittest.main()
