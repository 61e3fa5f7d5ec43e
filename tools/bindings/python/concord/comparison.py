# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The differential engine for functions of Python's: one of yours against a reference."""

from __future__ import annotations

import ctypes
import json
import operator
import re
import time
from typing import Any, Callable, Iterable, NamedTuple

import numpy

from concord import _checks, _views
from concord._library import LIBRARY, Owner, check, encode, handle_of, texts
from concord._prototypes import CArray, Progress
from concord.array import c_array

# Verdicts of concord.h.
_COMPARE, _RAISED, _CHANGED_INPUT, _REFERENCE_RAISED = range(4)
# Seconds from one call of `progress` to the next.
_PAUSE = 0.1


class Values:
    """An input: values of a type, or of one of several, in one or two dimensions.

    An extent is a name ("n"; equal names are equal extents), a number, or the name of an
    option that is a number. Values are between `least` and `most`; where a bound is missing the
    extremes of the type come up, too, and NaN where both are.
    """

    def __init__(self, dtype: Any, *shape: str | int, least: float | None = None,
                 most: float | None = None) -> None:
        types = dtype if isinstance(dtype, (list, tuple)) else [dtype]
        self.described = {"types": [numpy.dtype(kind).name for kind in types],
                          "shape": [str(extent) for extent in shape]}
        for name, bound in (("least", least), ("most", most)):
            if bound is not None:
                self.described[name] = _checks.finite(name, bound)


class Offsets:
    """An input: offsets that cut the extent `of` into `parts`, from 0 to the extent itself,
    ascending; one more than there are parts. Parts may be empty."""

    def __init__(self, of: str, parts: str, dtype: Any = "int64") -> None:
        self.described = {"types": [numpy.dtype(dtype).name], "shape": [parts], "offsets_of": of}


class Counterexample(NamedTuple):
    """A case that fails, as small as it gets."""

    kind: str  # "wrong_result", "error", "changed_input", "contradictory_spec"
    message: str
    report: str  # several lines, with the one that repeats it
    file: str
    size: int  # elements of all inputs
    minimal: bool  # nothing smaller fails; False where time was up
    inputs: dict
    options: dict


class Compared(NamedTuple):
    """What a comparison found."""

    executed: int
    seconds: float
    cancelled: bool
    failure: Any  # a Counterexample, or None

    @property
    def passed(self) -> bool:
        """Whether cases ran, and none failed."""
        return self.executed > 0 and self.failure is None


class _Option:
    """An option of the spec, and its values as the engine has them."""

    def __init__(self, name, values):
        values = list(values)
        self.is_switch = all(isinstance(value, (bool, numpy.bool_)) for value in values)
        self.is_text = all(isinstance(value, str) for value in values)
        if self.is_switch:
            values = [bool(value) for value in values]
        elif not self.is_text:
            values = [operator.index(value) for value in values]
        self.described = {"name": name, "values": values}

    def value(self, text):
        """What a function is given."""
        if self.is_switch:
            return text == "yes"
        return text if self.is_text else int(text)


def _name_of(function, otherwise):
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", otherwise)
    return name.replace("<locals>.", "")


def _on_host(value, name):
    """A result as an array of NumPy's, from a GPU too."""
    for way in ("get", "copy_to_host"):  # CuPy, Numba
        if hasattr(value, "__cuda_array_interface__") and hasattr(value, way):
            value = getattr(value, way)()
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu()
    array = numpy.ascontiguousarray(value)
    _views.kind_of(array.dtype.str, name)  # says which is none
    return array


def _results_of(value):
    """Names and arrays of what a function gives."""
    if isinstance(value, dict):
        return {str(name): _on_host(value[name], name) for name in sorted(value, key=str)}
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None) or [f"out[{i}]" for i in range(len(value))]
        return {name: _on_host(item, name) for name, item in zip(names, value)}
    return {"out": _on_host(value, "out")}


def _described(error):
    return f"{type(error).__name__}: {error}"


class _Comparison(Owner):
    """One run of the engine."""

    def __init__(self, mine, reference, description, inputs, options, given):
        self._handle = None
        self._mine = mine
        self._reference = reference
        self._names = inputs
        self._options = options
        encoded, count = texts(given)
        self._handle = handle_of(LIBRARY.concord_differential_create,
                                 encode(json.dumps(description), "the spec"), encoded, count)
        self._first = ctypes.POINTER(CArray)()
        self._count = ctypes.c_size_t()
        self._text = ctypes.c_char_p()
        self._case = [ctypes.byref(item) for item in (self._first, self._count, self._text)]

    def __del__(self, _free=LIBRARY.concord_differential_free):
        _free(self._handle)

    def _case_here(self):
        """Copies of the inputs, and the options."""
        inputs = []
        for array in self._first[:self._count.value]:
            shape = tuple(array.shape[:array.dimensions])
            kind = _views.DTYPES[array.type.code, array.type.bits]
            copy = numpy.empty(shape, kind)
            if copy.nbytes > 0:
                ctypes.memmove(copy.ctypes.data, array.data, copy.nbytes)
            inputs.append(copy)
        given = json.loads(self._text.value)
        return inputs, {name: option.value(given[name]) for name, option in self._options.items()}

    def next(self):
        """A case, or None after the last."""
        check(LIBRARY.concord_differential_next(self._handle, *self._case))
        return self._case_here() if self._first else None

    def _answer(self, verdict, message="", got=(), wanted=()):
        # Names and messages are the functions' own, and may have half characters.
        def encoded(text):
            return text.replace("\0", " ").encode(errors="replace")

        def arrays(results):
            views = [c_array(_views.input_view(array, name, None, None)) for name, array in results]
            for view, (name, _) in zip(views, results):
                view.name = encoded(name)
            return (CArray * len(views))(*views), len(views)

        check(LIBRARY.concord_differential_answer(self._handle, verdict, encoded(message),
                                                  *arrays(got), *arrays(wanted)))

    def try_out(self, inputs, options):
        """Both functions on a case, each on arrays of its own."""
        try:
            wanted = _results_of(self._reference(*[array.copy() for array in inputs], **options))
        except Exception as error:  # whatever it is, it is part of the answer
            self._answer(_REFERENCE_RAISED, f"the reference raises {_described(error)}")
            return
        lent = [array.copy() for array in inputs]
        try:
            got = _results_of(self._mine(*lent, **options))
        except Exception as error:
            self._answer(_RAISED, _described(error))
            return
        for name, before, after in zip(self._names, inputs, lent):
            if before.tobytes() != after.tobytes():
                self._answer(_CHANGED_INPUT, f"'{name}' is {after} after the call, not {before}")
                return
        for name in got.keys() & wanted.keys():
            if max(got[name].ndim, wanted[name].ndim) > 2:
                if got[name].shape != wanted[name].shape:
                    self._answer(_RAISED, f"'{name}' has the shape {got[name].shape} instead of "
                                          f"{wanted[name].shape}")
                    return
                got[name], wanted[name] = got[name].reshape(-1), wanted[name].reshape(-1)
        if got.keys() != wanted.keys():
            self._answer(_RAISED, f"gives {', '.join(got)} instead of {', '.join(wanted)}")
            return
        self._answer(_COMPARE, "", [(name, got[name]) for name in wanted], list(wanted.items()))

    def progress(self):
        """How far it is."""
        progress = Progress()
        check(LIBRARY.concord_differential_progress(self._handle, ctypes.byref(progress)))
        return progress.executed, progress.failures, progress.planned, progress.seconds

    def run(self, show):
        """To the end, or to where `show` says False."""
        shown = time.monotonic()
        while (case := self.next()) is not None:
            self.try_out(*case)
            if show is not None and time.monotonic() - shown >= _PAUSE:
                shown = time.monotonic()
                if show(*self.progress()) is False:
                    check(LIBRARY.concord_differential_cancel(self._handle))

    def result(self):
        """Of a run that is over."""
        address = ctypes.c_void_p()
        check(LIBRARY.concord_differential_result(self._handle, *self._case,
                                                  ctypes.byref(address)))
        try:
            found = json.loads(ctypes.string_at(address.value).decode(errors="replace"))
        finally:
            LIBRARY.concord_text_free(address)
        failure = found.pop("failure")
        if failure is not None:
            inputs, options = self._case_here()
            failure = Counterexample(**failure, inputs=dict(zip(self._names, inputs)),
                                     options=options)
        return Compared(**found, failure=failure)


def _described_spec(spec):
    """Descriptions of its inputs, and the options by name."""
    if not isinstance(spec, dict):
        raise TypeError(f"'spec' is a dict, not {type(spec).__name__}")
    inputs = []
    options = {}
    for name, item in spec.items():
        if isinstance(item, (Values, Offsets)):
            inputs.append({"name": name, **item.described})
        elif isinstance(item, (list, tuple, range)):
            options[name] = _Option(name, item)
        else:
            raise TypeError(f"'{name}' of the spec is Values, Offsets, or the values of an option "
                            f"in a list, not {type(item).__name__}")
    return inputs, options


def _sizes(boundaries):
    """As numbers."""
    try:
        return [operator.index(size) for size in boundaries]
    except TypeError as error:
        raise TypeError(f"'boundaries' are sizes in a list: {error}") from None


def differential(mine: Callable[..., Any], reference: Callable[..., Any], spec: dict[str, Any], *,
                 relative: float = 0, absolute: float = 0, boundaries: Iterable[int] = (),
                 cases: int = 0, seconds: float = 0, seed: int = 1, largest_size: int = 1000,
                 folder: Any = "", replay: Any = "",
                 progress: Callable[..., Any] | None = None) -> Compared:
    """Tries to prove a function wrong: runs it beside a reference on generated cases, and makes
    the first that fails as small as it gets.

    Args:
        mine: the function. It is given arrays of NumPy, in the order of the spec, and options by
            name. What it returns is an array or number, a tuple of them, or a dict; of NumPy,
            CuPy, Numba or PyTorch. It may not write to its inputs.
        reference: another that returns what is right, of the same types and names.
        spec: a dict: inputs, as Values and Offsets, and options, as lists of their values. Neither
            function is called with a value that is not in its list.
        relative: how far a result may be from the right one, as a part of that.
        absolute: and beside that.
        boundaries: sizes at which `mine` goes another way, such as its tile; each is tried, and
            one less, and one more.
        cases: in all. By default those that cover each pair of size, type, distribution and
            combination of options, and 100 random ones. Of more than 1024 combinations so many
            are picked.
        seconds: at most.
        seed: of the cases.
        largest_size: of the first extent.
        folder: where the failing case is saved; by default the one for temporary files.
        replay: such a file, whose case is then the only one.
        progress: is called ten times a second with the cases executed, the failures among them,
            the cases in all and the seconds so far. When it returns False the work ends.

    Returns:
        Compared, whose `failure` is None or a Counterexample.
    """
    inputs, options = _described_spec(spec)
    for argument, value in (("mine", mine), ("reference", reference)):
        _checks.function(argument, value)
    if progress is not None:
        _checks.function("progress", progress)
    name = _name_of(mine, "mine")
    tolerance = "".join(f", {word}={value!r}" for word, value in
                        (("relative", relative), ("absolute", absolute)) if value)
    repeat = (f"concord.differential({name}, {_name_of(reference, 'reference')}, spec{tolerance}, "
              "replay='$FILE')")
    description = {"name": re.sub(r"\W", "_", name), "inputs": inputs,
                   "options": [option.described for option in options.values()],
                   "boundaries": _sizes(boundaries),
                   "largest_size": _checks.whole("largest_size", largest_size),
                   "relative": _checks.finite("relative", relative),
                   "absolute": _checks.finite("absolute", absolute)}
    given = {"cases": cases, "seconds": seconds, "seed": seed,
             "folder": _checks.path(folder), "repeat": repeat, "replay": _checks.path(replay)}
    comparison = _Comparison(mine, reference, description, [item["name"] for item in inputs],
                             options, [f"{name}={value}" for name, value in given.items()])
    comparison.run(progress)
    return comparison.result()
