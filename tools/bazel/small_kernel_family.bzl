# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`small_kernel_family`: an algorithm of one input and one output, from two files."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("//tools/bazel:concord.bzl", "BACKENDS", "concord_library", "concord_test", "cuda_library")
load("//tools/bazel:repository.bzl", "include_path")

def _source_impl(ctx):
    ctx.actions.write(ctx.outputs.out, ctx.attr.content)

_source = rule(
    implementation = _source_impl,
    attrs = {
        "content": attr.string(),
        "out": attr.output(mandatory = True),
    },
)

# A file that includes `headers` and defines one constant, so that something is registered.
def _registration(out, headers, value):
    _source(
        name = out[:-len(".cc")] + "_source",
        out = out,
        content = "".join(['#include "%s"\n' % header for header in headers]) +
                  "static const bool kRegistered = %s;\n" % value,
    )

def _map(reasons):
    return "{%s}" % ", ".join(['{"%s", "%s"}' % (name, words.replace('"', '\\"')) for name, words in reasons.items()])

def small_kernel_family(name, description, deps = [], visibility = None, meaningless_faults = {}, **test):
    """An algorithm that `description`, a struct in NAME.h, says everything of (core/small_kernel.h).

    NAME.cc has its kernels for the serial backend and for TBB, NAME.cu those for
    CUDA, if there are any. Gives the targets of kernel_family: NAME, the
    description; NAME_kernels, which adds the kernels; NAME_all, which adds what is
    right; and NAME_test, the differential suite.

    Args:
      name: of the algorithm.
      description: the struct with its namespace, such as "mine::Difference".
      deps: of NAME.h and the kernels, beside Concord's.
      visibility: of the libraries.
      meaningless_faults: planted faults that this algorithm cannot show, and why
        (DifferentialOptions of testing/support/differential.h).
      **test: of NAME_test, such as `size`, which is otherwise "medium".
    """
    folder = include_path(native.package_name())
    header = (folder + "/" if folder else "") + name + ".h"
    _registration(
        name + "_algorithm.cc",
        ["concord/core/algorithm.h", header],
        "concord::RegisterAlgorithm<concord::SmallKernel<%s>>()" % description,
    )
    concord_library(
        name = name,
        srcs = [name + "_algorithm.cc"],
        hdrs = [name + ".h"],
        visibility = visibility,
        deps = [Label("//core:small_kernel")] + deps,
        alwayslink = True,
    )
    kernels = []
    for suffix, library in [(".cc", concord_library), (".cu", cuda_library)]:
        files = native.glob([name + suffix], allow_empty = True)
        if not files:
            continue
        kernels.append("%s_%s" % (name, suffix[1:]))
        library(
            name = kernels[-1],
            srcs = files,
            deps = [":" + name] + [need for _, kind, needs in BACKENDS if kind == suffix for need in needs],
            alwayslink = True,
        )
    cc_library(
        name = name + "_kernels",
        visibility = visibility,
        deps = [":" + kernel for kernel in [name] + kernels],
    )
    _registration(
        name + "_spec.cc",
        ["concord/core/small_kernel_spec.h", header],
        "concord::RegisterSpec(new concord::SmallKernelSpec<%s>)" % description,
    )
    concord_library(
        name = name + "_spec",
        srcs = [name + "_spec.cc"],
        deps = [":" + name, Label("//core:small_kernel_spec")],
        alwayslink = True,
    )
    cc_library(
        name = name + "_all",
        visibility = visibility,
        deps = [":%s_kernels" % name, ":%s_spec" % name],
    )
    _registration(
        name + "_test.cc",
        ["concord/testing/support/differential.h"],
        'concord::AddDifferentialSuite("%s", {/*seed=*/1, %s, {}})' % (name, _map(meaningless_faults)),
    )
    concord_test(
        name = name + "_test",
        srcs = [name + "_test.cc"],
        deps = [":%s_all" % name, Label("//testing/support:differential")],
        size = test.pop("size", "medium"),
        **test
    )
