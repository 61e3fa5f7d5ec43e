# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Every algorithm on arrays of PyTorch, CuPy, JAX, Numba and Concord on a GPU: read where they
lie, and the results are there too. Without a GPU, Concord's own arrays on the host."""

import concord
import importlib
import numpy
import os
import pytest

import algorithms_test
from gpu import HAS_GPU

# JAX takes most of a GPU's memory otherwise.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
CUDA = 2  # DLPack's number for it
MANY = 1 << 22


class Torch:
    """PyTorch's tensors."""

    def __init__(self):
        self.torch = pytest.importorskip("torch")

    def put(self, array):
        return self.torch.from_numpy(array.copy()).cuda()

    def take(self, result):
        return self.torch.from_dlpack(result).cpu().numpy()


class Cupy:
    """CuPy's arrays."""

    def __init__(self):
        self.cupy = pytest.importorskip("cupy")

    def put(self, array):
        return self.cupy.asarray(array)

    def take(self, result):
        return self.cupy.asnumpy(self.cupy.from_dlpack(result))


class Jax:
    """JAX's arrays, with 64 bits where they have 64."""

    def __init__(self):
        self.jax = pytest.importorskip("jax")
        self.jax.config.update("jax_enable_x64", True)

    def put(self, array):
        return self.jax.device_put(array, self.jax.devices("gpu")[0])

    def take(self, result):
        return numpy.asarray(self.jax.dlpack.from_dlpack(result))


class Numba:
    """Numba's arrays, which have __cuda_array_interface__ alone."""

    def __init__(self):
        pytest.importorskip("numba")
        self.cuda = importlib.import_module("numba.cuda")

    def put(self, array):
        return self.cuda.to_device(array)

    def take(self, result):
        return self.cuda.as_cuda_array(result).copy_to_host()


class Own:
    """Concord's."""

    def __init__(self):
        self.backend = concord.Backend("cuda:0" if HAS_GPU else "tbb")

    def put(self, array):
        return self.backend.array(array)

    def take(self, result):
        return result.numpy() if isinstance(result, concord.Array) else result


class Moved:
    """Concord's functions, with arrays of NumPy put to where a library has its own."""

    def __init__(self, library):
        self.library = library

    def _take(self, result, is_number):
        if HAS_GPU:
            assert result.__dlpack_device__() == (CUDA, 0)
        array = self.library.take(result)
        return array[0] if is_number and getattr(array, "shape", None) == (1,) else array

    def __getattr__(self, name):
        function = getattr(concord, name)
        numbers = {output["name"] for output in concord.describe(name)["outputs"]
                   if output["shape"] == ["1"]}
        first = concord.describe(name)["outputs"][0]["name"]

        def call(*arguments, **options):
            moved = [self.library.put(argument) if isinstance(argument, numpy.ndarray) else argument
                     for argument in arguments]
            result = function(*moved, **options)
            if not isinstance(result, tuple):
                return self._take(result, first in numbers)
            return type(result)(*(self._take(part, field in numbers)
                                  for field, part in zip(result._fields, result)))

        return call


@pytest.fixture(name="library", scope="module", params=[Own, Torch, Cupy, Jax, Numba])
def library_of(request):
    if not HAS_GPU and request.param is not Own:
        pytest.skip("there is no GPU")
    return request.param()


def calls():
    """Algorithms and the types that they take."""
    for described in concord.describe():
        for dtype in described["inputs"][0]["element_types"]:
            yield pytest.param(described["algorithm"], dtype, id=f"{described['algorithm']}-{dtype}")


@pytest.mark.parametrize("algorithm,dtype", list(calls()))
def test_arrays_are_used_where_they_are(algorithm, dtype, library, monkeypatch):
    monkeypatch.setattr(algorithms_test, "concord", Moved(library))
    where = {} if HAS_GPU else {"backend": library.backend}
    for size in algorithms_test.SIZES:
        for got, wanted in algorithms_test.CASES[algorithm](dtype, size, **where):
            numpy.testing.assert_array_equal(got, wanted, strict=True)


needs_gpu = pytest.mark.skipif(not HAS_GPU, reason="there is no GPU")


@needs_gpu
def test_results_go_where_the_caller_wants_them():
    torch = pytest.importorskip("torch")
    x = torch.arange(MANY, device="cuda", dtype=torch.int64)
    y = torch.empty_like(x)
    concord.scan(x, kind="inclusive", out=y)
    assert torch.equal(y, torch.cumsum(x, 0))
    concord.scan(x, kind="inclusive", out=x)
    assert torch.equal(x, y)


@needs_gpu
def test_what_a_stream_has_not_done_yet_is_waited_for():
    torch = pytest.importorskip("torch")
    stream = torch.cuda.Stream()
    x = torch.zeros(MANY, device="cuda", dtype=torch.int32)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        x.fill_(1)
        total = concord.reduce(x)
    assert torch.from_dlpack(total).item() == MANY


@needs_gpu
@pytest.mark.parametrize("name", ["torch", "cupy"])
def test_calls_run_on_a_stream_of_the_callers(name):
    module = pytest.importorskip(name)
    stream = module.cuda.Stream()
    backend = concord.Backend("cuda:0", stream=stream)
    put = Torch() if name == "torch" else Cupy()
    x = put.put(numpy.ones(MANY, numpy.int32))
    ready = module.cuda.synchronize if name == "torch" else module.cuda.Device().synchronize
    ready()
    y = concord.scan(x, kind="inclusive", backend=backend)
    numpy.testing.assert_array_equal(put.take(y), numpy.arange(1, MANY + 1, dtype=numpy.int32))


@needs_gpu
def test_an_array_on_the_second_gpu_is_used_there():
    numba = Numba()
    if len(numba.cuda.gpus) < 2:
        pytest.skip("there is one GPU")
    with numba.cuda.gpus[1]:
        x = numba.put(numpy.ones(MANY, numpy.int32))
    y = concord.scan(x, kind="inclusive")
    assert y.__dlpack_device__() == (CUDA, 1)
    with numba.cuda.gpus[1]:
        numpy.testing.assert_array_equal(numba.take(y), y.numpy())
    assert y.numpy()[-1] == MANY


@needs_gpu
def test_results_are_those_of_the_cpu():
    torch = pytest.importorskip("torch")
    x = torch.randn(MANY, dtype=torch.float32)
    on_gpu = torch.from_dlpack(concord.reduce(x.cuda())).item()
    assert on_gpu == concord.reduce(x.numpy(), backend="tbb")


@needs_gpu
def test_an_array_of_the_gpu_is_refused_by_a_backend_of_the_host():
    torch = pytest.importorskip("torch")
    x = torch.ones(3, device="cuda")
    with pytest.raises(ValueError, match="'in'"):
        concord.scan(x, backend="tbb")
