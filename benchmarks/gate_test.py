# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""gate.py as a user calls it, on made-up files and on programs that measure in turns."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import gate
import progress
import recorded_run

_FOLDER = pathlib.Path(__file__).absolute().parent
_BENCH = "benchmarks/fake_bench"


def _name(algorithm):
    return f"{algorithm}/cuda/lookback/int32/n:1024/uniform/kernel/hot"


def _row(algorithm, seconds, noise=0.001, count=15, seed=None):
    source = random.Random(algorithm if seed is None else seed)
    samples = [seconds * (1 + abs(source.gauss(0, noise))) for _ in range(count)]
    return {"name": _name(algorithm), "real_time": sorted(samples)[count // 2] * 1e6,
            "time_unit": "us", "sample_seconds": [samples], "elements_per_second": 1e9,
            "floor_bytes_per_second": 1e9, "copy_share": 0.5, "ceiling_share": 0.5}


def _wrong(algorithm, message="out: differs"):
    return {"name": _name(algorithm), "error_occurred": True, "error_message": message}


def _old(row):
    return {key: value for key, value in row.items() if key != "sample_seconds"}


class GateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, rows, **more):
        content = {"schema": 2, "context": {"serial.cpu": "A"}, "benchmarks": rows, **more}
        path = self.folder / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return str(path)

    def gate(self, *arguments):
        return subprocess.run([sys.executable, str(_FOLDER / "gate.py"), *arguments], check=False,
                              capture_output=True, encoding="utf-8")

    def compare(self, base, new, *flags):
        return self.gate(self.write("base.json", base), self.write("new.json", new), *flags)

    def assert_verdict(self, result, status, kind):
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertRegex(result.stdout, rf"(?m)^{kind} ")

    def assert_unusable(self, result, message):
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(message, result.stdout + result.stderr)


class FilesTest(GateTest):
    def test_run_against_another_of_the_same_code_passes(self):
        result = self.compare([_row("scan", 1, seed=1)], [_row("scan", 1, seed=2)])
        self.assert_verdict(result, 0, "same")

    def test_slower_row_fails_and_faster_row_does_not(self):
        result = self.compare([_row("scan", 1)], [_row("scan", 1.05)])
        self.assert_verdict(result, 1, "slower")
        result = self.compare([_row("scan", 1)], [_row("scan", 0.9)])
        self.assert_verdict(result, 0, "faster")

    def test_rows_that_were_disturbed_say_by_what(self):
        disturbed = {**_row("scan", 1.05), "disturbed_by": ["other programs", "heat"]}
        result = self.compare([_row("scan", 1)], [disturbed])
        self.assert_verdict(result, 1, "slower")
        self.assertIn("hot: new disturbed: other programs; heat", result.stdout)

    def test_margin_says_what_matters(self):
        result = self.compare([_row("scan", 1)], [_row("scan", 1.05)], "--margin=10%")
        self.assert_verdict(result, 0, "same")

    def test_noise_leaves_a_row_undecided_and_says_how_many_samples_it_takes(self):
        result = self.compare([_row("scan", 1, noise=0.05, seed=1)],
                              [_row("scan", 1, noise=0.05, seed=2)])
        self.assert_verdict(result, 4, "undecided")
        self.assertRegex(result.stdout, r"has 15 samples and needs about \d+")

    def test_too_few_samples_decide_nothing(self):
        result = self.compare([_row("scan", 1, count=3)], [_row("scan", 2, count=3)])
        self.assert_verdict(result, 4, "undecided")
        self.assertIn("has 3 samples and needs 7 or more", result.stdout)

    def test_missing_and_wrong_rows_fail(self):
        base = [_row("scan", 1), _row("reduce", 1)]
        self.assert_verdict(self.compare(base, base[:1]), 1, "missing")
        result = self.compare(base, [base[0], _wrong("reduce")])
        self.assert_verdict(result, 1, "wrong")
        self.assertIn("out: differs", result.stdout)

    def test_wrong_rows_fail_whatever_base_has_of_them(self):
        scan = _row("scan", 1)
        for base in ([scan], [scan, _wrong("reduce")], [_wrong("reduce")]):
            result = self.compare(base, [scan, _wrong("reduce")])
            self.assert_verdict(result, 1, "wrong")
        other = {"context": {"serial.cpu": "B"}}
        result = self.gate(self.write("a.json", [scan]),
                           self.write("b.json", [scan, _wrong("reduce")], **other), "--any-machine")
        self.assert_verdict(result, 1, "wrong")

    def test_rows_without_a_time_in_base_are_said_and_decide_nothing(self):
        scan, reduce = _row("scan", 1), _row("reduce", 1)
        result = self.compare([scan, _wrong("reduce")], [scan, reduce, _row("sort", 1)])
        self.assert_verdict(result, 0, "no base")
        self.assertIn("hot: no time in BASE: out: differs\n", result.stdout)
        self.assertIn("hot: not in BASE\n", result.stdout)
        self.assertIn("1 same, 2 no base", result.stdout.replace("0 undecided, ", ""))
        self.assert_verdict(self.compare([_wrong("reduce")], [reduce]), 2, "no base")
        self.assert_verdict(self.compare([_wrong("reduce")], [scan]), 1, "missing")

    def test_a_message_is_on_the_line_of_its_row(self):
        forged = _wrong("reduce", "\x1b[2K\nsame       1.000 [0.999, 1.001]  reduce")
        result = self.compare([_row("scan", 1)], [_row("scan", 1, seed=2), forged])
        self.assert_verdict(result, 1, "wrong")
        self.assertEqual(len(result.stdout.splitlines()), 4, result.stdout)
        self.assertNotIn("\x1b", result.stdout)
        disturbed = {**_row("scan", 1), "disturbed_by": ["\x1b[2K\nsame"]}
        self.assert_unusable(self.compare([_row("scan", 1)], [disturbed]),
                             "'disturbed_by' is not a list of printable texts")

    def test_machine_that_slows_all_rows_alike_is_no_slower_code(self):
        names = "abcdefgh"
        result = self.compare([_row(name, 1) for name in names],
                              [_row(name, 1.3, seed=name * 2) for name in names])
        self.assert_verdict(result, 4, "undecided")
        self.assertIn("all rows 1.3", result.stdout)
        self.assertIn("--interleave", result.stdout)

    def test_one_slower_row_among_many_is_found(self):
        names = "abcdefgh"
        slower = [_row(name, 1.1 if name == "c" else 1, seed=name * 2) for name in names]
        result = self.compare([_row(name, 1) for name in names], slower)
        self.assert_verdict(result, 1, "slower")
        self.assertIn("1 slower", result.stdout)

    def test_rows_are_selected(self):
        base = [_row("scan", 1), _row("reduce", 1)]
        new = [_row("scan", 2), _row("reduce", 1)]
        self.assert_verdict(self.compare(base, new, "--rows=^reduce"), 0, "same")
        self.assertEqual(self.compare(base, new, "--rows=sort").returncode, 2)
        self.assert_unusable(self.compare(base, new, "--rows=("), "'(' is no regular expression")


class UnusableTest(GateTest):
    def test_files_without_samples_yield_no_verdict(self):
        rows = [_old(_row("scan", 1))]
        self.assert_unusable(self.compare(rows, rows), "no samples")

    def test_unusable_files_are_named(self):
        good = self.write("good.json", [])
        self.assert_unusable(self.gate("/nowhere.json", good), "/nowhere.json: No such file")
        newer = self.write("newer.json", [], schema=99)
        self.assert_unusable(self.gate(newer, good), "schema 99 is newer")
        bad = self.folder / "bad.json"
        bad.write_text("[1]", encoding="utf-8")
        self.assert_unusable(self.gate(str(bad), good), "not a recorded run")

    def test_runs_of_two_machines_are_not_judged(self):
        rows = [_row("scan", 1)]
        other = self.write("other.json", rows, context={"serial.cpu": "B"})
        self.assert_unusable(self.gate(self.write("a.json", rows), other), "another machine")

    def test_runs_of_two_machines_are_undecided_where_any_machine_will_do(self):
        rows = [_row("scan", 1), _row("reduce", 1)]
        base = self.write("a.json", rows)
        other = {"context": {"serial.cpu": "B"}}
        slower = self.write("b.json", [_row("scan", 2), _row("reduce", 1)], **other)
        result = self.gate(base, slower, "--any-machine")
        self.assert_verdict(result, 4, "undecided")
        self.assertIn("2 undecided", result.stdout)
        self.assert_verdict(self.gate(base, self.write("c.json", rows[:1], **other), "--any-machine"),
                            1, "missing")

    def test_part_of_the_backends_is_of_the_same_machine(self):
        rows = [_row("scan", 1)]
        base = self.write("a.json", rows, context={"serial.cpu": "A", "tbb:2.cpu": "A"})
        part = self.write("part.json", rows, context={"tbb:2.cpu": "A"})
        self.assert_verdict(self.gate(base, part), 0, "same")
        self.assert_verdict(self.gate(part, base), 0, "same")
        for context in ({"tbb:2.cpu": "B"}, {"serial.cpu": "A", "tbb:8.cpu": "A"}, {}):
            other = self.write("other.json", rows, context=context)
            self.assert_unusable(self.gate(base, other), "another machine")

    def test_margin_that_is_no_percentage(self):
        self.assert_unusable(self.gate("a", "b", "--margin=much"), "'much' is no percentage")


class FalseAlarmsTest(GateTest):
    def test_alarms_are_counted_for_pairs_and_rows(self):
        names = "abcdef"
        runs = [self.write(f"{run}.json", [_row(name, 1, seed=f"{run}{name}") for name in names])
                for run in range(3)]
        slow = self.write("slow.json", [_row(name, 1 if name > "a" else 2) for name in names])
        result = subprocess.run([sys.executable, str(_FOLDER / "false_alarms.py"), *runs, slow],
                                check=False, capture_output=True, encoding="utf-8")
        self.assertEqual(result.returncode, 0, result.stderr)
        # Each of the three beside the slow one.
        self.assertRegex(result.stdout, r"gate: slower +3 of 12 pairs .* 3 of 72 rows")
        self.assertRegex(result.stdout, r"threshold of 1.05 +3 of 12 pairs .* 3 of 72 rows")

    def test_runs_of_other_rows_are_refused(self):
        scan = _row("scan", 1)
        one = self.write("one.json", [scan])
        for rows, why in (([_row("reduce", 1)], "other rows"), ([scan, _wrong("sort")], "without a time"),
                          ([], "no rows")):
            result = subprocess.run(
                [sys.executable, str(_FOLDER / "false_alarms.py"), one, self.write("two.json", rows)],
                check=False, capture_output=True, encoding="utf-8")
            self.assert_unusable(result, "two.json: ")
            self.assertIn(why, result.stderr)


class _Rounds:
    """In place of in_turns.Interleaved: what a test gives for each round."""

    def __init__(self, rounds):
        self._rounds = iter(rounds)

    def rounds(self, count, names=None):
        del names
        for _ in range(count):
            yield [{row["name"]: recorded_run.Row(row) for row in rows} for rows in next(self._rounds)]


class RoundsTest(unittest.TestCase):
    def judge(self, *rounds):
        found = gate.judge_programs(_Rounds(rounds), 0.03, 0.05, len(rounds), progress.Progress())
        return [(verdict.name.partition("/")[0], verdict.kind, verdict.note) for verdict in found]

    def test_row_that_fails_in_a_later_round_is_not_dropped(self):
        scan, reduce = _row("scan", 1), _row("reduce", 1)
        good = ([reduce, scan], [reduce, scan])
        base_fails = ([_wrong("reduce"), scan], [reduce, scan])
        self.assertEqual(self.judge(*[good] * 11, base_fails)[0],
                         ("reduce", "no base", "no time in BASE: out: differs"))
        new_fails = ([reduce, scan], [_wrong("reduce"), scan])
        for rounds in ([good] * 11 + [new_fails], [base_fails, new_fails] + [good] * 10):
            self.assertEqual(self.judge(*rounds),
                             [("reduce", "wrong", "out: differs"), ("scan", "same", "")])

    def test_row_that_is_not_in_every_round_is_undecided(self):
        scan, reduce = _row("scan", 1), _row("reduce", 1)
        found = self.judge(*[([reduce, scan], [reduce, scan])] * 11, ([scan], [scan]))
        self.assertEqual(found[0], ("reduce", "undecided", "measured in 11 of 12 rounds"))


@unittest.skipUnless(os.path.exists(_BENCH), "bazel test has the program, pytest alone has not")
class InterleaveTest(GateTest):
    # Two to twenty seconds each, on a machine with other work.
    FLAGS = ("--interleave", "--margin=20%", "--", "--sizes=5000")

    def in_turns(self, base, new):
        # Other work on the machine may leave a row undecided.
        for rounds in (24, 48, 96, 192):
            result = self.gate(base, new, f"--rounds={rounds}", *self.FLAGS)
            if result.returncode != 4:
                break
        return result

    def test_program_that_does_twice_the_work_is_slower(self):
        self.assert_verdict(self.in_turns(_BENCH, f"env SLOW=1 {_BENCH}"), 1, "slower")

    def test_program_is_not_slower_than_itself(self):
        self.assert_verdict(self.in_turns(_BENCH, _BENCH), 0, "same")

    def test_program_with_wrong_results_fails(self):
        self.assert_verdict(self.in_turns(_BENCH, f"env FAULT=1 {_BENCH}"), 1, "wrong")

    def test_program_that_cannot_run_is_named(self):
        result = self.gate(_BENCH, "/no/such/program", *self.FLAGS)
        self.assertEqual(result.returncode, 2)
        self.assertIn("/no/such/program", result.stderr)
        result = self.gate(_BENCH, _BENCH, "--interleave", "--", "--sizes=many")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no size such as", result.stderr)

    def test_arguments_without_effect_are_refused_in_one_line(self):
        for arguments, why in (
                (("a", "b", "--rounds=2"), "--rounds goes with --interleave"),
                (("a", "b", "--", "--sizes=5"), "what follows -- goes with --interleave"),
                (("a", "b", "--program=x"), "--program measures BASE again, so no NEW goes with it"),
                (("a", "--interleave"), "--interleave takes two programs"),
                (("a", "b", "c"), "unrecognized arguments: c")):
            result = self.gate(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, rf"\Agate: {why}\n\Z")

    def test_rows_are_selected_as_report_selects_them(self):
        rows = r"--rows=/n:\d{4}/"
        base = str(self.folder / "base.json")
        subprocess.run([_BENCH, f"--out={base}", "--sizes=77,5000"], check=True, capture_output=True)
        for result in (self.gate(_BENCH, _BENCH, rows, "--rounds=24", *self.FLAGS, "--sizes=77"),
                       self.gate(base, f"--program={_BENCH}", rows, "--margin=900%")):
            self.assertIn(result.returncode, (0, 4), result.stderr)
            self.assertEqual(result.stdout.count("/n:5000/"), 1, result.stdout)
            self.assertNotIn("/n:77/", result.stdout)
        for refused, why in (("nothing", "no such rows"), ("(", "no regular expression")):
            self.assert_unusable(self.gate(_BENCH, _BENCH, f"--rows={refused}", "--interleave"), why)

    def assert_absent(self, result):
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertIn("absent is not available", result.stderr)
        self.assertNotIn("Traceback", result.stderr)

    def test_backend_that_is_absent_has_a_status_of_its_own(self):
        asks = "--backends=absent"
        self.assert_absent(self.gate(_BENCH, _BENCH, "--interleave", "--", asks))
        self.assert_absent(self.gate(_BENCH, f"{_BENCH} {asks}", "--interleave"))
        row = {**_row("negate", 1), "name": "negate/absent/loop/int32/n:9/mode:plain/uniform/kernel/hot"}
        self.assert_absent(self.gate(self.write("base.json", [row]), f"--program={_BENCH}"))


if __name__ == "__main__":
    unittest.main()
