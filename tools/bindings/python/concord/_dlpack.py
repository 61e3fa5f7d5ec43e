# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""DLPack: arrays of other libraries in, arrays of ours out.

https://dmlc.github.io/dlpack/latest/python_spec.html"""

import ctypes

import numpy

from concord._prototypes import Device, Type

_NAME = b"dltensor"


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

    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def _python(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)


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


class _Lent:
    """An array as NumPy asks for it. What NumPy makes of it keeps it, and so the owner."""

    __slots__ = ("owner", "__array_interface__")

    def __init__(self, owner, address, bits, shape):
        self.owner = owner
        self.__array_interface__ = {"data": (address, False), "typestr": f"<u{bits // 8}",
                                    "shape": shape, "version": 3}


def capsule_of(owner, address, device, kind, shape):
    """A capsule with an array in C order. It keeps `owner` alive. `kind` is code and bits.

    NumPy makes it, as of unsigned integers on the host. The destructor is then in C: it may be
    called while an exception is on its way, and when this module is gone."""
    capsule = numpy.asarray(_Lent(owner, address, kind[1], shape)).__dlpack__()
    tensor = _Managed.from_address(_pointer(capsule, _NAME)).tensor
    tensor.data = address  # NumPy takes 0 for memory that it is to allocate
    tensor.device = Device(*device)
    tensor.type = Type(*kind, 1)
    return capsule
