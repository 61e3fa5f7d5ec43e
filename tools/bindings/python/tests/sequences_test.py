# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What testing/independent/sequence_test.py does with the command line, through the module, and so
through the C interface: its functions, operators and programs on a genome, and its answers."""

import concord
import npy
import numpy
import sequence_test

# pytest finds its cases here.
from sequence_test import test_a_genome, test_functions, test_operators  # noqa: F401


def implementations():
    return [(entry["backend"], entry["variant"]) for entry in concord.implementations()
            if entry["algorithm"] == "sequence" and entry["available"]]


def run(tmp_path, program, columns, results, backend, variant):
    """The type and the bytes of each column of the result."""
    arrays = [numpy.frombuffer(npy.to_bytes(dtype, values), dtype) for dtype, values in columns]
    given = concord.sequence(program, *arrays, backend=backend, variant=variant)
    outputs = given if isinstance(given, tuple) else (given,)
    assert len(outputs) == results
    return [(str(output.dtype), output.tobytes()) for output in map(numpy.atleast_1d, outputs)]


sequence_test.implementations = implementations
sequence_test.run = run
