# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Concord: parallel kernels on arrays of NumPy, CuPy, PyTorch, Numba and others.

    import concord
    import numpy

    concord.scan(numpy.array([15, 10, 42, 24]), kind="inclusive")

There is a function for each algorithm of the library; `help(concord.scan)` says what it takes.
Results are where the inputs are.
"""

from concord import _functions
from concord._functions import describe, explain, implementations
from concord._library import version
from concord.array import Array
from concord.backend import Backend, backends
from concord.comparison import Compared, Counterexample, Offsets, Values, differential
from concord.errors import (ConcordError, InvalidArgument, NotFound, OutOfMemory, OutOfRange,
                            Unavailable, Unimplemented)
from concord.verification import Verified, verify

__version__ = version()
__all__ = ["Array", "Backend", "Compared", "ConcordError", "Counterexample", "InvalidArgument",
           "NotFound", "Offsets", "OutOfMemory", "OutOfRange", "Unavailable", "Unimplemented",
           "Values", "Verified", "backends", "describe", "differential", "explain", "implementations",
           "verify", "version"]

_algorithms = _functions.functions(__name__)
for _name in sorted(_algorithms.keys() & set(globals())):
    raise ImportError(f"concord: the algorithm '{_name}' has the name of something else here")
globals().update(_algorithms)
__all__ += sorted(_algorithms)
