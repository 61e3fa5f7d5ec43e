# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Tensor sketches as a loop, and as a kernel made after one that was published for Numba: what
differential.md finds the faults of."""

import math

import concord
import numpy

# Letters that a block of threads has in its shared memory at a time.
THREADS = 8

SPEC = {
    "letters": concord.Values("uint8", "n", most=3),
    "starts": concord.Offsets("n", parts="sequences"),
    "hashes": concord.Values("int32", 4, "t", least=0, most=7),
    "signs": concord.Values("int32", 4, "t", least=-1, most=1),
    "t": [1, 2, 4],
    "dim": [8, 13],
    "normalized": [False, True],
}


def sketch(letters, starts, hashes, signs, *, t, dim, normalized):
    """The reference: the loop of the definition, a row for each sequence."""
    rows = []
    for start, end in zip(starts[:-1], starts[1:]):
        table = [[0] * dim for _ in range(t + 1)]
        table[0][0] = 1
        for letter in letters[start:end]:
            for k in reversed(range(t)):
                for place in range(dim):
                    table[k + 1][place] += int(signs[letter][k]) * table[k][
                        (place - int(hashes[letter][k])) % dim]
        words = max(1, math.comb(int(end - start), t)) if normalized else 1
        rows.append([value / words if normalized else value for value in table[t]])
    return numpy.array(rows, numpy.float64 if normalized else numpy.int64).reshape(-1, dim)


def _block(letters, hashes, signs, t, dim, leftover):
    """One block, for one sequence: a thread for each column and level, two tables that take
    turns."""
    tables = numpy.zeros((2, t + 1, dim), numpy.int64)
    tables[:, 0, 0] = 1
    columns = numpy.arange(dim)
    turn = 0
    pieces = -(-len(letters) // THREADS) if leftover else len(letters) // THREADS
    for piece in range(pieces):
        for letter in letters[piece * THREADS:(piece + 1) * THREADS]:
            before, after = tables[turn], tables[1 - turn]
            for k in range(t):
                shifted = before[k, (columns - hashes[letter, k]) % dim]
                after[k + 1] = before[k + 1] + signs[letter, k] * shifted
            turn = 1 - turn
    return tables[turn, t]


def _grid(letters, starts, hashes, signs, t, dim, normalized, *, leftover=True, common=False,
          reciprocal=False):
    """A block for each sequence."""
    out = numpy.zeros((len(starts) - 1, dim), numpy.float64 if normalized else numpy.int64)
    for row, start in enumerate(starts[:-1]):
        length = starts[1] - starts[0] if common else starts[row + 1] - start
        sums = _block(letters[start:start + length], hashes, signs, t, dim, leftover)
        words = max(1, math.comb(int(length), t))
        if not normalized:
            out[row] = sums
        elif reciprocal:
            out[row] = sums * (1 / words)
        else:
            out[row] = sums / words
    return out


def right(letters, starts, hashes, signs, *, t, dim, normalized):
    """The kernel without a fault."""
    return _grid(letters, starts, hashes, signs, t, dim, normalized)


def skips_letters(letters, starts, hashes, signs, *, t, dim, normalized):
    """What is left of a sequence behind the last full piece is not counted."""
    return _grid(letters, starts, hashes, signs, t, dim, normalized, leftover=False)


def one_length(letters, starts, hashes, signs, *, t, dim, normalized):
    """Every sequence has the length of the first."""
    return _grid(letters, starts, hashes, signs, t, dim, normalized, common=True)


def rounds_twice(letters, starts, hashes, signs, *, t, dim, normalized):
    """The reciprocal is rounded, and then the product."""
    return _grid(letters, starts, hashes, signs, t, dim, normalized, reciprocal=True)
