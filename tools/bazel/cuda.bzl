# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles .cu files with nvcc.

`cuda_objects` gives objects for a cc_library to take in, `cuda_ptx` the text of
kernels, for programs that complete it when they run.
"""

load("@cuda//:config.bzl", "CCCL_INCLUDES", "CCCL_KEY", "CUDA_FOUND", "GENCODE", "NVCC", "NVCC_KEY")
load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//tools/bazel:repository.bzl", "CONCORD_IS_MAIN")

_COPTS = [
    "-std=c++17",
    "-O3",
    # Products and sums are rounded one by one, as on the CPU.
    "-fmad=false",
    "--expt-relaxed-constexpr",
    "--extended-lambda",
    "--compress-mode=size",
] + (["-Werror=all-warnings"] if CONCORD_IS_MAIN else []) + [
    # Takes `status = F();` for a result that is dropped.
    "-diag-suppress=2810",
    "-Xcompiler=-fPIC,-Wall,-Wextra,%s-ffp-contract=off" % ("-Werror," if CONCORD_IS_MAIN else ""),
]

CUDA_COPTS = GENCODE + _COPTS

# Sources that call CUB and Thrust to be measured against: they alone are compiled
# with the CCCL that CONCORD_CCCL names, so that it changes nothing else.
def _is_peer(src):
    stem = src.basename[:-len(".cu")]
    return stem.startswith("cub") or stem.startswith("thrust") or stem.endswith("_peers")

# A file's output of nvcc, which `mode` asks for.
def _nvcc(ctx, mode, src, stem, suffix, copts):
    includes = []
    quote_includes = []
    transitive = []
    for dep in ctx.attr.deps:
        context = dep[CcInfo].compilation_context
        transitive.append(context.headers)
        includes.append(context.includes)
        quote_includes.append(context.quote_includes)
    headers = depset(transitive = transitive)
    includes = depset(transitive = includes)
    output = ctx.actions.declare_file(stem + suffix)
    unused = ctx.actions.declare_file(stem + ".unused")
    args = ctx.actions.args()
    args.add(NVCC)
    args.add(mode, src)
    args.add("-o", output)
    args.add_all(includes, format_each = "-I%s")
    # Read by nobody: with it, another compiler's objects are not in the cache.
    compiled_by = NVCC_KEY
    if _is_peer(src):
        args.add_all(CCCL_INCLUDES, format_each = "-I%s")
        compiled_by += " " + CCCL_KEY
    if not CONCORD_IS_MAIN:
        # Other projects' headers may be those of plain libraries, with paths from their roots.
        args.add_all(depset(transitive = quote_includes), format_each = "-Xcompiler=-iquote,%s")
    args.add_all(copts)
    args.add_all(ctx.attr.copts)
    available = ctx.actions.args()
    available.use_param_file("%s", use_always = True)
    available.set_param_file_format("multiline")
    available.add_all(headers)
    ctx.actions.run(
        executable = ctx.executable._compile,
        arguments = [unused.path, available, args],
        inputs = depset([src], transitive = [headers]),
        outputs = [output, unused],
        # A change in a header compiles again the files that include it, and no other.
        unused_inputs_list = unused,
        mnemonic = "NvccCompile",
        progress_message = "Compiling %s with nvcc" % src.short_path,
        env = {
            "CONCORD_COMPILED_BY": compiled_by,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": "/tmp",
        },
    )
    return output

def _cuda_objects_impl(ctx):
    objects = []
    for src in ctx.files.srcs:
        # The folder keeps an object apart from that of a .cc file of the same stem.
        stem = "_nvcc/%s/%s" % (ctx.label.name, src.basename[:-len(".cu")])
        objects.append(_nvcc(ctx, "-c", src, stem, ".o", CUDA_COPTS))
    return [DefaultInfo(files = depset(objects))]

_ATTRS = {
    "deps": attr.label_list(providers = [CcInfo]),
    "copts": attr.string_list(),
    "_compile": attr.label(
        default = Label("//tools/bazel:compile_cuda"),
        allow_single_file = True,
        executable = True,
        cfg = "exec",
    ),
}

cuda_objects = rule(
    implementation = _cuda_objects_impl,
    attrs = dict(_ATTRS, srcs = attr.label_list(allow_files = [".cu"])),
)

def _cuda_ptx_impl(ctx):
    copts = ["-arch=compute_%s" % ctx.attr.architecture] + _COPTS
    return [DefaultInfo(files = depset([
        _nvcc(ctx, "-ptx", ctx.file.src, "_ptx/" + ctx.label.name, ".ptx", copts),
    ]))]

cuda_ptx = rule(
    implementation = _cuda_ptx_impl,
    attrs = dict(
        _ATTRS,
        src = attr.label(allow_single_file = [".cu"]),
        # The oldest GPUs that the kernels are for, such as "80".
        architecture = attr.string(),
    ),
)

def ptx_texts(name, texts, header, function, architecture, cuda_deps, **kwargs):
    """A library that carries kernels as PTX.

    Args:
      name: of the library.
      texts: (name, .cu file, flags for nvcc) of each.
      header: declares `function`.
      function: concord::spliced::PtxText function(absl::string_view name) gives
        the text of that name, and none where no CUDA toolkit was found.
      architecture: the oldest GPUs that they are for.
      cuda_deps: headers of the .cu files.
      **kwargs: of the cc_library.
    """
    arguments = ""
    targets = []
    for text, src, copts in texts if CUDA_FOUND else []:
        target = "%s_%s" % (name, text)
        cuda_ptx(name = target, src = src, deps = cuda_deps, copts = copts, architecture = architecture)
        targets.append(":" + target)
        arguments += " %s $(location :%s)" % (text, target)
    native.genrule(
        name = name + "_source",
        srcs = targets,
        outs = [name + ".cc"],
        cmd = "$(location //tools/bazel:embed_ptx) $@ %s %s%s" % (header, function, arguments),
        tools = ["//tools/bazel:embed_ptx"],
    )
    cc_library(name = name, srcs = [name + ".cc"], linkstatic = True, **kwargs)
