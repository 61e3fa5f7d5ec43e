# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`cuda_objects` compiles .cu files with nvcc, for a cc_library to take in."""

load("@cuda//:config.bzl", "NVCC")

# Machine code for Hopper; every other GPU from Turing on compiles the PTX.
_ARCHITECTURES = [
    "-gencode=arch=compute_90,code=sm_90",
    "-gencode=arch=compute_75,code=compute_75",
]

CUDA_COPTS = _ARCHITECTURES + [
    "-std=c++17",
    "-O3",
    # Products and sums are rounded one by one, as on the CPU.
    "-fmad=false",
    "--expt-relaxed-constexpr",
    "--extended-lambda",
    "--compress-mode=size",
    "-Werror=all-warnings",
    # Takes `status = F();` for a result that is dropped.
    "-diag-suppress=2810",
    "-Xcompiler=-fPIC,-Wall,-Wextra,-Werror,-ffp-contract=off",
]

def _cuda_objects_impl(ctx):
    includes = []
    transitive = []
    for dep in ctx.attr.deps:
        context = dep[CcInfo].compilation_context
        transitive.append(context.headers)
        includes.append(context.system_includes)
        includes.append(context.includes)
    includes = depset(transitive = includes)
    objects = []
    for src in ctx.files.srcs:
        # The folder keeps an object apart from that of a .cc file of the same stem.
        obj = ctx.actions.declare_file("_nvcc/%s/%s.o" % (ctx.label.name, src.basename[:-len(".cu")]))
        args = ctx.actions.args()
        args.add("-c", src)
        args.add("-o", obj)
        args.add("-I.")
        args.add("-I" + ctx.bin_dir.path)
        args.add_all(includes, format_each = "-isystem=%s")
        args.add_all(CUDA_COPTS)
        args.add_all(ctx.attr.copts)
        ctx.actions.run(
            executable = NVCC,
            arguments = [args],
            inputs = depset([src] + ctx.files.hdrs, transitive = transitive),
            outputs = [obj],
            mnemonic = "NvccCompile",
            progress_message = "Compiling %s with nvcc" % src.short_path,
            env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "TMPDIR": "/tmp"},
        )
        objects.append(obj)
    return [DefaultInfo(files = depset(objects))]

cuda_objects = rule(
    implementation = _cuda_objects_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cu"]),
        "hdrs": attr.label_list(allow_files = [".cuh", ".h"]),
        "deps": attr.label_list(providers = [CcInfo]),
        "copts": attr.string_list(),
    },
)
