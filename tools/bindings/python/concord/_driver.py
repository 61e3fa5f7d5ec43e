# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's driver, which knows on which GPU an address lies."""

import ctypes
import functools

# CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL of cuda.h.
_DEVICE_ORDINAL = 9


@functools.lru_cache(maxsize=None)
def pointer_attribute():
    """The driver's cuPointerGetAttribute, or None where there is no driver."""
    try:
        function = ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.c_int
    function.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64)
    return function


def gpu_of(address):
    """The number of the GPU, or None: the driver knows no such address. Who has memory on a GPU
    has started the driver, so nothing is started here."""
    function = pointer_attribute()
    gpu = ctypes.c_int(-1)
    if function is None or function(ctypes.byref(gpu), _DEVICE_ORDINAL, address) != 0:
        return None
    return gpu.value if gpu.value >= 0 else None
