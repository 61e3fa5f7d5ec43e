# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What people see: help, colours and progress on a terminal."""

import os
import pty
import subprocess
import unittest

from toy import ToyTest


class Terminal(ToyTest):
    def on_terminal(self, *arguments, **environment):
        """What a terminal receives: standard output and standard error."""
        master, slave = pty.openpty()
        with subprocess.Popen([self.binary, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=slave, stderr=slave,
                              env=self.environment({"TERM": "xterm", **environment})):
            os.close(slave)
            received = b""
            while True:
                try:
                    part = os.read(master, 65536)
                except OSError:
                    break
                received += part
        os.close(master)
        return received.decode()

    def test_colours_only_there_and_only_when_wanted(self):
        colour = "\x1b[3"
        self.assertIn(colour, self.on_terminal("backends"))
        self.assertNotIn(colour, self.on_terminal("backends", NO_COLOR="1"))
        self.assertNotIn(colour, self.on_terminal("backends", TERM="dumb"))
        self.assertNotIn("\x1b", self.output_of("backends"))

    def test_progress(self):
        self.write("in.txt", "1")
        received = self.on_terminal("compare", "toy", "--input=in.txt", "--backend=tbb")
        self.assertIn("\r\x1b[K[2/5] tbb/wrong", received)
        self.assertIn("toy/tbb/right", self.on_terminal("verify", "right", "--cases=5"))


class Help(ToyTest):
    def test_of_the_program(self):
        out = self.output_of("--help")
        for command in ("backends", "list", "run", "compare", "verify"):
            self.assertRegex(out, rf"\n  {command} +\w")

    def test_shows_the_options_of_an_algorithm(self):
        for command in ("run", "compare"):
            out = self.output_of(command, "toy", "--help")
            self.assertRegex(out, r"--addend=NUMBER +What is added to every element, from 0 to 100 "
                                  r"\[default 1\]\n")
            self.assertRegex(out, r"--mood=good\|bad +Changes nothing \[default good\]\n")
            self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_without_an_algorithm_lists_them(self):
        self.assertIn("Algorithms: toy (adds a number).", self.output_of("run", "--help"))


if __name__ == "__main__":
    unittest.main()
