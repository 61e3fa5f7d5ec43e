# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""DLPack: arrays of other libraries in, arrays of ours out.

https://dmlc.github.io/dlpack/latest/python_spec.html"""

import ctypes

from concord._prototypes import Device, Type

_NAME = b"dltensor"
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("dimensions", ctypes.c_int32),
        ("type", Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _DELETER)]


def _python(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_new = _python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p,
               ctypes.c_void_p)
_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
# The destructor has no reference to the capsule, and must not make one.
_is_valid_dying = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_pointer_dying = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p,
                         ctypes.c_char_p)


def tensor_in(capsule, name):
    """The DLTensor in a capsule, which stays the producer's: nothing is taken over, so that
    it lives as long as the capsule does."""
    if not _is_valid(capsule, _NAME):
        raise TypeError(f"'{name}': __dlpack__() gave no capsule with a DLTensor")
    tensor = _Managed.from_address(_pointer(capsule, _NAME)).tensor
    if tensor.dimensions < 0 or tensor.dimensions > 0 and not tensor.shape:
        raise ValueError(f"'{name}' has {tensor.dimensions} dimensions in DLPack"
                         f"{'' if tensor.shape else ', and no shape'}")
    if tensor.type.lanes != 1:
        raise TypeError(f"'{name}' has elements of {tensor.type.lanes} lanes in DLPack; arrays "
                        "have 1")
    if tensor.byte_offset >= 1 << 63:  # no array is so large; C's sum would wrap around
        raise ValueError(f"'{name}' begins {tensor.byte_offset} bytes behind its address")
    return tensor


# What is out, by address: the structure, its shape, the array that owns the memory.
_given: dict = {}


@_DELETER
def _delete(address):
    _given.pop(address, None)


@_DESTRUCTOR
def _destroy(capsule):
    # Whoever has taken it over has renamed it, and calls the deleter.
    if _is_valid_dying(capsule, _NAME):
        _delete(_pointer_dying(capsule, _NAME))


def capsule_of(owner, address, device, kind, shape):
    """A capsule with an array in C order. It keeps `owner` alive. `kind` is code and bits."""
    managed = _Managed()
    extents = (ctypes.c_int64 * len(shape))(*shape)
    steps = [1] * len(shape)
    for dimension in range(len(shape) - 2, -1, -1):
        steps[dimension] = steps[dimension + 1] * shape[dimension + 1]
    strides = (ctypes.c_int64 * len(shape))(*steps)
    managed.tensor = _Tensor(address, Device(*device), len(shape), Type(*kind, 1), extents,
                             strides, 0)
    managed.deleter = _delete
    key = ctypes.addressof(managed)
    _given[key] = (managed, extents, strides, owner)
    return _new(key, _NAME, _destroy)
