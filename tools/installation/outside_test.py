#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Uses an installation as people outside do.

    outside_test.py PREFIX [BACKEND...]

PREFIX was made by tools/install. Programs that take any backend run on those that are named: by
default serial, tbb:2, and cuda where there is a GPU. The last line counts as that of tools/test
does."""

import ctypes
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from calls import calls_header

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "outside"
NUMBERS = ["15", "10", "42", "24"]
SUMS = ["15", "25", "67", "91"]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# What lies in a wheel is what is used.
USE_OF_WHEEL = """
import concord, numpy, pathlib, sys
print(concord.scan(numpy.array([15, 10, 42, 24]), kind="inclusive").tolist())
found = concord.verify("scan/", backends=sys.argv[1], cases=20)
print(found.executed, found.passed, found.failures)
folder = pathlib.Path(concord.__file__).parent
loaded = pathlib.Path("/proc/self/maps").read_text()
for library in [*(folder / "lib").iterdir(), *folder.glob("*.so")]:
    assert str(library) in loaded, library
print(folder)
"""


def output_of(*command, cwd=None, **environment):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                            cwd=cwd, env={**os.environ, **environment}, check=False)
    if result.returncode != 0:
        raise AssertionError(f"{command}: {result.stdout}{result.stderr}")
    return result.stdout


class Outside(unittest.TestCase):
    prefix = pathlib.Path()
    backends = []

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def implementations(self):
        listed = json.loads(output_of(self.prefix / "bin/concord", "list", "--json"))
        return [entry["implementation"] for entry in listed]

    def assert_runs(self, program, prefix=None):
        lines = output_of(program, *NUMBERS,
                          LD_LIBRARY_PATH=str((prefix or self.prefix) / "lib")).splitlines()
        self.assertEqual(lines[:len(SUMS)], SUMS)
        self.assertEqual(lines[len(SUMS):], self.implementations())

    def flags(self, package, prefix=None):
        # As a shell reads them: there may be blanks in the prefix.
        return shlex.split(output_of(
            "pkg-config", "--cflags", "--libs", package,
            PKG_CONFIG_PATH=str((prefix or self.prefix) / "lib/pkgconfig")))

    def cmake(self, source, *flags):
        return subprocess.run(
            ["cmake", "-S", str(source), "-B", str(self.folder / "build"),
             f"-DCMAKE_PREFIX_PATH={self.prefix}", *flags],
            capture_output=True, text=True, check=False)

    def test_c_by_hand(self):
        program = self.folder / "sums"
        output_of("gcc", "-std=c99", "-pedantic", *WARNINGS, PROGRAMS / "sums.c",
                  f"-I{self.prefix}/include", f"-L{self.prefix}/lib", "-lconcord", "-o", program)
        self.assert_runs(program)

    def test_c_by_pkg_config(self):
        program = self.folder / "sums"
        output_of("gcc", "-std=c99", "-pedantic", *WARNINGS, PROGRAMS / "sums.c",
                  *self.flags("concord"), "-o", program)
        self.assert_runs(program)

    def test_cpp_by_pkg_config(self):
        program = self.folder / "sums"
        output_of("g++", "-std=c++17", *WARNINGS, PROGRAMS / "sums.cc",
                  *self.flags("concord_cpp"), "-o", program)
        self.assert_runs(program)

    def test_c_and_cpp_by_cmake(self):
        configured = self.cmake(PROGRAMS)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        output_of("cmake", "--build", self.folder / "build")
        self.assert_runs(self.folder / "build" / "sums_c")
        self.assert_runs(self.folder / "build" / "sums_cpp")

    def descriptions(self):
        """Of all algorithms, from the library."""
        library = ctypes.CDLL(str(self.prefix / "lib/libconcord.so"))
        text = ctypes.c_char_p()
        self.assertFalse(library.concord_describe(None, ctypes.byref(text)))
        return json.loads(text.value)

    def test_every_algorithm(self):
        descriptions = self.descriptions()
        (self.folder / "calls.h").write_text(calls_header(descriptions), encoding="utf-8")
        calls = f"-I{self.folder}"
        output_of("gcc", "-std=c99", "-pedantic", *WARNINGS, PROGRAMS / "every.c", calls,
                  f"-I{self.prefix}/include", f"-L{self.prefix}/lib", "-lconcord", "-o",
                  self.folder / "by_hand")
        output_of("gcc", "-std=c99", "-pedantic", *WARNINGS, PROGRAMS / "every.c", calls,
                  *self.flags("concord"), "-o", self.folder / "in_c")
        output_of("g++", "-std=c++17", *WARNINGS, PROGRAMS / "every.cc", calls,
                  *self.flags("concord_cpp"), "-o", self.folder / "in_cpp")
        configured = self.cmake(PROGRAMS, f"-DCALLS={self.folder}")
        self.assertEqual(configured.returncode, 0, configured.stderr)
        output_of("cmake", "--build", self.folder / "build")
        shown = {output_of(self.folder / program, backend,
                           LD_LIBRARY_PATH=str(self.prefix / "lib"))
                 for program in ("by_hand", "in_c", "in_cpp", "build/every_c", "build/every_cpp")
                 for backend in ("serial", "tbb:2")}
        self.assertEqual(len(shown), 1, shown)
        self.assertEqual({line.split()[0] for line in shown.pop().splitlines()},
                         {described["algorithm"] for described in descriptions})

    def cmake_project(self, languages, find):
        source = self.folder / "source"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES {languages})\n{find}\n",
            encoding="utf-8")
        return self.cmake(source)

    def test_c_alone_needs_no_cpp(self):
        configured = self.cmake_project("C", "find_package(Concord REQUIRED COMPONENTS c)")
        self.assertEqual(configured.returncode, 0, configured.stderr)

    def test_cmake_refuses_components_that_there_are_not(self):
        configured = self.cmake_project("C", "find_package(Concord REQUIRED COMPONENTS sml)")
        self.assertNotEqual(configured.returncode, 0)
        self.assertIn("Concord has no component sml; it has c and cpp", configured.stderr)

    def test_cmake_refuses_another_series_of_versions(self):
        configured = self.cmake_project("C", "find_package(Concord 0.0.1 REQUIRED COMPONENTS c)")
        self.assertNotEqual(configured.returncode, 0)

    def test_every_header_can_be_included(self):
        headers = sorted((self.prefix / "include/concord").rglob("*.h"))
        self.assertGreater(len(headers), 30)
        source = self.folder / "all.cc"
        for standard, order in (("c++17", headers), ("c++20", headers[::-1])):
            source.write_text("".join(f'#include "{header.relative_to(self.prefix / "include")}"\n'
                                      for header in order), encoding="utf-8")
            output_of("g++", f"-std={standard}", *WARNINGS, "-Wshadow", "-pedantic",
                      "-fsyntax-only", f"-I{self.prefix}/include", source)

    def test_the_library_shows_the_c_interface_alone(self):
        header = (self.prefix / "include/concord.h").read_text(encoding="utf-8")
        declared = set(re.findall(r"^CONCORD_API [^;(]*?\b(concord_\w+)\(", header, re.MULTILINE))
        self.assertGreater(len(declared), 30)
        shown = {line.split()[-1].split("@")[0]
                 for line in output_of("nm", "-D", "--defined-only",
                                       self.prefix / "lib/libconcord.so").splitlines()}
        self.assertEqual(shown - {"CONCORD_0"}, declared)

    def test_the_library_has_the_name_that_programs_look_for(self):
        dynamic = output_of("readelf", "-d", self.prefix / "lib/libconcord.so")
        self.assertIn("Library soname: [libconcord.so.0]", dynamic)

    def test_the_abi_is_the_recorded_one(self):
        described = self.folder / "described.so"
        output_of(HERE / "describe_abi", self.prefix / "include/concord.h", described)
        output_of("abidiff", HERE / "concord.abi", described)

    def test_versions_agree(self):
        version = output_of("pkg-config", "--modversion", "concord",
                            PKG_CONFIG_PATH=str(self.prefix / "lib/pkgconfig")).strip()
        first = output_of(self.prefix / "bin/concord", "--version").splitlines()[0]
        self.assertEqual(first, f"concord {version}")

    def test_python(self):
        tests = HERE.parent / "bindings/python/tests"
        files = [tests / f"{name}_test.py" for name in (
            "algorithms", "calls", "differential", "gpu_arrays", "interface", "library", "numba",
            "stub", "wheel", "wrong_calls")]
        print(output_of("/usr/bin/python3", "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                        *files,
                        PYTHONPATH=str(self.prefix / "lib/python3/dist-packages")), end="")

    def test_a_wheel_by_pip(self):
        wheel = output_of(HERE.parent / "bindings/python/make_wheel",
                          self.prefix / "lib/libconcord.so", self.folder).strip()
        environment = self.folder / "environment"
        output_of("/usr/bin/python3", "-m", "venv", "--system-site-packages", environment)
        python = [environment / "bin/python", "-I"]
        pip = [*python, "-m", "pip", "--isolated", "--disable-pip-version-check"]
        # NumPy, which it requires, is the system's.
        output_of(*pip, "install", "--no-index", wheel)
        said = output_of(*python, "-c", USE_OF_WHEEL, ",".join(self.backends), cwd="/",
                         CONCORD_LIBRARY="", LD_LIBRARY_PATH="").splitlines()
        self.assertEqual(said[0], "[15, 25, 67, 91]")
        self.assertRegex(said[1], r"\A[1-9][0-9]* True \[\]\Z")
        self.assertTrue(said[2].startswith(str(environment)), said)
        output_of(*pip, "uninstall", "--yes", "concord")
        self.assertEqual(list(environment.rglob("*concord*")), [])

    def test_recorded_runs(self):
        concord = self.prefix / "bin/concord"
        output_of(concord, "bench", "--algorithms=reduce", "--backends=serial", "--sizes=1000",
                  "--out=run.json", cwd=self.folder)
        self.assertIn("### reduce", output_of(concord, "report", "run.json", cwd=self.folder))
        output_of(concord, "report", "run.json", "--html=page.html", cwd=self.folder)
        self.assertIn("reduce", (self.folder / "page.html").read_text(encoding="utf-8"))
        for program in ("gate", "reproduce"):
            judged = subprocess.run([concord, program, "run.json", "--margin=900%"],
                                    cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertIn("reduce/serial/reference", judged.stdout)
            self.assertIn(judged.returncode, (0, 4), judged.stderr)  # undecided when busy

    def copy_sml(self):
        source = HERE.parent / "bindings/sml"
        for path in source.iterdir():
            installed = self.prefix / "share/concord/sml" / path.name
            shutil.copy(installed if installed.exists() else path, self.folder)

    def test_poly_ml(self):
        self.copy_sml()
        said = output_of("poly", "--script", "test_on_poly.sml", *self.backends, cwd=self.folder,
                         CONCORD_LIBRARY=str(self.prefix / "lib/libconcord.so.0"))
        self.assertEqual(said, "passed\n")

    @unittest.skipUnless(shutil.which("mlton"), "MLton is not installed: Debian 12 has none")
    def test_mlton(self):
        self.copy_sml()
        output_of("mlton", "-default-type", "int64",
                  "-link-opt", f"-L{self.prefix}/lib -lconcord", "test_on_mlton.mlb",
                  cwd=self.folder)
        said = output_of(self.folder / "test_on_mlton", *self.backends, cwd=self.folder,
                         LD_LIBRARY_PATH=str(self.prefix / "lib"))
        self.assertEqual(said, "passed\n")

    def test_an_installation_may_be_moved(self):
        moved = self.folder / "moved to a place"
        shutil.copytree(self.prefix, moved, symlinks=True)
        program = self.folder / "sums"
        flags = self.flags("concord", moved)
        self.assertNotIn(str(self.prefix), " ".join(flags))
        output_of("gcc", "-std=c99", PROGRAMS / "sums.c", *flags, "-o", program)
        self.assert_runs(program, moved)


def backends_here(prefix):
    """Those of the CPU, and CUDA where it can run."""
    listed = json.loads(output_of(prefix / "bin/concord", "backends", "--json"))
    return ["serial", "tbb:2"] + [row["backend"] for row in listed
                                  if row["backend"] == "cuda" and row["available"]]


def main(arguments):
    Outside.prefix = pathlib.Path(arguments[0]).absolute()
    Outside.backends = arguments[1:] or backends_here(Outside.prefix)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Outside)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"programs for any backend ran on {' '.join(Outside.backends)}")
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: outside_test.py PREFIX [BACKEND...]")
    sys.exit(main(sys.argv[1:]))
