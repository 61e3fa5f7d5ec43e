# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs of the README, small: the same file each time, and the relatives in it found."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

FOLDER = "examples/all_pairs/"
RESULT = re.compile(
    r"(?P<backend>.*): (?P<sequences>\d+) sequences, (?P<found>\d+) pairs found, "
    r"(?P<relatives>\d+) close relatives\n"
    r"recall (?P<recall>[\d.]+), precision (?P<precision>[\d.]+)\n")


def run(program, *arguments):
    return subprocess.run([FOLDER + program, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


class AllPairs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = cls.made("sequences.fa")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def made(cls, name, *arguments):
        path = pathlib.Path(cls.folder.name, name)
        done = run("make_sequences", "--sequences=1600", "--length=700", *arguments,
                   "--genome=testing/data/lambda_virus.fa.gz", f"--output={path}")
        assert done.returncode == 0, done.stderr
        return path

    def found(self, *arguments):
        """By smaller windows than usual, since the sequences are short."""
        done = run("all_pairs", f"--input={self.path}", "--window=100", "--dim=8", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return RESULT.fullmatch(done.stdout).groupdict(), done.stderr

    def test_the_file_is_a_matter_of_the_arguments(self):
        self.assertEqual(self.made("again.fa").read_bytes(), self.path.read_bytes())
        other = self.made("other.fa", "--seed=2")
        self.assertNotEqual(other.read_bytes(), self.path.read_bytes())

    def test_close_relatives_are_found_and_hardly_anything_else(self):
        result, progress = self.found("--backend=tbb:2")
        self.assertEqual(result["backend"], "tbb:2")
        self.assertEqual(result["sequences"], "1600")
        # Three of each family of four, each with each other.
        self.assertEqual(result["relatives"], "1200")
        self.assertGreater(float(result["recall"]), 0.9)
        self.assertGreater(float(result["precision"]), 0.9)
        for stage in ("sketch", "whiten", "compare"):
            self.assertRegex(progress, rf"(?m)^{stage} +\d+ \w+ +[\d.]+ s")

    def test_neither_batches_nor_backends_change_what_is_found(self):
        usual, _ = self.found("--backend=tbb:1")
        for arguments in (["--backend=tbb:1", "--batch=7"], ["--backend=tbb:3"]):
            other, _ = self.found(*arguments)
            self.assertEqual({**other, "backend": ""}, {**usual, "backend": ""})

    def test_a_gpu_finds_the_same(self):
        usual, _ = self.found("--backend=tbb:1")
        done = run("all_pairs", f"--input={self.path}", "--window=100", "--dim=8",
                   "--backend=cuda")
        required = "cuda" in os.environ.get("CONCORD_REQUIRE", "").split(",")
        if not required and done.stderr.startswith("UNAVAILABLE"):
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = RESULT.fullmatch(done.stdout).groupdict()
        self.assertEqual({**found, "backend": ""}, {**usual, "backend": ""})

    def test_with_a_limit_of_nothing_nothing_is_found(self):
        result, _ = self.found("--backend=serial", "--near=0")
        self.assertEqual((result["found"], result["recall"]), ("0", "0.0000"))

    def test_what_is_wrong_is_said(self):
        prose = pathlib.Path(self.folder.name, "prose.txt")
        prose.write_text("No sequences.\n", encoding="utf-8")
        blank = pathlib.Path(self.folder.name, "blank.fa")
        blank.write_bytes(b"\n" + self.path.read_bytes())
        for arguments, status, said in (
                (["--input=no.fa"], 1, "cannot open no.fa"),
                ([f"--input={blank}"], 1, "'' is no header"),
                ([f"--input={self.folder.name}"], 1, f"cannot read {self.folder.name}"),
                ([f"--input={prose}"], 1, "is no header"),
                ([f"--input={self.path}", "--backend=opencl"], 1, "unknown backend"),
                ([f"--input={self.path}", "--near"], 2, "--near"),
                ([f"--input={self.path}", "--dim=0"], 2, "--dim"),
                ([f"--input={self.path}", "--dim=2x"], 2, "--dim"),
                ([f"--input={self.path}", "--far=1"], 2, "--far=1"),
                ([], 2, "--input is required"),
                (["--help"], 0, "")):
            done = run("all_pairs", *arguments)
            self.assertEqual(done.returncode, status, arguments)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
