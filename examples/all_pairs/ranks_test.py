# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""all_pairs by ranks of MPI finds what one process finds."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path("examples/all_pairs").resolve()
sys.path.insert(0, str(pathlib.Path("testing/ranks").resolve()))

from mpirun import RanksTest  # noqa: E402 pylint: disable=wrong-import-position


class Ranks(RanksTest):
    @classmethod
    def setUpClass(cls):
        cls.sequences = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.sequences.name, "sequences.fa")
        subprocess.run([FOLDER / "make_sequences", "--sequences=1601", "--length=700", f"--output={cls.path}",
                        "--genome=testing/data/lambda_virus.fa.gz"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.sequences.cleanup()

    def by_ranks(self, ranks, path, *arguments):
        return self.run_ranks(ranks, FOLDER / "all_pairs", "--backend=mpi:tbb:1", f"--input={path}", "--window=100",
                              "--dim=8", *arguments)

    def test_any_number_of_ranks_finds_the_same(self):
        alone = subprocess.run([FOLDER / "all_pairs", f"--input={self.path}", "--window=100", "--dim=8",
                                "--backend=tbb:1"], capture_output=True, text=True, check=True).stdout
        for ranks, arguments in ((2, []), (3, ["--batch=7"]), (4, [])):
            done = self.by_ranks(ranks, self.path, *arguments)
            self.assertEqual((done.returncode, done.stdout), (0, "mpi:" + alone), done.stderr)
            # The first rank alone says how far it is.
            for stage in ("sketch", "whiten", "compare"):
                self.assertEqual(sum(line.startswith(f"{stage}  ") for line in done.stderr.splitlines()), 1,
                                 done.stderr)

    def test_what_is_wrong_in_a_share_is_said_once(self):
        wrong = self.path.with_name("wrong.fa")
        wrong.write_text(self.path.read_text(encoding="utf-8") + ">without ancestry\nACGT\n", encoding="utf-8")
        done = self.by_ranks(2, wrong)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr.count("'without ancestry' does not say where the sequence comes from"), 1)

    def test_ranks_that_see_another_file_say_so(self):
        # Each rank opens the file of its own folder.
        for rank, part in ((0, 1), (1, 2)):
            folder = self.path.with_name(f"of_rank_{rank}")
            folder.mkdir()
            text = self.path.read_text(encoding="utf-8")
            (folder / "sequences.fa").write_text(text[:text.index("\n>", len(text) // part - 5000) + 1],
                                                 encoding="utf-8")
        script = f'cd {self.path.parent}/of_rank_$OMPI_COMM_WORLD_RANK && exec "$0" "$@"'
        done = self.run_ranks(2, "/bin/sh", "-c", script, FOLDER / "all_pairs", "--backend=mpi:serial",
                              "--input=sequences.fa", "--window=100", "--dim=8")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"sequences.fa has \d+ bytes for rank 0, and \d+ for rank 1")

    def test_what_is_wrong_in_the_arguments_is_said_once(self):
        for wrong, said in (("--nosuch", "not expected: --nosuch"), ("--dim=0", "--dim: ")):
            done = self.by_ranks(3, self.path, wrong)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(done.stderr.count(said), 1, done.stderr)

    def test_help_is_printed_once(self):
        done = self.by_ranks(2, self.path, "--help")
        self.assertEqual((done.returncode, done.stdout.count("--near")), (0, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
