# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What each algorithm gives, by the definition in its README and by nothing else.

`ORACLES[algorithm](inputs, options, variant)` takes the inputs by the options
that name their files, each a `Column`, and returns the outputs in the same way.
Options are text, as on the command line. Speed does not matter here: an oracle
is the shortest program that says what the README says. No line of it comes from
an implementation, and no two of them share more than arithmetic.
"""

import collections
import itertools
import math
from fractions import Fraction

import tensor_sketch
from arithmetic import RANGES, least, single, to_float, to_integer, wrap
from column import FLOATS, Column
from programs import PROGRAMS

ROW = {"float32": 128, "float64": 64}  # Elements in 512 bytes.
UNIT = {"float32": Fraction(1, 2**24), "float64": Fraction(1, 2**53)}


def rounded(dtype, value):
    """As the type holds the result of an operation."""
    if dtype in RANGES:
        return wrap(dtype, value)
    return single(value) if dtype == "float32" else value


def greatest(x, y):
    return -least(-x, -y)


OPERATORS = {
    "add": lambda x, y: x + y, "mul": lambda x, y: x * y, "min": least, "max": greatest,
    "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
}


def operator(dtype, name):
    """The operator, and what it gives of nothing."""
    low, high = RANGES.get(dtype, (-math.inf, math.inf))
    identity = {"add": 0, "mul": 1, "min": high, "max": low, "or": 0, "xor": 0}.get(name)
    if name == "and":
        identity = wrap(dtype, -1)
    return lambda x, y: rounded(dtype, OPERATORS[name](x, y)), identity


def halved(op, values):
    while len(values) > 1:
        half = len(values) // 2
        values = [op(values[j], values[j + half]) for j in range(half)]
    return values[0]


def tree(op, missing, lanes, values):
    """The sum of floats, or the product, in the order that `reduce` defines."""
    def segment(part):
        part = part + [missing] * (32 * lanes - len(part))
        sums = part[:lanes]
        for row in range(1, 32):
            sums = [op(sums[j], part[row * lanes + j]) for j in range(lanes)]
        return halved(op, sums)

    def chunk(part):
        segments = [segment(part[32 * lanes * k : 32 * lanes * (k + 1)]) for k in range(16)]
        return halved(op, segments)

    length = 16 * 32 * lanes
    while True:
        values = [chunk(values[k : k + length]) for k in range(0, len(values), length)]
        if len(values) == 1:
            return values[0]


def reduce(inputs, options, _):
    values, dtype, name = inputs["input"].values(), inputs["input"].dtype, options.get("op", "add")
    op, result = operator(dtype, name)
    if dtype in FLOATS and name in ("add", "mul") and values:
        result = tree(op, -0.0 if name == "add" else 1.0, ROW[dtype], values)
    else:
        for x in values:
            result = op(result, x)
    return {"output": Column(dtype, [result])}


def nodes_before(op, empty, values):
    """Exclusive prefixes in the fixed order: of position i, the nodes are the bits of i."""
    totals = [values]
    while len(totals[-1]) > 1:
        below = totals[-1]
        totals.append([op(below[k], below[k + 1]) for k in range(0, len(below) - 1, 2)])
    for i in range(len(values)):
        prefix, first = empty, 0
        for k in reversed(range(i.bit_length())):
            if i >> k & 1:
                prefix = op(prefix, totals[k][first >> k])
                first += 1 << k
        yield prefix


def scan(inputs, options, variant):
    values, dtype, name = inputs["input"].values(), inputs["input"].dtype, options.get("op", "add")
    op, empty = operator(dtype, name)
    inclusive = options.get("kind") == "inclusive"
    ordered = dtype in FLOATS and name in ("add", "mul")
    before = (nodes_before(op, empty, values) if ordered and variant == "fixed_order" else
              itertools.accumulate(values, op, initial=empty))
    results = [op(prefix, x) if inclusive else prefix for prefix, x in zip(before, values)]
    if not ordered:
        return {"output": Column(dtype, results)}
    errors = None
    if variant not in ("reference", "fixed_order"):
        amounts = [abs(Fraction(x)) if math.isfinite(x) else Fraction(0) for x in values]
        start = Fraction(0 if name == "add" else 1)
        of = list(itertools.accumulate(amounts, OPERATORS[name], initial=start))
        # (1 + u)^m - 1 < 2 m u here, and both sums may be so far from the exact one.
        errors = [4 * (k + 1) * UNIT[dtype] * of[k + inclusive] for k in range(len(values))]
    return {"output": Column(dtype, results, errors=errors, zero_sign=False)}


def predicate(dtype, text):
    name, _, constants = text.partition(":")
    if dtype in FLOATS:
        bounds = [to_float(dtype, float(c)) for c in constants.split(",") if c]
    else:
        bounds = [int(c) for c in constants.split(",") if c]
    return {"nonzero": lambda x: x != 0, "less": lambda x: x < bounds[0],
            "greater": lambda x: x > bounds[0], "equal": lambda x: x == bounds[0],
            "between": lambda x: bounds[0] <= x <= bounds[1]}[name]


def compact(inputs, options, _):
    column = inputs["input"]
    keep = predicate(column.dtype, options.get("keep", "nonzero"))
    flags = [keep(x) for x in column.values()]
    elements = column.elements()
    return {
        "output": Column(column.dtype, b"".join(itertools.compress(elements, flags))),
        "output-indices": Column("int64", [i for i, kept in enumerate(flags) if kept]),
        "output-rejected": Column(
            column.dtype, b"".join(e for e, kept in zip(elements, flags) if not kept)),
    }


def radix_sort(inputs, options, _):
    keys, descending = inputs["input"], options.get("order") == "descending"
    bits = 8 * keys.size
    low, high = map(int, options.get("bits", f"0,{bits}").split(","))

    def rank(element):
        key = int.from_bytes(element, "little")
        if keys.dtype in FLOATS and key >> (bits - 1):
            key ^= (1 << bits) - 1
        elif keys.dtype in FLOATS or keys.dtype.startswith("int"):
            key ^= 1 << (bits - 1)
        if descending:
            key ^= (1 << bits) - 1
        return key % (1 << high) >> low

    elements = keys.elements()
    order = sorted(range(len(elements)), key=lambda i: rank(elements[i]))
    outputs = {"output": Column(keys.dtype, b"".join(elements[i] for i in order))}
    if "argsort" in options:
        outputs["output-values"] = Column("int64", order)
    elif "values" in inputs:
        values = inputs["values"].elements()
        outputs["output-values"] = Column(
            inputs["values"].dtype, b"".join(values[i] for i in order))
    return outputs


def run_length_encode(inputs, options, _):
    column = inputs["input"]
    runs = [(bits, len(list(run))) for bits, run in itertools.groupby(column.elements())]
    return {"output": Column(column.dtype, b"".join(bits for bits, _ in runs)),
            "output-lengths": Column(options.get("length-type", "int64"), [n for _, n in runs])}


def run_length_decode(inputs, options, _):
    column, lengths = inputs["input"], inputs["lengths"].values()
    elements = [e for e, n in zip(column.elements(), lengths) for _ in range(n)]
    limit = options.get("limit", "all")
    return {"output": Column(
        column.dtype, b"".join(elements if limit == "all" else elements[: int(limit)]))}


def transform(inputs, options, _):
    column, name = inputs["input"], options.get("op", "affine")
    dtype, values = column.dtype, column.values()

    def number(option, default):
        text = options.get(option, default)
        return int(text) if dtype in RANGES else to_float(dtype, float(text))

    if name == "cast":
        to = options.get("to", "same")
        if to in ("same", dtype):
            return {"output": column}
        if to in FLOATS:
            return {"output": Column(to, [to_float(to, x) for x in values])}
        cast = to_integer if dtype in FLOATS else wrap
        return {"output": Column(to, [cast(to, x) for x in values])}
    if name == "abs" and dtype in FLOATS:
        return {"output": Column(dtype, b"".join(
            e[:-1] + bytes([e[-1] & 0x7F]) for e in column.elements()))}
    constant = number("constant", "0")
    compared = {"less": lambda x: x < constant, "less_equal": lambda x: x <= constant,
                "equal": lambda x: x == constant, "not_equal": lambda x: x != constant,
                "greater_equal": lambda x: x >= constant, "greater": lambda x: x > constant}
    if name in compared:
        return {"output": Column("uint8", [int(compared[name](x)) for x in values])}
    scale, offset = number("scale", "1"), number("offset", "0")
    made = {"affine": lambda x: rounded(dtype, rounded(dtype, x * scale) + offset),
            "abs": lambda x: rounded(dtype, abs(x)), "square": lambda x: rounded(dtype, x * x)}
    return {"output": Column(dtype, [made[name](x) for x in values])}


# A stretch as max_subarray's tree knows it: its sum, and the largest sums of a
# prefix, of a suffix and of a run, each as (sum, first, last) of places.
def largest(*runs):
    """Of the largest sums the one that begins first, and of those that ends first."""
    return min(runs, key=lambda run: (-run[0], run[1], run[2]))


def leaf(values, first):
    """Kadane's loop, which begins anew where what it has is negative."""
    total, prefix, ending, best = (0, first, first), (-math.inf,), None, None
    for i, x in enumerate(values, first):
        total = (total[0] + x, first, i + 1)
        prefix = total if i == first or total[0] > prefix[0] else prefix
        ending = ((x, i, i + 1) if ending is None or ending[0] < 0 else
                  (ending[0] + x, ending[1], i + 1))
        best = ending if best is None or ending[0] > best[0] else best
    return total, prefix, ending, best


def joined(a, b):
    return ((a[0][0] + b[0][0], a[0][1], b[0][2]),
            largest(a[1], (a[0][0] + b[1][0], a[0][1], b[1][2])),
            largest(b[2], (b[0][0] + a[2][0], a[2][1], b[0][2])),
            largest(a[3], (a[2][0] + b[1][0], a[2][1], b[1][2]), b[3]))


def max_subarray(inputs, _, __):
    column = inputs["input"]
    values = column.values()
    dtype = "float64" if column.dtype in FLOATS else column.dtype.rstrip("0123456789") + "64"
    infinite = {x for x in values if math.isinf(x)}
    if not values:
        return {"output": Column(dtype, [RANGES.get(dtype, (-math.inf,))[0], 0, 0])}
    if any(math.isnan(x) for x in values) or len(infinite) == 2:
        return {"output": Column(dtype, [math.nan, 0, len(values)])}
    # Leaves of 512 bytes, then neighbours in pairs.
    row = ROW.get(column.dtype, 128)
    parts = [leaf(values[k : k + row], k) for k in range(0, len(values), row)]
    while len(parts) > 1:
        pairs = [joined(a, b) for a, b in zip(parts[::2], parts[1::2])]
        parts = pairs + parts[len(parts) & ~1 :]
    return {"output": Column(dtype, [v + 0 for v in parts[0][3]])}


def match_parens(inputs, options, _):
    kinds = options.get("kinds", "()").encode()
    column, open_ = inputs["input"], []
    opening, closing = kinds[::2], kinds[1::2]
    for i, x in enumerate(column.values()):
        if column.dtype == "int8":
            kind, opens = abs(x) - 1, x > 0
            if x == 0:
                continue
        elif x in kinds:
            opens = x in opening
            kind = (opening if opens else closing).index(x)
        else:
            continue
        if opens:
            open_.append((i, kind))
        elif not open_ or open_.pop()[1] != kind:
            return {"output": Column("int64", [i])}
    return {"output": Column("int64", [open_[0][0] if open_ else -1])}


def look_and_say(inputs, options, _):
    digits = inputs["input"].values()
    for _ in range(int(options.get("steps", "1"))):
        said = []
        for digit, run in itertools.groupby(digits):
            count = len(list(run))
            said += [count] if options.get("counts") == "symbol" else map(int, str(count))
            said.append(digit)
        # The two that stay what they are do so by themselves.
        digits = said
    if "length-only" in options:
        return {"output": Column("int64", [len(digits)])}
    first, count = int(options.get("from", "0")), options.get("count", "all")
    last = len(digits) if count == "all" else first + int(count)
    return {"output": Column("uint8", digits[first:last])}


def cyclospectrum(inputs, options, _):
    column = inputs["input"]
    masses, n = column.values(), len(column.values())
    spectrum = sorted([0, sum(masses)] + [
        sum(itertools.islice(itertools.cycle(masses), first, first + length))
        for length in range(1, n) for first in range(n)])
    if options.get("as") != "histogram":
        return {"output": Column(column.dtype, spectrum)}
    counts = sorted(collections.Counter(spectrum).items())
    return {"output": Column("int64", [v for pair in counts for v in pair], (len(counts), 2))}


def tensor_sketches(inputs, options, _):
    """Counts each word by itself: tensor_sketch.py, a program of its own."""
    t, dim = int(options.get("t", "4")), int(options.get("dim", "96"))
    alphabet = options.get("alphabet", "ACGT")
    tables = [[inputs[name].values()[t * k : t * (k + 1)] for k in range(len(alphabet))]
              for name in ("hashes", "signs")]
    rows = []
    for sequence in bytes(inputs["input"].values()).decode().split(">")[1:]:
        letters = [alphabet.index(x) for x in sequence.split("\n", 1)[1].upper() if x in alphabet]
        parts = [letters]
        if int(options.get("window", "0")):
            parts = tensor_sketch.windows(
                letters, int(options["window"]), int(options.get("stride", "1")))
        rows += [tensor_sketch.sketch(part, len(alphabet), t, dim, *tables,
                                      "normalized" in options) for part in parts]
    values = [v for row in rows for v in row]
    if "normalized" not in options:
        return {"output": Column("int64", values, (len(rows), dim))}
    return {"output": Column("float64", values, (len(rows), dim), zero_sign=False,
                             errors=[1e-11 * (1 + abs(Fraction(v))) for v in values])}


def similar_pairs(inputs, options, _):
    column, values = inputs["input"], inputs["input"].values()
    dim = column.shape[1] if len(column.shape) == 2 else int(options.get("dim", "96"))
    rows = [values[k : k + dim] for k in range(0, len(values), dim)]
    limit = Fraction(options.get("distance2", "0"))
    pairs, distances = [], []
    for (i, a), (j, b) in itertools.combinations(enumerate(rows), 2):
        total = 0.0 if column.dtype in FLOATS else 0
        for x, y in zip(a, b):
            difference = x - y
            total += difference * difference
        if math.isfinite(total) and total <= limit:
            pairs += [i, j]
            distances.append(float(total))
    return {"output": Column("int64", pairs, (len(distances), 2)),
            "output-distances": Column("float64", distances)}


def sequence(inputs, options, _):
    columns = [inputs[name].values() for name in ("input", "y", "z", "w")]
    results = PROGRAMS[options["program"]](*columns)
    names = ("output", "output-y", "output-z", "output-w")
    return {name: Column(*result) for name, result in zip(names, results)}


ORACLES = {
    "compact": compact, "cyclospectrum": cyclospectrum, "look_and_say": look_and_say,
    "match_parens": match_parens, "max_subarray": max_subarray, "radix_sort": radix_sort,
    "reduce": reduce, "run_length_decode": run_length_decode,
    "run_length_encode": run_length_encode, "scan": scan, "sequence": sequence,
    "similar_pairs": similar_pairs, "tensor_sketch": tensor_sketches, "transform": transform,
}
