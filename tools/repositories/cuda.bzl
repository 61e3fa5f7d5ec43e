# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the CUDA toolkit: CUDA_HOME, then nvcc on PATH, then /usr/local/cuda.

The repository offers `config.bzl` with CUDA_FOUND, NVCC, NVCC_KEY, GENCODE,
CCCL_VERSION, CCCL_INCLUDES and CCCL_KEY, and the library `:cudart`. CUDA headers
are included by .cu files alone, and nvcc knows where its own stand, so they are
no input of any action: the keys stand for them, so that objects of another
toolkit behind the same path are never taken for this one's. Without a toolkit,
or with CONCORD_CUDA=0 in the repository environment (`--config=nocuda`),
CUDA_FOUND is False and `:cudart` is empty.

CONCORD_CUDA_ARCHITECTURES in the same environment, such as 80,90, names the
GPUs' compute capabilities to compile for. sm_90 in its place is machine code for
9.0 without PTX, of which newer GPUs can make nothing.

CONCORD_CCCL in the same environment is a folder with another CCCL (CUB, Thrust
and libcudacxx) than the toolkit's, a checkout of NVIDIA/cccl or an installed
one. The peers that call CUB and Thrust are then compiled with that one, and
with its tunings where it offers them.
"""

# Machine code for Hopper; every other GPU from Turing on compiles the PTX.
_DEFAULT_GENCODE = [
    "-gencode=arch=compute_90,code=sm_90",
    "-gencode=arch=compute_75,code=compute_75",
]

def _gencode(names):
    """nvcc's flags for "80,90": machine code for each, and PTX, which newer GPUs compile; no PTX for "sm_90"."""
    if not names:
        return _DEFAULT_GENCODE
    flags = []
    for name in names.split(","):
        machine_code_only = name.startswith("sm_")
        number = name[len("sm_"):] if machine_code_only else name
        if not number.isdigit():
            fail("CONCORD_CUDA_ARCHITECTURES=%s: '%s' is no compute capability; write 80,90 for 8.0 and 9.0" % (names, name))
        code = "sm_%s" if machine_code_only else "[sm_%s,compute_%s]"
        flags.append("-gencode=arch=compute_%s,code=%s" % (number, code.replace("%s", number)))
    return flags

# Where the headers of a CCCL stand in a folder: installed, in a checkout.
_CCCL_LAYOUTS = [
    [""],
    ["/cccl"],
    ["/include"],
    ["/include/cccl"],
    ["/cub", "/thrust", "/libcudacxx/include"],
]

def _cccl(ctx, folder):
    """(version, such as "3.0.1", include folders) of the CCCL in `folder`; None where there is none."""
    for layout in _CCCL_LAYOUTS:
        includes = [folder + part for part in layout]
        version = ctx.path(includes[-1] + "/cuda/std/__cccl/version.h")
        if not version.exists or not ctx.path(includes[0] + "/cub/version.cuh").exists:
            continue
        for line in ctx.read(version).split("\n"):
            words = line.split(" ")
            if words[:2] == ["#define", "CCCL_VERSION"]:
                number = int(words[2])
                return "%d.%d.%d" % (number // 1000000, number // 1000 % 1000, number % 1000), includes
    return None

def _chosen_cccl(ctx, own_version):
    """Likewise of the one that the peers are compiled with; no folders for the toolkit's."""
    named = ctx.os.environ.get("CONCORD_CCCL", "")
    if not named:
        return own_version, []
    found = _cccl(ctx, named)
    if not found:
        fail("CONCORD_CCCL=%s: no CCCL is there, neither installed nor a checkout of NVIDIA/cccl" % named)
    return found

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

def _output(ctx, command):
    result = ctx.execute(command)
    if result.return_code != 0:
        fail("%s: %s" % (" ".join(command), result.stderr or result.stdout))
    return result.stdout.strip()

def _nvcc_key(ctx, nvcc, cccl_version):
    """What decides on an object beside its source: builds of nvcc and of the host's compiler, the toolkit's CCCL."""
    build = _output(ctx, [nvcc, "--version"]).split("\n")[-1]
    host = _output(ctx, ["g++", "-dumpfullversion"])
    return "%s, g++ %s, CCCL %s" % (build, host, cccl_version)

def _cccl_key(ctx, includes):
    """Tells a folder's CCCL from each other one, also from another commit of the same version."""
    if not includes:
        return ""
    command = "find -L \"$@\" -type f -print0 | sort -z | xargs -0 cat | sha256sum"
    return _output(ctx, ["bash", "-c", command, "bash"] + includes).split(" ")[0]

def _cuda_toolkit_impl(ctx):
    home = _toolkit(ctx)
    nvcc = str(home.get_child("bin").get_child("nvcc")) if home else ""
    own_cccl = _cccl(ctx, str(home) + "/include") if home else None
    own_version = own_cccl[0] if own_cccl else "unknown"
    cccl_version, cccl_includes = _chosen_cccl(ctx, own_version) if home else ("", [])
    ctx.file("config.bzl", """
CUDA_FOUND = {found}
NVCC = "{nvcc}"
NVCC_KEY = "{nvcc_key}"
GENCODE = {gencode}
CCCL_VERSION = "{cccl_version}"
CCCL_INCLUDES = {cccl_includes}
CCCL_KEY = "{cccl_key}"
""".format(
        found = home != None,
        nvcc = nvcc,
        nvcc_key = _nvcc_key(ctx, nvcc, own_version) if home else "",
        gencode = _gencode(ctx.os.environ.get("CONCORD_CUDA_ARCHITECTURES", "")),
        cccl_version = cccl_version,
        cccl_includes = cccl_includes,
        cccl_key = _cccl_key(ctx, cccl_includes),
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
    environ = ["CONCORD_CCCL", "CONCORD_CUDA", "CONCORD_CUDA_ARCHITECTURES", "CUDA_HOME", "PATH"],
    local = True,
)
