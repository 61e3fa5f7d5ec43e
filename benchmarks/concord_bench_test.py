# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark program as a whole: its rows, its file, its exit statuses.

fake_bench times `negate` on the backend `fake`; the backend `absent` is not
available. With $FAULT set, results are wrong from the second run on; with $SCARCE set, the first run
finds no memory.
"""

import json
import os
import pty
import signal
import subprocess
import tempfile
import time
import unittest

_ROW = "negate/fake/loop/int32/n:100/mode:plain/uniform/kernel/hot"
_QUICK = ("--sizes=100", "--repetitions=2")


def _bench(*arguments, **environment):
    return subprocess.run(
        ["benchmarks/fake_bench", *arguments],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        encoding="utf-8",
    )


class FileTest(unittest.TestCase):
    """With a file for the record."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "record.json")

    def record(self, *arguments, **environment):
        result = _bench(*_QUICK, f"--benchmark_out={self.path}", *arguments, **environment)
        with open(self.path, encoding="utf-8") as file:
            return result, json.load(file)


class RecordTest(FileTest):
    def test_row_has_its_name_time_and_counters(self):
        result, record = self.record()
        self.assertEqual(result.returncode, 0, result.stderr)
        (row,) = record["benchmarks"]
        self.assertEqual(row["name"], _ROW)
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
        result = _bench(*_QUICK, "--checker=fake", FAULT="1")
        self.assertEqual(result.returncode, 1, result.stderr)
        for checker, status, line in (("absent", 3, "absent is not available"),
                                      ("nothing", 2, "nothing")):
            result = _bench(*_QUICK, f"--checker={checker}")
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
        self.assertEqual(row["name"], _ROW)
        self.assertIn(f"no row {_ROW.replace('loop', 'peer')}: not for this", result.stderr)
        self.assertNotIn("peer", result.stdout)

    def test_row_that_we_refuse_fails_and_the_others_go_on(self):
        result, record = self.record(REFUSE="loop")
        self.assertEqual(result.returncode, 1, result.stderr)
        refused, other = record["benchmarks"]
        self.assertEqual(refused["name"], _ROW)
        self.assertIn("negate/fake/loop refuses what its contract promises: not for this", refused["error_message"])
        self.assertGreater(other["real_time"], 0)
        self.assertIn(refused["error_message"], result.stdout)

    def test_row_of_a_type_that_no_contract_has_is_left_out(self):
        result = _bench(*_QUICK, RETYPED="1")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(f"no row {_ROW}: its contract does not have float64", result.stderr)

    def test_nothing_but_refused_rows_is_no_run(self):
        result = _bench(*_QUICK, "--variants=peer", REFUSE="peer")
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
        result = _bench("--preset=strong")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no rows for absent", result.stderr)
        self.assertIn("no row has these axes", result.stderr)
        self.assertEqual(_bench("--preset=strong", "--backends=absent").returncode, 3)


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
        return _bench(f"--out={self.path}", "--continue", *self.LONG, *arguments)

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
        result = _bench(*_QUICK, f"--out={self.path}", "--continue", "--seed=9")
        self.assertEqual(result.returncode, 2)
        self.assertIn('seed was "1" and is "9"', result.stderr)
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"context": {}, "benchmarks": [{"name": _ROW}]}, file)
        result = _bench(*_QUICK, f"--out={self.path}", "--continue")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no samples", result.stderr)

    def test_further_passes_are_added(self):
        self.record()
        (before,) = self.load()["benchmarks"]
        result = _bench(*_QUICK, f"--out={self.path}", "--continue", "--passes=2")
        self.assertEqual(result.returncode, 0, result.stderr)
        (after,) = self.load()["benchmarks"]
        self.assertEqual(after["sample_seconds"][:1], before["sample_seconds"])
        self.assertEqual(len(after["sample_seconds"]), 2)

    def go_on_from(self, row, **changes):
        """The row after one more pass, where the recorded one had these changes; None: no key."""
        record = self.load()
        changed = {**row, **changes}
        record["benchmarks"] = [{key: value for key, value in changed.items() if value is not None}]
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(record, file)
        result = _bench(*_QUICK, f"--out={self.path}", "--scopes=end_to_end", "--continue",
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
        subprocess.run(["benchmarks/fake_bench", *_QUICK, "--sizes=100,200"], check=True,
                       stdout=subprocess.DEVNULL, stderr=theirs)
        shown = os.read(ours, 65536).decode()
        self.assertIn("[0/2] negate/fake/loop/int32/n:100", shown)
        self.assertRegex(shown, r"\[1/2\] negate\S*: about 1 s left")
        self.assertNotIn("[0/1]", _bench(*_QUICK).stderr)


class ArgumentsTest(unittest.TestCase):
    def assert_refused(self, status, message, *arguments):
        result = _bench(*arguments)
        self.assertEqual(result.returncode, status)
        self.assertIn(message, result.stderr)

    def test_unusable_arguments(self):
        for size in ("many", "0", "-1", "2^62"):
            self.assert_refused(2, f"'{size}' is no size such as 1000 or 2^20", f"--sizes=4,{size}")
        self.assert_refused(2, "no algorithm 'invert'; there are negate", "--algorithms=invert")
        self.assert_refused(2, "negate: unknown option --shape;", *_QUICK, "--options=shape:round")
        self.assert_refused(2, "--no_such_flag", "--no_such_flag")
        self.assert_refused(2, "no row", *_QUICK, "--benchmark_filter=nothing_at_all")
        self.assert_refused(2, "--benchmark_filter", *_QUICK, "--benchmark_filter=(")
        self.assert_refused(2, "--passes: not a number above 0 that fits: '0'", "--passes=0")
        self.assert_refused(2, "--max_seconds: not a number from 0 on", "--max_seconds=nan")
        self.assert_refused(2, "always JSON", *_QUICK, "--benchmark_out_format=csv")
        self.assert_refused(2, "--continue needs", *_QUICK, "--continue")
        self.assert_refused(2, "cannot read /nowhere.json: No such file", "--rows_from=/nowhere.json")
        self.assert_refused(2, "cannot read /tmp: Is a directory", "--rows_from=/tmp")

    def test_numbers_are_decimal(self):
        self.assert_refused(2, "--seed: not a number from 0 on that fits: '-1'", "--seed=-1")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            result = _bench("--sizes=100", "--repetitions=010", "--seed=010", f"--out={path}")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8") as file:
                record = json.load(file)
        self.assertEqual(record["benchmarks"][0]["samples"], 10)
        self.assertEqual(record["context"]["seed"], "10")

    def test_sizes_for_which_there_is_no_memory(self):
        for size in ("2^50", "2^61", str(2**63 - 1)):
            result = _bench(f"--sizes=100,{size}", "--repetitions=2")
            self.assertEqual(result.returncode, 2, size)
            self.assertIn(f"--sizes: there is no memory for {size} elements; ", result.stderr)
            self.assertEqual(result.stdout, "")

    def test_an_option_without_a_value_does_not_take_the_next(self):
        for option in ("--preset", "--sizes", "--backends", "--seed", "--options"):
            result = _bench(f"{option}=", "--repetitions=2")
            self.assertEqual(result.returncode, 2, option)
            self.assertIn(f"{option}: the value is empty", result.stderr)

    def test_file_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "none", "run.json")
            for more in ((), ("--continue",), ("--backends=absent",)):
                result = _bench(*_QUICK, f"--out={path}", *more)
                self.assertEqual((result.returncode, result.stdout), (2, ""), more)
                # Nothing before it: not even what backends there are.
                self.assertEqual(result.stderr,
                                 f"concord_bench: cannot write {path}: No such file or directory\n")
            result = _bench(*_QUICK, f"--out={path}", "--benchmark_list_tests")
            self.assertEqual((result.returncode, result.stdout), (0, f"{_ROW}\n"), result.stderr)
            self.assert_refused(2, f"cannot write {folder}: Is a directory", f"--out={folder}")
            # To look whether it can be written leaves nothing.
            self.assert_refused(3, "absent", "--backends=absent", f"--out={os.path.join(folder, 'run.json')}")
            self.assertEqual(os.listdir(folder), [])

    def test_full_disk_is_a_failure(self):
        for arguments in (("--help",), (*_QUICK, "--benchmark_list_tests"), _QUICK):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run(["benchmarks/fake_bench", *arguments], stdout=full,
                                        stderr=subprocess.PIPE, encoding="utf-8", check=False)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertIn("concord_bench: cannot write standard output", result.stderr)

    def test_absent_backend(self):
        self.assert_refused(3, "absent is not available", "--backends=absent")
        self.assertIn("no rows for absent (no_device: pulled out)", _bench(*_QUICK).stderr)
        self.assertNotIn("no rows for", _bench(*_QUICK, "--backends=fake").stderr)

    def test_recorded_rows_of_an_absent_backend(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            names = [f"negate/{backend}/loop/int32/n:100/mode:plain/uniform/kernel/hot"
                     for backend in ("absent", "fake")]
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"context": {}, "benchmarks": [{"name": name} for name in names]}, file)
            rows = f"--rows_from={path}"
            self.assert_refused(3, "absent is not available", rows, "--benchmark_filter=absent")
            self.assert_refused(2, "no row has these axes", rows, "--benchmark_filter=neither")
            result = _bench(rows, "--repetitions=1")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("negate/absent", result.stdout)

    def test_file_that_is_nested_without_end_is_no_recorded_run(self):
        deep = "[" * 200000 + "]" * 200000
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            for text in (f'{{"schema": {deep}, "context": {{}}, "benchmarks": []}}',
                         f'{{"schema": 2, "context": {{"seed": {deep}}}, "benchmarks": []}}'):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                for arguments in ((f"--rows_from={path}",), (*_QUICK, f"--out={path}", "--continue")):
                    self.assert_refused(2, f"{path}: not a recorded run", *arguments)

    def test_powers_of_two(self):
        result = _bench("--sizes=2^3", "--benchmark_list_tests")
        self.assertIn("/n:8/", result.stdout)

    def test_last_preset_counts(self):
        result = _bench("--preset=full", "--preset=quick", "--benchmark_list_tests")
        self.assertIn("/n:1024/", result.stdout)
        self.assertNotIn("/cold", result.stdout)

    def test_help_lists_the_axes(self):
        result = _bench("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--distributions", result.stdout)


if __name__ == "__main__":
    unittest.main()
