# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Functions, arrays and backends, as a user meets them."""

import array
import concord
import gc
import inspect
import math
import numpy
import pathlib
import pytest
import re
import weakref

from concord import _views

NUMBERS = numpy.array([15, 10, 42, 24])
SUMS = [15, 25, 67, 91]
README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


def test_signature_is_that_of_the_description():
    parameters = inspect.signature(concord.scan).parameters
    # Only variants of CUDA, where it was compiled in, have blocks.
    names = [name for name in parameters if name != "block"]
    assert names == ["x", "kind", "op", "out", "backend", "variant"]
    assert parameters["kind"].default == "exclusive"
    assert parameters["kind"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["x"].default is inspect.Parameter.empty
    parameters = inspect.signature(concord.tensor_sketch).parameters
    assert parameters["dim"].default == 96
    assert parameters["normalized"].default is False
    assert next(iter(inspect.signature(concord.sequence).parameters)) == "program"


def test_docstring_says_what_the_description_says():
    for entry in concord.describe():
        text = " ".join(getattr(concord, entry["algorithm"]).__doc__.split())
        sizes = {item["size_in"] for item in entry["outputs"]}
        for item in entry["inputs"] + entry["outputs"]:
            # The results are cut to their sizes, which are none themselves.
            assert item["help"] in text or item["name"] in sizes
    assert "inclusive" in concord.scan.__doc__
    assert "one_pass (tbb)" in concord.scan.__doc__


def test_lists_bytes_and_buffers_become_arrays():
    assert concord.scan([1, 2, 3], kind="inclusive").tolist() == [1, 3, 6]
    assert concord.scan(array.array("i", [1, 2]), kind="inclusive").dtype == numpy.int32
    assert concord.match_parens(b"(()") == 0
    assert concord.reduce(range(5)) == 10


def test_a_number_of_numpys_is_an_array_of_one():
    backend = concord.Backend("serial")
    out = numpy.zeros(1, numpy.int64)
    concord.sequence("zip x y |> map x - y", numpy.int64(5), numpy.int64(3), out=out,
                     backend=backend)
    assert out.tolist() == [2]
    assert concord.reduce(numpy.float32(2.5), backend=backend) == 2.5
    assert concord.reduce(concord.reduce(NUMBERS, backend=backend), backend=backend) == 91
    assert backend.array(numpy.int64(7)).item() == 7


@pytest.mark.parametrize("interface, device", [("__array_interface__", _views.CPU),
                                               ("__cuda_array_interface__", _views.CUDA)])
def test_a_view_keeps_what_an_interface_has_given(interface, device):
    made = []

    def new_array(_):
        array = NUMBERS.copy()
        made.append(weakref.ref(array))
        return {**array.__array_interface__, "kept": array}

    array = type("MadeWhenAsked", (), {interface: property(new_array)})()
    view = _views.input_view(array, "x", None, None)
    gc.collect()
    kept = made[-1]()
    assert kept is not None and view.device[0] == device
    assert kept.__array_interface__["data"][0] == view.address


def test_two_dimensions_are_their_elements_in_order():
    assert concord.scan(NUMBERS.reshape(2, 2), kind="inclusive").tolist() == SUMS


def test_results_have_names_where_there_are_several():
    found = concord.max_subarray([1, -2, 3, 4])
    assert found.sum == 7 and found.run.tolist() == [2, 4]
    assert type(found).__name__ == "MaxSubarray"


def test_options_take_functions():
    assert concord.reduce(NUMBERS, op="a > b ? a : b") == 42
    assert concord.scan(NUMBERS, op="a + b", kind="inclusive").tolist() == SUMS
    assert concord.compact(NUMBERS, keep="x % 5 == 0").tolist() == [15, 10]
    assert concord.transform(NUMBERS, op="2 * x + 1").tolist() == [31, 21, 85, 49]
    with pytest.raises(ValueError, match="the operator is not associative"):
        concord.reduce(NUMBERS, op="a - b")


def test_options_take_numbers_and_words_alike():
    wanted = concord.transform(NUMBERS, op="less", constant="20").tolist()
    assert concord.transform(NUMBERS, op="less", constant=20).tolist() == wanted
    assert concord.transform(NUMBERS, op="less", constant=numpy.int8(20)).tolist() == wanted
    halves = concord.transform(NUMBERS / 1, scale=0.5)
    assert halves.tolist() == (NUMBERS / 2).tolist()


# The kernels are kept and found again by the values.
def test_zeros_have_a_sign_as_options():
    x = numpy.array([-0.0, 2.0])
    for _ in range(2):
        for positive in (0, 0.0, "0", numpy.float32(0.0)):
            assert not numpy.signbit(concord.transform(x, offset=positive))[0], positive
            for negative in (-0.0, "-0.0", numpy.float32(-0.0), numpy.float64(-0.0)):
                assert numpy.signbit(concord.transform(x, offset=negative))[0], negative
    assert concord.look_and_say(numpy.uint8([1]), steps=-0.0).tolist() == [1]


@pytest.mark.parametrize("infinite", [math.inf, numpy.float32("inf"), numpy.float64("inf")])
def test_infinities_are_numbers_as_options(infinite):
    x = numpy.array([-math.inf, 1, math.inf, math.nan])
    assert concord.transform(x, op="less", constant=infinite).tolist() == [1, 1, 0, 0]
    assert concord.transform(x, op="greater", constant=-infinite).tolist() == [0, 1, 1, 0]
    assert concord.transform(x[1:2], offset=infinite).tolist() == [math.inf]
    assert concord.transform(x[1:2], scale=-infinite).tolist() == [-math.inf]


def test_nan_is_a_number_as_an_option():
    for nan in (math.nan, float("nan"), numpy.float32("nan"), numpy.float64("nan")):
        assert concord.transform(NUMBERS / 1, op="not_equal", constant=nan).tolist() == [1] * 4
        assert numpy.isnan(concord.transform(NUMBERS / 1, offset=nan)).all()
    # Another object each time, and one kernel.
    backend = concord.Backend("serial")
    for _ in range(3):
        concord.transform(NUMBERS / 1, offset=float("nan"), backend=backend)
    assert len(backend._kernels) == 1


def test_out_is_written_and_returned():
    out = numpy.empty_like(NUMBERS)
    assert concord.scan(NUMBERS, kind="inclusive", out=out) is out
    assert out.tolist() == SUMS
    values, lengths = numpy.empty(3, numpy.int64), numpy.empty(3, numpy.int64)
    got = concord.run_length_encode([7, 7, 8], out=(values, lengths))
    assert got.values.base is values and lengths[:2].tolist() == [2, 1]
    got = concord.run_length_encode([7, 7, 8], out={"lengths": lengths})
    assert got.lengths.base is lengths and got.values.tolist() == [7, 8]
    total = numpy.empty(1, numpy.int64)
    assert concord.reduce(NUMBERS, out=total) is total and total[0] == 91


def test_scan_may_be_written_over_its_input():
    x = NUMBERS.copy()
    assert concord.scan(x, kind="inclusive", out=x) is x
    assert x.tolist() == SUMS


def test_every_backend_and_variant_can_be_named():
    for backend in ("serial", "tbb", "tbb:2", "auto", "", concord.Backend("tbb:3")):
        got = concord.scan(NUMBERS, kind="inclusive", backend=backend)
        assert got.tolist() == SUMS, backend
    got = concord.scan(NUMBERS, backend="tbb", variant="fixed_order", kind="inclusive")
    assert got.tolist() == SUMS


def test_auto_runs_host_arrays_on_the_host():
    # Also where there is a GPU.
    assert isinstance(concord.scan(NUMBERS), numpy.ndarray)
    assert isinstance(concord.scan(NUMBERS, backend="auto"), numpy.ndarray)


def test_arrays_are_used_where_they_are():
    class Lender:
        """Lends the memory of another array, by DLPack alone."""

        def __init__(self, lent):
            self.lent = lent

        def __dlpack__(self, **options):
            return self.lent.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.lent.__dlpack_device__()

    x, out = NUMBERS.copy(), numpy.empty_like(NUMBERS)
    lender = Lender(out)
    assert concord.scan(Lender(x), kind="inclusive", out=lender) is lender
    assert out.tolist() == SUMS


def test_arrays_of_a_backend():
    backend = concord.Backend("tbb:2")
    x = backend.array(NUMBERS)
    assert (x.shape, x.dtype, x.size, x.nbytes, len(x)) == ((4,), numpy.int64, 4, 32, 4)
    assert x.numpy().tolist() == NUMBERS.tolist()
    assert concord.scan(x, kind="inclusive").tolist() == SUMS
    out = backend.empty(4)
    assert concord.scan(x, kind="inclusive", out=out) is out
    assert out.numpy().tolist() == SUMS
    assert x.first(2).numpy().tolist() == [15, 10]
    assert backend.empty((2, 3), "float32").shape == (2, 3)
    assert backend.empty(numpy.int64(3)).shape == backend.empty([3]).shape == (3,)
    assert backend.array([7]).item() == 7
    assert "tbb:2" in repr(x) and "int64" in repr(x)
    assert not hasattr(x, "__cuda_array_interface__")


def test_numpy_shares_the_memory_of_our_arrays():
    x = concord.Backend("serial").array(NUMBERS)
    by_interface, by_dlpack = numpy.asarray(x), numpy.from_dlpack(x)
    by_interface[0] = 99
    assert by_dlpack[0] == 99 and x.numpy()[0] == 99


@pytest.mark.parametrize("borrow", [numpy.asarray, numpy.from_dlpack])
def test_memory_lives_as_long_as_somebody_has_it(borrow):
    backend = concord.Backend("serial")
    borrowed = borrow(backend.array(NUMBERS))
    gc.collect()
    others = [backend.array([0, 0, 0, 0]) for _ in range(20)]
    assert borrowed.tolist() == NUMBERS.tolist() and len(others) == 20


def test_results_off_the_host_are_arrays_of_ours():
    backend = concord.Backend("serial")
    backend.device = (2, 0)  # as a GPU's would say
    x = backend.array(NUMBERS)
    got = concord.compact(x, keep="less:20", output_indices=True, backend=backend)
    assert isinstance(got.out, concord.Array) and isinstance(got.indices, concord.Array)
    assert got.out.numpy().tolist() == [15, 10] and got.indices.numpy().tolist() == [0, 1]
    assert concord.reduce(x, backend=backend).item() == 91


def test_arrays_on_a_gpu_are_asked_for_on_our_stream():
    asked = []

    class OnGpu:
        """Refuses, once it knows what was asked."""

        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, *, stream):
            asked.append(stream)
            raise BufferError("no array after all")

    with pytest.raises(BufferError):
        concord.scan(OnGpu())
    assert asked == [1]  # the default stream


@pytest.mark.parametrize("theirs, ours, waits", [
    (None, 1, False), (1, 1, False), (4096, 4096, False), (1, 4096, True), (4096, 1, True),
    (2, 1, True),
])
def test_a_stream_is_waited_for_unless_it_is_ours(theirs, ours, waits):
    class Busy:
        __cuda_array_interface__ = {"shape": (5,), "typestr": "<i4", "data": (4096, False),
                                    "version": 3, "stream": theirs}

    waited_for = []
    for view_of in (_views.input_view, _views.output_view):
        view_of(Busy(), "x", ours, lambda *where: waited_for.append(where))
    assert waited_for == [((_views.CUDA, 0), theirs)] * (2 if waits else 0)


def test_two_dimensions_come_and_go():
    x = concord.Backend("serial").array(numpy.arange(6).reshape(2, 3))
    assert numpy.from_dlpack(x).tolist() == [[0, 1, 2], [3, 4, 5]]
    hashes = numpy.zeros((4, 2), numpy.int32)
    got = concord.tensor_sketch(numpy.zeros(8, numpy.uint8), [0, 4, 8], hashes, hashes + 1, t=2,
                                dim=3)
    assert got.shape == (2, 3)


def test_backend_says_what_it_is():
    backend = concord.Backend("tbb:2")
    assert backend.name == "tbb:2" and backend.device == (1, 0)
    backend.synchronize()
    concord.scan(NUMBERS, backend=backend)
    backend.clear()
    assert concord.scan(NUMBERS, backend=backend).tolist() == [0, 15, 25, 67]
    assert {entry["backend"] for entry in concord.backends()} >= {"serial", "tbb"}


def test_kernels_of_old_calls_are_let_go():
    backend = concord.Backend("serial")
    for limit in range(100):
        concord.compact(NUMBERS, keep=f"less:{limit}", backend=backend)
    assert len(backend._kernels) <= 32


def test_sequence_runs_programs():
    assert concord.sequence("map 2 * x + 1 |> reduce a + b", NUMBERS) == 186
    assert concord.sequence("zip x y |> map x * y |> reduce a + b", [1, 2], y=[3, 4]) == 11
    both = concord.sequence("zip x y |> filter x < y", [1, 9, 2], [5, 5, 5])
    assert both.out.tolist() == [1, 2] and both.out_y.tolist() == [5, 5]
    assert concord.sequence("filter x > 1", x=[1, 2, 3]).tolist() == [2, 3]


def test_a_program_is_explained_without_its_elements():
    # So many are nowhere.
    x = numpy.broadcast_to(numpy.int32(7), 10**12)
    explained = concord.explain("sequence", "filter x > 0 |> reduce a + b", x)
    assert explained["algorithm"] == "sequence"
    assert [step["elements"] for step in explained["steps"]] == [10**12]
    assert explained["least_bytes_read"] == 4 * 10**12
    assert explained["least_bytes_written"] == 4
    assert concord.explain("sequence", "tabulate i, 10 |> reduce a + b")["least_bytes_read"] == 0


def test_an_option_that_is_a_function_is_explained_as_a_program():
    x = numpy.arange(1000)
    explained = concord.explain("reduce", x, op="a > b ? a : b")
    assert explained == concord.explain("sequence", "reduce a > b ? a : b", x)
    assert explained["steps"]


def test_an_array_of_a_stream_is_explained_without_waiting():
    class Busy:
        __cuda_array_interface__ = {"shape": (5,), "typestr": "<i4", "data": (4096, False),
                                    "version": 3, "stream": 2}

    explained = concord.explain("sequence", "map x + 1", Busy())
    assert explained["least_bytes_read"] == 20


def test_verification_finds_what_it_finds():
    seen = []
    found = concord.verify("scan/tbb/one_pass", cases=30, backends="tbb:2",
                           progress=lambda *counts: seen.append(counts))
    assert found.passed and found.executed == 30 and not found.cancelled
    assert [entry["implementation"] for entry in found.implementations] == ["scan/tbb/one_pass"]
    executed, failures, planned, seconds = seen[-1]
    assert 0 <= executed <= planned and failures == 0 and seconds >= 0


def test_verification_ends_when_progress_says_so():
    found = concord.verify("scan/tbb", seconds=300, progress=lambda *_: False)
    assert found.cancelled and found.seconds < 200


def test_verification_ends_when_it_is_interrupted():
    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        concord.verify("scan/tbb", seconds=300, progress=interrupt)


def blocks():
    text = README.read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("block", blocks())
def test_what_the_readme_shows_runs(block, capsys):
    exec(compile(block, str(README), "exec"), {})
    shown = re.findall(r"#> (.*)", block)
    assert capsys.readouterr().out.splitlines() == shown
