# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs as ranks of MPI on this machine, for tests."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy

CONCORD = pathlib.Path("tools/concord/concord").resolve()


class RanksTest(unittest.TestCase):
    """Has a folder of its own, in which ranks start."""

    def setUp(self):
        # A short path, for the sockets of MPI.
        self.folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.folder)
        # Where run_ranks says why.
        self.shared = tempfile.mkdtemp(dir="/tmp")
        self.addCleanup(shutil.rmtree, self.shared)

    def start_ranks(self, ranks, *command, stdin=None, **environment):
        root = ["--allow-run-as-root"] if os.getuid() == 0 else []
        return subprocess.Popen(
            [os.environ["MPIRUN"], *root, "--oversubscribe", "-n", str(ranks), *map(str, command)],
            cwd=self.folder, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # What MPI keeps until the end is not ours. Who waits gives way, as for run_ranks.
            env={"HOME": str(self.folder), **os.environ, "TMPDIR": str(self.folder),
                 "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
                 "OMPI_MCA_mpi_yield_when_idle": "1",
                 "OMPI_MCA_btl_vader_backing_directory": self.shared,
                 "OMPI_MCA_btl_sm_backing_directory": self.shared, **environment})

    def processes(self, program):
        """The ranks that run the program for this test: by rank, their numbers."""
        ranks = {}
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if not os.path.samefile(process / "exe", program):
                    continue
                environment = dict(entry.split(b"=", 1) for entry in
                                   (process / "environ").read_bytes().split(b"\0") if b"=" in entry)
                if environment[b"TMPDIR"] == os.fsencode(self.folder):
                    ranks[int(environment[b"OMPI_COMM_WORLD_RANK"])] = int(process.name)
            except (OSError, KeyError):
                continue
        return ranks

    def run_ranks(self, ranks, *command, **given):
        job = self.start_ranks(ranks, *command, **given)
        try:
            stdout, stderr = job.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            job.kill()
            raise
        return subprocess.CompletedProcess(job.args, job.returncode, stdout, stderr)


class CommandLineTest(RanksTest):
    """Runs the command line."""

    def concord(self, ranks, *arguments):
        return self.run_ranks(ranks, CONCORD, *arguments)

    def save(self, array):
        numpy.save(self.folder / "in.npy", array)
