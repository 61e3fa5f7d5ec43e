# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The type stub says what the library has."""

import concord
import inspect
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


def public_functions():
    """What is said in the modules; the stub has the functions of the algorithms."""
    algorithms = {described["algorithm"] for described in concord.describe()}
    for name in sorted(set(concord.__all__) - algorithms):
        item = getattr(concord, name)
        if inspect.isfunction(item):
            yield name, item
        elif item.__module__ != "concord.errors":
            for method, member in vars(item).items():
                member = getattr(member, "fget", getattr(member, "func", member))
                if inspect.isfunction(member) and member.__module__.startswith("concord") and (
                        method in ("__init__", "__len__") or not method.startswith("_")):
                    yield f"{name}.{method}", member


def test_what_is_public_has_types():
    functions = dict(public_functions())
    assert {"verify", "Backend.__init__", "Backend.device", "Array.numpy"} <= set(functions)
    for name, function in functions.items():
        for parameter in list(inspect.signature(function).parameters)[name.count("."):]:
            assert parameter in function.__annotations__, f"{parameter} of {name}"
        assert "return" in function.__annotations__, name
