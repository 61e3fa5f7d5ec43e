# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of arguments that the library never sees."""

import math
import operator
import os

# Of what C has for sizes and for addresses.
_MOST = 2**63 - 1


def function(name, value):
    """The value, which is to be called."""
    if not callable(value):
        raise TypeError(f"'{name}' is a function, not {type(value).__name__}")
    return value


def whole(name, value):
    """The whole number, which C has to have room for."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"'{name}' is a whole number, not {value!r}") from None
    if abs(number) > _MOST:
        raise ValueError(f"'{name}' is {number}, which 64 bits do not hold")
    return number


def shape(name, value):
    """A shape as a tuple, of one whole number or of several."""
    try:
        extents = tuple(value)
    except TypeError:
        extents = (value,)
    return tuple(whole(f"an extent of {name}", extent) for extent in extents)


def address(name, value):
    """An address, as a number that one can be."""
    number = whole(f"the address of {name}", value)
    if number < 0:
        raise ValueError(f"the address of '{name}' is {number}")
    return number


def path(value):
    """The path as a text: it may be bytes, or a pathlib.Path."""
    return os.fsdecode(value)


def finite(name, value):
    """The number, which JSON has to have a word for. Whole ones keep all their digits."""
    try:
        number = int(operator.index(value))
    except TypeError:
        number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"'{name}' is {number}, which is no bound")
    return number
