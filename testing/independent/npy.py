# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Columns as .npy files, with the standard library alone.

An integer is a Python int, a float a Python float; `to_bytes` and `from_bytes`
are as exact as the type.
"""

import ast
import struct

FORMATS = {
    "int8": ("|i1", "b"), "uint8": ("|u1", "B"), "int32": ("<i4", "i"), "uint32": ("<u4", "I"),
    "int64": ("<i8", "q"), "uint64": ("<u8", "Q"), "float32": ("<f4", "f"), "float64": ("<f8", "d"),
}


def to_bytes(dtype, values):
    return struct.pack(f"<{len(values)}{FORMATS[dtype][1]}", *values)


def from_bytes(dtype, content):
    letter = FORMATS[dtype][1]
    return list(struct.unpack(f"<{len(content) // struct.calcsize(letter)}{letter}", content))


def save(path, dtype, values, shape=None):
    """Values, or the bytes of them, which keep every NaN."""
    content = values if isinstance(values, bytes) else to_bytes(dtype, values)
    shape = shape or (len(values),)
    header = f"{{'descr': '{FORMATS[dtype][0]}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1"))
        file.write(content)


def read(path):
    """The header of a file as a dictionary, and the bytes of its elements."""
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<H", content[8:10])
    return ast.literal_eval(content[10 : 10 + length].decode("latin1")), content[10 + length :]


def load(path):
    """The type of a file's elements, and their bytes."""
    header, content = read(path)
    dtype = next(name for name, (descr, _) in FORMATS.items() if descr == header["descr"])
    return dtype, content


def shape(path):
    return read(path)[0]["shape"]
