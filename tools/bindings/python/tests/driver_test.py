# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""On which GPU an array lies whose interface does not say it, by a driver of the test's own."""

import ctypes
import types

import concord
import numpy
import pytest
from concord import _driver, _views

X = numpy.array([15, 10, 42, 24])
ADDRESS = X.__array_interface__["data"][0]
UNKNOWN = 1  # CUDA_ERROR_INVALID_VALUE


class OnGpu:
    """An array of somebody's that says it lies on a GPU."""

    def __init__(self, **members):
        self.__cuda_array_interface__ = {**X.__array_interface__, "strides": None}
        self.__dict__.update(members)


@pytest.fixture(name="driver")
def driver_of_the_tests(monkeypatch):
    """Memory by GPU: addresses are those of X, on the GPU of `gpu`, which may be None."""
    driver = types.SimpleNamespace(gpu=None, asked=[])

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64)
    def attribute_of(result, attribute, address):
        driver.asked.append((attribute, address))
        if driver.gpu is None:
            return UNKNOWN
        ctypes.c_int.from_address(result).value = driver.gpu
        return 0

    monkeypatch.setattr(_driver, "pointer_attribute", lambda: attribute_of)
    return driver


def gpu_of(array):
    """The number of the GPU that the module takes for the array's."""
    device, index = _views.input_view(array, "x", None, None).device
    assert device == _views.CUDA
    return index


def test_the_driver_is_asked_for_the_device_of_the_address(driver):
    driver.gpu = 1
    assert gpu_of(OnGpu()) == 1
    assert driver.asked == [(9, ADDRESS)]


def test_the_driver_knows_better_than_the_array(driver):
    driver.gpu = 0
    assert gpu_of(OnGpu(device=types.SimpleNamespace(id=3))) == 0


@pytest.mark.parametrize("gpu", [None, -1])
def test_what_the_driver_does_not_know_the_array_may_know(driver, gpu):
    driver.gpu = gpu
    assert gpu_of(OnGpu(device=types.SimpleNamespace(id=3))) == 3
    assert gpu_of(OnGpu(device=types.SimpleNamespace(index=2))) == 2
    assert gpu_of(OnGpu()) == 0


def test_without_a_driver_the_array_may_know(monkeypatch):
    monkeypatch.setattr(_driver, "pointer_attribute", lambda: None)
    assert gpu_of(OnGpu(device=types.SimpleNamespace(id=3))) == 3
    assert gpu_of(OnGpu()) == 0


def test_memory_of_the_host_is_on_no_gpu():
    assert _driver.gpu_of(ADDRESS) is None


def test_a_call_goes_to_that_gpu(driver):
    driver.gpu = 1
    with pytest.raises(ValueError, match="'in' lives in cuda:1 memory"):
        concord.scan(OnGpu(), backend="tbb")


def test_a_stream_is_waited_for_on_that_gpu(driver):
    driver.gpu = 1
    array = OnGpu()
    array.__cuda_array_interface__["stream"] = 5
    waited_for = []
    _views.input_view(array, "x", None, lambda *where: waited_for.append(where))
    assert waited_for == [((_views.CUDA, 1), 5)]
