# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Every implementation that can run here, on every element type that it takes, against NumPy or
a plain loop of Python's."""

import concord
import itertools
import numpy
import pytest

SIZES = (0, 1, 10, 3001)


def elements(dtype, size):
    """A few small values, so that nothing overflows and every sum is exact."""
    dtype = numpy.dtype(dtype)
    low = 0 if dtype.kind == "u" else -3
    return numpy.random.default_rng(size + dtype.num).integers(low, 4, size).astype(dtype)


def runs_of(values):
    return [(key, len(list(group))) for key, group in itertools.groupby(values.tolist())]


def compact(dtype, size, **where):
    x = elements(dtype, size)
    got = concord.compact(x, keep="greater:1", output_indices=True, output_rejected=True, **where)
    yield got.out, x[x > 1]
    yield got.indices, numpy.flatnonzero(x > 1)
    yield got.rejected, x[~(x > 1)]


def cyclospectrum(dtype, size, **where):
    x = abs(elements(dtype, min(size, 60))) + 1
    n = len(x)
    twice = numpy.concatenate([x, x])
    pieces = [twice[i:i + length].sum() for i in range(n) for length in range(1, n)]
    masses = sorted([0, x.sum(), *pieces])
    yield concord.cyclospectrum(x, **where), numpy.array(masses, dtype)
    got = concord.cyclospectrum(x, as_="histogram", **where)
    distinct, counts = numpy.unique(masses, return_counts=True)
    yield got.out, distinct.astype(dtype)
    yield got.counts, counts


def look_and_say(dtype, size, **where):
    x = elements(dtype, min(size, 100)) % 10
    said = [digit for value, length in runs_of(x) for digit in (length, value)]
    yield concord.look_and_say(x, counts="symbol", **where), numpy.array(said, dtype)


def match_parens(dtype, size, **where):
    # Bytes of a text, or numbers of kinds.
    opening, closing = (1, -1) if dtype == "int8" else b"()"
    text = numpy.array([opening, closing] * size + [opening, opening, closing], dtype)
    yield concord.match_parens(text[:2 * size], **where), numpy.int64(-1)
    yield concord.match_parens(text, **where), numpy.int64(2 * size)


def max_subarray(dtype, size, **where):
    x = elements(dtype, size)
    best = total = 0
    for value in x.tolist():
        total = max(total + value, 0)
        best = max(best, total)
    got = concord.max_subarray(x, **where)
    if size and x.max() > 0:
        assert got.sum == best
        assert x[slice(*got.run)].sum() == best
    assert got.run.dtype == numpy.int64
    yield got.run.shape, (2,)


def radix_sort(dtype, size, **where):
    x = elements(dtype, size)
    order = numpy.argsort(x, kind="stable")
    got = concord.radix_sort(x, argsort=True, **where)
    yield concord.radix_sort(x, **where), x[order]
    yield got.out, x[order]
    yield got.values, order
    yield concord.radix_sort(x, numpy.arange(size), **where).values, order


def reduce(dtype, size, **where):
    x = elements(dtype, size)
    yield concord.reduce(x, **where), x.sum(dtype=dtype)
    if size:
        yield concord.reduce(x, op="max", **where), x.max()


def run_length_decode(dtype, size, **where):
    x = elements(dtype, size)
    lengths = numpy.arange(size) % 3
    yield concord.run_length_decode(x, lengths, **where), x.repeat(lengths)
    limited = concord.run_length_decode(x, lengths.astype(numpy.int32), limit=5, **where)
    yield limited, x.repeat(lengths)[:5]


def run_length_encode(dtype, size, **where):
    x = elements(dtype, size)
    got = concord.run_length_encode(x, **where)
    yield got.values, numpy.array([value for value, _ in runs_of(x)], dtype)
    yield got.lengths, numpy.array([length for _, length in runs_of(x)], numpy.int64)


def scan(dtype, size, **where):
    x = elements(dtype, size)
    sums = numpy.cumsum(x, dtype=dtype)
    yield concord.scan(x, kind="inclusive", **where), sums
    yield concord.scan(x, **where), (sums - x).astype(dtype)


def sequence(dtype, size, **where):
    x = elements(dtype, size)
    yield concord.sequence("map x * x |> filter x > 1", x, **where), (x * x)[x * x > 1]
    yield concord.sequence("x", x, **where), x


def similar_pairs(dtype, size, **where):
    x = abs(elements(dtype, 3 * min(size, 40))).reshape(-1, 3)
    apart = ((x[:, None].astype(float) - x[None].astype(float)) ** 2).sum(axis=2)
    pairs = numpy.argwhere(numpy.triu(apart <= 2, k=1))
    yield concord.similar_pairs(x, distance2=2, dim=3, **where), pairs
    got = concord.similar_pairs(x, distance2=2, dim=3, output_distances=True, **where)
    yield got.pairs, pairs
    yield got.distances, apart[tuple(pairs.T)]


def tensor_sketch(dtype, size, **where):
    letters = numpy.arange(size, dtype=dtype) % 4
    offsets = numpy.array([0, len(letters)])
    hashes = numpy.zeros((4, 1), numpy.int32)
    signs = numpy.ones((4, 1), numpy.int32)
    # Words of one letter, each with the hash 0: a count of all letters.
    got = concord.tensor_sketch(letters, offsets, hashes, signs, t=1, dim=2, **where)
    yield got, numpy.array([[len(letters), 0]])


def transform(dtype, size, **where):
    x = elements(dtype, size)
    yield concord.transform(x, op="square", **where), x * x
    yield concord.transform(x, op="less", constant=1, **where), (x < 1).astype(numpy.uint8)
    yield concord.transform(x, op="cast", to="float64", **where), x.astype(numpy.float64)


CASES = {case.__name__: case for case in (
    compact, cyclospectrum, look_and_say, match_parens, max_subarray, radix_sort, reduce,
    run_length_decode, run_length_encode, scan, sequence, similar_pairs, tensor_sketch,
    transform)}


def calls():
    """Implementation, backend, variant and element type."""
    for entry in concord.implementations():
        if entry["available"] and entry["backend"] in ("serial", "tbb"):
            types = concord.describe(entry["algorithm"])["inputs"][0]["element_types"]
            allowed = entry["contract"]["element_types"]
            yield from (pytest.param(entry, dtype, id=f"{entry['implementation']}-{dtype}")
                        for dtype in types if not allowed or dtype in allowed)


@pytest.mark.parametrize("entry,dtype", calls())
def test_implementation_gives_what_numpy_gives(entry, dtype):
    for size in SIZES:
        compared = 0
        for got, wanted in CASES[entry["algorithm"]](dtype, size, backend=entry["backend"],
                                                     variant=entry["variant"]):
            numpy.testing.assert_array_equal(got, wanted, strict=True)
            compared += 1
        assert compared > 0


def test_every_algorithm_has_a_case():
    assert {entry["algorithm"] for entry in concord.describe()} == CASES.keys()


def test_every_algorithm_has_a_function_that_is_exported():
    for entry in concord.describe():
        assert entry["algorithm"] in concord.__all__
        assert getattr(concord, entry["algorithm"]).__module__ == "concord"
