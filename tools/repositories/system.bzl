# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The C++ libraries that the operating system provides, as Bazel targets.

Headers stand in the compiler's default include path, so a target is no more
than its linker options. Abseil is linked statically: it is many small
libraries, and a program that starts quickly and can be carried to another
machine is worth the size. Only libconcord.so takes its shared libraries
(--config=shared), because the code in the archives has a fixed place.
"""

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

def _missing(package):
    fail("%s is not installed; tools/setup installs all that is missing" % package)

def _link_options(ctx, modules, static, package):
    pkg_config = ctx.which("pkg-config")
    if not pkg_config:
        _missing("pkg-config")
    result = ctx.execute([pkg_config, "--libs"] + (["--static"] if static else []) + modules)
    if result.return_code != 0:
        _missing(package)
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

_TARGET = """
cc_library(
    name = "{name}",
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
)
"""

def _system_libraries_impl(ctx):
    build = _SHARED
    for name, (modules, static, package) in _LIBRARIES.items():
        build += _TARGET.format(name = name, linkopts = _link_options(ctx, modules, static, package))
    for name, (header, package) in _HEADER_ONLY.items():
        if not ctx.path(header).exists:
            _missing(package)
        build += _TARGET.format(name = name, linkopts = "[]")
    ctx.file("BUILD", build)

system_libraries = repository_rule(
    implementation = _system_libraries_impl,
    local = True,
)
