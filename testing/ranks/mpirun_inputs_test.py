# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Files that ranks read: each its share, or all of them everything."""

import gzip
import os
import subprocess
import sys
import unittest

import numpy
from mpirun import CONCORD, CommandLineTest


class Inputs(CommandLineTest):
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

    def test_a_file_that_one_rank_lacks_is_said_at_once(self):
        self.save(numpy.arange(1000))
        (self.folder / "empty").mkdir()
        script = '[ $OMPI_COMM_WORLD_RANK = 0 ] || cd empty; exec "$0" "$@"'
        for command in (["run", "scan", "--backend=mpi:serial"], ["run", "scan", "--backend=serial"],
                        ["compare", "scan", "--backend=serial,mpi:serial"]):
            done = self.run_ranks(2, "/bin/sh", "-c", script, CONCORD, *command, "--input=in.npy")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(done.stderr.count("rank 1 of 2: cannot read in.npy"), 1, done.stderr)
            # Nobody had to wait for ranks that do not come.
            self.assertNotIn("MPI_ABORT", done.stderr)

    def test_a_function_is_refused_under_the_name_that_was_given(self):
        self.save(numpy.arange(1000))
        for command in ("run", "compare"):
            done = self.concord(2, command, "reduce", "--op=a + b", "--backend=mpi:serial", "--input=in.npy")
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            self.assertRegex(done.stderr, "concord: reduce with a function (cannot run on mpi; on mpi there are .*reduce"
                             "|has no implementation on mpi)")

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


if __name__ == "__main__":
    unittest.main()
