# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of all kinds as the library sees them: an address and what lies there."""

import struct

import numpy

from concord import _checks
from concord._dlpack import tensor_in
from concord._driver import gpu_of
from concord.errors import out_of_memory

CPU, CUDA, CUDA_HOST, MANAGED = 1, 2, 3, 13
HOST = (CPU, 0)
# The default stream of CUDA, as the interfaces of arrays number it.
DEFAULT_STREAM = 1

# concord_array.
LAYOUT = struct.Struct("@PPiiiBBHPPQ")
_SIZE = LAYOUT.size
_pack_array = LAYOUT.pack_into
# Shapes and strides, by their dimensions; more than two the library refuses unseen.
_EXTENTS = (None, struct.Struct("q").pack_into, struct.Struct("qq").pack_into)

# DLPack's code and bits, by the text that NumPy's interface has for a type.
KINDS = {"<i1": (0, 8), "|i1": (0, 8), "|u1": (1, 8), "<u1": (1, 8), "<i4": (0, 32),
         "<u4": (1, 32), "<i8": (0, 64), "<u8": (1, 64), "<f4": (2, 32), "<f8": (2, 64),
         "|b1": (6, 8)}
DTYPES = {(code, bits): numpy.dtype(text) for text, (code, bits) in KINDS.items()}
_TYPES = ", ".join(str(dtype) for dtype in DTYPES.values())


class View:
    """One array. `owner` is whatever keeps the memory alive: the array, and what it gave."""

    __slots__ = ("address", "device", "kind", "shape", "strides", "read_only", "owner")

    def __init__(self, address, device, kind, shape, strides, read_only, owner):
        self.address = address
        self.device = device
        self.kind = kind
        self.shape = shape
        self.strides = strides  # in elements, or None
        self.read_only = read_only
        self.owner = owner

    @property
    def is_cuda(self):
        """Whether a GPU's backend is wanted for it."""
        return self.device[0] in (CUDA, MANAGED)


def host_array(shape, dtype):
    """A new array of NumPy's."""
    try:
        return numpy.empty(shape, dtype)
    except MemoryError as error:
        raise out_of_memory(str(error)) from None


def kind_of(text, name):
    """Code and bits of a type that NumPy's interface has a text for."""
    kind = KINDS.get(text)
    if kind is not None:
        return kind
    try:
        dtype = numpy.dtype(text)
    except TypeError:
        dtype = text
    if isinstance(dtype, numpy.dtype) and not dtype.isnative:
        raise TypeError(f"'{name}' has elements of type {dtype.name} in another byte order than "
                        "this machine's")
    raise TypeError(f"'{name}' has elements of type {dtype}; arrays are of {_TYPES}")


def _of_interface(owner, interface, device, name):
    """NumPy's __array_interface__ and its relative of CUDA's are alike. This one is NumPy's own,
    or has been checked."""
    kind = kind_of(interface["typestr"], name)
    address, read_only = interface["data"]
    strides = interface.get("strides")
    if strides is not None:
        size = kind[1] // 8
        if any(stride % size for stride in strides):
            raise ValueError(f"the elements of '{name}' do not lie at multiples of their size")
        strides = tuple(stride // size for stride in strides)
    return View(address, device, kind, interface["shape"], strides, read_only, owner)


def _checked(interface, which, name):
    """What somebody else's class has for an interface, as NumPy would have it."""
    if not isinstance(interface, dict):
        raise TypeError(f"'{name}': {which} is a dict, not {type(interface).__name__}")
    for member in ("typestr", "data", "shape"):
        if member not in interface:
            raise TypeError(f"'{name}': {which} has no '{member}'")
    data = interface["data"]
    if not isinstance(interface["typestr"], str):
        raise TypeError(f"'{name}': the 'typestr' of {which} is a str, not "
                        f"{type(interface['typestr']).__name__}")
    if not isinstance(data, tuple) or len(data) != 2:
        raise TypeError(f"'{name}': the 'data' of {which} are an address and whether it is "
                        "read-only")
    shape = _checks.shape(name, interface["shape"])
    strides = interface.get("strides")
    if strides is not None:
        strides = tuple(_checks.whole(f"a stride of {name}", stride) for stride in strides)
        if len(strides) != len(shape):
            raise ValueError(f"'{name}' has {len(shape)} dimensions and {len(strides)} strides")
    return {**interface, "data": (_checks.address(name, data[0]), bool(data[1])), "shape": shape,
            "strides": strides}


def _index_of(array, address):
    """Which GPU: __cuda_array_interface__ does not say. The driver does, but not of an array
    without elements, which may have no address. Some arrays do as well."""
    gpu = gpu_of(address)
    if gpu is not None:
        return gpu
    device = getattr(array, "device", None)
    for attribute in ("id", "index"):
        index = getattr(device, attribute, None)
        if isinstance(index, int):
            return index
    return 0


def _of_cuda_interface(array, name, stream, wait):
    given = array.__cuda_array_interface__
    interface = _checked(given, "__cuda_array_interface__", name)
    device = (CUDA, _index_of(array, interface["data"][0]))
    theirs = interface.get("stream")
    view = _of_interface((array, given), interface, device, name)
    if theirs is not None and theirs != stream:
        wait(device, theirs)
    return view


def _of_dlpack(array, name, stream):
    given = array.__dlpack_device__()
    try:
        device = (int(given[0]), int(given[1]))
    except (IndexError, TypeError, ValueError):
        raise TypeError(f"'{name}': __dlpack_device__() gives a type and a number, not "
                        f"{given!r}") from None
    on_gpu = device[0] in (CUDA, MANAGED)
    capsule = array.__dlpack__(stream=stream) if on_gpu else array.__dlpack__()
    tensor = tensor_in(capsule, name)
    dimensions = tensor.dimensions
    return View((tensor.data or 0) + tensor.byte_offset, device,
                (tensor.type.code, tensor.type.bits), tuple(tensor.shape[:dimensions]),
                tuple(tensor.strides[:dimensions]) if tensor.strides else None, False, capsule)


def _in_place(array, name, stream, wait):
    """The view of an array that says where it lies, or None."""
    if isinstance(array, type):
        raise TypeError(f"'{name}' is no array but the class {array.__name__}")
    if isinstance(array, numpy.generic):  # the interface of a number is that of a copy
        return None
    own = getattr(array, "_concord_view", None)
    if own is not None:
        return own
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError(f"'{name}' is a masked array, and masks mean nothing here; "
                        f"{name}.filled() and {name}.compressed() are arrays without")
    if hasattr(array, "__cuda_array_interface__") and not hasattr(array, "__dlpack__"):
        return _of_cuda_interface(array, name, stream, wait)
    if isinstance(array, numpy.ndarray):
        return _of_interface(array, array.__array_interface__, HOST, name)
    if hasattr(array, "__array_interface__"):
        # What it says may be all that keeps the memory.
        given = array.__array_interface__
        interface = _checked(given, "__array_interface__", name)
        return _of_interface((array, given), interface, HOST, name)
    if hasattr(array, "__dlpack_device__"):
        return _of_dlpack(array, name, stream)
    return None


def input_view(array, name, stream, wait):
    """An array to be read. Lists and numbers of NumPy's become arrays; nothing else is copied."""
    if type(array) is numpy.ndarray:  # most of them
        return _of_interface(array, array.__array_interface__, HOST, name)
    view = _in_place(array, name, stream, wait)
    if view is not None:
        return view
    if isinstance(array, str):
        raise TypeError(f"'{name}' is a str; give its bytes: {name}.encode()")
    if not isinstance(array, (list, tuple, range)) and not hasattr(array, "__array__"):
        try:
            array = memoryview(array)
        except TypeError:
            raise TypeError(f"'{name}' is no array but {type(array).__name__}") from None
    try:
        array = numpy.asarray(array)
    except ValueError as error:
        raise ValueError(f"'{name}' is no array: {error}") from error
    return _of_interface(array, array.__array_interface__, HOST, name)


def output_view(array, name, stream, wait):
    """An array to be written."""
    view = _in_place(array, name, stream, wait)
    if view is None:
        raise TypeError(f"'{name}' is to be written, and {type(array).__name__} is no array")
    if view.read_only:
        raise ValueError(f"'{name}' is read-only")
    return view


def pack(buffer, base, named_views):
    """Writes concord_arrays into a buffer that lies at the address `base`, and behind them
    their shapes and strides. Views come with the address of a name."""
    offset = 0
    extents = _SIZE * len(named_views)
    for name, view in named_views:
        shape = view.shape
        dimensions = len(shape)
        strides_at = 0
        if 0 < dimensions <= 2:
            pack_extents = _EXTENTS[dimensions]
            pack_extents(buffer, extents, *shape)
            if view.strides is not None:
                strides_at = base + extents + 16
                pack_extents(buffer, extents + 16, *view.strides)
        _pack_array(buffer, offset, name, view.address, *view.device, dimensions, *view.kind, 1,
                    base + extents, strides_at, 0)
        offset += _SIZE
        extents += 32


def room_for(arrays):
    """Bytes that `pack` wants for so many of them."""
    return arrays * (_SIZE + 32)
