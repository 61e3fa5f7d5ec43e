# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The differential engine on functions of Python's."""

import concord
import gc
import math
import numpy
import pathlib
import pytest
import re
import sys
from typing import Any, NamedTuple

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))
import sketches  # noqa: E402

TUTORIAL = TESTS.parent / "differential.md"
ONE_ARRAY = {"x": concord.Values("int64", "n")}


def compare(mine, folder, spec=sketches.SPEC, **options):
    """A sketch against the reference."""
    return concord.differential(mine, sketches.sketch, spec,
                                **{"largest_size": 60, "folder": str(folder), **options})


def test_a_right_function_passes(tmp_path):
    found = compare(sketches.right, tmp_path, boundaries=[sketches.THREADS])
    assert found.passed and found.executed > 150 and not found.cancelled
    assert not list(tmp_path.iterdir())


def is_wrong(mine, inputs, options):
    got = mine(*inputs.values(), **options)
    if hasattr(got, "copy_to_host"):  # of Numba's
        got = got.copy_to_host()
    return not numpy.array_equal(got, sketches.sketch(*inputs.values(), **options))


def expect_wrong_sum(mine, starts, folder, in_time=True, **given):
    """The smallest case of a sketch that leaves letters out, where there is time to find it: one
    letter."""
    found = compare(mine, folder, **given)
    failure = found.failure
    assert not found.passed and failure.kind == "wrong_result"
    assert is_wrong(mine, failure.inputs, failure.options)
    if not in_time and not failure.minimal:
        return
    assert failure.minimal and failure.inputs["starts"].tolist() == starts
    assert failure.options == {"t": 1, "dim": 8, "normalized": False}
    # Any letter will do, and only its own sign matters.
    [letter] = failure.inputs["letters"]
    assert failure.inputs["signs"][:, 0].tolist() == [int(k == letter) for k in range(4)]
    assert numpy.count_nonzero(failure.inputs["hashes"]) == 0


def expect_wrong_rounding(mine, folder, in_time=True, **given):
    """The smallest case whose quotient is not its reciprocal's product, where there is time to find
    it: without any letter it is."""
    failure = compare(mine, folder, **given).failure
    assert failure.kind == "wrong_result" and failure.options["normalized"]
    assert "(1 ULP)" in failure.message
    assert is_wrong(mine, failure.inputs, failure.options)
    if not in_time and not failure.minimal:
        return
    letters = failure.inputs["letters"]
    assert failure.minimal and 5 <= len(letters) <= 10
    assert failure.inputs["starts"].tolist() == [0, len(letters)]
    for place in range(len(letters)):
        shorter = {**failure.inputs, "letters": numpy.delete(letters, place),
                   "starts": numpy.array([0, len(letters) - 1])}
        assert not is_wrong(mine, shorter, failure.options)


@pytest.mark.parametrize("mine, starts", [
    (sketches.skips_letters, [0, 1]),  # any letter that no piece of eight has
    (sketches.one_length, [0, 0, 1]),  # none is not as long as one
])
def test_planted_faults_are_found_and_shrunk(mine, starts, tmp_path):
    expect_wrong_sum(mine, starts, tmp_path)


def test_a_fault_of_rounding_is_found_and_shrunk(tmp_path):
    expect_wrong_rounding(sketches.rounds_twice, tmp_path)


def test_the_line_of_the_report_repeats_the_failure(tmp_path):
    failure = compare(sketches.one_length, tmp_path).failure
    line = re.search(r"repeat: (.*)", failure.report)[1]
    again = eval(line, {"concord": concord, "one_length": sketches.one_length,
                        "sketch": sketches.sketch, "spec": sketches.SPEC})
    assert again.executed == 1 and again.failure.message == failure.message
    assert again.failure.inputs["starts"].tolist() == failure.inputs["starts"].tolist()
    assert compare(sketches.right, tmp_path, replay=failure.file).passed


def test_a_report_says_what_differs(tmp_path):
    def doubled(x):
        return numpy.where(x == 7, 0, 2 * x)

    found = concord.differential(doubled, lambda x: 2 * x,
                                 {"x": concord.Values("int64", "n", least=0, most=9)},
                                 folder=str(tmp_path))
    assert found.failure.inputs["x"].tolist() == [7]
    assert "'out': 1 of 1 elements differs, first [0]: 0 instead of 14" in found.failure.report
    assert "x: int64 [7]" in found.failure.report


def test_a_function_that_raises_is_wrong(tmp_path):
    def no_nines(x):
        if 9 in x:
            raise ValueError("nine")
        return x

    failure = concord.differential(no_nines, lambda x: x, {
        "x": concord.Values(["int32", "int64"], "n", least=0, most=20)},
        folder=str(tmp_path)).failure
    assert failure.kind == "error" and failure.message == "ValueError: nine"
    assert failure.inputs["x"].tolist() == [9]


def test_a_function_that_writes_to_its_input_is_wrong(tmp_path):
    def sort(x):
        x.sort()
        return x.copy()

    failure = concord.differential(sort, numpy.sort, ONE_ARRAY, folder=str(tmp_path)).failure
    assert failure.kind == "changed_input" and len(failure.inputs["x"]) == 2


def test_a_reference_that_raises_is_the_specs_fault(tmp_path):
    failure = concord.differential(lambda x: x, lambda x: x[0], ONE_ARRAY,
                                   folder=str(tmp_path)).failure
    assert failure.kind == "contradictory_spec" and "IndexError" in failure.message
    assert failure.inputs["x"].tolist() == []


def test_tolerances_are_kept(tmp_path):
    spec = {"x": concord.Values("float64", "n", least=1, most=2)}

    def shifted(x):
        return x * (1 + 1e-9)

    for tolerance, passes in (({}, False), ({"relative": 1e-8}, True), ({"absolute": 1e-8}, True),
                              ({"relative": 1e-10}, False)):
        found = concord.differential(shifted, lambda x: x, spec, folder=str(tmp_path), **tolerance)
        assert found.passed == passes, tolerance


# Neighbours of these bounds are the same float64.
@pytest.mark.parametrize("dtype, least, most", [
    ("int64", -2**63 + 1, None),
    ("int64", None, 2**63 - 2),
    ("uint64", None, 2**64 - 2),
    ("int64", 2**62 + 1, 2**62 + 1),
    ("uint64", 2**53 + 1, 2**53 + 1),
    ("uint64", numpy.uint64(2**64 - 2), numpy.uint64(2**64 - 2)),
    ("int64", -2**64, -2**63 + 1),
    ("float64", 2**53 + 1, 2**53 + 3),
    ("float32", 2**24 + 1, None),
    ("float32", None, -2**24 - 1),
])
def test_values_are_between_whole_bounds_exactly(dtype, least, most):
    seen = set()

    def remember(x):
        seen.update(x.tolist())
        return x

    found = concord.differential(remember, lambda x: x,
                                 {"x": concord.Values(dtype, "n", least=least, most=most)},
                                 cases=150)
    assert found.passed and seen
    # Python compares the numbers themselves.
    assert least is None or min(seen) >= int(least)
    assert most is None or max(seen) <= int(most)


@pytest.mark.parametrize("mine, says", [
    (lambda x: x.astype(numpy.int32), "int32 [0] instead of int64 [0]"),
    (lambda x: (x, x), "gives out[0], out[1] instead of out"),
    (lambda x: numpy.append(x, 0), "int64 [1] instead of int64 [0]"),
    (lambda x: object(), "'out' has elements of type object"),
    (lambda x: x.astype(numpy.float16), "'out' has elements of type float16"),
])
def test_results_of_another_form_are_wrong(mine, says, tmp_path):
    failure = concord.differential(mine, lambda x: x, ONE_ARRAY, folder=str(tmp_path)).failure
    assert says in failure.message


def test_boundaries_are_tried(tmp_path):
    def cut(x):
        return x if len(x) < 777 else x[:776]

    sizes = set()

    def reference(x):
        sizes.add(len(x))
        return x

    assert concord.differential(cut, reference, ONE_ARRAY, boundaries=[777], folder=str(tmp_path),
                                ).failure.size == 777
    sizes.clear()
    concord.differential(reference, reference, ONE_ARRAY, boundaries=[777])
    assert {776, 777, 778} <= sizes


def test_matrices_and_several_results(tmp_path):
    spec = {"a": concord.Values("float32", "m", "n", least=-4, most=4),
            "b": concord.Values("float32", "n", least=-4, most=4)}

    def sums(a, b):
        return {"rows": a.sum(axis=1), "columns": a.sum(axis=0) + b}

    found = concord.differential(sums, sums, spec, largest_size=40)
    assert found.passed

    def wrong(a, b):
        return {**sums(a, b), "columns": a.sum(axis=0) + (b if len(a) < 2 else 0)}

    failure = concord.differential(wrong, sums, spec, largest_size=40, folder=str(tmp_path)).failure
    assert failure.inputs["a"].shape == (2, 1) and failure.inputs["b"].tolist() == [1]


# The functions may know no other.
def test_functions_are_called_with_the_values_of_the_spec_alone(tmp_path):
    given = set()

    def mine(x, block, fast):
        given.add((block, fast))
        return x + (block > 32 and len(x) > 3)

    failure = concord.differential(mine, lambda x, **others: x, {
        **ONE_ARRAY, "block": [64, 128, 32], "fast": [True]}, folder=str(tmp_path)).failure
    assert given == {(32, True), (64, True), (128, True)}
    assert failure.kind == "wrong_result" and failure.minimal
    assert failure.options == {"block": 64, "fast": True} and len(failure.inputs["x"]) == 4


def test_very_many_switches_are_tried(tmp_path):
    switches = {f"s{i}": [False, True] for i in range(40)}

    def mine(x, s0, s39, **others):
        return x + (s0 and not s39)

    found = concord.differential(mine, lambda x, **others: x,
                                 {"x": concord.Values("int64", 3), **switches}, cases=100,
                                 folder=str(tmp_path))
    assert found.failure.options == {name: name == "s0" for name in switches}


class Swapped(NamedTuple):
    second: Any
    first: Any


def test_results_are_compared_by_their_names(tmp_path):
    spec = {"x": concord.Values("int64", "n")}

    def named(x):
        return {"first": x, "second": 2 * x}

    def swapped(x):
        return Swapped(first=x, second=2 * x)

    def wrong(x):
        return Swapped(x, 2 * x)

    assert concord.differential(swapped, named, spec).passed
    assert concord.differential(named, swapped, spec).passed
    failure = concord.differential(wrong, named, spec, folder=str(tmp_path)).failure
    assert failure.kind == "wrong_result" and "'first': 1 of 1" in failure.message


@pytest.mark.parametrize("half", ["\udcff", "a\ud800\0b"])
def test_half_characters_in_what_functions_say_are_replaced(half, tmp_path):
    def raises(x):
        raise ValueError(f"no file {half}")

    found = concord.differential(raises, lambda x: x, ONE_ARRAY, folder=str(tmp_path))
    assert re.fullmatch(r"ValueError: no file a?\?( b)?", found.failure.message)
    found = concord.differential(lambda x: {half: x + 1}, lambda x: {half: x}, ONE_ARRAY,
                                 folder=str(tmp_path))
    assert found.failure.kind == "wrong_result" and "?" in found.failure.message


def test_the_same_seed_gives_the_same_cases():
    def cases(seed):
        seen = []

        def remember(x):
            seen.append(x.tobytes())
            return x

        concord.differential(remember, lambda x: x, ONE_ARRAY, cases=30, seed=seed)
        return seen

    assert cases(3) == cases(3) != cases(4)


def test_progress_is_told_and_may_end_the_work():
    seen = []

    def slow(x):
        sum(math.sqrt(i) for i in range(20000))
        return x

    def progress(*counts):
        seen.append(counts)
        return len(seen) < 3

    found = concord.differential(slow, lambda x: x, ONE_ARRAY, progress=progress, seconds=300)
    assert found.cancelled and found.passed and found.seconds < 200
    assert len(seen) == 3 and seen[-1][0] > 0 and seen[-1][1] == 0


def test_an_interrupt_ends_the_work():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        concord.differential(interrupted, lambda x: x, ONE_ARRAY)
    gc.collect()


@pytest.mark.parametrize("spec, says", [
    ({}, "no input"),
    ({"x": 3}, "'x' of the spec is Values, Offsets"),
    ({"x": concord.Values("int16", "n")}, "int16"),
    ({"x": concord.Values("int32", "n", least=2, most=1)}, "values from 2 to 1"),
    ({"x": concord.Values("int64", "n", least=2**62 + 1, most=2**62)},
     "values from 4611686018427387905 to 4611686018427387904, and int64 has none"),
    ({"x": concord.Values("int64", "n", least=2**63)},
     "values from 9223372036854775808 to the largest, and int64 has none"),
    ({"x": concord.Values("float64", "n", least=2**53 + 1, most=2**53 + 1)}, "float64 has none"),
    ({"x": concord.Values("int32", "n", least=1234567.25, most=1234567.5)},
     "values from 1234567.25 to 1234567.5, and int32 has none"),
    ({"x": concord.Values("int32")}, "0 dimensions"),
    ({"x": concord.Offsets("n", "parts")}, "both have to be extents"),
    ({"x": concord.Values("int32", "n"), "t": []}, "no values"),
])
def test_a_spec_without_meaning_is_refused(spec, says):
    with pytest.raises((concord.InvalidArgument, TypeError), match=re.escape(says)):
        concord.differential(lambda x: x, lambda x: x, spec)


def test_a_file_that_is_no_case_is_refused(tmp_path):
    other = tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    for name in (other, tmp_path / "nowhere.json"):
        with pytest.raises(concord.ConcordError, match=name.name):
            concord.differential(lambda x: x, lambda x: x, ONE_ARRAY, replay=str(name))


def test_what_the_tutorial_shows_runs(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("TEST_UNDECLARED_OUTPUTS_DIR", str(tmp_path))
    scope = {}
    text = TUTORIAL.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) > 2
    for block in blocks:
        exec(compile(block, str(TUTORIAL), "exec"), scope)
        shown = re.findall(r"#> (.*)", block)
        printed = capsys.readouterr().out
        assert [line for line in printed.splitlines() if not line.startswith("  repeat")] == shown
