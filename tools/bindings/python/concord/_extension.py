# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The extension in C, which makes small calls cheap; the module does without it, too."""

import ctypes
import os

import numpy

from concord import _views
from concord._library import LIBRARY, check
from concord.errors import out_of_memory

_FUNCTIONS = ("kernel_run", "kernel_plan", "plan_output_count", "plan_output", "plan_count_in",
              "plan_free", "status_free")

# The names of backends whose kernels the extension knows, and where they are.
RECENTS: dict = {}


def _load():
    if os.environ.get("CONCORD_EXTENSION") == "0":
        return None
    try:
        from concord import _calls
    except ImportError:  # not in a checkout, nor for a Python before 3.11
        return None
    return _calls


CALLS = _load()


def set_up(backend_class):
    """Hands over what calls use."""
    if CALLS is None:
        return
    functions = {f"concord_{name}": ctypes.cast(getattr(LIBRARY, f"concord_{name}"),
                                                ctypes.c_void_p).value for name in _FUNCTIONS}
    CALLS.setup(functions, {"ndarray": numpy.ndarray, "empty": numpy.empty,
                            "dtypes": _views.DTYPES, "backend": backend_class,
                            "recents": RECENTS, "raise_status": check,
                            "out_of_memory": out_of_memory})
