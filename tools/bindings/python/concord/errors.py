# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What is raised. The messages are the library's."""


class ConcordError(Exception):
    """A call has failed. `code` is that of concord.h."""

    code = 0


class InvalidArgument(ConcordError, ValueError):
    """An array, an option or a name that nothing can be done with."""


class NotFound(ConcordError, LookupError):
    """No such algorithm, variant or implementation."""


class OutOfMemory(ConcordError, MemoryError):
    """Not enough memory, of the host or of a GPU."""


class OutOfRange(ConcordError, IndexError):
    """A program reads outside a column."""


class Unimplemented(ConcordError, NotImplementedError):
    """Nobody has written it."""


class Unavailable(ConcordError, RuntimeError):
    """The backend, or the implementation, cannot run here."""


# By the codes of concord.h.
_CLASSES = {3: InvalidArgument, 5: NotFound, 8: OutOfMemory, 11: OutOfRange, 12: Unimplemented,
            14: Unavailable}


def error_of(code, message):
    """The exception for a status."""
    error = _CLASSES.get(code, ConcordError)(message)
    error.code = code
    return error


def out_of_memory(message):
    """What NumPy says of memory that it has not."""
    return error_of(8, message)
