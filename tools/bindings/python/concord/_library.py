# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""libconcord.so: where it is, and its functions as ctypes calls them."""

import ctypes
import json
import os
import pathlib

from concord._prototypes import PROTOTYPES
from concord.errors import error_of

NAME = "libconcord.so.0"
# Of concord.h, as concord_version() has it.
VERSION = "0.1.0"

_HERE = pathlib.Path(__file__).resolve().parent


def _load_carried(folder):
    """Loads the libraries that a wheel carries, each after those that it needs."""
    waiting = [path for path in sorted(folder.glob("*.so*")) if path.name != NAME]
    while waiting:
        failed = []
        for path in waiting:
            try:
                ctypes.CDLL(str(path))
            except OSError as error:
                failed.append((path, error))
        if len(failed) == len(waiting):
            raise failed[0][1]
        waiting = [path for path, _ in failed]


def _places_around(here):
    """In the wheel, and PREFIX/lib for a module in PREFIX/lib/python3/dist-packages/concord."""
    parents = list(here.parents)  # which have no slices before Python 3.10
    return [here / "lib" / NAME, *(folder / NAME for folder in parents[2:3])]


def _places():
    """Where the library may be: named, in the wheel, in an installation."""
    named = os.environ.get("CONCORD_LIBRARY")
    if named:
        return [named]
    if hasattr(ctypes.CDLL(None), "concord_version"):  # a program that has Concord in it
        return [None]
    return [*(str(path) for path in _places_around(_HERE) if path.exists()), NAME]


def _load():
    place = _places()[0]
    try:
        _load_carried(_HERE / "lib")
        library = ctypes.CDLL(place)
    except OSError as error:
        raise ImportError(f"concord: {error}; $CONCORD_LIBRARY may name {NAME}") from error
    for name, (result, *arguments) in PROTOTYPES.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"concord: {place} has no {name}: it is older than this module, "
                              f"{VERSION}") from None
        function.restype = result
        function.argtypes = arguments
    return library


LIBRARY = _load()


def check(status):
    """Raises what a status says."""
    if status is None:
        return
    code = LIBRARY.concord_status_code(status)
    message = LIBRARY.concord_status_message(status).decode(errors="replace")
    LIBRARY.concord_status_free(status)
    raise error_of(code, message)


def handle_of(function, *arguments):
    """The object that a function gives."""
    handle = ctypes.c_void_p()
    check(function(*arguments, ctypes.byref(handle)))
    return handle.value


class Owner:
    """Frees a handle of the library's, which a copy would free again."""

    __slots__ = ()

    def __reduce_ex__(self, protocol):
        raise TypeError(f"a {type(self).__name__.strip('_')} is neither copied nor pickled")


def text_of(function, *arguments):
    """A text that a function gives and nobody keeps."""
    address = handle_of(function, *arguments)
    try:
        return ctypes.string_at(address).decode(errors="replace")
    finally:
        LIBRARY.concord_text_free(address)


def kept_text_of(function, *arguments):
    """A text that belongs to an object, or None."""
    text = ctypes.c_char_p()
    check(function(*arguments, ctypes.byref(text)))
    return None if text.value is None else text.value.decode()


def texts(values):
    """Texts as C takes them, and how many; for the while that the result lives."""
    encoded = [encode(value, "option") for value in values]
    return (ctypes.c_char_p * len(encoded))(*encoded), len(encoded)


def encode(text, what):
    """A text as C has it, which ends at its first zero byte."""
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{what} {text!r} has a zero byte")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} {text!r} has half a character, which UTF-8 has not") from None


def version() -> str:
    """The library's, "0.1.0"."""
    number = LIBRARY.concord_version()
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def listed(function, *arguments):
    """What a function says in JSON."""
    return json.loads(text_of(function, *arguments))
