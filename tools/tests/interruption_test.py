# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""A command that is interrupted leaves nothing half-written."""

import signal
import time
import unittest

from program import npy
from toy import ToyTest


class Interruption(ToyTest):
    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    @staticmethod
    def is_under_way(_):
        # The commands below take minutes: half a second is in their midst.
        time.sleep(0.5)
        return True

    def test_of_a_long_run(self):
        self.write("in.txt", "1")
        for number in self.SIGNALS:
            self.interrupt(number, self.has_open_output, "run", "toy", "--sleep=100000",
                           "--input=in.txt", "--output=out.txt")
            self.assertEqual(self.names(), ["in.txt"])

    def test_a_signal_that_is_ignored_ends_nothing(self):
        self.write("in.txt", "1")
        for number in self.SIGNALS:
            out = self.interrupt(number, self.is_under_way, "run", "toy", "--sleep=1500",
                                 "--input=in.txt", ignored=True)
            self.assertEqual(out, "2\n")

    def test_of_a_long_comparison(self):
        self.write("in.txt", "1")
        for flags in ([], ["--json"]):
            stdout = self.interrupt(signal.SIGINT, self.is_under_way, "compare", "toy",
                                    "--sleep=100000", "--input=in.txt", *flags)
            self.assertEqual(stdout, "")
        self.assertEqual(self.names(), ["in.txt"])

    def test_while_the_output_is_written(self):
        self.write("in.npy", npy(range(4000000)))
        self.write("out.txt", "old")
        for number in self.SIGNALS:
            self.interrupt(number, self.has_open_output, "run", "toy", "--input=in.npy",
                           "--output=out.txt")
            self.assertEqual(self.names(), ["in.npy", "out.txt"])
            self.assertEqual((self.folder / "out.txt").read_text(), "old")


if __name__ == "__main__":
    unittest.main()
