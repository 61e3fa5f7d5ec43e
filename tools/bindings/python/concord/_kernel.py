# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel: an implementation with its options, called with arrays."""

import ctypes
import math
import time
from collections import deque

import numpy

from concord import _views
from concord._library import LIBRARY, Owner, check, encode, handle_of, kept_text_of, texts
from concord._patience import interruptibly, quick_size
from concord._prototypes import CArray
from concord.array import Array

# More than any algorithm has.
_MOST_ARRAYS = 16
# Plans that a kernel keeps, for sizes that come again.
_MOST_PLANS = 64


class Scratch:
    """Where calls write what they give to C."""

    def __init__(self):
        self.inputs = ctypes.create_string_buffer(_views.room_for(_MOST_ARRAYS))
        self.outputs = ctypes.create_string_buffer(_views.room_for(_MOST_ARRAYS))
        self.inputs_at = ctypes.addressof(self.inputs)
        self.outputs_at = ctypes.addressof(self.outputs)


_scratch: deque = deque()
_run = LIBRARY.concord_kernel_run


class Name:
    """A name of an array, and where C finds it."""

    def __init__(self, text):
        self.text = text
        self._kept = ctypes.create_string_buffer(text.encode())
        self.address = ctypes.addressof(self._kept)


class Output:
    """An output of a call."""

    __slots__ = ("name", "text", "kind", "shape", "dtype", "size_in")

    def __init__(self, name, kind, shape, size_in):
        self.name = name
        self.text = name.text
        self.kind = kind
        self.shape = shape
        self.dtype = _views.DTYPES[kind]
        self.size_in = size_in


class Plan:
    """The outputs of a call, and which of them are the sizes of others."""

    def __init__(self, outputs):
        self.outputs = tuple(outputs)
        self.sizes = {output.size_in for output in self.outputs} - {None}


class Kernel(Owner):
    """What a call runs. `names` are the Names of the algorithm's outputs, by text."""

    def __init__(self, backend, algorithm, variant, options, names, plans_repeat):
        given, count = texts(options)
        self.handle = None
        self._on_host = backend.device == _views.HOST
        self._names = names
        self._plans = {} if plans_repeat else None
        # Calls of so many elements are over before anybody wants to interrupt them.
        self.quick = 0
        self.handle = handle_of(LIBRARY.concord_kernel_create, backend.handle, algorithm.encode(),
                                encode(variant, "variant"), given, count)

    def __del__(self, _free=LIBRARY.concord_kernel_free):
        _free(getattr(self, "handle", None))

    def _planned(self, plan):
        """The outputs of a plan of C's."""
        count = ctypes.c_size_t()
        check(LIBRARY.concord_plan_output_count(plan, ctypes.byref(count)))
        array = CArray()
        for index in range(count.value):
            check(LIBRARY.concord_plan_output(plan, index, ctypes.byref(array)))
            size_in = kept_text_of(LIBRARY.concord_plan_count_in, plan, index)
            yield Output(self._names[array.name.decode()], (array.type.code, array.type.bits),
                         tuple(array.shape[:array.dimensions]), size_in)

    def _new_plan(self, inputs, count):
        plan = handle_of(LIBRARY.concord_kernel_plan, self.handle, inputs, count)
        try:
            return Plan(self._planned(plan))
        finally:
            LIBRARY.concord_plan_free(plan)

    def _plan(self, named_views, inputs):
        """Outputs on such inputs; from an earlier call where shapes alone decide."""
        if self._plans is None:
            return self._new_plan(inputs, len(named_views))
        key = tuple([(name, view.kind, view.shape) for name, view in named_views])
        plan = self._plans.get(key)
        if plan is None:
            plan = self._new_plan(inputs, len(named_views))
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return plan

    def _array_for(self, output, backend):
        """A new array, and a view of it."""
        if not self._on_host:
            array = Array.empty(backend, output.shape, output.kind)
            return array, array._concord_view
        array = _views.host_array(output.shape, output.dtype)
        return array, _views.View(array.__array_interface__["data"][0], _views.HOST, output.kind,
                                  output.shape, None, False, None)

    def run(self, backend, named_views, given):
        """Computes on the backend that it was made for, which keeps it and which it does not
        keep. `named_views` are of the inputs, with the addresses of their names; `given`
        are arrays to write to, and their views, by name. Gives the outputs, cut to their sizes,
        and which of them are sizes."""
        try:
            scratch = _scratch.pop()
        except IndexError:  # as many threads as never before
            scratch = Scratch()
        _views.pack(scratch.inputs, scratch.inputs_at, named_views)
        plan = self._plan(named_views, scratch.inputs_at)
        arrays = {}
        packed = []
        for output in plan.outputs:
            array, view = given.get(output.text) or self._array_for(output, backend)
            arrays[output.text] = array
            packed.append((output.name.address, view))
        if given:
            check_names(given, arrays)
        _views.pack(scratch.outputs, scratch.outputs_at, packed)

        # Work that Ctrl-C leaves behind still reads and writes what `kept` has.
        def work(kept=(named_views, arrays, packed)):
            status = _run(self.handle, scratch.inputs_at, len(named_views), scratch.outputs_at,
                          len(kept[-1]))
            _scratch.append(scratch)
            return status

        # Of inputs, and of outputs that a few lengths may make large; and one more, so that
        # something grows where there are none.
        status = self._wait_for(work, 1 + sum([math.prod(view.shape) for _, view in named_views]) +
                                sum([math.prod(output.shape) for output in plan.outputs]))
        if status is not None:
            check(status)
        if plan.sizes:
            cut(plan.outputs, arrays)
        return arrays, plan.sizes

    def _wait_for(self, work, elements):
        """What work() gives; Ctrl-C ends the waiting, where it may be long."""
        if elements <= self.quick:
            return work()

        def timed():
            start = time.monotonic()
            result = work()
            self.quick = max(self.quick, quick_size(elements, time.monotonic() - start))
            return result

        return interruptibly(timed)


def check_names(given, arrays):
    """Refuses an `out` that the call does not have."""
    for name in given:
        if name not in arrays:
            raise ValueError(f"there is no output '{name}' with these options; there are "
                             f"{', '.join(arrays)}")


def _number_in(array):
    """The only element of an array."""
    return array.item() if isinstance(array, (numpy.ndarray, Array)) else int(array[0])


def cut(outputs, arrays):
    """Leaves those parts of the arrays that are results."""
    for output in outputs:
        if output.size_in is None:
            continue
        array = arrays[output.text]
        # A limit may leave room for fewer than there are.
        count = min(_number_in(arrays[output.size_in]), output.shape[0])
        arrays[output.text] = array.first(count) if isinstance(array, Array) else array[:count]
