# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The command line under mpirun: ranks of this machine."""

import gzip
import os
import pathlib
import subprocess
import sys
import unittest

import numpy
from mpirun import RanksTest

CONCORD = pathlib.Path("tools/concord/concord").resolve()
RUN_RANKS = pathlib.Path("tools/bazel/run_ranks").resolve()
WITHOUT_UNNAMED_FILES = pathlib.Path("testing/ranks/without_unnamed_files").resolve()


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


class CommandLine(RanksTest):
    def concord(self, ranks, *arguments):
        return self.run_ranks(ranks, CONCORD, *arguments)

    def save(self, array):
        numpy.save(self.folder / "in.npy", array)

    def test_ranks_write_one_file(self):
        numbers = numpy.random.default_rng(1).integers(-1000, 1000, 300001).astype(numpy.int64)
        self.save(numbers)
        for ranks in (1, 3):
            done = self.concord(ranks, "run", "scan", "--kind=inclusive", "--backend=mpi:serial",
                                "--input=in.npy", "--output=out.npy")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            numpy.testing.assert_array_equal(numpy.load(self.folder / "out.npy"), numpy.cumsum(numbers))
            self.assertEqual(sorted(path.name for path in self.folder.iterdir() if path.is_file()),
                             ["in.npy", "out.npy"])

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

    def test_sketches_of_a_file_are_those_of_one_process(self):
        letters = "".join(numpy.random.default_rng(4).choice(list("ACGTN"), 30000))
        # A sequence longer than all others together, and some without letters.
        cuts = [0, 0, 3, 500, 500, 22000, 22001, 25000, 30000]
        records = [f">{i}\n{letters[first:last]}\n" for i, (first, last) in enumerate(zip(cuts, cuts[1:]))]
        (self.folder / "in.fa").write_text("".join(records))
        for options in ([], ["--normalized"], ["--window=400", "--stride=150"], ["--window=100", "--stride=777"]):
            arguments = ["run", "tensor_sketch", *options, "--t=3", "--dim=17", "--input=in.fa", "--output=out.npy"]
            subprocess.run([CONCORD, *arguments, "--backend=serial"], cwd=self.folder, check=True,
                           capture_output=True)
            alone = (self.folder / "out.npy").read_bytes()
            for ranks, local in ((2, "tbb:2@uneven"), (3, "serial"), (7, "tbb:1")):
                done = self.concord(ranks, *arguments, f"--backend=mpi:{local}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((self.folder / "out.npy").read_bytes(), alone, (options, ranks))

    def write_fasta(self, text):
        (self.folder / "in.fa").write_bytes(text)

    def sketched_alone(self, *options):
        """The status, and the result or what was said of the input."""
        output = self.folder / "alone.npy"
        output.unlink(missing_ok=True)
        done = subprocess.run([CONCORD, "run", "tensor_sketch", "--backend=serial", *options, "--input=in.fa",
                               "--output=alone.npy"], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, output.read_bytes() if output.exists() else None, done.stderr

    def sketched_by_ranks(self, ranks, *options):
        output = self.folder / "out.npy"
        output.unlink(missing_ok=True)
        done = self.concord(ranks, "run", "tensor_sketch", "--backend=mpi:serial", *options, "--input=in.fa",
                            "--output=out.npy")
        said = "".join(line for line in done.stderr.splitlines(True) if line.startswith("concord"))
        return done.returncode, output.read_bytes() if output.exists() else None, said

    def test_each_rank_finds_its_share_of_a_fasta_file(self):
        letters = b"".join(numpy.random.default_rng(6).choice([b"A", b"c", b"G", b"t", b"N"], 3000))
        line_of_all = b">all\n" + letters + b"\n"
        for name, text in {
                "lines of 7 letters": b">one\n" + b"\n".join(
                    letters[i:i + 7] for i in range(0, 1500, 7)) + b"\n>two\n\n>three\n" + letters[1500:],
                "one line": line_of_all,
                "two ends of lines": (b"\r\n\r\n" + line_of_all.replace(b"N", b"\n") * 2).replace(b"\n", b"\r\n"),
                "another end of lines": line_of_all.replace(b"N", b"\r").replace(b"\n", b"\r"),
                "short sequences": b"".join(b">%d\n%s\n" % (i, letters[i:i + i % 5]) for i in range(300)),
                "long headers": b"".join(b">%s\n%s\n" % (b">x " * 99, letters[i:i + 40]) for i in range(9)),
                "fewer bytes than ranks": b">\n",
        }.items():
            self.write_fasta(text)
            alone = self.sketched_alone("--t=2", "--dim=5")
            self.assertEqual(alone[0], 0, alone[2])
            for ranks in (1, 2, 3, 5):
                self.assertEqual(self.sketched_by_ranks(ranks, "--t=2", "--dim=5"), alone, (name, ranks))

    def test_what_is_wrong_in_a_share_is_said_once(self):
        record = b">name\r\nACGT\r\nAC\r\n"
        for text in (record * 20 + b"AC+T\n" + record * 7, b">name\nAC\n" + b"!\n" * 50, record * 40 + b">x\nA\0",
                     b"AC\n" + record * 9, b"", b"\n\n \n", b"@x\nACGT\n+\nIII"):
            self.write_fasta(text)
            alone = self.sketched_alone()
            self.assertEqual((alone[0], alone[1]), (2, None))
            for ranks in (2, 3):
                self.assertEqual(self.sketched_by_ranks(ranks), alone, (text, ranks))
        (self.folder / "in.fa").unlink()
        self.assertEqual(self.sketched_by_ranks(3), self.sketched_alone())
        self.assertEqual([path.name for path in self.folder.iterdir() if path.is_file()], [])

    def test_what_is_wrong_in_an_input_is_said_once(self):
        for algorithm, values in (("look_and_say", numpy.array([1, 12], numpy.uint8)),
                                  ("cyclospectrum", numpy.array([57, -1], numpy.int32)),
                                  ("run_length_encode", numpy.array([True, False]))):
            self.save(values)
            arguments = ["run", algorithm, "--input=in.npy"]
            alone = subprocess.run([CONCORD, *arguments, "--backend=serial"], cwd=self.folder, capture_output=True,
                                   text=True, check=False)
            self.assertEqual((alone.returncode, alone.stdout), (2, ""), alone.stderr)
            done = self.concord(3, *arguments, "--backend=mpi:serial")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            said = [line for line in done.stderr.splitlines() if line.startswith("concord")]
            self.assertEqual(said, alone.stderr.splitlines())

    def test_other_files_are_read_by_all_ranks_and_that_is_said(self):
        text = b">one\nACGTACGTTACC\n>two\nACCA\n"
        for content, why in ((gzip.compress(text), "is compressed"),
                             (b"@one\nACGTACGTTACC\n+\nIIIIIIIIIIII\n@two\nACCA\n+\nIIII\n", "is not FASTA")):
            self.write_fasta(content)
            _, alone, _ = self.sketched_alone("--t=2", "--dim=5")
            self.assertEqual(self.sketched_by_ranks(2, "--t=2", "--dim=5"),
                             (0, alone, f"concord: in.fa {why}: each rank reads all of it, and has all letters in its "
                              "memory\n"))

    # Which only the first rank has, or one rank takes from another.
    def test_what_can_be_read_once_is_read_for_all(self):
        # The mpirun of Open MPI 4 can crash where its pipe to the first rank, of 64 KiB, is full at the end of its own
        # input: github.com/open-mpi/ompi/issues/7483. More than that comes past it.
        digits = numpy.random.default_rng(3).integers(0, 9, 30001)
        for source, backend, numbers in (("-", "serial", digits[:7001]), ("-", "mpi:serial", digits[:7001]),
                                         ("pipe", "mpi:serial", digits)):
            self.save(numbers)
            array = (self.folder / "in.npy").read_bytes()
            for algorithm, content in (("scan", array), ("radix_sort", array), ("run_length_encode", array),
                                       ("tensor_sketch", b">one\nACGTACGTTACC\n>two\nACCA\n"),
                                       ("match_parens", b"(()(()))(" * 500), ("cyclospectrum", b"57 71 128 99"),
                                       ("look_and_say", b"311")):
                with self.subTest(algorithm=algorithm, source=source, backend=backend):
                    self.check_read_once(source, content, algorithm, backend)

    def check_read_once(self, source, content, algorithm, backend):
        """Three ranks print what one process prints."""
        alone = subprocess.run([CONCORD, "run", algorithm, "--input=-", "--backend=serial"], cwd=self.folder,
                               input=content, capture_output=True, check=False)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        (self.folder / "content").write_bytes(content)
        (self.folder / "pipe").unlink(missing_ok=True)
        os.mkfifo(self.folder / "pipe")
        writer = subprocess.Popen(["sh", "-c", "cat content > pipe"], cwd=self.folder)
        with open(self.folder / ("pipe" if source == "-" else "/dev/null"), "rb") as stdin:
            done = self.run_ranks(3, CONCORD, "run", algorithm, f"--input={source}", f"--backend={backend}",
                                  stdin=stdin)
        self.assertEqual((done.returncode, done.stdout), (0, alone.stdout.decode()), done.stderr)
        self.assertEqual(writer.wait(timeout=10), 0)

    def test_no_rank_has_all_letters_of_a_file(self):
        # Into a file for each rank: mpirun may lose what a rank prints last.
        measured = ("import os, resource, subprocess, sys; status = subprocess.call(sys.argv[1:]); "
                    "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss; "
                    "open('peak' + os.environ['OMPI_COMM_WORLD_RANK'], 'w').write(str(peak)); "
                    "sys.exit(status)")
        peaks = []
        for lines in (1, 12500):
            # 32 sequences, of 10^6 letters in the end.
            self.write_fasta((b">name\n" + b"ACGTTGCATTACCGATGCAT" * 4 * lines + b"\n") * 32)
            done = self.run_ranks(4, sys.executable, "-c", measured, CONCORD, "run", "tensor_sketch",
                                  "--backend=mpi:tbb:1", "--input=in.fa", "--output=out.npy")
            self.assertEqual(done.returncode, 0, done.stderr)
            files = list(self.folder.glob("peak*"))
            self.assertEqual(len(files), 4)
            peaks.append(sorted(int(file.read_text()) for file in files))
        # Eight million letters, twice: of the array, and of those that a rank sketches. In kB.
        self.assertLess(peaks[1][-1] - peaks[0][-1], 26000, peaks)

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

    def test_a_clock_decides_for_all(self):
        done = self.concord(3, "verify", "scan/mpi", "--minutes=0.05")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_algorithm_that_ranks_cannot_run_names_those_that_they_can(self):
        self.save(numpy.arange(10))
        done = self.concord(2, "run", "sequence", "--program=map x", "--backend=mpi", "--input=in.npy")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("on mpi there are compact, cyclospectrum, look_and_say, match_parens, max_subarray, radix_sort, "
                      "reduce, run_length_decode, run_length_encode, scan, similar_pairs, tensor_sketch, transform",
                      done.stderr)

    # Each rank on a host of such a name, in a namespace for that.
    def run_on_hosts(self, ranks, name, *command):
        if subprocess.run(["unshare", "--uts", "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespace of names can be made")
        return self.run_ranks(ranks, "unshare", "--uts", "sh", "-c", f'hostname {name}; exec "$0" "$@"', *command)

    def test_ranks_of_hosts_with_more_and_fewer_ranks_agree(self):
        done = self.run_on_hosts(3, "host-$((OMPI_COMM_WORLD_RANK / 2))", CONCORD, "verify", "reduce/mpi", "--cases=3")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_ranks_of_several_hosts_write_one_file(self):
        numbers = numpy.random.default_rng(12).integers(-50, 50, 300001)
        self.save(numbers)
        for backend in ("mpi:serial", "mpi:serial@uneven", "serial"):
            done = self.run_on_hosts(3, "host-$OMPI_COMM_WORLD_RANK", CONCORD, "run", "compact", "--keep=greater:10",
                                     f"--backend={backend}", "--input=in.npy", "--output=out.npy",
                                     "--output-indices=where.npy")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            numpy.testing.assert_array_equal(numpy.load(self.folder / "out.npy"), numbers[numbers > 10])
            numpy.testing.assert_array_equal(numpy.load(self.folder / "where.npy"), numpy.flatnonzero(numbers > 10))

    def test_a_file_that_cannot_be_written_ends_the_job(self):
        self.save(numpy.arange(10))
        done = self.concord(2, "run", "scan", "--backend=mpi:serial", "--input=in.npy",
                            "--output=nowhere/out.npy")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("cannot write nowhere/out.npy"), 1, done.stderr)

    def test_a_full_disk_is_said_once(self):
        # Files longer than that, as on a disk that fills up.
        limited = ("sh", "-c", "trap '' XFSZ; ulimit -f 32768; exec \"$0\" \"$@\"", CONCORD, "run", "scan",
                   "--backend=mpi:serial", "--input=in.npy")
        self.save(numpy.full(3 << 20, 1 << 50))
        for output in ("out.npy", "out.txt"):
            done = self.run_ranks(3, *limited, f"--output={output}")
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertEqual(done.stderr.count(f"concord: cannot write {output}: File too large"), 1, done.stderr)
            self.assertEqual(done.stderr.count("concord: "), 1, done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.is_file()], ["in.npy"])

    def test_ranks_write_one_file_that_has_a_name(self):
        numbers = numpy.arange(300001)
        self.save(numbers)
        for output in ("out.npy", "out.txt"):
            done = self.run_ranks(3, WITHOUT_UNNAMED_FILES, CONCORD, "run", "scan", "--kind=inclusive",
                                  "--backend=mpi:serial", "--input=in.npy", f"--output={output}")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        numpy.testing.assert_array_equal(numpy.load(self.folder / "out.npy"), numpy.cumsum(numbers))
        numpy.testing.assert_array_equal(numpy.loadtxt(self.folder / "out.txt", dtype=int), numpy.cumsum(numbers))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir() if path.is_file()),
                         ["in.npy", "out.npy", "out.txt"])

    def test_alone_it_says_how_to_start_ranks(self):
        done = subprocess.run([CONCORD, "run", "scan", "--backend=mpi", "--input=-"], input="1",
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("mpi is not available (no_device: this program was not started by mpirun", done.stderr)


if __name__ == "__main__":
    unittest.main()
