# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Small calls by the extension, and long ones that are interrupted."""

import concord
import copy
import numpy
import os
import pickle
import pytest
import signal
import subprocess
import sys
import time

from concord._extension import CALLS
from concord._kernel import Kernel

NUMBERS = numpy.array([15, 10, 42, 24])
SUMS = [15, 25, 67, 91]
BY_CTYPES = os.environ.get("CONCORD_EXTENSION") == "0"

# More than a minute's work for one thread.
LONG = """
import signal
# Whoever runs the tests in the background may have it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
import concord, numpy
letters = numpy.zeros(10 ** 7, numpy.uint8)
hashes = numpy.zeros((4, 4), numpy.int32)
print("runs", flush=True)
try:
    concord.tensor_sketch(letters, [0, len(letters)], hashes, hashes + 1, t=4, dim=4096,
                          backend="serial")
except KeyboardInterrupt:
    print("interrupted", flush=True)
    print(concord.scan([1, 2], kind="inclusive", backend=concord.Backend("serial")).tolist())
"""


@pytest.fixture(name="detours")
def count_detours(monkeypatch):
    """Counts the calls that the module does by itself."""
    detours = []
    run = Kernel.run

    def counted(*arguments):
        detours.append(arguments)
        return run(*arguments)

    monkeypatch.setattr(Kernel, "run", counted)
    return detours


def test_a_few_lengths_that_make_a_large_output_are_no_quick_call(monkeypatch):
    threads = []
    patient = concord._kernel.interruptibly

    def noted(work):
        threads.append(work)
        return patient(work)

    monkeypatch.setattr("concord._kernel.interruptibly", noted)
    backend = concord.Backend("serial")
    values = numpy.array([7])
    for _ in range(100):
        threads.clear()
        concord.run_length_decode(values, numpy.array([1]), backend=backend)
        if not threads:
            break
    assert not threads
    decoded = concord.run_length_decode(values, numpy.array([10 ** 6]), backend=backend)
    assert len(decoded) == 10 ** 6
    assert threads  # where Ctrl-C is heard


def without_a_detour(call, detours):
    """What call() gives once the extension does it, which it does as soon as the module has seen
    that it does not take long."""
    for _ in range(100):
        detours.clear()
        result = call()
        if not detours:
            return result
    raise AssertionError("every call is a detour")


def test_the_extension_is_there_unless_it_is_not_wanted():
    assert (CALLS is None) == BY_CTYPES


@pytest.mark.skipif(BY_CTYPES, reason="without the extension every call is a detour")
@pytest.mark.parametrize("call, wanted", [
    (lambda x, b: concord.scan(x, kind="inclusive", backend=b).tolist(), SUMS),
    (lambda x, b: concord.scan(x.astype("f4"), kind="inclusive", backend=b).tolist(), SUMS),
    (lambda x, b: concord.reduce(x, op="max", backend=b), 42),
    (lambda x, b: concord.compact(x, keep="less:20", output_indices=True,
                                  backend=b).indices.tolist(), [0, 1]),
    (lambda x, b: concord.radix_sort(x.reshape(2, 2), backend=b).tolist(), [10, 15, 24, 42]),
    (lambda x, b: concord.run_length_encode(x, out=numpy.empty(4, x.dtype),
                                            backend=b).values.tolist(), [15, 10, 42, 24]),
    (lambda x, b: concord.scan(x[:0], backend=b).tolist(), []),
])
@pytest.mark.parametrize("named", [False, True])
def test_a_call_that_comes_again_is_the_extensions(call, wanted, named, detours):
    backend = "serial" if named else concord.Backend("serial")
    first = call(NUMBERS, backend)
    second = without_a_detour(lambda: call(NUMBERS, backend), detours)
    assert first == second == wanted and type(first) is type(second)


def test_several_results_can_be_sent_to_other_processes():
    for _ in range(2):  # in both ways
        for more in ({}, {"output_indices": True}):
            sent = concord.compact(NUMBERS, keep="less:20", **more)
            got = pickle.loads(pickle.dumps(sent))
            assert type(got) is type(sent)
            if more:
                assert got._fields == sent._fields and got.indices.tolist() == [0, 1]


# A second owner of a handle would free it once more.
def test_what_owns_a_handle_is_not_copied_and_arrays_are():
    backend = concord.Backend("serial")
    concord.scan(NUMBERS, backend=backend)
    array = backend.array(NUMBERS)
    for made in (copy.copy(array), copy.deepcopy(array), copy.copy(array.first(2))):
        backend.copy(numpy.zeros(len(made), NUMBERS.dtype), made)
        assert made.numpy().tolist() == [0] * len(made)
    assert array.numpy().tolist() == NUMBERS.tolist()
    kernel = next(iter(backend._kernels.values()))
    for owner in (backend, kernel, array._concord_view.owner):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="neither copied nor pickled"):
                way(owner)
    with pytest.raises(TypeError, match="numpy\\(\\)"):
        pickle.dumps(array)


@pytest.mark.skipif(BY_CTYPES, reason="without the extension every call is a detour")
def test_values_are_told_apart_by_type_and_value(detours):
    backend = concord.Backend("serial")
    for scale, wanted in ((2, [30, 20]), (2.5, [37, 25]), (2, [30, 20]), ("2.5", [37, 25])):
        got = concord.transform(NUMBERS[:2] * 1.0, scale=scale, backend=backend)
        assert numpy.floor(got).tolist() == wanted
    for scale in (2.5, float("2.5"), str(2.5)):
        got = without_a_detour(lambda: concord.transform(NUMBERS[:2] * 1.0, scale=scale,
                                                         backend=backend), detours)
        assert got[0] == 37.5


def test_what_is_unusual_is_right_too():
    backend = concord.Backend("serial")
    for _ in range(3):
        assert concord.scan([1, 2], kind="inclusive", backend=backend).tolist() == [1, 3]
        assert concord.scan(NUMBERS, kind="inclusive", backend=backend).tolist() == SUMS
        out = numpy.empty_like(NUMBERS)
        assert concord.scan(NUMBERS, kind="inclusive", backend=backend, out={"out": out}) is out
        with pytest.raises(ValueError, match="gaps|stride"):
            concord.scan(NUMBERS[::2], kind="inclusive", backend=backend)
        with pytest.raises(TypeError, match="byte order"):
            concord.scan(NUMBERS.astype(">i8"), kind="inclusive", backend=backend)
        with pytest.raises(ValueError, match="'out'"):
            concord.scan(NUMBERS, kind="inclusive", backend=backend, out=out[:2])
        out.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            concord.scan(NUMBERS, kind="inclusive", backend=backend, out=out)


def test_sizes_that_change_get_plans_of_their_own():
    backend = concord.Backend("serial")
    for size in [*range(200), *range(200)]:
        x = numpy.arange(size)
        assert concord.scan(x, kind="inclusive", backend=backend).tolist() == x.cumsum().tolist()


def test_kernels_that_were_cleared_are_made_anew():
    backend = concord.Backend("serial")
    for _ in range(3):
        assert concord.scan(NUMBERS, kind="inclusive", backend=backend).tolist() == SUMS
        backend.clear()


def test_more_kernels_than_are_kept_are_right():
    backend = concord.Backend("serial")
    for _ in range(2):
        for constant in range(70):
            got = concord.transform(NUMBERS, op="less", constant=constant, backend=backend)
            assert got.tolist() == (NUMBERS < constant).tolist()


def test_ctrl_c_ends_a_long_call():
    with subprocess.Popen([sys.executable, "-B", "-c", LONG], stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == "runs\n"
        time.sleep(0.5)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            rest = process.communicate(timeout=40)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        assert rest == "interrupted\n[1, 3]\n"
        assert process.returncode == 0
        assert time.monotonic() - start < 40


def test_a_caller_refuses_what_is_no_call():
    if CALLS is None:
        pytest.skip("nothing to call")
    caller = CALLS.Caller((("in", False),), (("out", False),), "out", 1, tuple, tuple)
    with pytest.raises(TypeError):
        caller.call(1)
    with pytest.raises(TypeError):
        CALLS.Recent().add(3, (), None, 1, 0)
    with pytest.raises(ValueError):
        CALLS.Recent().add(caller, (1, 2), None, 1, 0)
    with pytest.raises(ValueError):
        CALLS.Caller((("in", False),) * 9, (), "out", 1, tuple, tuple)
