# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""tools/bazel/compile_cuda, with a compiler that writes down what it was given."""

import os
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path("tools/bazel/compile_cuda").absolute()
# Leaves a temporary file under the name that every compiler in a sandbox takes,
# and names as read what stands in $READS.
COMPILER = """#!/bin/sh
test ! -e "$TMPDIR/tmpxft_00000003" || exit 1
touch "$TMPDIR/tmpxft_00000003"
echo "$TMPDIR" > folder
while [ "$1" != -MF ]; do shift; done
printf 'out.o: source.cu \\\\\\n %s\\n' "$READS" > "$2"
"""


class CompileCuda(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        compiler = self.folder / "compiler"
        compiler.write_text(COMPILER, encoding="utf-8")
        compiler.chmod(0o755)
        (self.folder / "headers").write_text("a.h\nb.h\nc.h\n", encoding="utf-8")

    def compile(self, reads):
        subprocess.run([TOOL, "unused", "headers", "./compiler", "-c", "source.cu"],
                       cwd=self.folder, env={**os.environ, "READS": reads}, check=True)
        return pathlib.Path((self.folder / "folder").read_text(encoding="utf-8").strip())

    def test_names_headers_that_are_not_included(self):
        self.compile("b.h")
        self.assertEqual((self.folder / "unused").read_text(encoding="utf-8"), "a.h\nc.h\n")

    def test_compilers_do_not_meet_in_their_temporary_files(self):
        first, second = self.compile("a.h"), self.compile("a.h")
        self.assertNotEqual(first, second)
        self.assertFalse(first.exists())
        self.assertFalse(second.exists())


if __name__ == "__main__":
    unittest.main()
