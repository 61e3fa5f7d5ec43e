# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What a terminal shows while gate runs two programs in turns."""

import os
import pathlib
import pty
import subprocess
import sys
import unittest

import progress

_GATE = pathlib.Path(__file__).absolute().parent / "gate.py"
_BENCH = "benchmarks/fake_bench"


class TextTest(unittest.TestCase):
    def test_what_is_left_lasts_as_long_as_what_is_done(self):
        self.assertEqual(progress.text(3, 12, 6, "rounds", 80), "[3/12] rounds: about 18 s left")
        self.assertEqual(progress.text(1, 2, 61, "rounds", 80), "[1/2] rounds: about 2 min left")
        self.assertEqual(progress.text(1, 3, 4000, "rounds", 80),
                         "[1/3] rounds: about 2 h 14 min left")
        self.assertEqual(progress.text(0, 12, 6, "rounds", 80), "[0/12] rounds")

    def test_it_fits_into_the_line(self):
        self.assertEqual(progress.text(3, 12, 6, "rounds", 25), "[3/12] r: about 18 s left")
        self.assertEqual(progress.text(3, 12, 6, "rounds", 4), "[3/1")


class GateTest(unittest.TestCase):
    def gate(self, stderr):
        """Two rounds, which cannot decide."""
        return [sys.executable, str(_GATE), "--interleave", "--rounds=2", _BENCH, _BENCH, "--",
                "--sizes=100"], {"stdout": subprocess.PIPE, "stderr": stderr, "encoding": "utf-8"}

    def test_a_terminal_shows_how_many_rounds_there_were(self):
        master, slave = pty.openpty()
        command, streams = self.gate(slave)
        result = subprocess.run(command, check=False, **streams)
        os.close(slave)
        shown = os.read(master, 65536).decode()
        os.close(master)
        self.assertEqual(result.returncode, 4, result.stdout + shown)
        self.assertRegex(shown, r"\A\r\x1b\[K\[0/2\] rounds\r\x1b\[K\[1/2\] rounds: about \d+ s left"
                                r"\r\x1b\[K\[2/2\] rounds: about 0 s left\r\x1b\[K\Z")

    def test_nothing_else_does(self):
        command, streams = self.gate(subprocess.PIPE)
        self.assertEqual(subprocess.run(command, check=False, **streams).stderr, "")


if __name__ == "__main__":
    unittest.main()
