# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The repositories of dependencies.bzl for modules."""

load("//tools/repositories:cuda.bzl", "cuda_toolkit")
load("//tools/repositories:mpi.bzl", "mpi_library")
load("//tools/repositories:system.bzl", "system_libraries")

# What stands in for libraries that are not installed; MODULE.bazel has the versions.
# testing/tree_test.py compares it with the headers that are included.
_MODULES = {
    "absl": [
        "@abseil-cpp//absl/algorithm:container",
        "@abseil-cpp//absl/base",
        "@abseil-cpp//absl/base:config",
        "@abseil-cpp//absl/cleanup",
        "@abseil-cpp//absl/functional:function_ref",
        "@abseil-cpp//absl/status",
        "@abseil-cpp//absl/status:statusor",
        "@abseil-cpp//absl/strings",
        "@abseil-cpp//absl/strings:str_format",
        "@abseil-cpp//absl/time",
        "@abseil-cpp//absl/types:span",
    ],
    "benchmark": ["@google_benchmark//:benchmark"],
    "cli11": ["@cli11//:cli11"],
    "gmock": ["@googletest//:gtest"],
    "gtest": ["@googletest//:gtest"],
    "highway": ["@highway//hwy/contrib/sort:vqsort"],
    "nlohmann_json": ["@nlohmann_json//:json"],
    "tbb": ["@onetbb//:tbb"],
}

def _libraries_impl(_ctx):
    cuda_toolkit(name = "cuda")
    mpi_library(name = "mpi")
    system_libraries(name = "system", modules = _MODULES)

libraries = module_extension(implementation = _libraries_impl)
