# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays in a backend's memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

from concord import _checks, _views
from concord._dlpack import capsule_of
from concord._library import LIBRARY, Owner, check
from concord._prototypes import CArray, Device, Type


class _Memory(Owner):
    """What concord_memory_allocate gives. It is freed on the backend's stream, and so before it."""

    __slots__ = ("_handle", "_backend", "__weakref__")

    def __init__(self, handle, backend):
        self._handle = handle
        self._backend = backend

    def __del__(self, _free=LIBRARY.concord_memory_free):
        _free(self._handle)


def c_array(view):
    """A concord_array, for calls that are not in a hurry."""
    dimensions = len(view.shape)
    shape = (ctypes.c_int64 * dimensions)(*view.shape)
    strides = None
    if view.strides is not None:
        strides = (ctypes.c_int64 * dimensions)(*view.strides)
    return CArray(b"array", view.address, Device(*view.device), dimensions, Type(*view.kind, 1),
                  shape, strides, 0)


class Array:
    """An array in the memory of a backend, such as a GPU's, in C order.

    CuPy, PyTorch and Numba take it without a copy: it has `__cuda_array_interface__` on a GPU,
    `__array_interface__` on the host, and `__dlpack__` on both. `numpy()` brings it to the host.
    """

    def __init__(self, backend: Any, view: Any) -> None:
        self._backend = backend
        self._concord_view = view

    @classmethod
    def empty(cls, backend: Any, shape: Any, kind: Any) -> Array:
        """One whose elements are unspecified."""
        wanted = c_array(_views.View(None, _views.HOST, kind, shape, None, False, None))
        handle = ctypes.c_void_p()
        check(LIBRARY.concord_memory_allocate(backend.handle, ctypes.byref(wanted),
                                              ctypes.byref(handle)))
        device = (wanted.device.type, wanted.device.index)
        return cls(backend, _views.View(wanted.data or 0, device, kind, shape, None, False,
                                        _Memory(handle.value, backend)))

    def first(self, count: int) -> Array:
        """The first elements, in the same memory."""
        view = self._concord_view
        count = _checks.whole("count", count)
        if not 0 <= count <= len(self):
            raise IndexError(f"there are no {count} elements in an array of {len(self)}")
        shape = (count, *view.shape[1:])
        return Array(self._backend, _views.View(view.address, view.device, view.kind, shape, None,
                                                False, view.owner))

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements in each dimension."""
        return self._concord_view.shape

    @property
    def ndim(self) -> int:
        """Dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Elements."""
        return int(numpy.prod(self.shape, dtype=object))

    @property
    def dtype(self) -> Any:
        """NumPy's."""
        return _views.DTYPES[self._concord_view.kind]

    @property
    def nbytes(self) -> int:
        """Of all elements."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __repr__(self):
        return (f"<concord.Array of {self.dtype} {list(self.shape)} in the memory of "
                f"{self._backend.name}>")

    def __copy__(self):
        made = self._backend.empty(self.shape, self.dtype)
        self._backend.copy(self, made)
        return made

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce_ex__(self, protocol):
        raise TypeError("an Array lies in the memory of a backend; what numpy() gives is pickled")

    def numpy(self) -> Any:
        """A copy in host memory."""
        copy = _views.host_array(self.shape, self.dtype)
        self._backend.copy(self, copy)
        return copy

    def item(self) -> Any:
        """The only element, as a number of Python's."""
        return self.numpy().item()

    def _interface(self):
        view = self._concord_view
        return {"shape": view.shape, "typestr": self.dtype.str, "data": (view.address, False),
                "strides": None, "version": 3}

    @property
    def __array_interface__(self):
        if self._concord_view.is_cuda:
            raise AttributeError("on a GPU; numpy() copies to the host")
        return self._interface()

    @property
    def __cuda_array_interface__(self):
        if not self._concord_view.is_cuda:
            raise AttributeError("in host memory")
        # Calls wait until their results are there.
        return {**self._interface(), "stream": None}

    def __dlpack_device__(self):
        return self._concord_view.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        del stream, max_version  # complete, and in the first version's form
        view = self._concord_view
        if copy:
            raise BufferError("concord.Array gives itself, not a copy")
        if dl_device is not None and tuple(dl_device) != view.device:
            raise BufferError(f"the array is on device {view.device}, not {tuple(dl_device)}")
        return capsule_of(self, view.address, view.device, view.kind, view.shape)
