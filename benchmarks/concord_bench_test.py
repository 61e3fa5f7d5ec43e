# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark program as a whole: its rows and its file."""

import json
import os
import pty
import signal
import subprocess
import tempfile
import time
import unittest

from fake_bench import QUICK, ROW, bench


class FileTest(unittest.TestCase):
    """With a file for the record."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "record.json")

    def record(self, *arguments, **environment):
        result = bench(*QUICK, f"--benchmark_out={self.path}", *arguments, **environment)
        with open(self.path, encoding="utf-8") as file:
            return result, json.load(file)


class RecordTest(FileTest):
    def test_row_has_its_name_time_and_counters(self):
        result, record = self.record()
        self.assertEqual(result.returncode, 0, result.stderr)
        (row,) = record["benchmarks"]
        self.assertEqual(row["name"], ROW)
        self.assertGreater(row["real_time"], 0)
        for counter in ("copy_share", "ceiling_share", "elements_per_second"):
            self.assertGreater(row[counter], 0)
        self.assertEqual(row["samples"], 2)

    def test_rows_from_host_memory_relate_to_the_copy_of_the_input(self):
        _, record = self.record("--scopes=call,end_to_end,end_to_end_pinned")
        call, *end_to_end = record["benchmarks"]
        self.assertNotIn("times_input_copy", call)
        self.assertEqual(len(end_to_end), 2)
        for row in end_to_end:
            ratio = row["real_time"] * 1e-6 / row["input_copy_seconds"]
            self.assertAlmostEqual(row["times_input_copy"] / ratio, 1, places=3)

    def test_context_says_what_was_measured(self):
        _, record = self.record("--seed=7", CONCORD_COMMIT="abc123-dirty")
        context = record["context"]
        self.assertEqual(context["commit"], "abc123")
        self.assertEqual(context["dirty"], "yes")
        self.assertEqual(context["seed"], "7")
        self.assertEqual(context["fake.speed"], "imaginary")
        self.assertIn("-O3", context["flags"])

    def test_checker_says_what_is_right(self):
        _, record = self.record("--checker=fake")
        self.assertEqual(record["context"]["checker"], "fake")
        self.assertNotIn("checker", self.record()[1]["context"])
        # The first run, which is the checker's, is right, and no other.
        result = bench(*QUICK, "--checker=fake", FAULT="1")
        self.assertEqual(result.returncode, 1, result.stderr)
        for checker, status, line in (("absent", 3, "absent is not available"),
                                      ("nothing", 2, "nothing")):
            result = bench(*QUICK, f"--checker={checker}")
            self.assertEqual(result.returncode, status)
            self.assertEqual(len(result.stderr.strip().splitlines()), 2)
            self.assertIn(line, result.stderr)

    def test_context_does_not_name_the_machine(self):
        _, record = self.record()
        self.assertNotIn("host_name", record["context"])
        self.assertNotIn("executable", record["context"])

    def test_wrong_result_has_no_time_and_fails(self):
        result, record = self.record(FAULT="1")
        self.assertEqual(result.returncode, 1)
        (row,) = record["benchmarks"]
        self.assertTrue(row["error_occurred"])
        self.assertIn("out: 1 of 100 elements differs", row["error_message"])
        self.assertNotIn("copy_share", row)

    def test_row_without_memory_fails_and_the_others_go_on(self):
        result, record = self.record("--sizes=100,200", SCARCE="1")
        self.assertEqual(result.returncode, 1, result.stderr)
        scarce, other = record["benchmarks"]
        self.assertIn("not enough host memory", scarce["error_message"])
        self.assertGreater(other["real_time"], 0)

    def test_row_that_fails_in_one_pass_keeps_its_error(self):
        passes = ("--sizes=100,200", "--passes=3")
        result, record = self.record(*passes, SCARCE="1")
        self.assertEqual(result.returncode, 1, result.stderr)
        scarce, other = record["benchmarks"]
        self.assertIn("not enough host memory", scarce["error_message"])
        self.assertNotIn("sample_seconds", scarce)
        self.assertEqual(len(other["sample_seconds"]), 3)
        # Only another call measures it again.
        result, record = self.record(*passes, "--continue")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([len(row["sample_seconds"]) for row in record["benchmarks"]], [3, 3])
        self.assertEqual(record["benchmarks"][1], other)

    def test_row_that_a_peer_refuses_is_left_out(self):
        result, record = self.record(REFUSE="peer")
        self.assertEqual(result.returncode, 0, result.stderr)
        (row,) = record["benchmarks"]
        self.assertEqual(row["name"], ROW)
        self.assertIn(f"no row {ROW.replace('loop', 'peer')}: not for this", result.stderr)
        self.assertNotIn("peer", result.stdout)

    def test_row_that_we_refuse_fails_and_the_others_go_on(self):
        result, record = self.record(REFUSE="loop")
        self.assertEqual(result.returncode, 1, result.stderr)
        refused, other = record["benchmarks"]
        self.assertEqual(refused["name"], ROW)
        self.assertIn("negate/fake/loop refuses what its contract promises: not for this", refused["error_message"])
        self.assertGreater(other["real_time"], 0)
        self.assertIn(refused["error_message"], result.stdout)

    def test_row_of_a_type_that_no_contract_has_is_left_out(self):
        result = bench(*QUICK, RETYPED="1")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(f"no row {ROW}: its contract does not have float64", result.stderr)

    def test_of_several_types_those_that_the_options_are_not_for_are_left_out(self):
        fancy = ("--options=mode:fancy", "--types=int32,int64")
        left_out = ROW.replace("plain", "fancy").replace("int32", "int64")
        result, record = self.record(*fancy, NOT_FANCY="int64")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([row["name"] for row in record["benchmarks"]], [ROW.replace("plain", "fancy")])
        self.assertIn(f"no row {left_out}: nothing fancy of this type", result.stderr)
        # Nobody is told by silence that what they asked for cannot be.
        result, record = self.record(fancy[0], "--types=int64", NOT_FANCY="int64")
        self.assertEqual(result.returncode, 1, result.stderr)
        (row,) = record["benchmarks"]
        self.assertIn("nothing fancy of this type", row["error_message"])

    def test_nothing_but_refused_rows_is_no_run(self):
        result = bench(*QUICK, "--variants=peer", REFUSE="peer")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("no row was measured", result.stderr)

    def test_scripts_read_the_file(self):
        self.record()
        result = subprocess.run(
            ["benchmarks/report.py", self.path],
            check=False,
            capture_output=True,
            encoding="utf-8",
        )
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_samples_are_in_the_file_pass_by_pass(self):
        _, record = self.record("--passes=3", "--sizes=100,200")
        self.assertEqual(record["schema"], 2)
        self.assertEqual(len(record["benchmarks"]), 2)
        for row in record["benchmarks"]:
            self.assertEqual([len(samples) for samples in row["sample_seconds"]], [2, 2, 2])
            ordered = sorted(sum(row["sample_seconds"], []))
            self.assertEqual(row["least_seconds"], ordered[0])
            self.assertEqual(row["most_seconds"], ordered[-1])
            self.assertAlmostEqual(row["real_time"] * 1e-6, sum(ordered[2:4]) / 2)

    def test_rows_of_another_run(self):
        _, before = self.record("--sizes=100,200", "--options=mode:fancy,t:5",
                                "--benchmark_filter=n:200")
        rows = os.path.join(os.path.dirname(self.path), "rows.json")
        os.rename(self.path, rows)
        _, after = self.record("--preset=full", f"--rows_from={rows}")
        names = [[row["name"] for row in run["benchmarks"]] for run in (before, after)]
        self.assertEqual(names[0], names[1])
        self.assertIn("mode:fancy/t:5", names[0][0])


class ScalingTest(FileTest):
    MEMBERS = ("--preset=strong", "--backends=fake:1,fake:2")

    def test_rows_relate_to_that_of_one_member(self):
        for preset, one in (("strong", "n:100"), ("weak", "n:100")):
            _, record = self.record(f"--preset={preset}", *self.MEMBERS[1:], "--passes=2")
            first, second = record["benchmarks"]
            self.assertEqual((first["speed_up"], first["efficiency"]), (1, 1))
            self.assertEqual((second["scaling"], second["members"]), (preset, 2))
            self.assertEqual(second["one_member"], f"negate/fake:1/loop/int32/{one}/mode:plain/"
                                                   "uniform/kernel/hot")
            self.assertEqual(second["elements"], 100 if preset == "strong" else 200)
            faster = second["elements_per_second"] / first["elements_per_second"]
            self.assertAlmostEqual(second["speed_up"], faster)
            self.assertAlmostEqual(second["efficiency"], faster / 2)

    def test_weak_rows_relate_by_their_sizes_whatever_their_inputs_have(self):
        _, record = self.record("--preset=weak", *self.MEMBERS[1:], SEEDS="1")
        first, second = record["benchmarks"]
        self.assertEqual((first["elements"], second["elements"]), (1, 1))
        speed_up = 2 * first["real_time"] / second["real_time"]
        self.assertAlmostEqual(second["speed_up"] / speed_up, 1)
        self.assertAlmostEqual(second["efficiency"] / speed_up, 0.5)

    def test_efficiency_is_refused_without_one_member(self):
        result, record = self.record("--preset=strong", "--backends=fake:2,fake:4")
        self.assertEqual(result.returncode, 0, result.stderr)
        for row in record["benchmarks"]:
            self.assertNotIn("efficiency", row)
            self.assertEqual(row["efficiency_refused"], "no row of one member is part of this run")
        self.assertIn("no efficiency: no row of one member", result.stdout)
        _, record = self.record(*self.MEMBERS, "--benchmark_filter=fake:2")
        (row,) = record["benchmarks"]
        self.assertIn("no time of the row of one member, negate/fake:1/",
                      row["efficiency_refused"])

    def test_rows_of_a_recorded_run_are_about_scaling_too(self):
        _, before = self.record(*self.MEMBERS)
        rows = os.path.join(os.path.dirname(self.path), "rows.json")
        os.rename(self.path, rows)
        _, after = self.record(f"--rows_from={rows}")
        for run in (before, after):
            self.assertEqual([(row["scaling"], row["members"], "efficiency" in row)
                              for row in run["benchmarks"]],
                             [("strong", 1, True), ("strong", 2, True)])

    def test_other_rows_say_nothing_of_members(self):
        _, record = self.record("--backends=fake:1,fake:2")
        for row in record["benchmarks"]:
            self.assertFalse({"members", "scaling", "efficiency_refused"} & set(row), row)

    def test_backends_that_are_absent_are_said_and_left_out(self):
        result = bench("--preset=strong")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no rows for absent", result.stderr)
        self.assertIn("no row has these axes", result.stderr)
        self.assertEqual(bench("--preset=strong", "--backends=absent").returncode, 3)


class InterruptedTest(FileTest):
    LONG = ("--sizes=100,200,300", "--repetitions=400", "--max_seconds=60")

    def load(self):
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)

    def interrupt(self, number, ignored=False):
        """After the first row. The exit status, the messages, and what is in the file. `ignored`
        as by nohup."""
        process = subprocess.Popen(
            ["benchmarks/fake_bench", f"--out={self.path}", *self.LONG],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            preexec_fn=(lambda: signal.signal(number, signal.SIG_IGN)) if ignored else None)
        while not os.path.exists(self.path) or not self.load()["benchmarks"]:
            time.sleep(0.01)
        process.send_signal(number)
        _, messages = process.communicate()
        return process.returncode, messages.decode(), self.load()

    def go_on(self, *arguments):
        return bench(f"--out={self.path}", "--continue", *self.LONG, *arguments)

    def test_rows_that_are_done_are_kept_and_the_others_continued(self):
        status, messages, record = self.interrupt(signal.SIGINT)
        self.assertEqual(status, 130)
        self.assertIn("--continue measures the others", messages)
        done = record["benchmarks"]
        self.assertIn(len(done), (1, 2))
        self.assertEqual(self.go_on().returncode, 0)
        whole = self.load()["benchmarks"]
        self.assertEqual(whole[: len(done)], done)
        self.assertEqual([row["name"].split("/")[4] for row in whole], ["n:100", "n:200", "n:300"])

    def test_a_signal_that_is_ignored_ends_nothing(self):
        status, _, record = self.interrupt(signal.SIGHUP, ignored=True)
        self.assertEqual(status, 0)
        self.assertEqual(len(record["benchmarks"]), 3)

    def test_file_is_whole_however_the_program_ends(self):
        status, _, record = self.interrupt(signal.SIGKILL)
        self.assertEqual(status, -signal.SIGKILL)
        self.assertEqual(len(record["benchmarks"][0]["sample_seconds"][0]), 400)

    def test_only_the_same_run_is_continued(self):
        self.record()
        result = bench(*QUICK, f"--out={self.path}", "--continue", "--seed=9")
        self.assertEqual(result.returncode, 2)
        self.assertIn('seed was "1" and is "9"', result.stderr)
        twice = self.load()
        twice["benchmarks"] *= 2
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(twice, file)
        result = bench(*QUICK, f"--out={self.path}", "--continue")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"row {ROW} stands twice", result.stderr)
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"context": {}, "benchmarks": [{"name": ROW}]}, file)
        result = bench(*QUICK, f"--out={self.path}", "--continue")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no samples", result.stderr)

    def test_further_passes_are_added(self):
        self.record()
        (before,) = self.load()["benchmarks"]
        result = bench(*QUICK, f"--out={self.path}", "--continue", "--passes=2")
        self.assertEqual(result.returncode, 0, result.stderr)
        (after,) = self.load()["benchmarks"]
        self.assertEqual(after["sample_seconds"][:1], before["sample_seconds"])
        self.assertEqual(len(after["sample_seconds"]), 2)
        self.assertEqual(self.load()["context"]["passes"], "2")

    def test_passes_are_those_that_the_record_has(self):
        self.record("--passes=3")
        # A call for fewer adds a row and takes away nothing.
        for arguments in (("--passes=1",), ("--passes=2", "--scopes=call")):
            result = bench(*QUICK, f"--out={self.path}", "--continue", *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.load()["context"]["passes"], "3")
        # Such as one that was to have more and was interrupted.
        record = self.load()
        record["context"]["passes"] = "45"
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(record, file)
        self.assertEqual(bench(*QUICK, f"--out={self.path}", "--continue", "--passes=4").returncode, 0)
        self.assertEqual(self.load()["context"]["passes"], "4")

    def go_on_from(self, row, **changes):
        """The row after one more pass, where the recorded one had these changes; None: no key."""
        record = self.load()
        changed = {**row, **changes}
        record["benchmarks"] = [{key: value for key, value in changed.items() if value is not None}]
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(record, file)
        result = bench(*QUICK, f"--out={self.path}", "--scopes=end_to_end", "--continue",
                        "--passes=2")
        self.assertEqual(result.returncode, 0, result.stderr)
        (after,) = self.load()["benchmarks"]
        self.assertEqual(len(after["sample_seconds"]), 2)
        return after

    def test_shares_are_of_the_best_ceilings_of_all_passes(self):
        (before,) = self.record("--scopes=end_to_end")[1]["benchmarks"]
        after = self.go_on_from(before, copy_bytes_per_second=1e18, read_bytes_per_second=1.0,
                                fill_bytes_per_second=2e18, input_copy_seconds=1e-15)
        self.assertEqual(after["copy_bytes_per_second"], 1e18)
        self.assertGreater(after["read_bytes_per_second"], 1)
        self.assertEqual(after["fill_bytes_per_second"], 2e18)
        share = after["floor_bytes_per_second"] / 1e18
        self.assertAlmostEqual(after["copy_share"] / share, 1)
        self.assertAlmostEqual(after["ceiling_share"] / share, 1)
        self.assertEqual(after["input_copy_seconds"], 1e-15)
        self.assertAlmostEqual(after["times_input_copy"] / (after["real_time"] * 1e9), 1)
        after = self.go_on_from(before, input_copy_seconds=1e9)
        self.assertLess(after["input_copy_seconds"], 1e9)

    def test_passes_without_ceilings_are_continued(self):
        (before,) = self.record("--scopes=end_to_end")[1]["benchmarks"]
        keys = ("copy_bytes_per_second", "read_bytes_per_second", "fill_bytes_per_second",
                "input_copy_seconds", "times_input_copy")
        after = self.go_on_from(before, **dict.fromkeys(keys))
        self.assertFalse(set(keys) - set(after))
        self.assertGreater(after["copy_share"], 0)
        self.assertGreater(after["times_input_copy"], 0)

    def test_progress_is_shown_on_a_terminal_and_nowhere_else(self):
        ours, theirs = pty.openpty()
        subprocess.run(["benchmarks/fake_bench", *QUICK, "--sizes=100,200"], check=True,
                       stdout=subprocess.DEVNULL, stderr=theirs)
        shown = os.read(ours, 65536).decode()
        self.assertIn("[0/2] negate/fake/loop/int32/n:100", shown)
        self.assertRegex(shown, r"\[1/2\] negate\S*: about 1 s left")
        self.assertNotIn("[0/1]", bench(*QUICK).stderr)


if __name__ == "__main__":
    unittest.main()
