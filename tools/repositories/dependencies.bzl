# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What a WORKSPACE needs beside Concord itself. Modules have extension.bzl."""

load("//tools/repositories:cuda.bzl", "cuda_toolkit")
load("//tools/repositories:mpi.bzl", "mpi_library")
load("//tools/repositories:system.bzl", "system_libraries")

def _folder_impl(ctx):
    folder = ctx.path(ctx.attr.path) if ctx.attr.path else ctx.path(ctx.attr.marker).dirname
    for entry in folder.readdir():
        ctx.symlink(entry, entry.basename)

# A folder of this repository, or of the machine, as a repository of its own.
_folder = repository_rule(
    implementation = _folder_impl,
    attrs = {
        "marker": attr.label(),
        "path": attr.string(),
    },
    local = True,
)

def concord_dependencies():
    """Every repository that Concord's BUILD files name, but those that there are."""
    existing = native.existing_rules()

    # Bazel 4 asks for these three by name. Debian's rules_cc is too new for it
    # and nothing here is written in Java, so small local stand-ins serve.
    if "rules_cc" not in existing:
        _folder(name = "rules_cc", marker = Label("//tools/repositories/rules_cc:WORKSPACE"))
    if "rules_java" not in existing:
        _folder(name = "rules_java", path = "/usr/share/bazel/rules/java")
    if "remote_coverage_tools" not in existing:
        _folder(name = "remote_coverage_tools", marker = Label("//tools/repositories/coverage:WORKSPACE"))

    # Abseil, oneTBB, GoogleTest and the rest, as the operating system installs them.
    if "system" not in existing:
        system_libraries(name = "system")

    # The CUDA toolkit where there is one; an empty stand-in where there is none.
    if "cuda" not in existing:
        cuda_toolkit(name = "cuda")

    # MPI likewise.
    if "mpi" not in existing:
        mpi_library(name = "mpi")
