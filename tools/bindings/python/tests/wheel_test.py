# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel with its library, as pip would unpack it."""

import os
import pathlib
import pytest
import subprocess
import sys
import zipfile

from concord._extension import CALLS
from concord._library import LIBRARY

PYTHON = pathlib.Path(__file__).resolve().parent.parent

USE = """
import concord, pathlib
print(concord.scan([15, 10, 42, 24], kind="inclusive").tolist())
folder = pathlib.Path(concord.__file__).parent / "lib"
loaded = pathlib.Path("/proc/self/maps").read_text()
assert pathlib.Path(concord._extension.CALLS.__file__).parent == folder.parent
for library in folder.iterdir():
    assert str(library) in loaded, library
"""


def path_of_library():
    """Where the loader found it."""
    for line in pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = line.split(maxsplit=5)[-1]  # which may have blanks
        if pathlib.Path(path).name.startswith("libconcord.so"):
            return path
    return LIBRARY._name


def clean_environment(**more):
    """Without what leads to another library."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("CONCORD_LIBRARY", "LD_LIBRARY_PATH", "PYTHONPATH")}
    return {**kept, **more}


@pytest.fixture(name="unpacked", scope="module")
def unpack(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    extension = [] if CALLS is None else [CALLS.__file__]
    made = subprocess.run([sys.executable, "-B", PYTHON / "make_wheel", path_of_library(), folder,
                           *extension], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    with zipfile.ZipFile(made.stdout.strip()) as wheel:
        wheel.extractall(folder / "site-packages")
    return folder / "site-packages"


def test_module_of_the_wheel_uses_the_libraries_of_the_wheel(unpacked):
    used = subprocess.run([sys.executable, "-B", "-c", USE], capture_output=True, text=True,
                          env=clean_environment(PYTHONPATH=str(unpacked)), cwd="/", check=False)
    assert used.returncode == 0, used.stderr
    assert used.stdout == "[15, 25, 67, 91]\n"


def test_module_may_lie_anywhere(unpacked, tmp_path):
    moved = tmp_path / "elsewhere"
    unpacked.rename(moved)
    try:
        subprocess.run([sys.executable, "-B", "-c", USE], check=True, capture_output=True,
                       env=clean_environment(PYTHONPATH=str(moved)), cwd="/")
    finally:
        moved.rename(unpacked)
