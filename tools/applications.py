#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the five applications on real or easily described inputs, each by every
implementation that can run here, and shows how they compare in one table.

usage: applications.py CONCORD GENOME

CONCORD is the command line, GENOME a FASTA file, plain or gzip.
"""

import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

# 80 columns.
ROW = "{:<13}  {:<28}  {:>8}  {:<16}  {:>7}"


def read_letters(path):
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with (gzip.open if packed else open)(path, "rb") as file:
        return b"".join(line.strip() for line in file if not line.startswith(b">"))


def skew_of(letters):
    """+1 for G, -1 for C, 0 for A and T, nothing for other letters."""
    others = bytes(set(range(256)) - set(b"ACGT"))
    kept = letters.upper().translate(None, delete=others)
    return kept.translate(bytes.maketrans(b"ACGT", b"\0\xff\1\0"))


def int8_npy(values):
    """The bytes of a one-dimensional .npy file of signed bytes."""
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values


def inputs(folder, genome):
    """Algorithm, what its input is, the arguments of `compare`."""
    # Its largest run is where G outweighs C most.
    (folder / "skew.npy").write_bytes(int8_npy(skew_of(read_letters(genome))))
    depth = 1 << 20
    (folder / "brackets.txt").write_text("(" * depth + ")" * depth, encoding="ascii")
    (folder / "digits.txt").write_text("1113122113\n", encoding="ascii")
    (folder / "peptide.txt").write_text("LEQN" * 150 + "\n", encoding="ascii")
    return [
        ("tensor_sketch", "a genome in windows of 3500", [genome, "--window=3500", "--stride=3500"]),
        ("look_and_say", "1113122113, 50 steps", [folder / "digits.txt", "--steps=50"]),
        ("cyclospectrum", "LEQN, 150 times", [folder / "peptide.txt"]),
        ("max_subarray", "GC skew along the genome", [folder / "skew.npy"]),
        ("match_parens", "brackets 2^20 deep", [folder / "brackets.txt"]),
    ]


def time_text(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            break
    return f"{seconds * factor:.3g} {unit}"


def compare(concord, algorithm, arguments):
    """The rows that ran, and whether all of them agreed."""
    path, *options = arguments
    result = subprocess.run(
        [concord, "compare", algorithm, f"--input={path}", "--repetitions=5", "--json", *options],
        stdout=subprocess.PIPE, check=False)
    # Without a table, its line on standard error says why.
    if result.returncode not in (0, 1) or not result.stdout:
        raise SystemExit(result.returncode)
    rows = json.loads(result.stdout)["rows"]
    return [row for row in rows if row["status"] != "skipped"], result.returncode == 0


def main(concord, genome):
    print(ROW.format("APPLICATION", "INPUT", "SERIAL", "FASTEST HERE", "FASTER"))
    all_agree = True
    with tempfile.TemporaryDirectory() as folder:
        for algorithm, what, arguments in inputs(pathlib.Path(folder), genome):
            rows, agree = compare(concord, algorithm, arguments)
            all_agree = all_agree and agree
            right = [row for row in rows if row["status"] == "ok"]
            reference = next((row for row in right if row["backend"] == "serial"), None)
            if reference is None:
                raise SystemExit(f"applications.py: {algorithm} did not run on serial")
            fastest = min(right, key=lambda row: row["seconds"]["call"])
            ratio = reference["seconds"]["call"] / fastest["seconds"]["call"]
            name = fastest["implementation"].split("/", 1)[1]
            print(ROW.format(algorithm, what, time_text(reference["seconds"]["call"]), name,
                             f"{ratio:.0f}x" if ratio >= 100 else f"{ratio:.3g}x"), flush=True)
    print("All implementations agree with the references." if all_agree
          else "Some implementations DIFFER from their reference.")
    return 0 if all_agree else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    try:
        raise SystemExit(main(*sys.argv[1:]))
    except OSError as error:
        raise SystemExit(f"applications.py: {error.filename}: {error.strerror}") from None
