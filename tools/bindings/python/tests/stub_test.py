# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The type stub says what the library has."""

import concord
import pathlib
import subprocess
import sys

PYTHON = pathlib.Path(__file__).resolve().parent.parent
STUB = pathlib.Path(concord.__file__).with_suffix(".pyi")


def test_type_stub_is_that_of_the_library():
    made = subprocess.run([sys.executable, "-B", PYTHON / "make_stubs"], capture_output=True,
                          text=True, check=True)
    assert made.stdout == STUB.read_text(encoding="utf-8"), "run make_stubs anew"
    compile(made.stdout, str(STUB), "exec")
