# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The C++ libraries that the operating system provides, as Bazel targets.

Headers stand in the compiler's default include path, so a target is no more
than its linker options. Abseil is linked statically: it is many small
libraries, and a program that starts quickly and can be carried to another
machine is worth the size. Only libconcord.so takes its shared libraries
(--config=shared), because the code in the archives has a fixed place.

What the system does not have comes from modules, where there are any; htslib,
which is none, is then left out. CONCORD_SYSTEM_LIBRARIES=0 in the repository
environment leaves all of the system's out.

`config.bzl` has HTSLIB_FOUND; PYTHON_COPTS, with which programs find Python.h,
empty where it is not installed (only the tests of the Python module want it);
and CONCORD_CHECKOUT, the folder that Concord is built from where it is another
project's dependency.
"""

load("//tools/bazel:repository.bzl", "CONCORD_IS_MAIN")

# Target -> (package config modules, link statically). The name of the Debian
# package follows, for the message that is printed when it is missing.
_LIBRARIES = {
    "absl": (["absl_status", "absl_statusor", "absl_strings", "absl_str_format", "absl_time", "absl_synchronization"], True, "libabsl-dev"),
    "benchmark": (["benchmark"], False, "libbenchmark-dev"),
    "gmock": (["gmock"], False, "libgmock-dev"),
    "gtest": (["gtest"], False, "libgtest-dev"),
    "highway": (["libhwy-contrib", "libhwy"], False, "libhwy-dev"),
    "htslib": (["htslib"], False, "libhts-dev"),
    "tbb": (["tbb"], False, "libtbb-dev"),
}

# Header-only libraries: target -> (header that must exist, Debian package).
_HEADER_ONLY = {
    "cli11": ("/usr/include/CLI/CLI.hpp", "libcli11-dev"),
    "nlohmann_json": ("/usr/include/nlohmann/json.hpp", "nlohmann-json3-dev"),
}

# The linker's options for a library; None where it is not installed.
def _link_options(ctx, modules, static):
    pkg_config = ctx.which("pkg-config")
    if not pkg_config:
        return None
    result = ctx.execute([pkg_config, "--libs"] + (["--static"] if static else []) + modules)
    if result.return_code != 0:
        return None
    options = [option for option in result.stdout.strip().split(" ") if option]
    if not static:
        return repr(options)

    # The order that pkg-config prints suits shared libraries; a group makes
    # the order of the archives irrelevant.
    archives = []
    for option in options:
        if option.startswith("-labsl_"):
            archives.append("-l:lib%s.a" % option[2:])
    archives = ["-Wl,--start-group"] + archives + ["-Wl,--end-group"]
    shared = ctx.execute([pkg_config, "--libs"] + modules).stdout.strip().split(" ")
    return "select({\":shared\": %r, \"//conditions:default\": %r})" % (shared, archives)

_SHARED = """
config_setting(
    name = "shared",
    define_values = {"concord_shared": "1"},
)
"""

# How programs in which there is Python are compiled and linked; nothing where
# there are no headers of it.
def _python(ctx):
    pkg_config = ctx.which("pkg-config")
    found = {}
    for option in ["--cflags", "--libs"]:
        result = ctx.execute([pkg_config, option, "python3-embed"]) if pkg_config else None
        if not result or result.return_code != 0:
            return [], []
        found[option] = [word for word in result.stdout.strip().split(" ") if word]
    return found["--cflags"], found["--libs"]

# What each library is linked with, and the Debian package that has it.
def _installed(ctx):
    installed = {}
    for name, (modules, static, package) in _LIBRARIES.items():
        installed[name] = (_link_options(ctx, modules, static), package)
    for name, (header, package) in _HEADER_ONLY.items():
        installed[name] = ("[]" if ctx.path(header).exists else None, package)
    return installed

def _system_libraries_impl(ctx):
    use_installed = ctx.os.environ.get("CONCORD_SYSTEM_LIBRARIES", "1") != "0"
    build = 'load("@rules_cc//cc:defs.bzl", "cc_library")\n' + _SHARED
    htslib_found = True
    for name, (linkopts, package) in _installed(ctx).items():
        deps = []
        if linkopts == None or not use_installed:
            if not ctx.attr.modules:
                fail("%s is not installed; tools/setup installs all that is missing" % package)
            linkopts = "[]"
            deps = ctx.attr.modules.get(name, [])
            htslib_found = htslib_found and name != "htslib"
        build += """
cc_library(
    name = "{name}",
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
    deps = {deps},
)
""".format(name = name, linkopts = linkopts, deps = deps)
    python_copts, python_linkopts = _python(ctx)
    build += """
cc_library(
    name = "python",
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
)
""".format(linkopts = python_linkopts)
    ctx.file("BUILD", build)
    checkout = ctx.path(Label("//tools/repositories:system.bzl")).realpath.dirname.dirname.dirname
    ctx.file("config.bzl", """
HTSLIB_FOUND = {htslib_found}
PYTHON_COPTS = {python_copts}
CONCORD_CHECKOUT = "{checkout}"
""".format(htslib_found = htslib_found, python_copts = python_copts, checkout = "" if CONCORD_IS_MAIN else checkout))

system_libraries = repository_rule(
    implementation = _system_libraries_impl,
    # Library -> the targets of modules that stand in for it.
    attrs = {"modules": attr.string_list_dict()},
    environ = ["CONCORD_SYSTEM_LIBRARIES"],
    local = True,
)
