# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What programs of `sequence` give, each as a few words of Python: `PROGRAMS`."""

import collections
import itertools
import math

from arithmetic import wrap


def totals(pairs):
    """(key, value) added up by key, ascending."""
    sums = collections.defaultdict(int)
    for key, value in pairs:
        sums[key] += value
    return [list(part) for part in zip(*sorted(sums.items()))] or [[], []]


# What each program makes of columns x, y, z and w, lists of int32: types and values.
# testing/independent/sequence_test.py has functions and operators of all types.
PROGRAMS = {
    "map 2 * x + 1": lambda x, y, *_: [("int32", [wrap("int32", 2 * v + 1) for v in x])],
    "filter x % 3 == 1": lambda x, y, *_: [("int32", [v for v in x if math.fmod(v, 3) == 1])],
    "zip x y |> filter x < y": lambda x, y, *_: [
        ("int32", [p for p, q in zip(x, y) if p < q]),
        ("int32", [q for p, q in zip(x, y) if p < q])],
    "scan a + b": lambda x, y, *_: [
        ("int32", [wrap("int32", v) for v in itertools.accumulate(x)])],
    "scan_before max(a, b) from 0": lambda x, y, *_: [
        ("int32", list(itertools.accumulate(x, max, initial=0))[: len(x)])],
    "reduce a ^ b from 5": lambda x, y, *_: [
        ("int32", list(itertools.accumulate(x, lambda a, b: a ^ b, initial=5))[-1:])],
    "zip x y |> sort_by x & 7": lambda x, y, *_: [
        ("int32", part) for part in map(list, zip(*sorted(zip(x, y), key=lambda p: p[0] & 7))
                                        if x else ([], []))],
    "histogram x & 15": lambda x, y, *_: [
        (t, part) for t, part in zip(("int32", "int64"), totals((v & 15, 1) for v in x))],
    "zip x y |> group_reduce (x & 31, int64(y)) by a + b": lambda x, y, *_: [
        (t, part) for t, part in zip(("int32", "int64"),
                                     totals((p & 31, q) for p, q in zip(x, y)))],
    "concat x y |> slice 3, 50": lambda x, y, *_: [("int32", (x + y)[3:53])],
    "tabulate i * i, 100": lambda x, y, *_: [("int64", [i * i for i in range(100)])],
    "zip w x z y": lambda x, y, z, w: [("int32", part) for part in (w, x, z, y)],
    "filter x > 0 |> count": lambda x, y, *_: [("int64", [sum(v > 0 for v in x)])],
}
