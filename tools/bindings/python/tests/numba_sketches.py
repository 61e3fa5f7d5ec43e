# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The kernel of sketches.py, right and with its faults, for a GPU by Numba: a block for each
sequence, with two tables that take turns in its shared memory, whose cells its threads share
out."""

import numba
import numpy
from numba import cuda

import sketches

# Letters that a block has in its shared memory at a time.
PIECE = sketches.THREADS
# Of a block. The simulator has them take turns, which takes most of its time.
THREADS = 2 if numba.config.ENABLE_CUDASIM else 32
LEVELS = max(sketches.SPEC["t"]) + 1
COLUMNS = max(sketches.SPEC["dim"])


@cuda.jit(device=True)
def _words(length, t):
    """How many words of t letters so many letters have, at least one."""
    words = 1
    for i in range(t):
        words = words * (length - i) // (i + 1)
    return max(1, words)


def _kernel(leftover=True, common=False, reciprocal=False):
    """One that is compiled with these faults."""

    @cuda.jit
    def gpu_sketch(letters, starts, hashes, signs, normalized, out):
        thread, threads, row = cuda.threadIdx.x, cuda.blockDim.x, cuda.blockIdx.x
        t, dim = hashes.shape[1], out.shape[1]
        tables = cuda.shared.array((2, LEVELS, COLUMNS), numba.int64)
        piece = cuda.shared.array(PIECE, numba.uint8)
        for turn in range(2):
            for cell in range(thread, (t + 1) * dim, threads):
                tables[turn, cell // dim, cell % dim] = 1 if cell == 0 else 0

        start = starts[row]
        length = starts[1] - starts[0] if common else starts[row + 1] - start
        end = min(start + length, letters.size)
        if not leftover:
            end = start + (end - start) // PIECE * PIECE
        turn = 0
        for first in range(start, end, PIECE):
            count = min(PIECE, end - first)
            for i in range(thread, count, threads):
                piece[i] = letters[first + i]
            cuda.syncthreads()
            for i in range(count):
                letter = piece[i]
                for cell in range(thread, t * dim, threads):
                    k, column = cell // dim, cell % dim
                    shifted = tables[turn, k, (column - hashes[letter, k]) % dim]
                    tables[1 - turn, k + 1, column] = (
                        tables[turn, k + 1, column] + signs[letter, k] * shifted)
                turn = 1 - turn
                cuda.syncthreads()

        cuda.syncthreads()
        for column in range(thread, dim, threads):
            sums = tables[turn, t, column]
            if not normalized:
                out[row, column] = sums
            elif reciprocal:
                out[row, column] = sums * (1 / _words(length, t))
            else:
                out[row, column] = sums / _words(length, t)

    return gpu_sketch


_RIGHT = _kernel()
_SKIPS_LETTERS = _kernel(leftover=False)
_ONE_LENGTH = _kernel(common=True)
_ROUNDS_TWICE = _kernel(reciprocal=True)


def _launch(kernel, arrays, dim, normalized):
    """The result stays on the GPU."""
    blocks = len(arrays[1]) - 1
    out = cuda.device_array((blocks, dim), numpy.float64 if normalized else numpy.int64)
    if blocks > 0:
        kernel[blocks, THREADS](*map(cuda.to_device, arrays), normalized, out)
    return out


def right(*arrays, t, dim, normalized):
    """The kernel without a fault."""
    return _launch(_RIGHT, arrays, dim, normalized)


def skips_letters(*arrays, t, dim, normalized):
    """What is left of a sequence behind the last full piece is not counted."""
    return _launch(_SKIPS_LETTERS, arrays, dim, normalized)


def one_length(*arrays, t, dim, normalized):
    """Every sequence has the length of the first."""
    return _launch(_ONE_LENGTH, arrays, dim, normalized)


def rounds_twice(*arrays, t, dim, normalized):
    """The reciprocal is rounded, and then the product."""
    return _launch(_ROUNDS_TWICE, arrays, dim, normalized)
