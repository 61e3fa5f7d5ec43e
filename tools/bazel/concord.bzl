# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""How everything here is compiled: flags, layout and visibility, in one place."""

load("@cuda//:config.bzl", "CUDA_FOUND")
load("@mpi//:config.bzl", "MPIRUN", "MPI_FOUND")
load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load("//tools/bazel:cuda.bzl", "cuda_objects")
load("//tools/bazel:programs.bzl", "starts")
load("//tools/bazel:repository.bzl", "CONCORD_IS_MAIN", "include_path", "visible_to")

# A warning is an error in Concord's own builds. Nobody else's build fails for it.
COPTS = [
    "-Wall",
    "-Wextra",
] + (["-Werror"] if CONCORD_IS_MAIN else []) + [
    # A sum of products is rounded the same way whatever the CPU can fuse.
    "-ffp-contract=off",
    # GCC starts to vectorise well at this level.
    "-O3",
]

# What tests say themselves runs once; to optimise it takes longer than it saves.
# What they test is compiled as always.
_TEST_COPTS = ["-O1"]

# One row for each backend: its name, the suffix of its files, what they need.
BACKENDS = [
    ("serial", ".cc", [Label("//backends/serial")]),
    ("tbb", ".cc", [Label("//backends/tbb"), Label("@system//:tbb")]),
    ("cuda", ".cu", [Label("//backends/cuda")]),
    ("gpus", ".cu", [Label("//backends/gpus")]),
    ("mpi", ".cc", [Label("//backends/mpi")]),
]

# Among how many ranks each family's suite is run, and which of its tests: the
# edge catalogue by three, everything else by two. The lane for MPI runs all of
# it by more; the large case takes minutes on a CPU. The planted faults, which are
# the engine's own test, take half of the time of two ranks: one family has them.
def _rank_tests(planted_faults):
    return {
        2: "*/mpi_*-*.EdgeCatalogue/*:*.LargeCase/*" + ("" if planted_faults else ":*.PlantedFaults/*"),
        3: "*.EdgeCatalogue/mpi_*",
    }

_HEADERS = (".h", ".cuh", ".inc")

def _is_header(file):
    return file.endswith(_HEADERS)

def concord_library(name, srcs = [], hdrs = [], copts = [], **kwargs):
    """A library. Its headers, those in srcs too, are included as "concord/FOLDER/FILE.h".

    Those of other projects are included as "FOLDER/FILE.h".
    """
    headers = hdrs + [src for src in srcs if _is_header(src)]
    cc_library(
        name = name,
        srcs = [src for src in srcs if not _is_header(src)],
        hdrs = headers,
        copts = COPTS + copts,
        include_prefix = include_path(native.package_name()) if headers else None,
        # One copy of every registry in a program, whatever the flags of its build.
        linkstatic = True,
        **kwargs
    )

def concord_binary(name, copts = [], **kwargs):
    cc_binary(name = name, copts = COPTS + copts, linkstatic = True, **kwargs)

def concord_command_line(name, deps = [], **kwargs):
    """The program `concord` with the algorithms in `deps`, such as ":NAME_all"."""
    concord_binary(
        name = name,
        deps = [Label("//tools/concord:commands"), Label("//backends")] + deps,
        **kwargs
    )

def concord_benchmarks(name, deps = [], **kwargs):
    """The program `concord_bench` with the algorithms in `deps`, such as ":NAME_all"."""
    concord_binary(
        name = name,
        deps = [Label("//benchmarks:program"), Label("//backends")] + deps,
        **kwargs
    )

def concord_test(name, deps = [], copts = [], size = "small", main = True, **kwargs):
    """A GoogleTest program. `main = False` when it brings its own main()."""
    cc_test(
        name = name,
        size = size,
        copts = COPTS + _TEST_COPTS + copts,
        linkstatic = True,
        deps = deps + ([Label("//testing/support:main")] if main else []) + [Label("@system//:gmock")],
        **kwargs
    )

def sources_version(name, srcs, header, function):
    """NAME.cc, a function that gives the SHA-256 of sources: part of a cache's keys.

    Args:
      name: of the rule and its file.
      srcs: what is hashed.
      header: declares the function.
      function: absl::string_view function().
    """
    native.genrule(
        name = name,
        srcs = srcs,
        outs = [name + ".cc"],
        cmd = """
          sum=$$(cat $(SRCS) | sha256sum | cut -d' ' -f1)
          {
            echo '#include "%s"'
            echo 'absl::string_view %s() {'
            echo '  return "'$$sum'";'
            echo '}'
          } > $@""" % (header, function),
    )

_PROGRAM = attr.label(executable = True, cfg = "target", mandatory = True)

def _vector_test_impl(ctx):
    return starts(
        ctx,
        [ctx.executable.program],
        environment = {"CONCORD_VECTOR_INSTRUCTIONS": ctx.attr.vectors, "GTEST_FILTER": ctx.attr.filter},
        data = [ctx.attr.program],
    )

_vector_test = rule(
    implementation = _vector_test_impl,
    attrs = {
        "program": _PROGRAM,
        "vectors": attr.string(mandatory = True),
        "filter": attr.string(default = "*"),
    },
    test = True,
)

def narrow_vector_tests(program, ice_lake = False, **kwargs):
    """The test `program` with narrower vectors than the CPU has, once for each of them.

    Args:
      program: its name.
      ice_lake: whether there is code for Ice Lake. Where there is none, a CPU
        that has AVX-512 runs the code for it in `program` itself, and one that
        has not cannot run it.
      **kwargs: `filter`, which of its cases, as GoogleTest has it; and of tests in general.
    """
    for vectors in (["avx512"] if ice_lake else []) + ["avx2", "baseline"]:
        _vector_test(
            name = program + "_" + vectors,
            program = ":" + program,
            vectors = vectors,
            **kwargs
        )

def _python_test_impl(ctx):
    return starts(ctx, [ctx.file._runner, ctx.file.src], environment = ctx.attr.environment, data = ctx.attr.data)

_python_test = rule(
    implementation = _python_test_impl,
    attrs = {
        "src": attr.label(allow_single_file = [".py"], mandatory = True),
        "data": attr.label_list(allow_files = True),
        "environment": attr.string_dict(),
        "_runner": attr.label(default = Label("//tools/bazel:run_pytest"), allow_single_file = True),
    },
    test = True,
)

def python_test(name, size = "small", **kwargs):
    """A file of pytest or unittest cases, `src`, each counted by itself, in an `environment`."""
    _python_test(name = name, size = size, **kwargs)

def _rank_test_impl(ctx):
    words = [ctx.file._runner, MPIRUN, str(ctx.attr.ranks), ctx.executable.program, "--gtest_filter=" + ctx.attr.filter]
    return starts(ctx, words, data = [ctx.attr.program])

_rank_test = rule(
    implementation = _rank_test_impl,
    attrs = {
        "program": _PROGRAM,
        "ranks": attr.int(mandatory = True),
        "filter": attr.string(default = "*"),
        "_runner": attr.label(default = Label("//tools/bazel:run_ranks"), allow_single_file = True),
    },
    test = True,
)

def rank_test(name, **kwargs):
    """The tests of `program` that `filter` selects, by as many `ranks` of MPI; nothing without mpirun."""
    if MPIRUN:
        _rank_test(name = name, **kwargs)

def cuda_library(name, srcs, hdrs = [], deps = [], copts = [], testonly = False, **kwargs):
    """.cu files as a library; its headers alone where no CUDA toolkit was found."""
    concord_library(
        name = name + "_headers",
        hdrs = hdrs,
        deps = deps,
        testonly = testonly,
        visibility = kwargs.get("visibility"),
    )
    objects = []
    if CUDA_FOUND and srcs:
        cuda_objects(
            name = name + "_objects",
            srcs = srcs,
            deps = [":" + name + "_headers"],
            copts = copts,
            testonly = testonly,
        )
        objects = [":" + name + "_objects"]
    cc_library(
        name = name,
        srcs = objects,
        deps = [":" + name + "_headers", Label("@cuda//:cudart")],
        linkstatic = True,
        testonly = testonly,
        **kwargs
    )

def kernel_family(
        name,
        srcs = [],
        hdrs = [],
        internal_hdrs = [],
        deps = [],
        tbb_deps = [],
        cuda_deps = [],
        gpus_deps = [],
        mpi_deps = [],
        spec_deps = [],
        files_deps = [],
        implementation_users = [],
        test_deps = [],
        test_data = [],
        test_size = "medium",
        test_shards = 1,
        narrow_vectors = False,
        ice_lake = False,
        planted_on_ranks = False):
    """One algorithm: everything that a folder of algorithms/ holds.

    Files are found by name: NAME.h and NAME.cc are the interface,
    BACKEND/VARIANT.{cc,cu} the implementations (with what they share beside
    them; mpi/*.cu is what ranks have on their GPUs), spec/ what is right, NAME_files.cc its files where they are not plain
    arrays, NAME_test.cc the test.

    Others may use NAME, the interface; NAME_kernels, which adds the
    implementations; and NAME_all, which adds what is right.

    Args:
      name: of the folder and the algorithm.
      srcs: further sources of the interface library.
      hdrs: headers that NAME.h includes.
      internal_hdrs: further headers for this folder alone.
      deps: of the interface library, and so of every kernel.
      tbb_deps: of the TBB implementations, beside the backend.
      cuda_deps: of the CUDA implementations, beside the backend.
      gpus_deps: of those on several GPUs, beside the CUDA implementations.
      mpi_deps: of the implementations for ranks of MPI, beside the backend.
      spec_deps: of the description.
      files_deps: of NAME_files.cc, where files are more than plain arrays.
      implementation_users: packages that may use NAME_BACKEND, with a reason.
      test_deps: of the test alone.
      test_data: files that the test reads.
      test_size: Bazel's size of the test.
      test_shards: into how many parts Bazel may split the test.
      narrow_vectors: whether the test also runs with narrower vectors than the
        CPU has (narrow_vector_tests).
      ice_lake: whether there is code for the widest vectors of Ice Lake
        (CONCORD_SIMD_ALSO_ICELAKE), and so another one for AVX-512 to test.
      planted_on_ranks: whether the engine's faults are planted on ranks of MPI, too.
    """
    interface = [name + ".h"] + hdrs
    concord_library(
        name = name,
        hdrs = interface,
        visibility = visible_to(["//algorithms:users"]),
        deps = [":" + name + "_internal"],
    )
    concord_library(
        name = name + "_internal",
        srcs = [name + ".cc"] + srcs,
        hdrs = interface + internal_hdrs,
        deps = [Label("//core")] + deps,
        alwayslink = True,
    )
    family_deps = {
        "tbb": tbb_deps,
        "cuda": cuda_deps,
        # What one GPU does with its part is what it does with a whole array.
        "gpus": [":%s_cuda_headers" % name] + gpus_deps,
        "mpi": mpi_deps,
    }
    kernels = []
    for backend, suffix, needs in BACKENDS:
        stem = "%s_%s" % (name, backend)
        files = native.glob(["%s/*%s" % (backend, suffix)], allow_empty = True)
        headers = native.glob(["%s/*.h" % backend, "%s/*.cuh" % backend], allow_empty = True)
        if not files or (backend == "mpi" and not MPI_FOUND):
            continue
        library = cuda_library if suffix == ".cu" else concord_library
        library(
            name = stem,
            srcs = files,
            hdrs = headers,
            visibility = implementation_users,
            deps = [":%s_internal" % name] + needs + family_deps.get(backend, []),
            alwayslink = True,
        )
        kernels.append(":" + stem)
        on_gpus = native.glob(["mpi/*.cu"], allow_empty = True)
        if backend == "mpi" and on_gpus:
            # What ranks have on their GPUs beside what a single GPU has.
            cuda_library(
                name = stem + "_cuda",
                srcs = on_gpus,
                deps = [":" + stem, ":%s_cuda_headers" % name, Label("//backends/cuda")],
                alwayslink = True,
            )
            kernels.append(":%s_cuda" % stem)
    cc_library(
        name = name + "_kernels",
        visibility = visible_to(["//algorithms:users"]),
        deps = [":" + name] + kernels,
    )
    files = native.glob([name + "_files.cc"], allow_empty = True)
    if files:
        concord_library(
            name = name + "_files",
            srcs = files,
            deps = [":%s_internal" % name, Label("//core:io")] + files_deps,
            alwayslink = True,
        )
    concord_library(
        name = name + "_spec",
        srcs = native.glob(["spec/*.cc", "spec/*.h"], allow_empty = True),
        visibility = visible_to(["//algorithms:__pkg__"]),
        deps = [":%s_internal" % name, Label("//core:spec")] + spec_deps,
        alwayslink = True,
    )
    cc_library(
        name = name + "_all",
        visibility = visible_to(["//algorithms:users"]),
        deps = [":%s_kernels" % name, ":%s_spec" % name] + ([":%s_files" % name] if files else []),
    )

    # tools/tests compares it with the signature.
    native.filegroup(
        name = name + "_readme",
        srcs = native.glob(["README.md"], allow_empty = True),
        visibility = visible_to(["//algorithms:__pkg__"]),
    )

    # testing/ checks that each is where testing/roster.txt says.
    native.filegroup(
        name = name + "_sources",
        srcs = native.glob(["%s/*%s" % (backend, suffix) for backend, suffix, _ in BACKENDS], allow_empty = True),
        visibility = visible_to(["//algorithms:__pkg__"]),
    )
    concord_library(
        name = name + "_test_cases",
        testonly = True,
        srcs = [name + "_test.cc"],
        copts = _TEST_COPTS,
        deps = [
            ":%s_all" % name,
            ":%s_internal" % name,
            Label("//testing/support:differential"),
            Label("@system//:gmock"),
        ] + test_deps,
        alwayslink = True,
    )
    concord_test(
        name = name + "_test",
        size = test_size,
        data = test_data,
        shard_count = test_shards,
        deps = [":%s_test_cases" % name],
    )
    if narrow_vectors:
        # Nothing else has vectors, and faults are planted in the test itself.
        narrow_vector_tests(
            name + "_test",
            ice_lake = ice_lake,
            size = test_size,
            filter = "*tbb*-*PlantedFaults*:*LargeCase*",
        )
    if ":%s_mpi" % name in kernels:
        for ranks, filter in _rank_tests(planted_on_ranks).items():
            rank_test(
                name = "%s_test_%d_ranks" % (name, ranks),
                # Ranks wait for each other thousands of times: on a machine
                # that does much else, very long.
                size = "enormous",
                ranks = ranks,
                program = ":%s_test" % name,
                filter = filter,
            )
