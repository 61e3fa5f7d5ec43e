# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The differential engine on kernels of Numba's: on a GPU where Numba has one, else in its
simulator of one."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))
import differential_test  # noqa: E402
import gpu  # noqa: E402
import sketches  # noqa: E402

HAS_NUMBA = importlib.util.find_spec("numba") is not None
ASKS_NUMBA = "import sys; from numba import cuda; sys.exit(not cuda.is_available())"
# Numba that is older than the toolkit or the driver has no GPU either.
SIMULATED = not (HAS_NUMBA and gpu.HAS_GPU
                 and subprocess.run([sys.executable, "-c", ASKS_NUMBA], check=False).returncode == 0)
# Numba reads them when it is first imported.
os.environ["NUMBA_ENABLE_CUDASIM"] = str(int(SIMULATED))
os.environ["NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS"] = "0"
if HAS_NUMBA:
    import numba_sketches

pytestmark = pytest.mark.skipif(not HAS_NUMBA, reason="there is no Numba: Debian's python3-numba")

# The simulator has a thread of Python's for each of the kernel's, which wait for each other, and
# takes milliseconds for a letter.
if SIMULATED:
    sys.setswitchinterval(1e-4)
SPEC = {**sketches.SPEC, "t": [1, 2], "dim": [8]} if SIMULATED else sketches.SPEC
GIVEN = {"boundaries": [sketches.THREADS], "largest_size": 12 if SIMULATED else 60}
# The engine makes a case smaller for 20 seconds at most. The simulator may take longer on a busy
# machine: then the case is a wrong one, and not the smallest.
WRONG = {**GIVEN, "in_time": not SIMULATED}


def test_kernels_run_where_they_have_to():
    assert numba_sketches.cuda.is_available()
    assert not (SIMULATED and gpu.REQUIRED), "Numba cannot use the GPU"


def test_a_right_kernel_passes(tmp_path):
    cases = 60 if SIMULATED else 0
    found = differential_test.compare(numba_sketches.right, tmp_path, SPEC, cases=cases, **GIVEN)
    assert found.passed and found.executed >= (cases or 150)
    assert not list(tmp_path.iterdir())


def test_a_kernel_that_skips_letters_is_found(tmp_path):
    differential_test.expect_wrong_sum(numba_sketches.skips_letters, [0, 1], tmp_path, spec=SPEC,
                                       **WRONG)


def test_a_kernel_that_knows_one_length_is_found(tmp_path):
    differential_test.expect_wrong_sum(numba_sketches.one_length, [0, 0, 1], tmp_path, spec=SPEC,
                                       **WRONG)


def test_a_kernel_that_rounds_twice_is_found(tmp_path):
    spec = {**SPEC, "t": [1], "normalized": [True]} if SIMULATED else SPEC
    differential_test.expect_wrong_rounding(numba_sketches.rounds_twice, tmp_path, spec=spec,
                                            **WRONG)
