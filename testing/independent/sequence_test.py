# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`concord run sequence` beside plain Python, on every backend that is here.

Integers are Python's, of any size, and are cut to their type at the end of each
operation; floats are computed as exact fractions and rounded once. Nothing here
comes from Concord but the program that is run.
"""

import gzip
import json
import math
import subprocess

import npy
import pytest
from arithmetic import (BITS, RANGES, divide, fma, least, quotient, remainder, single, to_integer,
                        wrap)

CONCORD = "tools/concord/concord"
LAMBDA = "testing/data/lambda_virus.fa.gz"

def implementations():
    listed = subprocess.run([CONCORD, "list", "sequence", "--json"],
                            check=True, capture_output=True, text=True)
    return [(row["backend"], row["variant"]) for row in json.loads(listed.stdout)
            if row["available"]]


def integers(dtype, count=2000):
    """The ends, zero, their neighbours, and what a congruential generator gives."""
    low, high = RANGES[dtype]
    values = [v for v in (low, low + 1, -1, 0, 1, 2, 7, high // 2, high - 1, high) if low <= v]
    state = 12345
    while len(values) < count:
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        value = state >> (64 - BITS[dtype])
        # Small ones are as frequent as large ones.
        value >>= (state >> 7) % BITS[dtype]
        values.append(wrap(dtype, value if state & 1 else -value))
    return values


def floats(dtype, count=2000):
    values = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 3.5, -2.5, math.inf, -math.inf, math.nan, 1e9, -1e9,
              1e19, -1e19, 5e-324, 1.5e-45, 3e38]
    if dtype == "float32":
        values = [single(v) for v in values]
    state = 99
    while len(values) < count:
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        value = (state >> 11) / (1 << 40) - (1 << 12)
        values.append(single(value) if dtype == "float32" else value)
    return values


def column(dtype, rotate=0):
    values = floats(dtype) if dtype.startswith("float") else integers(dtype)
    return values[rotate:] + values[:rotate]


def i32(f):
    return lambda *values: wrap("int32", f(*values))


def f32(f):
    return lambda *values: single(f(*values))


# Name: types of the columns, function, type of the result, the same in Python.
FUNCTIONS = {
    "affine": (["int32"], "2 * x + 1", "int32", i32(lambda x: 2 * x + 1)),
    "square": (["int8"], "x * x", "int8", lambda x: wrap("int8", x * x)),
    "cube_of_unsigned": (["uint32"], "x * x * x", "uint32", lambda x: wrap("uint32", x ** 3)),
    "polynomial": (["int64"], "(x + 3) * x - 7", "int64", lambda x: wrap("int64", (x + 3) * x - 7)),
    "negate_unsigned": (["uint8"], "-x", "uint8", lambda x: wrap("uint8", -x)),
    "absolute": (["int32"], "abs(x)", "int32", i32(abs)),
    "distance": (["int32", "int32"], "d = x - y; d < 0 ? -d : d", "int32",
                 i32(lambda x, y: abs(wrap("int32", x - y)))),
    "quotient": (["int32", "int32"], "x / y", "int32", i32(quotient)),
    "remainder": (["int64", "int64"], "x % y", "int64", lambda x, y: wrap("int64", remainder(x, y))),
    "quotient_unsigned": (["uint64", "uint64"], "x / y", "uint64", quotient),
    "remainder_small": (["int8", "int8"], "x % y", "int8", lambda x, y: wrap("int8", remainder(x, y))),
    "by_ten": (["uint32"], "x / 10 * 16 + x % 10", "uint32",
               lambda x: wrap("uint32", x // 10 * 16 + x % 10)),
    "shift_left": (["int32", "int32"], "x << y", "int32", i32(lambda x, y: x << (y % 32))),
    "shift_right": (["int8", "int8"], "x >> y", "int8", lambda x, y: x >> (y % 8)),
    "shift_right_unsigned": (["uint64"], "x >> 33", "uint64", lambda x: x >> 33),
    "bits": (["int32", "int32"], "x & y | x ^ ~y", "int32", lambda x, y: (x & y) | (x ^ ~y)),
    "bit_test": (["int64"], "x & 8 == 0 ? x : ~x", "int64", lambda x: x if x & 8 == 0 else ~x),
    "population": (["uint64"], "popcount(x) + clz(x) * 100", "uint64",
                   lambda x: bin(x).count("1") + (64 - x.bit_length()) * 100),
    "trailing": (["int32"], "ctz(x)", "int32",
                 lambda x: 32 if x == 0 else (x & -x).bit_length() - 1),
    "clamp": (["int32"], "clamp(x, -100, 100)", "int32", lambda x: min(max(x, -100), 100)),
    "largest": (["uint8", "uint8"], "max(x, y) - min(x, y)", "uint8", lambda x, y: abs(x - y)),
    "logic": (["int32", "int32"], "x < y && x > 0 || y == 7", "uint8",
              lambda x, y: int((0 < x < y) or y == 7)),
    "widen": (["int8"], "int64(x) * 1000000007", "int64", lambda x: x * 1000000007),
    "narrow": (["int64"], "int8(x >> 3)", "int8", lambda x: wrap("int8", x >> 3)),
    "reinterpret": (["int32"], "uint32(x) > 0x80000000", "uint8",
                    lambda x: int(wrap("uint32", x) > 0x80000000)),
    "index": (["int32"], "int64(x) + i * i", "int64", lambda x, i: x + i * i),
    "hash": (["uint32"], "h = (x ^ x >> 16) * 0x45d9f3b; h ^ h >> 16", "uint32",
             lambda x: (lambda h: h ^ h >> 16)(wrap("uint32", (x ^ x >> 16) * 0x45D9F3B))),
    "to_float": (["int64"], "float64(x)", "float64", lambda x: float(x)),
    "to_single": (["int32"], "float32(x)", "float32", f32(float)),
    "from_float": (["float64"], "int32(x)", "int32", lambda x: to_integer("int32", x)),
    "from_float_unsigned": (["float64"], "uint8(x)", "uint8", lambda x: to_integer("uint8", x)),
    "from_single_long": (["float32"], "int64(x)", "int64", lambda x: to_integer("int64", x)),
    "float_affine": (["float64"], "x * 0.1 + 3.5", "float64", lambda x: x * 0.1 + 3.5),
    "single_affine": (["float32"], "x * 0.5 - 0.25", "float32",
                      lambda x: single(single(x * 0.5) - 0.25)),
    "no_contraction": (["float64", "float64"], "x * y - x", "float64", lambda x, y: x * y - x),
    "contraction": (["float64", "float64"], "fma(x, y, -x)", "float64", lambda x, y: fma(x, y, -x)),
    "float_quotient": (["float64", "float64"], "x / y", "float64", divide),
    "root": (["float64"], "sqrt(x)", "float64",
             lambda x: x if math.isnan(x) or x == 0 else math.nan if x < 0 else math.sqrt(x)),
    "to_even": (["float64"], "isnan(x) ? 0.0 : round(x)", "float64",
                lambda x: 0.0 if math.isnan(x) else x if math.isinf(x) else
                math.copysign(float(round(x)), x)),
    "float_least": (["float64", "float64"], "min(x, y)", "float64", least),
    "ordered": (["float32", "float32"], "int8(x <= y) + int8(x > y) * int8(2)", "int8",
                lambda x, y: int(x <= y) + int(x > y) * 2),
}


def mcss(a, b):
    return (a[0] + b[0], max(a[1], a[0] + b[1]), max(b[2], b[0] + a[2]),
            max(a[3], b[3], a[2] + b[1]))


def matrix(a, b):
    return tuple(wrap("uint32", v) for v in (
        a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]))


# Name: type of the column, what is made of an element, the operator, the type
# of the results, and both in Python: functions of tuples.
OPERATORS = {
    "sum": ("int32", "x", "a + b", "int32", lambda x: (x,),
            lambda a, b: (wrap("int32", a[0] + b[0]),)),
    "product": ("uint64", "x", "a * b", "uint64", lambda x: (x,),
                lambda a, b: (wrap("uint64", a[0] * b[0]),)),
    "least": ("int8", "x", "min(a, b)", "int8", lambda x: (x,), min),
    "largest": ("uint32", "x", "max(a, b)", "uint32", lambda x: (x,), max),
    "parity": ("int64", "x", "a ^ b", "int64", lambda x: (x,), lambda a, b: (a[0] ^ b[0],)),
    "common_bits": ("int32", "x | 0xffff", "a & b", "int32", lambda x: (x | 0xFFFF,),
                    lambda a, b: (a[0] & b[0],)),
    "any_bits": ("uint8", "x", "a | b", "uint8", lambda x: (x,), lambda a, b: (a[0] | b[0],)),
    "first": ("int32", "x", "a, b -> a", "int32", lambda x: (x,), lambda a, b: a),
    "latest": ("int64", "x", "a, b -> b", "int64", lambda x: (x,), lambda a, b: b),
    "latest_nonzero": ("int32", "x & 3", "b != 0 ? b : a", "int32", lambda x: (x & 3,),
                       lambda a, b: b if b[0] else a),
    "least_and_largest": ("int32", "(x, x)", "(s, m), (t, n) -> (min(s, t), max(m, n))", "int32",
                          lambda x: (x, x), lambda a, b: (min(a[0], b[0]), max(a[1], b[1]))),
    "affine_maps": ("uint32", "(x | 1, x >> 3)", "(p, q), (r, s) -> (p * r, q * r + s)", "uint32",
                    lambda x: (x | 1, x >> 3),
                    lambda a, b: (wrap("uint32", a[0] * b[0]), wrap("uint32", a[1] * b[0] + b[1]))),
    "brackets": ("int8", "d = int64(x & 1) * 2 - 1; (d, min(d, 0))",
                 "(s, m), (t, n) -> (s + t, min(m, s + n))", "int64",
                 lambda x: ((x & 1) * 2 - 1, min((x & 1) * 2 - 1, 0)),
                 lambda a, b: (a[0] + b[0], min(a[1], a[0] + b[1]))),
    "largest_run": ("int32", "v = int64(x >> 8); (v, v, v, v)",
                    "(s, p, f, b), (t, q, g, c) -> "
                    "(s + t, max(p, s + q), max(g, t + f), max(b, max(c, f + q)))", "int64",
                    lambda x: (x >> 8,) * 4, mcss),
    "matrices": ("uint32", "(x, uint32(1), x >> 5, uint32(3))",
                 "(p, q, r, s), (t, u, v, w) -> "
                 "(p * t + q * v, p * u + q * w, r * t + s * v, r * u + s * w)", "uint32",
                 lambda x: (x, 1, x >> 5, 3), matrix),
}


def run(tmp_path, program, columns, results, backend, variant):
    """The bytes of each column of the result. `columns` are types and values."""
    command = [CONCORD, "run", "sequence", f"--program={program}", f"--backend={backend}",
               f"--variant={variant}"]
    for flag, name, (dtype, values) in zip(("input", "y", "z", "w"), "xyzw", columns):
        npy.save(tmp_path / f"{name}.npy", dtype, values)
        command.append(f"--{flag}={tmp_path}/{name}.npy")
    outputs = ["output", "output-y", "output-z", "output-w"][:results]
    command += [f"--{flag}={tmp_path}/{flag}.npy" for flag in outputs]
    subprocess.run(command, check=True)
    return [npy.load(tmp_path / f"{flag}.npy") for flag in outputs]


def assert_is(given, dtype, values, what):
    """Equal bits; any NaN that Python computes stands for the quiet NaN."""
    found, content = given
    assert found == dtype
    if dtype.startswith("float"):
        nan = {"float32": 0x7FC00000, "float64": 0x7FF8000000000000}[dtype]
        size = int(dtype[5:]) // 8
        wanted = b"".join(nan.to_bytes(size, "little") if math.isnan(v) else npy.to_bytes(dtype, [v])
                          for v in values)
    else:
        wanted = npy.to_bytes(dtype, values)
    if content != wanted:
        assert len(content) == len(wanted), what
        size = len(wanted) // len(values)
        place = next(k for k in range(len(values))
                     if content[size * k : size * k + size] != wanted[size * k : size * k + size])
        computed = npy.from_bytes(dtype, content)[place]
        raise AssertionError(f"{what}: element {place} is {computed}, not {values[place]}")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, tmp_path):
    types, text, result, function = FUNCTIONS[name]
    columns = [(dtype, column(dtype, 37 * k)) for k, dtype in enumerate(types)]
    arguments = [values for _, values in columns]
    if function.__code__.co_varnames[-1:] == ("i",):
        arguments.append(range(len(arguments[0])))
    wanted = [function(*values) for values in zip(*arguments)]
    program = ("" if len(types) == 1 else "zip x y |> ") + f"map {{ {text} }}"
    for backend, variant in implementations():
        given = run(tmp_path, program, columns, 1, backend, variant)
        assert_is(given[0], result, wanted, f"{name} on {backend}/{variant}")


def scanned(operator, elements):
    prefixes = elements[:1]
    for element in elements[1:]:
        prefixes.append(operator(prefixes[-1], element))
    return prefixes


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name, tmp_path):
    dtype, element, text, result, make, operator = OPERATORS[name]
    values = column(dtype)
    prefixes = scanned(operator, [make(x) for x in values])
    parts = len(prefixes[0])
    for backend, variant in implementations():
        what = f"{name} on {backend}/{variant}"
        first = f"map {{ {element} }} |>"
        scan = run(tmp_path, f"{first} scan {text}", [(dtype, values)], parts, backend, variant)
        for k in range(parts):
            assert_is(scan[k], result, [prefix[k] for prefix in prefixes], what)
        total = run(tmp_path, f"{first} reduce {text}", [(dtype, values)], parts, backend, variant)
        for k in range(parts):
            assert_is(total[k], result, [prefixes[-1][k]], what)


def letters():
    with gzip.open(LAMBDA, "rt", encoding="ascii") as file:
        text = "".join(line.strip() for line in file if not line.startswith(">"))
    assert len(text) == 48502
    return text.encode("ascii")


# The largest sum of neighbours, and the lowest depth, where G counts 1 and C -1.
LARGEST_RUN = [
    "v = map int64(x == 71) - int64(x == 67); sums = v |> scan a + b; "
    "lows = sums |> scan_before min(a, b) from 0; zip sums lows |> map x - y |> reduce max(a, b)",
    "map { v = int64(x == 71) - int64(x == 67); (v, v, v, v) } |> reduce "
    "(s, p, f, b), (t, q, g, c) -> (s + t, max(p, s + q), max(g, t + f), max(b, max(c, f + q))) "
    "|> map s, p, f, b -> b",
]
DEPTH = [
    "map { d = int64(x == 71) - int64(x == 67); (d, d) } |> reduce (s, m), (t, n) -> (s + t, min(m, s + n))",
    "d = map int64(x == 71) - int64(x == 67) |> scan a + b; at_end = d |> last; "
    "lowest = d |> reduce min(a, b); zip at_end lowest",
]


def test_a_genome(tmp_path):
    genome = letters()
    depth, lowest, best, run_here = 0, 0, -1, 0
    for k, letter in enumerate(genome):
        step = (letter == 71) - (letter == 67)
        depth += step
        lowest = depth if k == 0 else min(lowest, depth)
        run_here = max(run_here, 0) + step
        best = max(best, run_here)
    for backend, variant in implementations():
        what = f"{backend}/{variant}"
        for program in LARGEST_RUN:
            given = run(tmp_path, program, [("uint8", genome)], 1, backend, variant)
            assert_is(given[0], "int64", [best], what)
        for program in DEPTH:
            given = run(tmp_path, program, [("uint8", genome)], 2, backend, variant)
            assert_is(given[0], "int64", [depth], what)
            assert_is(given[1], "int64", [lowest], what)
