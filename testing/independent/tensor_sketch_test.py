# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The command line against tensor_sketch.py, number by number."""

import json
import pathlib
import random
import struct
import subprocess
import sys

import pytest

CONCORD = "tools/concord/concord"
INDEPENDENT = "testing/independent/tensor_sketch.py"


def implementations():
    """Those of tensor_sketch that can run here, and whether they normalize."""
    listed = subprocess.run(
        [CONCORD, "list", "tensor_sketch", "--json"], check=True, capture_output=True, text=True
    )
    entries = [entry for entry in json.loads(listed.stdout) if entry["available"]]
    assert entries
    return [
        (entry["backend"], entry["variant"], "float64" in entry["contract"]["element_types"])
        for entry in entries
    ]


def write_table(path, rows):
    header = repr({"descr": "<i4", "fortran_order": False, "shape": (len(rows), len(rows[0]))})
    header = header.ljust(117) + "\n"
    values = [value for row in rows for value in row]
    path.write_bytes(
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode("ascii")
        + struct.pack(f"<{len(values)}i", *values)
    )


def write_case(folder, rng, alphabet, t, dim, lengths):
    hashes = [[rng.randrange(dim) for _ in range(t)] for _ in alphabet]
    signs = [[rng.choice((-1, 1)) for _ in range(t)] for _ in alphabet]
    write_table(folder / "hashes.npy", hashes)
    write_table(folder / "signs.npy", signs)
    # Some in lower case, some that are not of the alphabet.
    letters = alphabet + alphabet.lower() + "-"
    fasta = ""
    for number, length in enumerate(lengths):
        sequence = "".join(rng.choice(letters) for _ in range(length))
        fasta += f">sequence {number}\n{sequence[:70]}\n{sequence[70:]}\n"
    (folder / "sequences.fa").write_text(fasta)
    return [
        str(folder / "sequences.fa"),
        [
            f"--t={t}",
            f"--dim={dim}",
            f"--alphabet={alphabet}",
            f"--hashes={folder / 'hashes.npy'}",
            f"--signs={folder / 'signs.npy'}",
        ],
    ]


def assert_same(folder, sequences, options):
    wanted = subprocess.run(
        [sys.executable, INDEPENDENT, sequences, *options],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert any(float(value) != 0 for value in wanted)
    normalized = "--normalized" in options
    for backend, variant, normalizes in implementations():
        if normalized and not normalizes:
            continue
        out = folder / f"{backend}_{variant}.txt"
        subprocess.run(
            [
                CONCORD,
                "run",
                "tensor_sketch",
                f"--backend={backend}",
                f"--variant={variant}",
                f"--input={sequences}",
                f"--output={out}",
                *options,
            ],
            check=True,
        )
        got = pathlib.Path(out).read_text().split()
        if normalized:
            assert [float(value) for value in got] == pytest.approx(
                [float(value) for value in wanted], rel=1e-12, abs=1e-12
            ), f"{backend}/{variant}"
        else:
            assert got == wanted, f"{backend}/{variant}"


@pytest.mark.parametrize(
    "alphabet, t, dim",
    [
        ("ACGT", 4, 96),
        ("ACGT", 3, 10),
        ("ACGT", 1, 5),
        ("ACGT", 5, 64),
        ("ACGT", 2, 1),
        ("AC", 6, 33),
        ("A", 4, 7),
        ("ACGTN", 3, 500),
        ("ACDEFGHIKLMNPQRSTVWY", 2, 96),
    ],
)
def test_random_sequences(tmp_path, alphabet, t, dim):
    rng = random.Random(f"{alphabet} {t} {dim}")
    lengths = [0, 1, t, 40, 300] + [rng.randrange(60) for _ in range(4)]
    assert_same(tmp_path, *write_case(tmp_path, rng, alphabet, t, dim, lengths))


def test_more_words_than_64_bits_can_count(tmp_path):
    # binomial(5000, 6) is about 2.2e19, and 2^64 about 1.8e19.
    rng = random.Random(7)
    sequences, options = write_case(tmp_path, rng, "A", 6, 3, [0])
    pathlib.Path(sequences).write_text(">equal letters\n" + "A" * 5000 + "\n")
    assert_same(tmp_path, sequences, options)


@pytest.mark.parametrize("window, stride", [(30, 7), (30, 30), (30, 45), (1000, 1), (1, 1)])
@pytest.mark.parametrize("further", [[], ["--normalized"]])
def test_windows(tmp_path, window, stride, further):
    rng = random.Random(f"{window} {stride}")
    sequences, options = write_case(tmp_path, rng, "ACGT", 3, 20, [0, 29, 30, 31, 200])
    if window == 1:
        # One letter has words of one letter only.
        sequences, options = write_case(tmp_path, rng, "ACGT", 1, 20, [0, 1, 50])
    assert_same(
        tmp_path, sequences, [*options, f"--window={window}", f"--stride={stride}", *further]
    )


@pytest.mark.parametrize(
    "alphabet, t, dim", [("ACGT", 4, 96), ("A", 4, 7), ("ACGTN", 3, 500), ("AC", 6, 33)]
)
def test_normalized(tmp_path, alphabet, t, dim):
    rng = random.Random(f"{alphabet} {t} {dim}")
    lengths = [0, 1, t, 40, 300]
    sequences, options = write_case(tmp_path, rng, alphabet, t, dim, lengths)
    assert_same(tmp_path, sequences, [*options, "--normalized"])


def test_normalized_never_overflows(tmp_path):
    # The number of subsequences, 2.2e19, is more than 64 bits hold.
    rng = random.Random(7)
    sequences, options = write_case(tmp_path, rng, "A", 6, 3, [0])
    pathlib.Path(sequences).write_text(">equal letters\n" + "A" * 5000 + "\n")
    assert_same(tmp_path, sequences, [*options, "--normalized"])
