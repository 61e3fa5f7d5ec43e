#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Tensor sketches in a way that shares nothing with Concord.

Every word of t letters is counted by itself: its occurrences as a subsequence
are followed letter by letter through the sequence, in Python's integers of any
size. The counts are hashed, and at the very end reduced modulo 2^64 or, when
normalized, divided by the number of subsequences. Slow, and as plain as can be.
Only the standard library is used.

    tensor_sketch.py SEQUENCES.fa --hashes=H.npy --signs=S.npy \\
        [--alphabet=ACGT] [--t=4] [--dim=96] [--normalized] [--window=W --stride=S]

prints one line of `dim` numbers for each sequence of a plain FASTA file, or for
each of its windows.
"""

import argparse
import ast
import itertools
import math
import struct


def read_fasta(path, alphabet):
    """The sequences as lists of letter numbers, without any other letters."""
    number = {letter: i for i, letter in enumerate(alphabet.upper())}
    sequences = []
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith(">"):
                sequences.append([])
            else:
                sequences[-1] += [number[x] for x in line.strip().upper() if x in number]
    return sequences


def read_table(path):
    """The rows of a two-dimensional .npy file of int32 in C order."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:6] != b"\x93NUMPY":
        raise ValueError(f"{path} is not a .npy file")
    if content[6] == 1:
        begin, (length,) = 10, struct.unpack("<H", content[8:10])
    else:
        begin, (length,) = 12, struct.unpack("<I", content[8:12])
    header = ast.literal_eval(content[begin : begin + length].decode("latin1"))
    if header["descr"] != "<i4" or header["fortran_order"]:
        raise ValueError(f"{path} is not int32 in C order")
    rows, columns = header["shape"]
    values = struct.unpack(f"<{rows * columns}i", content[begin + length :])
    return [values[row * columns : (row + 1) * columns] for row in range(rows)]


def occurrences(word, sequence):
    """How many subsequences of `sequence` spell `word`."""
    # ways[i]: in how many ways the letters so far end at or before place i.
    ways = [1] * (len(sequence) + 1)
    for letter in word:
        ending = [w if s == letter else 0 for w, s in zip(ways, sequence)]
        ways = [0] + list(itertools.accumulate(ending))
    return ways[-1]


def windows(sequence, width, stride):
    """Those that are complete, or the whole of a shorter sequence."""
    if len(sequence) < width:
        return [sequence]
    return [sequence[i : i + width] for i in range(0, len(sequence) - width + 1, stride)]


def sketch(sequence, letters, t, dim, hashes, signs, normalized):
    sums = [0] * dim
    for word in itertools.product(range(letters), repeat=t):
        place = sum(hashes[letter][k] for k, letter in enumerate(word)) % dim
        sign = 1
        for k, letter in enumerate(word):
            sign *= signs[letter][k]
        sums[place] += sign * occurrences(word, sequence)
    if normalized:
        subsequences = max(1, math.comb(len(sequence), t))
        # A quotient of integers of any size is rounded once.
        return [value / subsequences for value in sums]
    # As a signed 64-bit integer holds it.
    return [(value + 2**63) % 2**64 - 2**63 for value in sums]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sequences")
    parser.add_argument("--hashes", required=True)
    parser.add_argument("--signs", required=True)
    parser.add_argument("--alphabet", default="ACGT")
    parser.add_argument("--t", type=int, default=4)
    parser.add_argument("--dim", type=int, default=96)
    parser.add_argument("--normalized", action="store_true")
    parser.add_argument("--window", type=int, default=0)
    parser.add_argument("--stride", type=int, default=1)
    arguments = parser.parse_args()
    hashes = read_table(arguments.hashes)
    signs = read_table(arguments.signs)
    for sequence in read_fasta(arguments.sequences, arguments.alphabet):
        parts = [sequence]
        if arguments.window > 0:
            parts = windows(sequence, arguments.window, arguments.stride)
        for part in parts:
            print(
                *sketch(part, len(arguments.alphabet), arguments.t, arguments.dim, hashes, signs,
                        arguments.normalized)
            )


if __name__ == "__main__":
    main()
