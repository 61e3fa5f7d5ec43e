# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`concord run` beside the oracles: every algorithm on every CPU implementation.

Arrays go in and come out as .npy files, or as text through standard input and
output. What a GPU computes, the differential suite holds to the implementations
that are examined here.
"""

import json
import math
import random
import subprocess
from fractions import Fraction

import npy
import pytest
from arithmetic import to_float
from cases import CASES, cases
from column import FLOATS, Column
from oracles import ORACLES

CONCORD = "tools/concord/concord"


def asked(*arguments):
    done = subprocess.run([CONCORD, *arguments, "--json"], check=True, capture_output=True)
    return json.loads(done.stdout)


LISTED = asked("list")
ALGORITHMS = sorted({row["algorithm"] for row in LISTED})


def implementations(algorithm):
    rows = [(row["backend"], row["variant"], row["contract"]) for row in LISTED
            if row["algorithm"] == algorithm and row["backend"] in ("serial", "tbb")]
    assert {backend for backend, _, _ in rows} == {"serial", "tbb"}
    return rows


# Files of these algorithms are text, where they are no .npy files.
def digits(column):
    symbols = column.values()
    return ("" if max(symbols, default=0) < 10 else " ").join(map(str, symbols))


WRITTEN_AS_TEXT = {"look_and_say": lambda column: digits(column).encode(),
                   "match_parens": lambda column: column.content,
                   "tensor_sketch": lambda column: column.content}


def text_of(algorithm, name, column):
    if name == "input" and algorithm in WRITTEN_AS_TEXT:
        return WRITTEN_AS_TEXT[algorithm](column)
    return "\n".join(map(repr, column.values())).encode()


def read_text(algorithm, text, dtype):
    """The content of a column that was printed."""
    if algorithm == "match_parens":
        assert text == "balanced\n" or text.startswith("unbalanced at ")
        text = text.split()[-1].replace("balanced", "-1")
    elif algorithm == "look_and_say" and dtype == "uint8" and " " not in text.strip():
        text = " ".join(text.strip())
    elif algorithm == "max_subarray":
        assert text.count("\n") == 1
    parse = int if dtype not in FLOATS else lambda word: to_float(
        dtype, float(word) if "n" in word else Fraction(word)) if word != "-0" else -0.0
    return Column(dtype, list(map(parse, text.split()))).content


def differences(found, wanted, through_text):
    """Where the content is not as it should be, one line or none."""
    if len(found.content) != len(wanted.content):
        return f"{len(found.content)} bytes instead of {len(wanted.content)}"
    pairs = enumerate(zip(found.elements(), wanted.elements()))
    for place, (ours, theirs) in pairs if found.content != wanted.content else ():
        if ours == theirs:
            continue
        x, y = npy.from_bytes(wanted.dtype, ours)[0], npy.from_bytes(wanted.dtype, theirs)[0]
        if through_text and math.isnan(x) and math.isnan(y):
            continue
        if x == y == 0 and not wanted.zero_sign:
            continue
        if (wanted.errors and math.isfinite(x) and math.isfinite(y)
                and abs(Fraction(x) - Fraction(y)) <= wanted.errors[place]):
            continue
        return f"element {place} is {x}, not {y}"
    return ""


def command(folder, algorithm, implementation, inputs, options, wanted, through_text):
    """The call, what it reads, and the files of its outputs."""
    backend, variant, _ = implementation
    arguments = [CONCORD, "run", algorithm, f"--backend={backend}", f"--variant={variant}"]
    arguments += [f"--{name}={value}" if value else f"--{name}" for name, value in options.items()]
    stdin, suffix = b"", "txt" if through_text else "npy"
    for name, column in inputs.items():
        path = folder / f"{name}.{suffix}"
        # --type is that of --input alone; sequences are text, and tables are not.
        if (not through_text or name not in ("input", "lengths")) and (
                algorithm, name) != ("tensor_sketch", "input"):
            path = path.with_suffix(".npy")
            npy.save(path, column.dtype, column.values() if column.dtype not in FLOATS else
                     column.content, column.shape)
        elif name == "input":
            stdin, path = text_of(algorithm, name, column), "-"
        else:
            path.write_bytes(text_of(algorithm, name, column))
        arguments.append(f"--{name}={path}")
    if through_text and algorithm not in WRITTEN_AS_TEXT and "lengths" not in inputs:
        arguments.append(f"--type={inputs['input'].dtype}")
    paths = {name: folder / f"{name}.{suffix}" for name in wanted}
    if through_text:
        paths["output"] = None
    arguments += [f"--{name}={path or '-'}" for name, path in paths.items()]
    return arguments, stdin, paths


def faults(folder, algorithm, implementation, case, wanted, through_text):
    """Runs it, and says what was wrong."""
    arguments, stdin, paths = command(
        folder, algorithm, implementation, *case, wanted, through_text)
    done = subprocess.run(arguments, input=stdin, capture_output=True)
    said = []
    if done.returncode != 0:
        said.append(f"exit status {done.returncode}: {done.stderr.decode()}")
    for name, path in paths.items() if done.returncode == 0 else ():
        if through_text:
            text = path.read_text() if path else done.stdout.decode()
            found = Column(wanted[name].dtype, read_text(algorithm, text, wanted[name].dtype))
        else:
            found = Column(*npy.load(path))
            if (found.dtype, npy.shape(path)) != (wanted[name].dtype, wanted[name].shape):
                said.append(f"{name}: {found.dtype} {npy.shape(path)}, not {wanted[name].dtype} "
                            f"{wanted[name].shape}")
        wrong = differences(found, wanted[name], through_text)
        said += [f"{name}: {wrong}"] if wrong else []
    return [" ".join(arguments) + "\n  " + line for line in said]


def can_be_text(algorithm, case):
    """NaNs lose their bits in text, and a text has one type for all of its columns."""
    inputs, _ = case
    if algorithm == "match_parens":
        return inputs["input"].dtype == "uint8"
    if len({column.dtype for column in inputs.values()}) > 1 and algorithm != "tensor_sketch":
        return False
    return all(column.dtype not in FLOATS or column.content == Column(
        column.dtype, column.values()).content and not any(map(math.isnan, column.values()))
        for column in inputs.values()) and len(inputs["input"].shape) == 1


def test_every_algorithm_has_an_oracle():
    assert sorted(ORACLES) == ALGORITHMS
    assert sorted(CASES) == ALGORITHMS


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_option_type_and_output_is_in_a_case(algorithm):
    described = asked("describe", algorithm)
    used = [(inputs, options) for inputs, options in cases(algorithm)]
    for option in described["options"]:
        name = option["name"]
        if option["tuning_of"] or (algorithm, name) == ("tensor_sketch", "seed"):
            continue  # No result depends on it; or what the tables are is not defined.
        values = {options[name] for _, options in used if name in options}
        assert values or any(name in case[0] or name in ORACLES[algorithm](*case, "")
                             for case in used), name
        assert set(option.get("choices") or ()) <= values, name
    for array in described["inputs"]:
        name = array["file_option"]
        types = {inputs[name].dtype for inputs, _ in used if name in inputs}
        # The types of a sequence's columns are those of sequence_test.py.
        if algorithm != "sequence" and name:
            assert types == set(array["element_types"]), name


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_results(algorithm, tmp_path):
    rng = random.Random(algorithm)
    runs = {False: 0, True: 0}
    said = []
    for case in cases(algorithm):
        through_text = can_be_text(algorithm, case) and rng.random() < 0.5
        for implementation in implementations(algorithm):
            wanted = ORACLES[algorithm](*case, implementation[1])
            # Optional outputs are there where they are asked for.
            wanted = {name: column for name, column in wanted.items()
                      if name == "output" or rng.random() < 0.7}
            if "normalized" in case[1] and "float64" not in implementation[2]["element_types"]:
                continue
            runs[through_text] += 1
            said += faults(tmp_path, algorithm, implementation, case, wanted, through_text)
    assert all(runs.values())
    assert not said, "\n".join([f"{len(said)} faults", *said[:20]])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_wrong_result_is_noticed(algorithm, tmp_path):
    """Each output in turn, in both forms, with one bit of one element turned."""
    noticed = set()
    for case in cases(algorithm):
        implementation = implementations(algorithm)[0]
        wanted = ORACLES[algorithm](*case, implementation[1])
        for through_text in {False, can_be_text(algorithm, case)}:
            for name, column in wanted.items():
                if not column.content or (name, through_text) in noticed:
                    continue
                wrong = column.content[:-1] + bytes([column.content[-1] ^ 0x40])
                mutated = {**wanted, name: Column(column.dtype, wrong, column.shape,
                                                  column.errors, column.zero_sign)}
                said = faults(tmp_path, algorithm, implementation, case, mutated, through_text)
                assert len(said) == 1 and f"  {name}: element " in said[0], said
                noticed.add((name, through_text))
        if len(noticed) == 2 * len(wanted):
            return
    raise AssertionError(f"only {noticed} could be tried")
