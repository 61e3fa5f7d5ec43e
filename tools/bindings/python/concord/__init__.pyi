# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
# Written by make_stubs.

from typing import Any

from concord._functions import describe as describe, explain as explain
from concord._functions import implementations as implementations
from concord._library import version as version
from concord.array import Array as Array
from concord.backend import Backend as Backend, backends as backends
from concord.comparison import Compared as Compared, Counterexample as Counterexample
from concord.comparison import Offsets as Offsets, Values as Values
from concord.comparison import differential as differential
from concord.errors import ConcordError as ConcordError
from concord.errors import InvalidArgument as InvalidArgument
from concord.errors import NotFound as NotFound
from concord.errors import OutOfMemory as OutOfMemory
from concord.errors import OutOfRange as OutOfRange
from concord.errors import Unavailable as Unavailable
from concord.errors import Unimplemented as Unimplemented
from concord.verification import Verified as Verified, verify as verify

# Of NumPy, CuPy, PyTorch, Numba, or a list.
ArrayLike = Any

__version__: str

def compact(
    x: ArrayLike,
    *,
    keep: str | float = 'nonzero',
    output_indices: bool = False,
    output_rejected: bool = False,
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def cyclospectrum(
    x: ArrayLike,
    *,
    as_: str = 'spectrum',
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def look_and_say(
    x: ArrayLike,
    *,
    steps: int = 1,
    counts: str = 'decimal',
    length_only: bool = False,
    from_: int = 0,
    count: str | float = 'all',
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def match_parens(
    x: ArrayLike,
    *,
    kinds: str | float = '()',
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def max_subarray(
    x: ArrayLike,
    *,
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def radix_sort(
    x: ArrayLike,
    in_values: ArrayLike | None = None,
    *,
    order: str = 'ascending',
    bits: str | float = '',
    argsort: bool = False,
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def reduce(
    x: ArrayLike,
    *,
    op: str = 'add',
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def run_length_decode(
    values: ArrayLike,
    lengths: ArrayLike,
    *,
    limit: str | float = 'all',
    length_type: str = 'int64',
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def run_length_encode(
    x: ArrayLike,
    *,
    length_type: str = 'int64',
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def scan(
    x: ArrayLike,
    *,
    kind: str = 'exclusive',
    op: str = 'add',
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def sequence(
    program: str,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: ArrayLike | None = None,
    w: ArrayLike | None = None,
    *,
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def similar_pairs(
    x: ArrayLike,
    *,
    distance2: str | float = '0',
    dim: int = 96,
    most: int = 1048576,
    output_distances: bool = False,
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def tensor_sketch(
    letters: ArrayLike,
    offsets: ArrayLike,
    hashes: ArrayLike,
    signs: ArrayLike,
    *,
    t: int = 4,
    dim: int = 96,
    alphabet: str | float = 'ACGT',
    seed: int = 1,
    normalized: bool = False,
    window: int = 0,
    stride: int = 1,
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...

def transform(
    x: ArrayLike,
    *,
    op: str = 'affine',
    scale: str | float = '1',
    offset: str | float = '0',
    constant: str | float = '0',
    to: str = 'same',
    out: Any = None,
    backend: Backend | str = 'auto',
    variant: str = '',
) -> Any: ...
