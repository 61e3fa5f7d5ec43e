# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""A function for each algorithm of the library."""

from __future__ import annotations

import ctypes
import functools
from collections import namedtuple
from typing import Any

import numpy

from concord import _library, _views
from concord._extension import CALLS
from concord._kernel import Kernel, Name
from concord._library import LIBRARY
from concord._signature import Signature, key, python_name
from concord.backend import chosen, stream_before, wait_for


@functools.lru_cache(maxsize=None)
def _tuple_of(algorithm, names):
    """The type of several results."""
    parts = algorithm.split("_")
    made = namedtuple("".join(part.capitalize() for part in parts), names, module="concord")
    # No module has it by its name: there is one for each set of outputs.
    made.__reduce__ = lambda results: (_restored, (algorithm, names, tuple(results)))
    return made


def _restored(algorithm, names, results):
    """What pickle makes of several results."""
    return _tuple_of(algorithm, names)(*results)


class Algorithm:
    """What the function of an algorithm calls."""

    def __init__(self, signature):
        self.signature = signature
        self._inputs = [(Name(item["name"]), python_name(item["name"]), item["optional"])
                        for item in signature.inputs]
        self._outputs = {item["name"]: Name(item["name"]) for item in signature.outputs}
        # A single element, by the description and not by chance, is a number.
        self._numbers = {item["name"] for item in signature.outputs if item["shape"] == ["1"]}
        self._caller = None
        self.call = self._call
        if CALLS is not None and signature.shapes_decide:
            self._caller = self._new_caller()
            self.call = self._caller.call

    def _new_caller(self):
        """The extension's, which comes back here when a call is not of the usual kind."""
        signature = self.signature
        return CALLS.Caller(
            tuple((item["name"], item["optional"]) for item in signature.inputs),
            tuple((item["name"], item["name"] in self._numbers) for item in signature.outputs),
            signature.results[0]["name"], len(signature.options) + 1,
            lambda names: _tuple_of(signature.name, names), self._call_with)

    def _call(self, *arguments):
        """One call of the function: inputs, values of the options and variant, and what
        follows."""
        inputs = len(self._inputs)
        return self._call_with(arguments[:inputs], arguments[inputs:-2], *arguments[-2:])

    def _call_with(self, arrays, values, out, backend):
        """The same: the values are of the options, in order, and the variant."""
        stream = stream_before(backend)
        named_views = self._named_views(arrays, stream, wait_for)
        opened = chosen(backend, [view for _, view in named_views])
        kernel = opened.kernel(self._key(values), lambda opened: self._create(opened, values))
        given = {} if out is None else self._given(out, stream)
        results, sizes = kernel.run(opened, named_views, given)
        if self._caller is not None:
            opened.remember(backend, self._caller, values, kernel)
        return self._result(results, sizes, given)

    def _named_views(self, arrays, stream, wait):
        """Of the inputs that are given, with the addresses of their names."""
        named_views = []
        for (name, parameter, optional), array in zip(self._inputs, arrays):
            if array is not None:
                view = _views.input_view(array, parameter, stream, wait)
                named_views.append((name.address, view))
            elif not optional:
                raise TypeError(f"'{parameter}' is None, and not optional")
        return named_views

    def explain(self, *arguments):
        """What a call with these inputs and values of the options would do."""
        inputs = len(self._inputs)
        # Nothing is read, so that nothing has to be waited for.
        named_views = self._named_views(arguments[:inputs], _views.DEFAULT_STREAM,
                                        lambda device, stream: None)
        arrays = ctypes.create_string_buffer(_views.room_for(max(len(named_views), 1)))
        _views.pack(arrays, ctypes.addressof(arrays), named_views)
        given, count = _library.texts(self._texts(arguments[inputs:]))
        return _library.listed(LIBRARY.concord_explain, self.signature.name.encode(), given, count,
                               ctypes.addressof(arrays), len(named_views))

    def _texts(self, values):
        """The options that have another value than by default."""
        options = [option.text(value) for option, value in zip(self.signature.options, values)
                   if value != option.default]
        return [text for text in options if text is not None]

    def _key(self, values):
        try:
            hash(values)
        except TypeError:
            for option, value in zip(self.signature.options, values):
                option.check(value)  # says which
            raise
        return self.signature.name, tuple(map(key, values))

    def _create(self, backend, values):
        return Kernel(backend, self.signature.name, values[-1], self._texts(values), self._outputs,
                      self.signature.shapes_decide)

    def _given(self, out, stream):
        """Arrays to write to, and views of them, by name."""
        names = [item["name"] for item in self.signature.results]
        if isinstance(out, tuple):
            if len(out) > len(names):
                raise ValueError(f"'out' has {len(out)} arrays; there are at most {len(names)}: "
                                 f"{', '.join(names)}")
            out = dict(zip(names, out))
        elif not isinstance(out, dict):
            out = {names[0]: out}
        for name in out:
            if name not in self._outputs:
                raise ValueError(f"{self.signature.name} has no output {name!r}; there are "
                                 f"{', '.join(self._outputs)}")
        return {name: (array, _views.output_view(array, name, stream, wait_for))
                for name, array in out.items() if array is not None}

    def _result(self, arrays, sizes, given):
        """One array or number, or a tuple of them with names."""
        results = {}
        for name, array in arrays.items():
            if name in sizes:
                continue
            if name in self._numbers and name not in given and isinstance(array, numpy.ndarray):
                array = array[0]
            results[name] = array
        if len(results) == 1:
            return next(iter(results.values()))
        return _tuple_of(self.signature.name, tuple(results))(*results.values())


def _variants():
    """Names of implementations by algorithm: "tbb: one_pass"."""
    names = ctypes.POINTER(ctypes.c_char_p)()
    count = ctypes.c_size_t()
    _library.check(LIBRARY.concord_implementation_names(ctypes.byref(names), ctypes.byref(count)))
    variants = {}
    for name in names[:count.value]:
        algorithm, backend, variant = name.decode().split("/")
        variants.setdefault(algorithm, []).append(f"{variant} ({backend})")
    return variants


def signatures():
    """Of all algorithms."""
    variants = _variants()
    return [Signature(described, variants.get(described["algorithm"], []))
            for described in _library.listed(LIBRARY.concord_describe, None)]


def _written(signature, module, call, runs=True):
    """A function that hands its arguments on to `call`, as if it were written in `module`."""
    scope = {"_call": call, "__name__": module}
    # As namedtuple does: only this gives Python's own words for wrong arguments.
    exec(signature.source(runs), scope)  # pylint: disable=exec-used
    return scope[signature.name]


_algorithms: dict = {}


def functions(module):
    """By name, as if they were written in `module`."""
    made = {}
    for signature in signatures():
        algorithm = _algorithms[signature.name] = Algorithm(signature)
        function = made[signature.name] = _written(signature, module, algorithm.call)
        function.__doc__ = signature.docstring()
    return made


def explain(algorithm: str, *arguments: Any, **options: Any) -> dict[str, Any]:
    """What a call would do: `explain("sequence", "map 2 * x |> reduce a + b", x)`.

    Takes the name of an algorithm and what its function takes, but for `out`, `backend` and
    `variant`. Gives a dict: the steps, with what each reads, computes and writes, and the bytes
    that any implementation has to read and write. Nothing runs, and no element is looked at.

    Programs have steps to explain: those of `sequence`, and options that are functions, as in
    `explain("reduce", x, op="a > b ? a : b")`. NotFound for other calls.
    """
    called = _algorithms.get(algorithm) if isinstance(algorithm, str) else None
    if called is None:
        describe(algorithm)  # says what is wrong with the name
        raise TypeError("the name of an algorithm is a str, not None")
    return _written(called.signature, __name__, called.explain, runs=False)(*arguments, **options)


def describe(algorithm: str | None = None) -> Any:
    """What an algorithm takes and gives, as a dict; of all, as a list, without a name."""
    name = None if algorithm is None else _library.encode(algorithm, "the name of an algorithm")
    return _library.listed(LIBRARY.concord_describe, name)


def implementations() -> list[dict[str, Any]]:
    """Every implementation, its contract, and whether it can run here: a list of dicts."""
    return _library.listed(LIBRARY.concord_list_implementations)
