# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Newer versions of Bazel have what BUILD and .bzl files name, and modules have the libraries
whose headers are included. An algorithm's helpers are in its namespace, and one file launches kernels.
Each code for vectors is tested.

It reads the whole checkout, which no target has as its data: so it always runs."""

import ast
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What Bazel 9 has without `load`. Rules of languages (cc_*, sh_*, py_*, java_*) and their providers are not among it.
LANGUAGE = set("""
    None True False all any bool depset dict enumerate fail float getattr hasattr hash int json
    len list max min print range repr reversed select sorted str struct tuple type zip""".split())
RULES = set("""
    alias config_setting exports_files filegroup genquery genrule glob load package
    package_group test_suite""".split())
DEFINITIONS = set("""
    DefaultInfo InstrumentedFilesInfo Label OutputGroupInfo RunEnvironmentInfo analysis_test_transition aspect attr
    module_extension native provider repository_rule rule transition""".split())
MODULES = set("""
    archive_override bazel_dep git_override local_path_override module register_toolchains
    single_version_override use_extension use_repo""".split())
NATIVE = set("""
    alias config_setting existing_rule existing_rules exports_files filegroup genquery genrule glob
    package_group package_name package_relative_label repo_name subpackages test_suite""".split())
# The names that rules_cc gives them, for the old Bazel that has no other.
STAND_INS = "tools/repositories/rules_cc/cc/"
# What an older Bazel calls repo_name; asked for only where that is missing.
OLD_NAME = ("tools/bazel/repository.bzl", "native.repository_name")


def tree(*endings):
    """The files of the checkout, by their paths in it."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.endswith(endings):
                path = pathlib.Path(folder, name)
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def defined(module):
    """Names that the file loads or defines, somewhere."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load":
            yield from (argument.value for argument in node.args[1:])
            yield from (keyword.arg for keyword in node.keywords)
        elif isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def unknown(path, text):
    """What the file names and neither loads nor defines, and Bazel 9 does not have. Files of
    Bazel's are, as far as they go here, Python to the parser."""
    module = ast.parse(text, path)
    name = pathlib.PurePath(path).name
    known = LANGUAGE | set(defined(module))
    known |= DEFINITIONS | {"load"} if name.endswith(".bzl") else MODULES if name.startswith("MODULE") else RULES
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and node.id not in known:
            yield node.id
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "native" and node.attr not in NATIVE:
            yield f"native.{node.attr}"


class BuildFiles(unittest.TestCase):
    def test_they_name_nothing_that_newer_versions_do_not_have(self):
        seen = set()
        for path, text in tree("BUILD", "BUILD.bazel", ".bzl", "MODULE.bazel"):
            seen.add(path)
            if not path.startswith(STAND_INS):
                names = [name for name in unknown(path, text) if (path, name) != OLD_NAME]
                self.assertEqual(names, [], f"{path}: to be loaded, or not there in Bazel 9")
        self.assertLessEqual({"core/BUILD", "tools/bazel/concord.bzl", "examples/workspace/BUILD", "MODULE.bazel"}, seen)

    def test_the_old_name_is_only_asked_for_where_there_is_no_new_one(self):
        path, name = OLD_NAME
        (line,) = [line for line in (ROOT / path).read_text(encoding="utf-8").splitlines() if name in line]
        self.assertIn('native.repo_name() if hasattr(native, "repo_name") else', line)

    def test_rules_that_are_gone_would_be_seen(self):
        for text in ("sh_binary(name = 'x')", "[java_library(name = name) for name in 'ab']", "x = CcInfo",
                     "load('@rules_cc//cc:defs.bzl', 'cc_test')\ncc_library(name = 'x')"):
            self.assertEqual(len(list(unknown("BUILD", text))), 1, text)
        self.assertEqual(list(unknown("x.bzl", "native.sh_test(name = 'x')")), ["native.sh_test"])


# Libraries whose headers stand in a folder of this name.
LIBRARIES = {"CLI": "cli11", "benchmark": "benchmark", "gmock": "gmock", "gtest": "gtest", "hwy": "highway",
             "nlohmann": "nlohmann_json", "oneapi": "tbb"}
# Headers of Abseil's that are not in the target of their own name.
ABSEIL = {"absl/base/casts.h": "absl/base", "absl/strings/cord.h": "absl/strings:cord",
          "absl/strings/str_format.h": "absl/strings:str_format"}
# Of the system, of the CUDA toolkit, ours, and htslib, which is no module.
NO_MODULES = {"concord", "cub", "cuda", "htslib", "linux", "sanitizer", "sys", "thrust"}


def target(header):
    """That of Abseil's which has the header."""
    if header in ABSEIL:
        return ABSEIL[header]
    folder, name = header.rsplit("/", 1)
    # These are one library, whatever the file is called.
    if folder in ("absl/strings", "absl/time"):
        return folder
    stem = name.removesuffix(".h")
    return folder if folder.endswith("/" + stem) else f"{folder}:{stem}"


def included():
    """All headers of a folder that sources of Concord's include."""
    for path, text in tree(".cc", ".cu", ".cuh", ".h", ".inc"):
        if not path.startswith("examples/workspace/"):
            yield from re.findall(r'^\s*#\s*include\s*[<"](\w+/[^">]+)[">]', text, re.MULTILINE)


def standing_in():
    """Library -> the targets of modules that stand in for it."""
    text = (ROOT / "tools/repositories/extension.bzl").read_text(encoding="utf-8")
    (found,) = [node.value for node in ast.parse(text).body if isinstance(node, ast.Assign)
                and node.targets[0].id == "_MODULES"]
    return ast.literal_eval(found)


class Modules(unittest.TestCase):
    def test_they_have_the_headers_that_are_included(self):
        modules = standing_in()
        headers = set(included())
        folders = {header.split("/")[0] for header in headers} - NO_MODULES - {"absl"}
        self.assertEqual(folders, set(LIBRARIES))
        self.assertEqual(set(modules), {"absl", *LIBRARIES.values()})
        targets = {"@abseil-cpp//" + target(header) for header in headers if header.startswith("absl/")}
        self.assertEqual(modules["absl"], sorted(targets))

    def test_the_stub_registry_has_them(self):
        text = (ROOT / "tools/repositories/stub_registry").read_text(encoding="utf-8")
        stubs = {}
        for line in re.search(r"^modules='(.*?)'", text, re.MULTILINE | re.DOTALL)[1].splitlines():
            name, version, *targets = line.split()
            if targets:
                stubs[name, version] = {target if ":" in target else f"{target}:{target.rsplit('/')[-1]}"
                                        for target in targets}
        module = (ROOT / "MODULE.bazel").read_text(encoding="utf-8")
        versions = dict(re.findall(r'bazel_dep\(name = "([^"]+)", version = "([^"]+)"\)', module))
        wanted = {}
        for label in {label for labels in standing_in().values() for label in labels}:
            name, package = label.removeprefix("@").split("//")
            package = package if ":" in package else f"{package}:{package.rsplit('/')[-1]}"
            wanted.setdefault((name, versions[name]), set()).add(package)
        self.assertEqual(stubs, wanted)


# Headers of algorithms with what callers use, beside X/X.h.
FOR_CALLERS = {
    "algorithms/compact/predicate.h": "what `Compact::Options` has",
    "algorithms/sequence/lazy_run.h": "classes inside of `Sequence`",
    "algorithms/sequence/lazy_writer.h": "classes inside of `Sequence`",
    "algorithms/sequence/sequence_program.h": "what sequence.h includes",
}


class Vectors(unittest.TestCase):
    def test_code_for_ice_lake_leaves_that_for_avx512_tested(self):
        folders = {re.match("algorithms/[^/]*", path)[0] for path, text in tree(".cc", ".h")
                   if path.startswith("algorithms/") and "#define CONCORD_SIMD_ALSO_ICELAKE" in text}
        self.assertLessEqual({"algorithms/compact", "algorithms/tensor_sketch"}, folders)
        for folder in folders:
            build = (ROOT / folder / "BUILD").read_text(encoding="utf-8")
            self.assertRegex(build, r"(?s)kernel_family\([^()]*\bice_lake = True,", folder)


class Names(unittest.TestCase):
    def test_helpers_of_an_algorithm_are_in_its_namespace(self):
        for path, text in tree(".h", ".cuh"):
            if not re.match("algorithms/[^/]*/", path):
                continue
            name = path.split("/")[1]
            if path == f"algorithms/{name}/{name}.h" or path in FOR_CALLERS:
                # Behind this line is nothing for callers.
                text = text.partition("\n// --- For implementations")[2]
            for namespace in re.findall(r"^namespace (concord[a-z_:]*) \{", text, re.MULTILINE):
                self.assertTrue(f"{namespace}::".startswith(f"concord::{name}::"), f"{path}: {namespace}")

    def test_one_file_launches_kernels(self):
        self.assertEqual([path for path, text in tree(".cu", ".cuh", ".h")
                          if re.search(r"<<<|\bcudaLaunchKernel\(", re.sub("//.*", "", text))
                          # Programs of callers have no other way.
                          and not path.startswith(("examples/", "testing/"))],
                         ["backends/cuda/launch.cuh"])


if __name__ == "__main__":
    unittest.main()
