# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Objects of the library are freed, and threads get along."""

import collections.abc
import concord
import gc
import numpy
import operator
import os
import pathlib
import pytest
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref

from concord import _library

NUMBERS = numpy.array([15, 10, 42, 24])
# Whoever loses a thousand of these is seen.
LARGE = numpy.arange(1 << 12)
CALLS = 10000

# Runs until it is interrupted.
INTERRUPTED = """
import signal
# Whoever runs the tests in the background may have it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
import concord
try:
    concord.verify("scan/tbb", seconds=300, progress=lambda *_: print("runs", flush=True))
except KeyboardInterrupt:
    print("interrupted")
"""

# Who gives objects, and who takes them back.
MAKERS = {
    "concord_backend_open": "concord_backend_free",
    "concord_backend_open_on_stream": "concord_backend_free",
    "concord_kernel_create": "concord_kernel_free",
    "concord_kernel_plan": "concord_plan_free",
    "concord_memory_allocate": "concord_memory_free",
    "concord_verification_create": "concord_verification_free",
    "concord_differential_create": "concord_differential_free",
    "concord_differential_result": "concord_text_free",
    "concord_describe": "concord_text_free",
    "concord_explain": "concord_text_free",
    "concord_verification_result": "concord_text_free",
}


def resident():
    """Bytes of this process in memory."""
    gc.collect()
    pages = int(pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def freed_memory_is_withheld():
    """AddressSanitizer withholds it for a while, to see who uses it still."""
    return "libasan" in pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")


def one_of_each(backend):
    """Makes, and drops, every kind of object."""
    backend.clear()
    concord.compact(NUMBERS, keep="less:20", backend=backend)
    backend.array(LARGE).__dlpack__()
    numpy.from_dlpack(backend.array(LARGE)).sum()
    with pytest.raises(concord.InvalidArgument):
        concord.scan(NUMBERS, kind="none", backend=backend)


class OldPath(pathlib.PurePosixPath):
    """One whose parents have no slices, as before Python 3.10."""

    @property
    def parents(self):
        all_of_them = super().parents

        class Parents(collections.abc.Sequence):
            def __len__(self):
                return len(all_of_them)

            def __getitem__(self, index):
                return all_of_them[operator.index(index)]

        return Parents()


@pytest.mark.parametrize("here, places", [
    ("/usr/lib/python3/dist-packages/concord", ["/usr/lib/python3/dist-packages/concord/lib",
                                                "/usr/lib"]),
    ("/concord", ["/concord/lib"]),
])
def test_the_library_is_looked_for_in_the_wheel_and_in_the_installation(here, places):
    found = _library._places_around(OldPath(here))
    assert [str(place) for place in found] == [f"{place}/{_library.NAME}" for place in places]


def test_nothing_of_the_library_outlives_its_object():
    """Counts what the library gives and what it gets back, in a process of its own: the
    functions are wrapped before the rest of the module keeps them. The extension keeps functions
    that are not wrapped; its calls are among those that take no memory."""
    code = f"""
import collections, gc, importlib.util, sys
sys.modules["concord"] = importlib.util.module_from_spec(importlib.util.find_spec("concord"))
from concord import _library
del sys.modules["concord"]
live = collections.Counter()
MAKERS = {MAKERS!r}
def counted(name, function):
    def call(*arguments):
        result = function(*arguments)
        if name.endswith("_free"):
            live[name] -= arguments[0] is not None
        elif result is None:
            live[MAKERS[name]] += 1
        return result
    return call
for name in [*MAKERS, *set(MAKERS.values())]:
    setattr(_library.LIBRARY, name, counted(name, getattr(_library.LIBRARY, name)))
import concord, numpy
made = 0
x = numpy.array([15, 10, 42, 24])
for _ in range(100):
    backend = concord.Backend("serial")
    concord.compact(x, keep="less:20", backend=backend)
    numpy.from_dlpack(backend.array(x)).sum()
    backend.array(x).__dlpack__()
    concord.explain("sequence", "map x + 1", x)
    try:
        concord.scan(x, kind="none", backend=backend)
    except ValueError:
        pass
    made = max(made, len(live))
concord.verify("scan/serial", cases=1)
concord.differential(lambda x: x[:-1], lambda x: x, {{"x": concord.Values("int8", "n")}})
del backend
gc.collect()
assert made >= 4, live
assert not any(live.values()), live
"""
    subprocess.run([sys.executable, "-B", "-c", code], check=True,
                   env={**os.environ, "CONCORD_EXTENSION": "0"})


def test_a_backend_goes_with_its_last_user():
    backend = concord.Backend("serial")
    concord.scan(NUMBERS, backend=backend)
    gone = weakref.ref(backend)
    gc.disable()
    try:
        del backend
        assert gone() is None
    finally:
        gc.enable()


def test_what_a_stream_frees_goes_before_the_stream():
    order = []

    class Stream:
        """One that ends with its last user, as CuPy's does."""

        def __del__(self):
            order.append("stream")

    backend = concord.Backend("serial")
    backend._stream = Stream()
    concord.scan(NUMBERS, backend=backend)
    weakref.finalize(next(iter(backend._kernels.values())), order.append, "kernel")
    array = backend.array(NUMBERS)
    weakref.finalize(array._concord_view.owner, order.append, "memory")
    del backend
    assert not order
    del array
    gc.collect()
    assert order == ["memory", "kernel", "stream"]


def test_an_array_that_is_refused_goes():
    array = concord.Backend("serial").array(NUMBERS)
    gone = weakref.ref(array._concord_view.owner)
    array._concord_view.device = (2, 0)  # as a GPU's would say
    with pytest.raises((BufferError, RuntimeError), match="[Dd]evice"):
        numpy.from_dlpack(array)
    del array
    gc.collect()
    assert gone() is None


def test_a_failed_open_leaves_nothing_to_free():
    with pytest.raises(concord.InvalidArgument):
        concord.Backend("nowhere")
    gc.collect()


def test_many_calls_take_no_memory():
    backend = concord.Backend("serial")
    for _ in range(300):
        one_of_each(backend)
        concord.scan(NUMBERS, backend=backend)
    before = resident()
    tracemalloc.start()
    try:
        first = None
        for i in range(CALLS):
            concord.scan(NUMBERS, backend=backend)
            if i % 10 == 0:
                one_of_each(backend)
            if i == CALLS // 2:
                gc.collect()
                first = tracemalloc.get_traced_memory()[0]
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    assert grown < 20000, "Python objects"
    if not freed_memory_is_withheld():
        assert resident() - before < 16 << 20, "memory of the library"


def together(work, count=8):
    """Runs `work(i)` in so many threads; what fails is raised here."""
    errors = []

    def guarded(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("own", [False, True])
def test_threads_get_their_own_results(own):
    def work(i):
        backend = concord.Backend("tbb:2") if own else "tbb"
        x = numpy.arange(i, i + 5000)
        for _ in range(20):
            numpy.testing.assert_array_equal(
                concord.scan(x, kind="inclusive", backend=backend), numpy.cumsum(x))
            assert concord.reduce(x, backend=backend) == x.sum()

    together(work)


def test_other_threads_run_during_a_call():
    x = numpy.arange(1 << 24, dtype=numpy.uint64)[::-1].copy()
    backend = concord.Backend("serial")
    concord.radix_sort(x[:10], backend=backend)
    over = threading.Event()
    ticks = 0

    def sort():
        try:
            concord.radix_sort(x, backend=backend)
        finally:
            over.set()

    thread = threading.Thread(target=sort)
    thread.start()
    while not over.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    # With the lock held, this thread would wait from the first tick to the last.
    assert ticks > 10


def test_ctrl_c_ends_a_verification():
    with subprocess.Popen([sys.executable, "-B", "-c", INTERRUPTED], stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == "runs\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=200)[0].endswith("interrupted\n")
        assert process.returncode == 0


@pytest.mark.parametrize("code", ["import concord", """
import concord, numpy
kept = concord.Backend("tbb").array([1, 2])
lent = numpy.from_dlpack(kept)
print(concord.scan(kept))
""", """
import concord, numpy
# NumPy is there for longer than the module.
numpy.kept = numpy.from_dlpack(concord.Backend("serial").array([1, 2]))
"""])
def test_python_ends_well(code):
    subprocess.run([sys.executable, "-B", "-c", code], check=True, capture_output=True)


def test_a_missing_library_is_said():
    environment = {**os.environ, "CONCORD_LIBRARY": "/nowhere/libconcord.so.0"}
    result = subprocess.run([sys.executable, "-B", "-c", "import concord"], env=environment,
                            capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "ImportError: concord: /nowhere/libconcord.so.0: cannot open" in result.stderr
    assert "$CONCORD_LIBRARY" in result.stderr


def test_another_library_is_no_concord():
    environment = {**os.environ, "CONCORD_LIBRARY": "libm.so.6"}
    result = subprocess.run([sys.executable, "-B", "-c", "import concord"], env=environment,
                            capture_output=True, text=True, check=False)
    assert "has no concord_version" in result.stderr
