# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""How everything here is compiled: flags, layout and visibility, in one place."""

load("@cuda//:config.bzl", "CUDA_FOUND")
load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load("//tools/bazel:cuda.bzl", "cuda_objects")

COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    # A sum of products is rounded the same way whatever the CPU can fuse.
    "-ffp-contract=off",
    # GCC starts to vectorise well at this level.
    "-O3",
]

# Who may see an algorithm: the programs on top of it, and the tests of all of them together.
_ABOVE_ALGORITHMS = [
    "//examples:__subpackages__",
    "//algorithms:__subpackages__",
    "//benchmarks:__subpackages__",
    "//testing:__subpackages__",
    "//tools:__subpackages__",
]

# One row for each backend: its name, the suffix of its files, what they need.
_BACKENDS = [
    ("serial", ".cc", ["//backends/serial"]),
    ("tbb", ".cc", ["//backends/tbb", "@system//:tbb"]),
    ("cuda", ".cu", ["//backends/cuda"]),
]

_HEADERS = (".h", ".cuh", ".inc")

def _is_header(file):
    return file.endswith(_HEADERS)

def concord_library(name, srcs = [], hdrs = [], copts = [], **kwargs):
    """A library. Its headers, those in srcs too, are included as "concord/FOLDER/FILE.h"."""
    headers = hdrs + [src for src in srcs if _is_header(src)]
    cc_library(
        name = name,
        srcs = [src for src in srcs if not _is_header(src)],
        hdrs = headers,
        copts = COPTS + copts,
        include_prefix = "concord/" + native.package_name() if headers else None,
        **kwargs
    )

def concord_binary(name, copts = [], **kwargs):
    cc_binary(name = name, copts = COPTS + copts, **kwargs)

def concord_test(name, deps = [], copts = [], size = "small", main = True, **kwargs):
    """A GoogleTest program. `main = False` when it brings its own main()."""
    cc_test(
        name = name,
        size = size,
        copts = COPTS + copts,
        deps = deps + (["//testing/support:main"] if main else []) + ["@system//:gmock"],
        **kwargs
    )

def narrow_vector_tests(name, **kwargs):
    """The test `name` with narrower vectors than the CPU has, once for each of them."""
    for vectors in ["avx512", "avx2", "baseline"]:
        concord_test(name = name + "_" + vectors, env = {"CONCORD_VECTOR_INSTRUCTIONS": vectors}, **kwargs)

def python_test(name, src, data = [], size = "small", **kwargs):
    """A file of pytest or unittest cases, each counted by itself."""
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tools/bazel:run_pytest"],
        args = ["$(location %s)" % src],
        data = [src] + data,
        **kwargs
    )

def cuda_library(name, srcs, hdrs = [], deps = [], copts = [], **kwargs):
    """.cu files as a library; its headers alone where no CUDA toolkit was found."""
    concord_library(name = name + "_headers", hdrs = hdrs, deps = deps)
    objects = []
    if CUDA_FOUND and srcs:
        cuda_objects(name = name + "_objects", srcs = srcs, deps = [":" + name + "_headers"], copts = copts)
        objects = [":" + name + "_objects"]
    cc_library(
        name = name,
        srcs = objects,
        deps = [":" + name + "_headers", "@cuda//:cudart"],
        **kwargs
    )

def kernel_family(name, srcs = [], hdrs = [], deps = [], spec_deps = [], cuda_deps = [], test_deps = [], test_data = [], test_size = "medium", test_shards = 1, narrow_vectors = False):
    """One algorithm: everything that a folder of algorithms/ holds.

    Files are found by name: NAME.h and NAME.cc are the interface,
    BACKEND/VARIANT.{cc,cu} the implementations (with what they share beside
    them), spec/ what is right, NAME_test.cc the test.

    Args:
      name: of the folder and the algorithm.
      srcs: further sources of the interface library.
      hdrs: further headers of the interface library.
      deps: of the interface library, and so of every kernel.
      spec_deps: of the description.
      cuda_deps: of the CUDA implementations, beside the backend.
      test_deps: of the test alone.
      test_data: files that the test reads.
      test_size: Bazel's size of the test.
      test_shards: into how many parts Bazel may split the test.
      narrow_vectors: whether the test also runs with narrower vectors than the
        CPU has (narrow_vector_tests).
    """
    native.package(default_visibility = _ABOVE_ALGORITHMS)
    concord_library(
        name = name,
        srcs = [name + ".cc"] + srcs,
        hdrs = [name + ".h"] + hdrs,
        deps = ["//core"] + deps,
    )
    parts = []
    for backend, suffix, needs in _BACKENDS:
        stem = "%s_%s" % (name, backend)
        files = native.glob(["%s/*%s" % (backend, suffix)], allow_empty = True)
        headers = native.glob(["%s/*.h" % backend, "%s/*.cuh" % backend], allow_empty = True)
        if not files:
            continue
        library = cuda_library if suffix == ".cu" else concord_library
        family_deps = cuda_deps if suffix == ".cu" else []
        library(name = stem, srcs = files, hdrs = headers, deps = [":" + name] + needs + family_deps, alwayslink = True)
        parts.append(":" + stem)
    concord_library(
        name = name + "_spec",
        srcs = native.glob(["spec/*.cc", "spec/*.h"]),
        deps = [":" + name, "//core:spec"] + spec_deps,
        alwayslink = True,
    )
    cc_library(
        name = name + "_all",
        deps = [":" + name, ":" + name + "_spec"] + parts,
    )
    test = {
        "srcs": [name + "_test.cc"],
        "size": test_size,
        "data": test_data,
        "deps": [":" + name + "_all", "//testing/support:differential"] + test_deps,
    }
    concord_test(name = name + "_test", shard_count = test_shards, **test)
    if narrow_vectors:
        narrow_vector_tests(name = name + "_test", **test)
