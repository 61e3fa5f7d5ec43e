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

import numpy
from mpirun import CONCORD, RanksTest

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
        for rank, process in self.processes(CONCORD).items():
            try:
                opened = {os.readlink(link) for link in pathlib.Path(f"/proc/{process}/fd").iterdir()}
            except OSError:
                continue
            if any(name.startswith(f"{self.folder}/") and not name.startswith(f"{self.folder}/ompi")
                   for name in opened):
                ranks[rank] = process
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

    def test_all_learn_of_a_rank_without_memory_for_what_another_sends(self):
        for how in ("text", "results"):
            done = self.failing(how, CONCORD_PATIENCE="30")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(re.findall("RESOURCE_EXHAUSTED: (rank 1 of 3: )?there is not enough host memory",
                                            done.stdout)), 3, done.stdout)
            self.assertEqual(done.stdout.count("the last sum is 999"), 3, done.stdout)

    def test_all_learn_of_a_rank_without_memory_for_what_is_expected(self):
        done = self.failing("examines", CONCORD_PATIENCE="30")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall("Expected: RESOURCE_EXHAUSTED: rank 1 of 3: there is not enough host memory",
                                        done.stdout)), 3, done.stdout)
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

    def test_a_rank_that_fails_before_the_others_come_is_heard(self):
        done = self.failing("fails before the others come", CONCORD_PATIENCE="5")
        self.assertEqual(done.returncode, 4, done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith("failing_rank")]
        self.assertEqual(said, ["failing_rank: rank 1 of 3: it cannot go on"])

    def test_what_is_sent_too_late_goes_nowhere(self):
        # Those that have given up free the memory, and are about to say why.
        for how in ("comes late", "sends late"):
            done = self.failing(how, CONCORD_PATIENCE="6")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertNotIn("signal", done.stderr.lower())
            self.assertRegex(done.stderr, r"failing_rank: ranks? \d.* of 3: another rank has not come for 6 seconds")

    def test_time_in_which_all_ranks_stand_still_is_nobodys(self):
        job = self.start_ranks(3, FAILING_RANK, "rests", CONCORD_PATIENCE="4")
        self.assertEqual(job.stdout.readline(), "rank 1 rests\n")
        ranks = self.processes(FAILING_RANK)
        self.assertEqual(sorted(ranks), [0, 1, 2])
        for process in ranks.values():
            os.kill(process, signal.SIGSTOP)
        time.sleep(6)
        for rank in (0, 2, 1):
            os.kill(ranks[rank], signal.SIGCONT)
        stdout, stderr = job.communicate(timeout=60)
        self.assertEqual((job.returncode, stdout.count("the last sum is 999")), (0, 3), stdout + stderr)


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


class FirstRankStops(RanksTest):
    """The first rank, which prints, stops while all of them work."""

    def said(self, program, *command):
        job = self.start_ranks(3, program, *command, CONCORD_PATIENCE="6")
        deadline = time.monotonic() + 60
        while len(ranks := self.processes(program)) < 3:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        time.sleep(3)
        os.kill(ranks[0], signal.SIGSTOP)
        try:
            _, stderr = job.communicate(timeout=90)
        finally:
            job.kill()
        self.assertNotEqual(job.returncode, 0, stderr)
        return stderr

    def test_the_others_say_so(self):
        (self.folder / "in.txt").write_text("1 2 3 " * 100000)
        for program, *command in (
                (CONCORD, "verify", "scan", "--backend=mpi:serial", "--cases=1000000"),
                (CONCORD, "compare", "scan", "--backend=mpi:serial", "--input=in.txt", "--repetitions=1000000"),
                (CONCORD_BENCH, "--algorithms=scan", "--backends=mpi:serial", "--sizes=2^16", "--max_seconds=60",
                 "--repetitions=1000000")):
            self.assertRegex(self.said(program, *command),
                             "concord.*: ranks? [12].* of 3: another rank has not come for 6 seconds")


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
                (["report"], "concord report: the following arguments are required: [LABEL=]RUN")):
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

    def test_ranks_that_take_other_backends_are_told_too(self):
        given = ("--input=in.txt --backend=serial", "--input=in.txt --backend=mpi:serial")
        for ranks in ("= 0", "= 2"):
            done = self.run_ranks(3, "sh", "-c", self.SOME.format(ranks, *given), CONCORD, "run", "scan")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, r"(?m)^concord: rank \d of 3 calls .+, but rank 0 .+$")
            self.assertNotIn("MPI_ERR", done.stderr)

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

    def test_an_output_that_cannot_be_written_is_said_by_all(self):
        for algorithm in ("max_subarray", "scan"):
            self.assertEqual(self.said(2, CONCORD, "run", algorithm, "--input=in.txt", "--backend=mpi:serial",
                                       "--output=nowhere/out.txt"),
                             "concord: cannot write nowhere/out.txt: No such file or directory")

    def test_a_text_that_one_rank_does_not_find_ends_no_job(self):
        (self.folder / "in.txt").write_text("1 2 3\n")
        arguments = ("--input=in.txt --keep=@nothing", "--input=in.txt --keep=nonzero")
        done = self.run_ranks(3, "sh", "-c", self.SOME.format("= 1", *arguments), CONCORD, "run", "compact",
                              "--backend=mpi:serial")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("concord: rank 1 of 3: cannot read nothing: No such file or directory\n", done.stderr)
        self.assertNotIn("MPI_ABORT", done.stderr)

    # /proc/meminfo of one rank says so. The other ranks have more than enough.
    SCARCE = ('if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then exec unshare --mount sh -c '
              '\'mount --bind meminfo /proc/meminfo; exec "$0" "$@"\' "$0" "$@"; fi; exec "$0" "$@"')

    def test_memory_that_one_rank_lacks_is_refused_by_all(self):
        (self.folder / "meminfo").write_text("MemAvailable: 1 kB\n")
        if subprocess.run(["unshare", "--mount", "mount", "--bind", "meminfo", "/proc/meminfo"], cwd=self.folder,
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespace of mounts can be made")
        (self.folder / "masses").write_text("57 71 87 " * 20)
        (self.folder / "digits").write_text("1")
        (self.folder / "letters").write_text(">name\n" + "ACGT" * 20)
        for command, expected in (
                (["cyclospectrum", "--input=masses"], "the result for 60 masses has up to 3542 elements and needs "),
                (["look_and_say", "--steps=30", "--input=digits"], "the result has 5808 digits and needs 17 KiB of "),
                (["tensor_sketch", "--window=9", "--input=letters"], "the sketches of 72 windows need 0.0 GB, and ")):
            said = self.said(2, "sh", "-c", self.SCARCE, CONCORD, "run", *command, "--backend=mpi:serial",
                             CONCORD_PATIENCE="30")
            self.assertTrue(said.startswith(f"concord: {expected}"), said)

    def test_a_rank_without_memory_for_the_first_of_two_pipes_is_heard(self):
        # What is in memory is a file there, of which this rank gets 16 MiB.
        numpy.save(self.folder / "content.npy", numpy.zeros(24 << 20, numpy.uint8))
        for name in ("values", "lengths"):
            os.mkfifo(self.folder / name)
            writer = subprocess.Popen(["sh", "-c", f"exec cat content.npy > {name}"], cwd=self.folder,
                                      stderr=subprocess.DEVNULL)
            self.addCleanup(writer.wait)
            self.addCleanup(writer.kill)
        limited = ('if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then trap "" XFSZ; ulimit -f 32768; fi; exec "$0" "$@"')
        self.assertEqual(self.said(1, "sh", "-c", limited, CONCORD, "run", "run_length_decode", "--input=values",
                                   "--lengths=lengths", "--backend=mpi:serial", CONCORD_PATIENCE="30"),
                         "concord: there is not enough memory for values")

    def test_ranks_that_wait_in_vain_say_so_together(self):
        os.mkfifo(self.folder / "never")
        self.assertEqual(self.said(1, CONCORD, "run", "scan", "--input=never", "--backend=mpi:serial",
                                   CONCORD_PATIENCE="3"),
                         "concord: ranks 1, 2 of 3: another rank has not come for 3 seconds (CONCORD_PATIENCE)")


if __name__ == "__main__":
    unittest.main()
