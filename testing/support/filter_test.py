# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""A filter that selects no test is a mistake, and a test program says so."""

import os
import subprocess
import unittest

PROGRAM = "testing/support/program_test"


def run(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("GTEST_", "TESTBRIDGE_", "TEST_"))}
    return subprocess.run([PROGRAM, *arguments], env={**clean, **environment},
                          stdout=subprocess.PIPE, text=True, check=False)


def shard(index):
    return {"GTEST_TOTAL_SHARDS": "2", "GTEST_SHARD_INDEX": str(index)}


class Filter(unittest.TestCase):
    def assert_refused(self, result):
        self.assertEqual(result.returncode, 1, result.stdout)
        last = result.stdout.splitlines()[-1]
        self.assertRegex(last, r"\AFAILED: none of the \d+ tests matches the filter 'Typo\*'\Z")

    def test_a_filter_that_selects_nothing_is_refused(self):
        self.assert_refused(run("--gtest_filter=Typo*"))
        self.assert_refused(run(GTEST_FILTER="Typo*"))

    def test_a_filter_that_selects_something_is_not(self):
        self.assertEqual(run("--gtest_filter=*ActionsRunBeforeTheTests").returncode, 0)

    def test_of_several_shards_one_refuses(self):
        self.assert_refused(run("--gtest_filter=Typo*", **shard(0)))
        self.assertEqual(run("--gtest_filter=Typo*", **shard(1)).returncode, 0)

    def test_a_shard_without_a_test_is_no_mistake(self):
        for index in (0, 1):
            result = run("--gtest_filter=*ActionsRunBeforeTheTests", **shard(index))
            self.assertEqual(result.returncode, 0, result.stdout)

    def test_a_filter_for_many_programs_may_select_nothing_in_one(self):
        self.assertEqual(run(TESTBRIDGE_TEST_ONLY="Typo*").returncode, 0)


if __name__ == "__main__":
    unittest.main()
