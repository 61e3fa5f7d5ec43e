# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""An array as the independent programs pass it on: `Column`."""

import math
import struct

import npy

FLOATS = ("float32", "float64")


class Column:
    """Elements of a type in a shape, as bytes: bits of floats are part of results.

    `errors`, where a contract has an error bound, are what elements may be off
    by. `zero_sign` says whether the sign of a zero is defined.
    """

    def __init__(self, dtype, values, shape=None, errors=None, zero_sign=True):
        self.dtype = dtype
        self.content = values if isinstance(values, bytes) else encode(dtype, values)
        self.size = struct.calcsize(npy.FORMATS[dtype][1])
        self.shape = (len(self.content) // self.size,) if shape is None else tuple(shape)
        self.errors = errors
        self.zero_sign = zero_sign

    def values(self):
        return npy.from_bytes(self.dtype, self.content)

    def elements(self):
        """Each as its bytes, in order."""
        return [self.content[k : k + self.size] for k in range(0, len(self.content), self.size)]


def encode(dtype, values):
    """Any NaN that Python computes stands for the quiet NaN."""
    if dtype in FLOATS:
        values = [math.nan if math.isnan(v) else v for v in values]
    return npy.to_bytes(dtype, values)
