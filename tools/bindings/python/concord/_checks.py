# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of arguments that the library never sees."""

import math


def function(name, value):
    """The value, which is to be called."""
    if not callable(value):
        raise TypeError(f"'{name}' is a function, not {type(value).__name__}")
    return value


def finite(name, value):
    """The number, which JSON has to have a word for."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"'{name}' is {number}, which is no bound")
    return number
