# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls for the oracles: every element type, option and choice of each algorithm.

`CASES[algorithm](rng)` gives (inputs, options) as `oracles.ORACLES` takes them.
Sizes go round: none, one, around powers of two, and once past a chunk of every
implementation.
"""

import itertools
import math
import random

from arithmetic import BITS, RANGES, single
from column import FLOATS, Column
from programs import PROGRAMS

TYPES = (*RANGES, *FLOATS)
SIZES = (0, 1, 2, 3, 7, 64, 127, 129, 1000, 4097)


def tame(rng, dtype, size):
    """Floats whose sums are rounded and do not overflow; integers as they are."""
    if dtype in RANGES:
        return wild(rng, dtype, size)
    values = [rng.uniform(-1000, 1000) for _ in range(size)]
    return [single(v) for v in values] if dtype == "float32" else values


def around_one(rng, dtype, size):
    if dtype in RANGES:
        return wild(rng, dtype, size)
    values = [rng.choice((-1, 1)) * rng.uniform(0.97, 1.03) for _ in range(size)]
    return [single(v) for v in values] if dtype == "float32" else values


def wild(rng, dtype, size):
    """The ends of the type, small numbers, and bits at random."""
    if dtype in RANGES:
        low, high = RANGES[dtype]
        special = [v for v in (low, low + 1, -1, 0, 1, 2, 3, high - 1, high) if low <= v]
        return [rng.choice(special) if rng.random() < 0.5 else rng.randint(low, high)
                for _ in range(size)]
    special = [0.0, -0.0, 1.0, -1.0, 2.5, 1e-45, -1e-40, 5e-324, 3e38, -3e38, 1e300, math.inf,
               -math.inf, math.nan, 127.5, -128.9, 255.0, 4294967296.0, -9.3e18, 1.9e19]
    values = [rng.choice(special) if rng.random() < 0.3 else rng.uniform(-1e10, 1e10)
              for _ in range(size)]
    return [single(v) for v in values] if dtype == "float32" else values


def finite(rng, dtype, size):
    return [v if math.isfinite(v) else 1.0 for v in wild(rng, dtype, size)]


def bits(rng, dtype, size):
    """Every pattern of bits: NaNs of both signs and with payloads, too."""
    width = (BITS[dtype] if dtype in BITS else int(dtype[5:])) // 8
    few = [rng.randbytes(width) for _ in range(20)]
    ends = b"".join(b"\0" * (width - 1) + bytes([top]) for top in (0, 0x80, 0x7F, 0xFF))
    elements = ends + b"".join(
        rng.choice(few) if rng.random() < 0.3 else rng.randbytes(width) for _ in range(size))
    return Column(dtype, elements[: width * size])


def runs(rng, dtype, size):
    distinct, content = bits(rng, dtype, 9).elements(), b""
    while len(content) < size * len(distinct[0]):
        content += rng.choice(distinct) * rng.choice((1, 1, 2, 3, 40, 300))
    return Column(dtype, content[: size * len(distinct[0])])


def large(dtype):
    """Of more than one chunk."""
    return 70_001 if dtype in ("int8", "uint8") else 20_001


def sized(choices):
    """Each choice with a size of its own, and the first of each type with a large one."""
    sizes, seen = itertools.cycle(SIZES), set()
    for choice in choices:
        yield (*choice, next(sizes))
        if choice[0] not in seen:
            seen.add(choice[0])
            yield (*choice, large(choice[0]))


def reduce(rng):
    for dtype, op, size in sized(itertools.product(TYPES, "add mul min max and or xor".split())):
        if dtype in FLOATS and op in ("and", "or", "xor"):
            continue
        for make in (wild,) if dtype in RANGES else (wild, tame, around_one):
            yield {"input": Column(dtype, make(rng, dtype, size))}, {"op": op}


def scan(rng):
    kinds = ("exclusive", "inclusive")
    for dtype, op, kind, size in sized(itertools.product(TYPES, "add mul min max".split(), kinds)):
        if dtype in FLOATS and op == "mul":
            size = min(size, 1000)
        make = {"add": tame, "mul": around_one}.get(op, wild)
        yield {"input": Column(dtype, make(rng, dtype, size))}, {"op": op, "kind": kind}
    for dtype, special in itertools.product(FLOATS, (math.inf, -math.inf, math.nan)):
        values = tame(rng, dtype, 300)
        values[rng.randrange(300)] = special
        yield {"input": Column(dtype, values)}, {"kind": "inclusive"}


def compact(rng):
    for dtype, keep, size in sized(itertools.product(
            TYPES, ("nonzero", "less:2", "greater:1", "equal:0", "between:1,100", "between:3,1"))):
        values = Column(dtype, wild(rng, dtype, size))
        if dtype in FLOATS and size % 2:
            values = bits(rng, dtype, size)
        yield {"input": values}, {} if keep == "nonzero" and size % 2 else {"keep": keep}
    for dtype in FLOATS:
        for keep in ("less:inf", "greater:-inf", "between:-0.5,1e3", "equal:-0.0", "less:2.5"):
            yield {"input": Column(dtype, wild(rng, dtype, 500))}, {"keep": keep}


def radix_sort(rng):
    orders = ({}, {"order": "ascending"}, {"order": "descending"})
    for dtype, order, size in sized(itertools.product(TYPES, orders)):
        width = BITS.get(dtype) or int(dtype[5:])
        keys = bits(rng, dtype, size)
        yield {"input": keys}, {**order, "argsort": ""} if rng.random() < 0.5 else order
        low, high = sorted((rng.randrange(width + 1), rng.randrange(width + 1)))
        values = Column(rng.choice(TYPES[2:]), [rng.randrange(100) for _ in range(size)])
        yield {"input": keys, "values": values}, {**order, "bits": f"{low},{high}"}
    for dtype in TYPES[2:]:
        yield {"input": Column("uint8", [rng.randrange(5) for _ in range(300)]),
               "values": bits(rng, dtype, 300)}, {}


def run_length_encode(rng):
    types = ("int64", "int32")
    for dtype, length, size in sized(itertools.product(TYPES, types)):
        yield {"input": runs(rng, dtype, size)}, {"length-type": length}


def run_length_decode(rng):
    types = ("int64", "int32")
    choices = itertools.product(TYPES, types, ("all", "0", "7", "1000000"))
    for dtype, length, limit, size in sized(choices):
        size = min(size, 1000)
        lengths = [rng.choice((0, 0, 1, 1, 2, 5, 30, -1, -2**31, 200)) for _ in range(size)]
        yield {"input": bits(rng, dtype, size), "lengths": Column(length, lengths)}, {
            "limit": limit, **({"length-type": rng.choice(types)} if rng.random() < 0.2 else {})}


def transform(rng):
    ops = "affine abs square less less_equal equal not_equal greater_equal greater".split()
    for dtype, op, size in sized(itertools.product(TYPES, ops)):
        options = {"op": op}
        if op == "affine":
            options.update(scale=rng.choice(("1", "3", "0")), offset=rng.choice(("5", "0", "100")))
        elif op not in ("abs", "square"):
            options["constant"] = rng.choice(("1", "0", "2"))
        yield {"input": Column(dtype, wild(rng, dtype, size))}, options
    for dtype, to, size in sized(itertools.product(TYPES, ("same", *TYPES))):
        yield {"input": Column(dtype, wild(rng, dtype, size))}, {"op": "cast", "to": to}
    for dtype, size in itertools.product(FLOATS, (33, 20_001)):
        yield {"input": bits(rng, dtype, size)}, {"op": "abs"}
        options = {"scale": "0.1", "offset": "-1e-3"}
        yield {"input": Column(dtype, wild(rng, dtype, size))}, options
        options = {"op": "not_equal", "constant": "nan"}
        yield {"input": Column(dtype, wild(rng, dtype, size))}, options


def max_subarray(rng):
    for dtype, size in itertools.product(TYPES, (0, 1, 2, 7, 129, 1000, 12_345)):
        values = tame(rng, dtype, size) if size % 2 else [
            rng.choice((1, 2, 0) if dtype.startswith("u") else (-2, -1, 0, 1, 2))
            for _ in range(size)]
        if dtype.endswith("64") and dtype in RANGES:
            values = [v // 2**20 for v in values]
        yield {"input": Column(dtype, values)}, {}
    for dtype, specials in itertools.product(FLOATS, (
            [math.inf], [-math.inf], [math.nan], [math.inf, -math.inf], [math.inf] * 2, [-0.0])):
        values = tame(rng, dtype, 400)
        for special in specials:
            values[rng.randrange(400)] = special
        yield {"input": Column(dtype, values)}, {}
    for value in (-0.0, -math.inf, -5.0):
        yield {"input": Column("float32", [value] * 5)}, {}


def nested(rng, kinds, size):
    """Brackets, properly nested as numbers of kinds, with a 0 here and there."""
    text, open_ = [], []
    while len(text) + len(open_) < size:
        if open_ and rng.random() < 0.48:
            text.append(-open_.pop())
        elif rng.random() < 0.2:
            text.append(0)
        else:
            open_.append(rng.randint(1, kinds))
            text.append(open_[-1])
    return text + [-kind for kind in reversed(open_)]


def match_parens(rng):
    for kinds, size in itertools.product(("()", "()[]{}", "<>ab"), (*SIZES, 70_001)):
        numbers = nested(rng, len(kinds) // 2, size)
        # As it is, with a fault somewhere, or with brackets that are never closed.
        way = rng.randrange(4) if numbers else 0
        if way == 1:
            del numbers[rng.randrange(len(numbers)) :]
        elif way:
            numbers[rng.randrange(len(numbers))] = rng.randint(-len(kinds) // 2, len(kinds) // 2)
        text = [ord(" ") if k == 0 else ord(kinds[2 * abs(k) - 2 + (k < 0)]) for k in numbers]
        yield {"input": Column("int8", numbers)}, {"kinds": kinds}
        yield {"input": Column("uint8", text)}, {"kinds": kinds}


def look_and_say(rng):
    seeds = ([], [1], [2, 2], [3, 1, 1, 3, 3, 2, 2], [0] * 12 + [7], [9] * 120,
             [rng.randrange(10) for _ in range(500)], [rng.randrange(1, 4) for _ in range(3000)])
    parts = itertools.cycle(({}, {"length-only": ""}, {"from": "1", "count": "17"},
                             {"from": "1", "count": "all"}, {"count": "1000000"}))
    for seed, steps, counts in itertools.product(seeds, (0, 1, 2, 5, 25), ("decimal", "symbol")):
        if len(seed) > 100 and steps > 5:
            continue
        options = {"steps": str(steps), "counts": counts}
        if len(seed) > 1:
            options.update(next(parts))
        yield {"input": Column("uint8", seed)}, options


def cyclospectrum(rng):
    for dtype, as_, size in itertools.product(
            ("int32", "int64"), ("spectrum", "histogram"), (0, 1, 2, 3, 5, 33, 60)):
        most = rng.choice((2, 186, (2**31 if dtype == "int32" else 2**63) // 64 - 1))
        masses = [rng.randrange(most) for _ in range(size)]
        yield {"input": Column(dtype, masses)}, {"as": as_} if size else {}


def similar_pairs(rng):
    for dtype, dim, rows in itertools.product(
            ("int32", "int64", "float32", "float64"), (1, 20, 96), (0, 1, 17, 40)):
        if rows == 0 and dim != 96:
            continue
        values = ([rng.randrange(-3, 4) for _ in range(dim * rows)] if rng.random() < 0.7 else
                  wild(rng, dtype, dim * rows))
        if dtype in FLOATS:
            values = [v + rng.choice((0, 0.1)) for v in values]
            values = [single(v) for v in values] if dtype == "float32" else values
        half = rng.randrange(rows // 2 + 1) * dim
        values[half : 2 * half] = values[:half]
        options = {"distance2": rng.choice(("0", str(8 * dim), "0.5", "1e30")), "most": "1000"}
        if rng.random() < 0.5:
            yield {"input": Column(dtype, values)}, {**options, "dim": str(dim)}
        else:
            yield {"input": Column(dtype, values, (rows, dim))}, {**options, "dim": str(dim)}


def tensor_sketches(rng):
    for alphabet, t, dim, options in (
            ("ACGT", 4, 96, {}), ("ACGT", 2, 10, {"normalized": ""}), ("AC", 5, 7, {}),
            ("ACDEFGHIKLMNPQRSTVWY", 2, 33, {"window": "20", "stride": "7"}),
            ("ACGT", 3, 20, {"window": "30", "stride": "1", "normalized": ""}), ("A", 1, 1, {})):
        sequences = ["".join(rng.choice(alphabet + alphabet.lower() + "-") for _ in range(size))
                     for size in (0, 1, t, 29, 30, 31, 150)]
        text = "".join(f">sequence\n{s[:70]}\n{s[70:]}\n" for s in sequences)
        shape = (len(alphabet), t)
        numbers = range(len(alphabet) * t)
        yield {
            "input": Column("uint8", text.encode()),
            "hashes": Column("int32", [rng.randrange(dim) for _ in numbers], shape),
            "signs": Column("int32", [rng.choice((-1, 1)) for _ in numbers], shape),
        }, {"alphabet": alphabet, "t": str(t), "dim": str(dim), **options}


def sequence(rng):
    names = ("input", "y", "z", "w")
    for program, size in itertools.product(PROGRAMS, (1, 2, 129, 5000)):
        yield {name: Column("int32", finite(rng, "int32", size)) for name in names}, {
            "program": program}


CASES = {
    "compact": compact, "cyclospectrum": cyclospectrum, "look_and_say": look_and_say,
    "match_parens": match_parens, "max_subarray": max_subarray, "radix_sort": radix_sort,
    "reduce": reduce, "run_length_decode": run_length_decode,
    "run_length_encode": run_length_encode, "scan": scan, "sequence": sequence,
    "similar_pairs": similar_pairs, "tensor_sketch": tensor_sketches, "transform": transform,
}


def cases(algorithm):
    return CASES[algorithm](random.Random(algorithm))
