# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds Open MPI by pkg-config, as Debian's libopenmpi-dev installs it.

The repository offers `config.bzl` with MPI_FOUND and MPIRUN, the program that
starts ranks ("" where it is not installed), and the headers `:mpi`: programs
load the library when they need it. Without Open MPI, or with CONCORD_MPI=0 in
the repository environment (`--config=nompi`), MPI_FOUND is False and `:mpi` is
empty.
"""

# The folders of headers; None where there is no Open MPI.
def _installed(ctx):
    pkg_config = ctx.which("pkg-config")
    if not pkg_config or ctx.os.environ.get("CONCORD_MPI", "1") == "0":
        return None
    result = ctx.execute([pkg_config, "--cflags-only-I", "ompi-c"])
    if result.return_code != 0:
        return None
    includes = [word for word in result.stdout.strip().split(" ") if word]
    return [ctx.path(include[len("-I"):]) for include in includes]

def _mpi_library_impl(ctx):
    includes = _installed(ctx)
    mpirun = ctx.which("mpirun") if includes != None else None
    ctx.file("config.bzl", """
MPI_FOUND = {found}
MPIRUN = "{mpirun}"
""".format(found = includes != None, mpirun = mpirun or ""))

    # The headers do not stand in the compiler's own path.
    headers = []
    for include in includes or []:
        for header in ["mpi.h", "mpi_portable_platform.h"]:
            if include.get_child(header).exists and header not in headers:
                ctx.symlink(include.get_child(header), "include/" + header)
                headers.append(header)
    ctx.file("BUILD", """
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "mpi",
    hdrs = {headers},
    includes = ["include"],
    visibility = ["//visibility:public"],
)
""".format(headers = ["include/" + header for header in headers]))

mpi_library = repository_rule(
    implementation = _mpi_library_impl,
    environ = ["CONCORD_MPI", "PATH", "PKG_CONFIG_PATH"],
    local = True,
)
