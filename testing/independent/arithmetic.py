# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of Concord's types, by plain Python.

Integers are Python's, of any size, and are cut to their type by `wrap`; floats
are Python's, and `single` rounds them to float32.
"""

import math
import struct
from fractions import Fraction

RANGES = {
    "int8": (-(1 << 7), (1 << 7) - 1), "uint8": (0, (1 << 8) - 1),
    "int32": (-(1 << 31), (1 << 31) - 1), "uint32": (0, (1 << 32) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1), "uint64": (0, (1 << 64) - 1),
}
BITS = {name: (high - low).bit_length() for name, (low, high) in RANGES.items()}


def wrap(dtype, value):
    low, _ = RANGES[dtype]
    return (value - low) % (1 << BITS[dtype]) + low


def quotient(x, y):
    """Towards zero, and 0 for a division by 0."""
    if y == 0:
        return 0
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def remainder(x, y):
    return x if y == 0 else x - y * quotient(x, y)


def single(value):
    """The float32 nearest to a float64: exact for + - * / and sqrt of float32."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def to_integer(dtype, value):
    low, high = RANGES[dtype]
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(int(value), low), high)


def divide(x, y):
    if y != 0 or math.isnan(x) or math.isnan(y):
        return x / y
    if x == 0:
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)


def least(x, y):
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if x == y == 0:
        return x if math.copysign(1.0, x) < 0 else y
    return min(x, y)


def fma(x, y, z):
    if not all(map(math.isfinite, (x, y, z))):
        return x * y + z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return x * y + z
    try:
        return float(exact)
    except OverflowError:
        return math.copysign(math.inf, exact)


def to_float(dtype, value):
    """The nearest float to a number of any kind, in one rounding, ties to even."""
    if dtype == "float64" or not math.isfinite(value):
        return float(value)
    exact = Fraction(value)
    if exact == 0:
        return float(value)
    scale = 2 ** 149 if abs(exact) < Fraction(1, 2 ** 126) else 0
    if not scale:
        exponent = math.frexp(float(exact))[1]
        scale = Fraction(2) ** (24 - exponent)
    rounded = Fraction(round(exact * scale)) / scale
    return math.copysign(single(float(rounded)), exact)
