# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Files that ranks write together, on one host and on several."""

import pathlib
import subprocess
import unittest

import numpy
from mpirun import CONCORD, CommandLineTest

WITHOUT_UNNAMED_FILES = pathlib.Path("testing/ranks/without_unnamed_files").resolve()


class Outputs(CommandLineTest):
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

    def test_ranks_that_compute_all_do_not_disturb_each_other(self):
        # Its lengths are counted where they are written.
        lengths = numpy.random.default_rng(13).integers(1, 60, 100000)
        self.save(numpy.repeat(numpy.arange(100000, dtype=numpy.int32), lengths))
        for backend in ("serial", "tbb:1"):
            done = self.concord(2, "run", "run_length_encode", f"--backend={backend}", "--input=in.npy",
                                "--output=out.npy", "--output-lengths=lengths.npy")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            numpy.testing.assert_array_equal(numpy.load(self.folder / "out.npy"), numpy.arange(100000))
            numpy.testing.assert_array_equal(numpy.load(self.folder / "lengths.npy"), lengths)

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


if __name__ == "__main__":
    unittest.main()
