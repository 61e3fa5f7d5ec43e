# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What tools/compile_commands makes of Bazel's actions, and whether clang's tools
take it. Bazel itself cannot run within a test."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest

LOADER = importlib.machinery.SourceFileLoader("compile_commands", "tools/compile_commands")
TOOL = importlib.util.module_from_spec(importlib.util.spec_from_loader("compile_commands", LOADER))
LOADER.exec_module(TOOL)

SOURCE = "core/cache_folder.cc"
# As Bazel prints it.
ACTION = {"arguments": shlex.split("""
/usr/bin/gcc -U_FORTIFY_SOURCE -fstack-protector -Wall -Wunused-but-set-parameter
-Wno-free-nonheap-object -fno-omit-frame-pointer -g0 -O2 -D_FORTIFY_SOURCE=1 -DNDEBUG
-ffunction-sections -fdata-sections -std=c++0x -MD -MF
bazel-out/k8-opt/bin/core/_objs/core/cache_folder.d
-frandom-seed=bazel-out/k8-opt/bin/core/_objs/core/cache_folder.o -iquote . -iquote
bazel-out/k8-opt/bin -iquote external/system -iquote bazel-out/k8-opt/bin/external/system
-Ibazel-out/k8-opt/bin/core/_virtual_includes/core -std=c++17 -Wall -Wextra
-Werror -ffp-contract=off -O3 -fno-canonical-system-headers -Wno-builtin-macro-redefined
'-D__DATE__="redacted"' '-D__TIMESTAMP__="redacted"' '-D__TIME__="redacted"' -c
core/cache_folder.cc -o bazel-out/k8-opt/bin/core/_objs/core/cache_folder.o
""")}


class CompileCommands(unittest.TestCase):
    def entry(self, action, includes="/headers"):
        return list(TOOL.entries([action], "/tree", includes))

    def test_headers_are_those_that_are_edited(self):
        (entry,) = self.entry(ACTION)
        self.assertEqual((entry["directory"], entry["file"]), ("/tree", SOURCE))
        self.assertEqual(entry["arguments"][:2], ["/usr/bin/gcc", "-I/headers"])
        self.assertIn("-std=c++17", entry["arguments"])
        self.assertNotIn("_virtual_includes", " ".join(entry["arguments"]))

    def test_an_action_of_nvcc_begins_with_nvcc(self):
        (entry,) = self.entry({"arguments": ["tools/bazel/compile_cuda", "unused", "available",
                                             "/usr/local/cuda/bin/nvcc", "-c", "a/b.cu", "-O3"]})
        self.assertEqual(entry["file"], "a/b.cu")
        self.assertEqual(entry["arguments"][0], "/usr/local/cuda/bin/nvcc")

    def test_an_action_that_gives_the_text_of_kernels(self):
        (entry,) = self.entry({"arguments": ["tools/bazel/compile_cuda", "unused", "available",
                                             "/usr/local/cuda/bin/nvcc", "-ptx", "a/b.cu", "-O3"]})
        self.assertEqual(entry["file"], "a/b.cu")

    def test_generated_files_are_left_out(self):
        arguments = ["/usr/bin/gcc", "-c", "bazel-out/k8-opt/bin/algorithms/headers.cc"]
        self.assertEqual(self.entry({"arguments": arguments}), [])

    @unittest.skipUnless(shutil.which("clang-tidy"), "clang-tidy is not installed")
    def test_clang_tidy_takes_an_entry(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path.cwd()
            includes = pathlib.Path(folder, "headers")
            includes.mkdir()
            os.symlink(tree, includes / "concord")
            commands = list(TOOL.entries([ACTION], tree, includes))
            pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(commands),
                                                                     encoding="utf-8")
            check = ["clang-tidy", "-p", folder, "--quiet", "--checks=-*,misc-static-assert",
                     str(tree / SOURCE)]
            result = subprocess.run(check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertNotIn("error", result.stdout)


if __name__ == "__main__":
    unittest.main()
