# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""A program that is compiled as older C++ is told so before anything else."""

import pathlib
import subprocess
import tempfile
import unittest


class Language(unittest.TestCase):
    def test_older_standards_are_refused_in_one_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "concord").symlink_to(pathlib.Path().resolve())
            for standard in ("c++11", "c++14"):
                result = subprocess.run(
                    ["g++", "-fsyntax-only", "-fmax-errors=1", f"-std={standard}", f"-I{folder}", "-x", "c++", "-"],
                    input='#include "concord/core/array.h"\n',
                    capture_output=True,
                    text=True,
                    check=False,
                )
                errors = [line for line in result.stderr.splitlines() if "error:" in line]
                # Today's Abseil refuses them as well, and is included before.
                self.assertRegex(errors[0], "Concord needs C[+][+]17: compile with -std=c[+][+]17 or later|"
                                            "C[+][+] versions less than C[+][+]17 are not supported")


if __name__ == "__main__":
    unittest.main()
