# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`concord compare tensor_sketch` over real sequences: every implementation of
the CPU has the sketches that the description expects, number by number."""

import json
import subprocess

CONCORD = "tools/concord/concord"
DATA = "testing/data"


def compare(name, *options):
    """The table of a comparison, in which all that ran agreed, and its notes."""
    done = subprocess.run(
        [CONCORD, "compare", "tensor_sketch", f"--input={DATA}/{name}", "--backend=serial,tbb",
         "--repetitions=1", "--json", *options],
        check=True, capture_output=True, text=True,
    )
    table = json.loads(done.stdout)
    statuses = {row["implementation"]: row["status"] for row in table["rows"]}
    assert set(statuses.values()) == {"ok"}, statuses
    assert {"tensor_sketch/serial/recurrence", "tensor_sketch/tbb/recurrence",
            "tensor_sketch/tbb/word_counts"} <= set(statuses)
    return table, done.stderr


def test_six_thousand_long_reads():
    # Simulated reads of phage lambda from the Debian package bowtie2-examples,
    # as testing/data/README.md says.
    table, notes = compare("longreads.fq.gz")
    assert table["elements"] == 2_056_551 - 39_773
    assert "39773 letters outside ACGT were skipped" in notes.replace(",", "")
    # Each letter is read, and 6000 sketches of 96 integers are written.
    assert table["rows"][0]["floor_bytes"] >= table["elements"] + 6000 * 96 * 8


def test_windows_of_a_genome():
    # RefSeq NC_008253.1, Escherichia coli 536, from the Debian package
    # bowtie-examples: 4,938,920 letters are 1410 windows of 7000 that overlap
    # by half, as many as the published measurements have sequences.
    table, _ = compare("NC_008253.fna.gz", "--window=7000", "--stride=3500")
    assert table["elements"] == 4_938_920
    assert table["rows"][0]["floor_bytes"] >= 4_938_920 + 1410 * 96 * 8
    assert table["rows"][0]["floor_bytes"] < 4_938_920 + 1411 * 96 * 8


def test_normalized_windows_of_a_genome():
    compare("lambda_virus.fa.gz", "--window=7000", "--stride=700", "--normalized")


def refusal(command, *options):
    done = subprocess.run(
        [CONCORD, command, "tensor_sketch", f"--input={DATA}/lambda_virus.fa.gz", *options],
        capture_output=True, text=True,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_stride_needs_windows():
    assert refusal("run", "--stride=5") == "concord: --stride means nothing without --window\n"
    assert refusal("compare", "--stride=5") == refusal("run", "--stride=5")


def test_more_sketches_than_fit_memory():
    said = refusal("run", "--window=4", "--dim=16777216")
    assert "the sketches of 48499 windows need 6509.4 GB" in said
    assert "a larger --stride" in said
