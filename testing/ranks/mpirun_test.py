# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The command line under mpirun: ranks of this machine."""

import os
import pathlib
import subprocess
import unittest

import numpy
from mpirun import CONCORD, CommandLineTest

RUN_RANKS = pathlib.Path("tools/bazel/run_ranks").resolve()


class RunRanks(unittest.TestCase):
    # Each with its own numbers of processes, but one /dev/shm.
    SANDBOX = ("unshare", "--pid", "--fork", "--mount-proc")

    def test_jobs_of_two_sandboxes_do_not_meet(self):
        if subprocess.run([*self.SANDBOX, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespace of processes can be made")
        command = [*self.SANDBOX, RUN_RANKS, os.environ["MPIRUN"], "2", CONCORD, "verify", "reduce/mpi", "--cases=30"]
        jobs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                for _ in range(2)]
        for job in jobs:
            output = job.communicate(timeout=240)[0]
            self.assertEqual(job.returncode, 0, output)


class CommandLine(CommandLineTest):
    def test_sorted_and_compacted_files_are_numpys(self):
        numbers = numpy.random.default_rng(2).integers(-50, 50, 100003).astype(numpy.int32)
        self.save(numbers)
        done = self.concord(3, "run", "radix_sort", "--backend=mpi:serial", "--argsort", "--input=in.npy",
                            "--output=out.npy", "--output-values=where.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        numpy.testing.assert_array_equal(numpy.load(self.folder / "out.npy"), numpy.sort(numbers))
        numpy.testing.assert_array_equal(numpy.load(self.folder / "where.npy"),
                                         numpy.argsort(numbers, kind="stable"))
        done = self.concord(3, "run", "compact", "--keep=greater:10", "--backend=mpi:serial",
                            "--input=in.npy", "--output=out.npy", "--output-indices=where.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        numpy.testing.assert_array_equal(numpy.load(self.folder / "out.npy"), numbers[numbers > 10])
        numpy.testing.assert_array_equal(numpy.load(self.folder / "where.npy"), numpy.flatnonzero(numbers > 10))

    def test_float_sums_have_the_same_bits_for_any_number_of_ranks(self):
        self.save(numpy.random.default_rng(3).standard_normal(400003).astype(numpy.float32))
        bits = set()
        for ranks in (1, 2, 3, 4):
            done = self.concord(ranks, "run", "reduce", "--backend=mpi:serial", "--input=in.npy",
                                "--output=out.npy")
            self.assertEqual(done.returncode, 0, done.stderr)
            bits.add((self.folder / "out.npy").read_bytes())
        self.assertEqual(len(bits), 1)

    def test_runs_over_borders_of_ranks_are_those_of_one_process(self):
        generator = numpy.random.default_rng(7)
        # One run over all ranks, none over a border, some, fewer elements than ranks.
        for numbers in (numpy.zeros(5000, numpy.int32), numpy.arange(5000) % 7,
                        numpy.repeat(generator.standard_normal(9), generator.integers(1, 900, 9)), numpy.arange(2)):
            self.save(numbers)
            for arguments, outputs in ((["run_length_encode", "--output-lengths=lengths.npy"],
                                        ("out.npy", "lengths.npy")), (["max_subarray"], ("out.npy",))):
                self.check_files(arguments, outputs)

    def check_files(self, arguments, outputs=("out.npy",)):
        """Ranks write what one process writes."""
        arguments = ["run", *arguments, "--input=in.npy", "--output=out.npy"]
        subprocess.run([CONCORD, *arguments, "--backend=serial"], cwd=self.folder, check=True, capture_output=True)
        alone = [(self.folder / name).read_bytes() for name in outputs]
        for ranks, local in ((2, "tbb:2@uneven"), (3, "serial"), (7, "serial@uneven")):
            done = self.concord(ranks, *arguments, f"--backend=mpi:{local}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([(self.folder / name).read_bytes() for name in outputs], alone, (ranks, local))

    def test_runs_are_decoded_where_their_results_are_wanted(self):
        generator = numpy.random.default_rng(9)
        short = generator.integers(-2, 4, 5000)
        # One run for all ranks, runs of any length and none, fewer runs than ranks.
        for lengths in (numpy.array([0, 90000, 0]), short, numpy.where(short == 3, 2000, 0), short[:2]):
            self.save(generator.standard_normal(len(lengths)))
            numpy.save(self.folder / "lengths.npy", lengths.astype(numpy.int32))
            for limit in ("all", "1717"):
                self.check_files(["run_length_decode", "--lengths=lengths.npy", f"--limit={limit}"])

    def test_digits_over_borders_of_ranks_are_said_once(self):
        generator = numpy.random.default_rng(10)
        for digits in (numpy.full(5000, 6), generator.integers(0, 10, 3000), numpy.array([1])):
            self.save(digits.astype(numpy.uint8))
            for options in (["--steps=0"], ["--steps=3"], ["--steps=9", "--from=2", "--count=3000"], ["--steps=21"],
                            ["--steps=5", "--length-only"]):
                if len(digits) > 1 or "--from=2" not in options:
                    self.check_files(["look_and_say", *options])
        self.save(numpy.full(400, 6, numpy.uint8))
        done = self.concord(3, "run", "look_and_say", "--backend=mpi:serial", "--counts=symbol", "--input=in.npy")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("a run of 400 equal digits cannot be counted by one symbol", done.stderr)

    def test_spectra_are_those_of_one_process(self):
        generator = numpy.random.default_rng(11)
        for masses in (generator.choice([57, 71, 87, 97, 186], 700), generator.integers(0, 1 << 20, 300),
                       numpy.zeros(50), numpy.array([57])):
            for width in (numpy.int32, numpy.int64):
                self.save(masses.astype(width))
                self.check_files(["cyclospectrum"])
                self.check_files(["cyclospectrum", "--as=histogram"])
        self.save(numpy.array([5, 6, -7, 8]))
        done = self.concord(3, "run", "cyclospectrum", "--backend=mpi:serial", "--input=in.npy")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("mass 3 is -7", done.stderr)

    def test_brackets_meet_over_borders_of_ranks(self):
        kinds = numpy.random.default_rng(8).integers(1, 4, 40001).astype(numpy.int8)
        deep = numpy.concatenate([kinds, -kinds[::-1]])
        wrong = deep.copy()
        wrong[70000] = -3 if deep[70000] == -2 else -2
        flat = numpy.tile(numpy.array([1, -1], numpy.int8), 40000)
        for brackets in (deep, wrong, deep[:-1], deep[1:], flat, numpy.concatenate([flat, kinds[:1], flat])):
            self.save(brackets)
            for option in ("()", "()[]{}"):
                if option == "()[]{}" or abs(brackets).max() == 1:
                    self.check_files(["match_parens", f"--kinds={option}"])
        self.save(numpy.sign(deep[1:]).astype(numpy.int8))
        self.check_files(["match_parens"])

    def test_similar_pairs_are_those_of_one_process(self):
        # More than comes by at a time: 4 MiB; families of two, far apart.
        generator = numpy.random.default_rng(5)
        ancestors = generator.integers(-1000, 1000, (4001, 200))
        sketches = numpy.concatenate([ancestors, ancestors[::-1]]) + generator.random((8002, 200))
        self.save(sketches)
        outputs = ("out.npy", "distances.npy")
        arguments = ["run", "similar_pairs", "--distance2=50", "--dim=200", "--input=in.npy", "--output=out.npy",
                     "--output-distances=distances.npy"]
        subprocess.run([CONCORD, *arguments, "--backend=tbb"], cwd=self.folder, check=True, capture_output=True)
        alone = [(self.folder / name).read_bytes() for name in outputs]
        self.assertEqual(numpy.load(self.folder / "out.npy").shape, (4001, 2))
        for ranks, local in ((1, "tbb:2"), (2, "tbb:1"), (3, "tbb:1@uneven"), (4, "tbb:1")):
            done = self.concord(ranks, *arguments, f"--backend=mpi:{local}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([(self.folder / name).read_bytes() for name in outputs], alone, ranks)
            for name in outputs:
                (self.folder / name).unlink()

    def test_too_little_room_is_the_same_error_on_all_ranks(self):
        self.save(numpy.zeros((50, 3)))
        done = self.concord(3, "run", "similar_pairs", "--backend=mpi:serial", "--dim=3", "--most=100",
                            "--input=in.npy", "--output=out.npy")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("there are 1225 similar pairs, and room for 100; --most=1225 has room for all", done.stderr)
        self.assertFalse((self.folder / "out.npy").exists())

    def test_the_first_rank_prints(self):
        self.save(numpy.arange(5000, dtype=numpy.float64))
        done = self.concord(2, "run", "reduce", "--backend=mpi:serial", "--input=in.npy")
        self.assertEqual((done.returncode, done.stdout), (0, "12497500\n"), done.stderr)
        done = self.concord(2, "compare", "scan", "--backend=serial,mpi:serial,mpi:tbb:1", "--input=in.npy",
                            "--repetitions=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("agree with the reference"), 1, done.stdout)
        self.assertEqual(done.stdout.count("mpi:tbb:1"), 1, done.stdout)
        done = self.concord(2, "verify", "reduce/mpi", "--cases=10")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("reduce/mpi/fixed_tree"), 1, done.stdout)

    def test_an_input_that_cannot_be_used_is_refused_by_all(self):
        self.save(numpy.array([2**63 - 1, 1]))
        for backends in ("mpi:serial", "serial,mpi:serial"):
            done = self.concord(2, "compare", "max_subarray", f"--backend={backends}", "--input=in.npy")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(done.stderr.count("does not fit int64"), 1, done.stderr)

    def test_a_clock_decides_for_all(self):
        done = self.concord(3, "verify", "scan/mpi", "--cases=10", "--minutes=0.05")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_algorithm_that_ranks_cannot_run_names_those_that_they_can(self):
        self.save(numpy.arange(10))
        done = self.concord(2, "run", "sequence", "--program=map x", "--backend=mpi", "--input=in.npy")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("on mpi there are compact, cyclospectrum, look_and_say, match_parens, max_subarray, radix_sort, "
                      "reduce, run_length_decode, run_length_encode, scan, similar_pairs, tensor_sketch, transform",
                      done.stderr)

    def test_alone_it_says_how_to_start_ranks(self):
        done = subprocess.run([CONCORD, "run", "scan", "--backend=mpi", "--input=-"], input="1",
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("mpi is not available (no_device: this program was not started by mpirun", done.stderr)


if __name__ == "__main__":
    unittest.main()
