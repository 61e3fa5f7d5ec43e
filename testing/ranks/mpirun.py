# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs as ranks of MPI on this machine, for tests."""

import contextlib
import os
import pathlib
import shutil
import signal
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
        job = subprocess.Popen(
            [os.environ["MPIRUN"], *root, "--oversubscribe", "-n", str(ranks), *map(str, command)],
            cwd=self.folder, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # What MPI keeps until the end is not ours. Who waits gives way, as for run_ranks.
            env={"HOME": str(self.folder), **os.environ, "TMPDIR": str(self.folder),
                 "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
                 "OMPI_MCA_mpi_yield_when_idle": "1",
                 "OMPI_MCA_btl_vader_backing_directory": self.shared,
                 "OMPI_MCA_btl_sm_backing_directory": self.shared, **environment})
        self.addCleanup(self._end, job)
        return job

    def _end(self, job):
        """Where a test failed before, its ranks may still wait for something."""
        if job.poll() is not None:
            return
        job.kill()
        for _, process in self._ranks():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process.name), signal.SIGKILL)
        job.communicate()

    def _ranks(self):
        """The ranks of this test: which rank, and the folder of the process in /proc."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                environment = dict(entry.split(b"=", 1) for entry in
                                   (process / "environ").read_bytes().split(b"\0") if b"=" in entry)
                if environment[b"TMPDIR"] == os.fsencode(self.folder):
                    yield int(environment[b"OMPI_COMM_WORLD_RANK"]), process
            except (OSError, KeyError):
                continue

    def processes(self, program):
        """The ranks that run the program for this test: by rank, their numbers."""
        ranks = {}
        for rank, process in self._ranks():
            with contextlib.suppress(OSError):
                if os.path.samefile(process / "exe", program):
                    ranks[rank] = int(process.name)
        return ranks

    def run_ranks(self, ranks, *command, **given):
        job = self.start_ranks(ranks, *command, **given)
        stdout, stderr = job.communicate(timeout=240)
        return subprocess.CompletedProcess(job.args, job.returncode, stdout, stderr)


class CommandLineTest(RanksTest):
    """Runs the command line."""

    def concord(self, ranks, *arguments):
        return self.run_ranks(ranks, CONCORD, *arguments)

    def save(self, array):
        numpy.save(self.folder / "in.npy", array)
