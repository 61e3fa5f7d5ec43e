# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the CUDA toolkit: CUDA_HOME, then nvcc on PATH, then /usr/local/cuda.

The repository offers `config.bzl` with CUDA_FOUND, NVCC and GENCODE, and the
library `:cudart`. CUDA headers are included by .cu files alone, and nvcc knows
where its own stand, so they are no input of any action. Without a toolkit, or
with CONCORD_CUDA=0 in the repository environment (`--config=nocuda`),
CUDA_FOUND is False and `:cudart` is empty.

CONCORD_CUDA_ARCHITECTURES in the same environment, such as 80,90, names the
GPUs' compute capabilities to compile for.
"""

# Machine code for Hopper; every other GPU from Turing on compiles the PTX.
_DEFAULT_GENCODE = [
    "-gencode=arch=compute_90,code=sm_90",
    "-gencode=arch=compute_75,code=compute_75",
]

def _gencode(names):
    """nvcc's flags for "80,90": machine code for each, and PTX, which newer GPUs compile."""
    if not names:
        return _DEFAULT_GENCODE
    flags = []
    for name in names.split(","):
        if not name.isdigit():
            fail("CONCORD_CUDA_ARCHITECTURES=%s: '%s' is no compute capability; write 80,90 for 8.0 and 9.0" % (names, name))
        flags.append("-gencode=arch=compute_%s,code=[sm_%s,compute_%s]" % (name, name, name))
    return flags

def _toolkit(ctx):
    if ctx.os.environ.get("CONCORD_CUDA", "1") == "0":
        return None
    candidates = []
    if ctx.os.environ.get("CUDA_HOME"):
        candidates.append(ctx.path(ctx.os.environ["CUDA_HOME"]))
    nvcc = ctx.which("nvcc")
    if nvcc:
        candidates.append(ctx.path(nvcc).realpath.dirname.dirname)
    candidates.append(ctx.path("/usr/local/cuda"))
    for home in candidates:
        if home.get_child("bin").get_child("nvcc").exists and home.get_child("include").get_child("cuda_runtime.h").exists:
            return home
    return None

def _cuda_toolkit_impl(ctx):
    home = _toolkit(ctx)
    ctx.file("config.bzl", """
CUDA_FOUND = {found}
NVCC = "{nvcc}"
GENCODE = {gencode}
""".format(
        found = home != None,
        nvcc = home.get_child("bin").get_child("nvcc") if home else "",
        gencode = _gencode(ctx.os.environ.get("CONCORD_CUDA_ARCHITECTURES", "")),
    ))
    linkopts = []
    if home:
        linkopts = ["-L%s" % home.get_child("lib64"), "-lcudart_static", "-lrt", "-lpthread", "-ldl"]
    ctx.file("BUILD", """
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "cudart",
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
)
""".format(linkopts = linkopts))

cuda_toolkit = repository_rule(
    implementation = _cuda_toolkit_impl,
    environ = ["CONCORD_CUDA", "CONCORD_CUDA_ARCHITECTURES", "CUDA_HOME", "PATH"],
    local = True,
)
