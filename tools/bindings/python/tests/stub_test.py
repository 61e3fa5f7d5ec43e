# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The type stub says what the library has."""

import concord
import os
import pathlib
import subprocess
import sys

from concord._library import LIBRARY

PYTHON = pathlib.Path(__file__).resolve().parent.parent
STUB = pathlib.Path(concord.__file__).with_suffix(".pyi")


def test_type_stub_is_that_of_the_library():
    # The module beside the script may know of no library; that of an installation does.
    named = {} if LIBRARY._name is None else {"CONCORD_LIBRARY": LIBRARY._name}
    made = subprocess.run([sys.executable, "-B", PYTHON / "make_stubs"], capture_output=True,
                          text=True, check=False, env={**os.environ, **named})
    assert made.returncode == 0, made.stderr
    assert made.stdout == STUB.read_text(encoding="utf-8"), "run make_stubs anew"
    compile(made.stdout, str(STUB), "exec")
