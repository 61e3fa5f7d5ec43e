# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Ranks that fail, die or cannot start: what the others do, and what stays behind."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from mpirun import RanksTest

CONCORD = pathlib.Path("tools/concord/concord").resolve()
CONCORD_BENCH = pathlib.Path("benchmarks/concord_bench").resolve()
FAILING_RANK = pathlib.Path("testing/ranks/failing_rank").resolve()


class Library(RanksTest):
    """Programs load Open MPI when ranks first need it."""

    def test_a_program_starts_where_there_is_no_mpi(self):
        listed = subprocess.run(["ldd", CONCORD], capture_output=True, text=True, check=True)
        self.assertNotIn("mpi", listed.stdout)

    def test_a_rank_says_why_it_cannot_be_loaded(self):
        library = self.folder / "libmpi.so.40"
        library.write_text("no library")
        self.assertIn(f"mpi is not available (library_missing: Open MPI cannot be loaded: {library}: ",
                      self.run_alone())
        library.unlink()
        # Another library of the same name.
        listed = subprocess.run(["ldd", CONCORD], capture_output=True, text=True, check=True)
        library.symlink_to(re.search(r"libm\.so\.6 => (\S+)", listed.stdout).group(1))
        self.assertIn("mpi is not available (library_missing: libmpi.so.40 is not Open MPI's: it lacks MPI_",
                      self.run_alone())

    # As the only rank of a job, with the libraries of the folder before all others.
    def run_alone(self):
        done = subprocess.run(
            [CONCORD, "run", "scan", "--backend=mpi", "--input=-"], input="1", capture_output=True, text=True,
            check=False, env={**os.environ, "LD_LIBRARY_PATH": str(self.folder),
                              "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"})
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        return done.stderr


class WithoutGpus(RanksTest):
    def test_all_ranks_say_why_there_is_no_gpu(self):
        done = self.run_ranks(2, CONCORD, "run", "scan", "--backend=mpi:cuda@staged", "--input=in.npy",
                              CUDA_VISIBLE_DEVICES="")
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        self.assertRegex(done.stderr, r"concord: rank 0 of 2: cuda is not available \(\w+: .")


class Killed(RanksTest):
    """Ranks that wait for their input, the output being open."""

    # The processes of ranks that have opened the output, by rank.
    def waiting(self):
        ranks = {}
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if not os.path.samefile(process / "exe", CONCORD):
                    continue
                opened = {os.readlink(link) for link in (process / "fd").iterdir()}
                if any(name.startswith(f"{self.folder}/") and not name.startswith(f"{self.folder}/ompi")
                       for name in opened):
                    environment = dict(entry.split(b"=", 1) for entry in
                                       (process / "environ").read_bytes().split(b"\0") if b"=" in entry)
                    ranks[int(environment[b"OMPI_COMM_WORLD_RANK"])] = int(process.name)
            except OSError:
                continue
        return ranks

    def test_a_rank_that_is_killed_leaves_no_file(self):
        os.mkfifo(self.folder / "in")
        for victim in range(3):
            job = self.start_ranks(3, CONCORD, "run", "scan", "--backend=mpi:serial", "--input=in",
                                   "--output=out.npy")
            deadline = time.monotonic() + 60
            while len(ranks := self.waiting()) < 3:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            os.kill(ranks[victim], signal.SIGKILL)
            _, said = job.communicate(timeout=60)
            self.assertNotEqual(job.returncode, 0, said)
            self.assertEqual([path.name for path in self.folder.iterdir() if not path.is_dir()], ["in"])


class Failures(RanksTest):
    def failing(self, how, **environment):
        start = time.monotonic()
        done = self.run_ranks(3, FAILING_RANK, how, **environment)
        self.assertLess(time.monotonic() - start, 120)
        return done

    def test_all_learn_of_a_rank_without_memory_and_go_on(self):
        done = self.failing("memory")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("RESOURCE_EXHAUSTED: rank 1 of 3: out of mpi memory"), 3, done.stdout)
        self.assertEqual(done.stdout.count("the last sum is 999"), 3, done.stdout)

    def test_a_rank_that_dies_ends_the_job(self):
        done = self.failing("dies")
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("the last sum", done.stdout)

    def test_a_rank_that_leaves_with_a_failure_ends_the_job_with_it(self):
        self.assertEqual(self.failing("leaves").returncode, 7)

    def test_a_rank_that_does_not_answer_is_given_up(self):
        done = self.failing("stays", CONCORD_PATIENCE="3")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("DEADLINE_EXCEEDED: another rank has not come for 3 seconds", done.stdout)


class Stopped(RanksTest):
    """Ranks that wait where MPI lets nobody look: one of them gives up for all, and says so."""

    def ended(self, *command):
        job = self.start_ranks(3, *command, CONCORD_PATIENCE="2")
        try:
            # mpirun takes some seconds to end the rank that has stopped.
            stdout, stderr = job.communicate(timeout=90)
        except subprocess.TimeoutExpired:
            job.kill()
            stdout, stderr = job.communicate()
        return subprocess.CompletedProcess(job.args, job.returncode, stdout, stderr)

    def said(self, program, *command):
        # mpirun itself may fail or wait for ever when a rank has ended where MPI starts (backends/mpi/NOTES.md).
        for _ in range(3):
            done = self.ended(*command)
            if done.returncode >= 0:
                break
        self.assertEqual(done.returncode, 1, done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith(program)]
        self.assertEqual(len(said), 1, done.stderr)
        said = said[0]
        waited = "another rank has not come for 2 seconds (CONCORD_PATIENCE), in MPI_"
        self.assertIn(waited, said)
        return done.stdout, said.replace(waited, "")

    def test_a_rank_that_does_not_start_is_given_up(self):
        for late, first in ((0, 1), (1, 0)):
            stop = f'[ "$OMPI_COMM_WORLD_RANK" != {late} ] || kill -STOP $$; exec "$0" "$@"'
            self.assertEqual(self.said("failing_rank", "sh", "-c", stop, FAILING_RANK, "nothing"),
                             ("", f"failing_rank: rank {first} of 3: Init_thread"))

    def test_a_rank_that_stays_where_communicators_are_made_is_given_up(self):
        self.assertEqual(self.said("failing_rank", FAILING_RANK, "stays where MPI has started"),
                         ("", "failing_rank: rank 0 of 3: Comm_dup"))

    def test_a_rank_that_does_not_come_to_the_end_is_given_up(self):
        stdout, said = self.said("failing_rank", FAILING_RANK, "stays at the end")
        self.assertEqual(said, "failing_rank: rank 0 of 3: Finalize")
        self.assertEqual(stdout.count("the last sum is 999"), 3, stdout)


class Terminal(RanksTest):
    def test_there_are_no_colours_in_what_mpirun_writes(self):
        for ranks in (1, 2):
            done = self.run_ranks(ranks, CONCORD, "describe", "reduce", TERM="xterm")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("reduce", done.stdout)
            self.assertNotIn("\x1b", done.stdout)


class LastWords(RanksTest):
    """What the command line says, once, of what ends it."""

    # Some ranks get an argument of their own, the others another one.
    SOME = 'if [ "$OMPI_COMM_WORLD_RANK" {} ]; then set -- "$@" {}; else set -- "$@" {}; fi; exec "$0" "$@"'

    def said(self, status, *command, **environment):
        (self.folder / "in.txt").write_text("1 2 3")
        done = self.run_ranks(3, *command, **environment)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        (said,) = [line for line in done.stderr.splitlines() if line.startswith("concord")]
        return said

    def test_all_ranks_have_the_same_to_say(self):
        for arguments, status, expected in (
                (["scan", "--nothing"], 2, "unknown option --nothing"),
                (["nothing"], 2, "unknown algorithm 'nothing'"),
                (["scan", "--input=in.txt", "--backend=mpi:nothing"], 2, "backend 'mpi:nothing': each rank computes"),
                (["scan", "--input=in.txt", "--backend=mpi:serial", "--variant=nothing"], 2,
                 "scan has no variant 'nothing' on mpi"),
                (["scan", "--input=nothing", "--backend=mpi:serial"], 2, "cannot read nothing")):
            said = self.said(status, CONCORD, "run", *arguments)
            self.assertTrue(said.startswith(f"concord: {expected}"), said)

    def test_scripts_are_run_by_one_rank(self):
        for arguments, expected in (
                (["report", "nothing.json"], "concord report: nothing.json: No such file or directory"),
                (["gate", "nothing.json", "nothing.json"], "concord gate: nothing.json: No such file or directory"),
                (["report"], "concord report: error: the following arguments are required: [LABEL=]RUN")):
            self.assertEqual(self.said(2, CONCORD, *arguments), expected)

    def test_a_record_that_cannot_be_written_is_said_before_all_else(self):
        self.assertEqual(self.said(2, CONCORD_BENCH, "--algorithms=reduce", "--backends=mpi:serial", "--sizes=100",
                                   "--repetitions=1", "--out=nowhere/run.json"),
                         "concord_bench: cannot write nowhere/run.json: No such file or directory")

    def test_a_record_is_continued_by_ranks_that_are_bound(self):
        def bench(*arguments):
            # Each rank to a processor of its own, so that they do not see the same.
            done = self.run_ranks(2, CONCORD_BENCH, "--algorithms=reduce", "--backends=mpi:serial", "--types=int32",
                                  "--options=op:add", "--distributions=uniform", "--scopes=kernel", "--caches=hot",
                                  "--repetitions=2", "--max_seconds=0.001", "--attempts=1", "--out=run.json",
                                  *arguments, OMPI_MCA_hwloc_base_binding_policy="core", TERM="xterm")
            self.assertNotIn("\x1b", done.stdout)
            return done
        done = bench("--sizes=100")
        self.assertEqual(done.returncode, 0, done.stderr)
        (first,) = json.loads((self.folder / "run.json").read_text())["benchmarks"]
        done = bench("--sizes=100,200", "--continue")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads((self.folder / "run.json").read_text())["benchmarks"]
        self.assertEqual(rows[0], first)
        self.assertEqual([row["elements"] for row in rows], [100, 200])
        done = bench("--sizes=100", "--continue", "--seed=9")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count('run.json is another run: seed was "1" and is "9"'), 1, done.stderr)

    def said_of_some(self, ranks, argument, otherwise="--input=in.txt"):
        return self.said(2, "sh", "-c", self.SOME.format(ranks, argument, otherwise), CONCORD, "run", "scan",
                         "--backend=mpi:serial")

    def test_ranks_are_named_where_others_have_nothing_to_say(self):
        for ranks, names in (("= 1", "rank 1"), ("!= 0", "ranks 1, 2"), ("= 0", "rank 0")):
            said = self.said_of_some(ranks, "--nothing")
            self.assertTrue(said.startswith(f"concord: {names} of 3: unknown option --nothing"), said)

    def test_ranks_that_do_different_things_are_told_by_one(self):
        self.assertRegex(self.said_of_some("= 2", "--kind=inclusive --input=in.txt"),
                         r"^concord: rank 2 of 3 calls scan op=0 kind=\d of 3 .*, but rank 0 scan op=0 kind=")

    def test_a_pipe_that_only_one_rank_names_is_in_what_is_said(self):
        (self.folder / "in.txt").write_text("1 2 3")
        os.mkfifo(self.folder / "pipe")
        run = (CONCORD, "run", "scan", "--backend=mpi:serial")
        for first, second in (("in.txt", "pipe"), ("pipe", "in.txt")):
            done = self.run_ranks(1, *run, f"--input={first}", ":", "-n", "1", *run, f"--input={second}")
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            # Of both ranks, or of the one that ends the job before the other has said it.
            said = [line for line in done.stderr.splitlines() if line.startswith("concord")]
            self.assertNotEqual(said, [], done.stderr)
            for line in said:
                self.assertRegex(line, r"^concord: rank \d of 2: (rank \d of 2 says: read once: pipe|"
                                       r"pipe is not for all ranks what can be read only once)$")

    def test_ranks_that_wait_in_vain_say_so_together(self):
        os.mkfifo(self.folder / "never")
        self.assertEqual(self.said(1, CONCORD, "run", "scan", "--input=never", "--backend=mpi:serial",
                                   CONCORD_PATIENCE="3"),
                         "concord: ranks 1, 2 of 3: another rank has not come for 3 seconds (CONCORD_PATIENCE)")


if __name__ == "__main__":
    unittest.main()
