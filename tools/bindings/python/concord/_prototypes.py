# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The functions and structures of concord.h as ctypes has them."""

import ctypes

_HANDLE = ctypes.c_void_p
_ARRAYS = ctypes.c_void_p
_STATUS = ctypes.c_void_p
_OUT = ctypes.c_void_p  # where a result goes
_TEXT = ctypes.c_char_p
_SIZE = ctypes.c_size_t

# Result and arguments of each function of concord.h.
PROTOTYPES = {
    "concord_version": (ctypes.c_int32,),
    "concord_status_code": (ctypes.c_int32, _STATUS),
    "concord_status_message": (_TEXT, _STATUS),
    "concord_status_free": (None, _STATUS),
    "concord_text_free": (None, _HANDLE),
    "concord_describe": (_STATUS, _TEXT, _OUT),
    "concord_list_implementations": (_STATUS, _OUT),
    "concord_list_backends": (_STATUS, _OUT),
    "concord_algorithm_names": (_STATUS, _OUT, _OUT),
    "concord_implementation_names": (_STATUS, _OUT, _OUT),
    "concord_backend_open": (_STATUS, _TEXT, _OUT),
    "concord_backend_open_on_stream": (_STATUS, _TEXT, _HANDLE, _OUT),
    "concord_backend_name": (_STATUS, _HANDLE, _OUT),
    "concord_backend_device": (_STATUS, _HANDLE, _OUT),
    "concord_backend_synchronize": (_STATUS, _HANDLE),
    "concord_backend_free": (None, _HANDLE),
    "concord_kernel_create": (_STATUS, _HANDLE, _TEXT, _TEXT, _HANDLE, _SIZE, _OUT),
    "concord_kernel_name": (_STATUS, _HANDLE, _OUT),
    "concord_kernel_run": (_STATUS, _HANDLE, _ARRAYS, _SIZE, _ARRAYS, _SIZE),
    "concord_kernel_free": (None, _HANDLE),
    "concord_kernel_plan": (_STATUS, _HANDLE, _ARRAYS, _SIZE, _OUT),
    "concord_plan_output_count": (_STATUS, _HANDLE, _OUT),
    "concord_plan_output": (_STATUS, _HANDLE, _SIZE, _OUT),
    "concord_plan_count_in": (_STATUS, _HANDLE, _SIZE, _OUT),
    "concord_plan_in_place_of": (_STATUS, _HANDLE, _SIZE, _OUT),
    "concord_plan_free": (None, _HANDLE),
    "concord_explain": (_STATUS, _TEXT, _HANDLE, _SIZE, _ARRAYS, _SIZE, _OUT),
    "concord_kernel_start": (_STATUS, _HANDLE, _ARRAYS, _SIZE, _ARRAYS, _SIZE, _OUT),
    "concord_event_wait": (_STATUS, _HANDLE),
    "concord_event_seconds": (_STATUS, _HANDLE, _OUT),
    "concord_event_free": (None, _HANDLE),
    "concord_memory_allocate": (_STATUS, _HANDLE, _ARRAYS, _OUT),
    "concord_memory_allocate_host": (_STATUS, _HANDLE, _ARRAYS, _OUT),
    "concord_memory_free": (None, _HANDLE),
    "concord_copy": (_STATUS, _HANDLE, _ARRAYS, _ARRAYS),
    "concord_verification_create": (_STATUS, _TEXT, _HANDLE, _SIZE, _OUT),
    "concord_verification_run": (_STATUS, _HANDLE),
    "concord_verification_progress": (_STATUS, _HANDLE, _OUT),
    "concord_verification_cancel": (_STATUS, _HANDLE),
    "concord_verification_result": (_STATUS, _HANDLE, _OUT),
    "concord_verification_free": (None, _HANDLE),
    "concord_differential_create": (_STATUS, _TEXT, _HANDLE, _SIZE, _OUT),
    "concord_differential_next": (_STATUS, _HANDLE, _OUT, _OUT, _OUT),
    "concord_differential_answer": (_STATUS, _HANDLE, ctypes.c_int32, _TEXT, _ARRAYS, _SIZE,
                                    _ARRAYS, _SIZE),
    "concord_differential_progress": (_STATUS, _HANDLE, _OUT),
    "concord_differential_cancel": (_STATUS, _HANDLE),
    "concord_differential_result": (_STATUS, _HANDLE, _OUT, _OUT, _OUT, _OUT),
    "concord_differential_free": (None, _HANDLE),
}


class Device(ctypes.Structure):
    """concord_device."""

    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class Type(ctypes.Structure):
    """concord_type."""

    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class CArray(ctypes.Structure):
    """concord_array."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("dimensions", ctypes.c_int32),
        ("type", Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Progress(ctypes.Structure):
    """concord_progress."""

    _fields_ = [("executed", ctypes.c_int64), ("failures", ctypes.c_int64),
                ("planned", ctypes.c_int64), ("seconds", ctypes.c_double)]
