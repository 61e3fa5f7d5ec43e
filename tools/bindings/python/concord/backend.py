# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Backends: where code runs and memory lives."""

from __future__ import annotations

import ctypes
import functools
import operator
import threading
from collections import OrderedDict
from typing import Any

import numpy

from concord import _checks, _extension, _library, _views
from concord._library import LIBRARY, check, encode, handle_of, kept_text_of
from concord._prototypes import Device
from concord.array import Array, c_array

# Kernels keep memory from call to call; those of a program's inner loop are few.
MOST_KERNELS = 32


def stream_of(stream):
    """The cudaStream_t of a stream of any library's."""
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        version, address = protocol() if callable(protocol) else protocol
        if version != 0:
            raise TypeError(f"__cuda_stream__ has version {version}; only 0 is known")
        return operator.index(address)
    for attribute in ("ptr", "cuda_stream"):  # CuPy, PyTorch
        address = getattr(stream, attribute, None)
        if isinstance(address, int):
            return address
    try:
        return operator.index(stream)
    except TypeError:
        raise TypeError(f"a stream is an address or has __cuda_stream__, unlike "
                        f"{type(stream).__name__}") from None


class Backend(_library.Owner):
    """An open backend: `Backend("tbb:8")`, `Backend("cuda:1")`, `Backend("auto")`.

    Without a name it is that of $CONCORD_BACKEND. Work on a GPU is queued on `stream`, an
    address or an object with `__cuda_stream__`, else on CUDA's default stream.

    Calls on one backend take turns. Threads that want to run at the same time open one each.
    """

    def __init__(self, name: str = "", stream: Any = None) -> None:
        text = encode(name, "the name of a backend")
        self.handle = None
        self._stream = stream  # which outlives it
        self._kernels = OrderedDict()
        # Those of them that the extension finds by itself.
        self.recent = None if _extension.CALLS is None else _extension.CALLS.Recent()
        self._lock = threading.Lock()
        address = None if stream is None else stream_of(stream)
        if stream is None:
            self.handle = handle_of(LIBRARY.concord_backend_open, text)
            if self.device[0] == _views.CPU:
                return
            # Arrays of other libraries are ready in the order of this stream.
            LIBRARY.concord_backend_free(self.handle)
            self.handle = None
        self.handle = handle_of(LIBRARY.concord_backend_open_on_stream, text, address)
        self.stream = address or _views.DEFAULT_STREAM

    stream = _views.DEFAULT_STREAM

    def __del__(self, _free=LIBRARY.concord_backend_free):
        # Kernels free memory on the stream, so they go before whoever owns it.
        if getattr(self, "handle", None) is not None:
            self.clear()
            _free(self.handle)

    @property
    def name(self) -> str:
        """Its complete name: "tbb:8"."""
        return kept_text_of(LIBRARY.concord_backend_name, self.handle)

    @functools.cached_property
    def device(self) -> tuple[int, int]:
        """Where its arrays lie, as DLPack has it: (1, 0) is the host, (2, 1) the second GPU."""
        device = Device()
        check(LIBRARY.concord_backend_device(self.handle, ctypes.byref(device)))
        return device.type, device.index

    def __repr__(self):
        return f"<concord.Backend {self.name}>"

    def synchronize(self) -> None:
        """Waits for all work that was given to it."""
        check(LIBRARY.concord_backend_synchronize(self.handle))

    def empty(self, shape: Any, dtype: Any = numpy.int64) -> Array:
        """An Array in its memory, of unspecified elements."""
        kind = _views.kind_of(numpy.dtype(dtype).str, "dtype")
        made = Array.empty(self, _checks.shape("shape", shape), kind)
        self._complete(made)
        return made

    def array(self, values: Any) -> Array:
        """A copy of an array in its memory, as an Array."""
        view = _views.input_view(values, "values", self.stream, wait_for)
        copy = Array.empty(self, tuple(view.shape), view.kind)
        self.copy(values, copy)
        return copy

    def copy(self, source: Any, target: Any) -> None:
        """Copies all elements to an array of the same type and size, on the host or here."""
        read = _views.input_view(source, "source", self.stream, wait_for)
        written = _views.output_view(target, "target", self.stream, wait_for)
        check(LIBRARY.concord_copy(self.handle, ctypes.byref(c_array(read)),
                                   ctypes.byref(c_array(written))))
        self._complete(target)

    def _complete(self, target):
        """What others take from here is there, whatever stream of theirs they use it on."""
        if not isinstance(target, numpy.ndarray) and self.device != _views.HOST:
            self.synchronize()

    def clear(self) -> None:
        """Frees the memory that calls keep for the next ones."""
        self._kernels.clear()
        if self.recent is not None:
            self.recent.clear()

    def kernel(self, key: Any, create: Any) -> Any:
        """One that was made before, or a new one."""
        kernel = self._kernels.get(key)
        if kernel is not None:
            return kernel
        with self._lock:
            # Another thread may have made it meanwhile.
            kernel = self._kernels.get(key)
            if kernel is not None:
                return kernel
            kernel = self._kernels[key] = create(self)
            if len(self._kernels) > MOST_KERNELS:
                self._kernels.popitem(last=False)
                if self.recent is not None:
                    self.recent.clear()
        return kernel

    def remember(self, named: Any, caller: Any, values: Any, kernel: Any) -> None:
        """Has the extension find a kernel by itself. `named` is what the caller said: the
        backend, or its name."""
        if self.device != _views.HOST or not _SIMPLE.issuperset(map(type, values)):
            return
        if type(named) is str:
            _extension.RECENTS.setdefault(named, self.recent)
        self.recent.add(caller, values, kernel, kernel.handle, kernel.quick)


# Types of values that are equal when they look equal.
_SIMPLE = {str, int, float, bool, type(None)}
_extension.set_up(Backend)

_opened: dict = {}


def _named(name):
    """The one that all calls share which give no Backend."""
    opened = _opened.get(name)
    if opened is None:
        opened = _opened.setdefault(name, Backend(name))
    return opened


def wait_for(device, stream):
    """Until what was queued on a stream of another library's is done. Nothing is kept of the
    stream, which may be gone when the array is."""
    Backend(f"cuda:{device[1]}", stream).synchronize()


@functools.lru_cache(maxsize=None)
def _host():
    """What "auto" is for arrays in host memory."""
    best = _named("auto")
    return best if best.device[0] == _views.CPU else _named("auto:tbb")


def chosen(backend, views):
    """The Backend of a call: "auto" runs where the arrays are."""
    if isinstance(backend, Backend):
        return backend
    if backend != "auto":
        return _named(backend)
    for view in views:
        if view.is_cuda:
            return _named(f"auto:cuda:{view.device[1]}")
    return _host()


def stream_before(backend):
    """On which stream inputs are to be ready."""
    return backend.stream if isinstance(backend, Backend) else _views.DEFAULT_STREAM


def backends() -> list[dict[str, Any]]:
    """Every backend of the library, and whether it can be opened here: a list of dicts."""
    return _library.listed(LIBRARY.concord_list_backends)
