# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`cuda_objects` compiles .cu files with nvcc, for a cc_library to take in."""

load("@cuda//:config.bzl", "GENCODE", "NVCC")

CUDA_COPTS = GENCODE + [
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
        includes.append(context.includes)
    headers = depset(transitive = transitive)
    includes = depset(transitive = includes)
    objects = []
    for src in ctx.files.srcs:
        # The folder keeps an object apart from that of a .cc file of the same stem.
        stem = "_nvcc/%s/%s" % (ctx.label.name, src.basename[:-len(".cu")])
        obj = ctx.actions.declare_file(stem + ".o")
        unused = ctx.actions.declare_file(stem + ".unused")
        args = ctx.actions.args()
        args.add(NVCC)
        args.add("-c", src)
        args.add("-o", obj)
        args.add_all(includes, format_each = "-I%s")
        args.add_all(CUDA_COPTS)
        args.add_all(ctx.attr.copts)
        available = ctx.actions.args()
        available.use_param_file("%s", use_always = True)
        available.set_param_file_format("multiline")
        available.add_all(headers)
        ctx.actions.run(
            executable = ctx.executable._compile,
            arguments = [unused.path, available, args],
            inputs = depset([src], transitive = [headers]),
            outputs = [obj, unused],
            # A change in a header compiles again the files that include it, and no other.
            unused_inputs_list = unused,
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
        "deps": attr.label_list(providers = [CcInfo]),
        "copts": attr.string_list(),
        "_compile": attr.label(
            default = Label("//tools/bazel:compile_cuda"),
            allow_single_file = True,
            executable = True,
            cfg = "exec",
        ),
    },
)
