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
