# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The implementation ALGORITHM/BACKEND/VARIANT stands in the file of that name, and the
header ALGORITHM.h is compiled together with all other public headers."""

import pathlib
import re
import unittest

ROSTER = [line for line in pathlib.Path("testing/roster.txt").read_text(encoding="utf-8").split("\n")
          if line and not line.startswith("#")]
REGISTRATION = re.compile(r"const bool kRegistered =[^;]*?\"([a-z0-9_]+)\", /\*rank=")


class Sources(unittest.TestCase):
    def test_each_file_registers_the_variant_that_it_is_named_after(self):
        registered = []
        for path in pathlib.Path("algorithms").glob("*/*/*.c[cu]"):
            for variant in REGISTRATION.findall(path.read_text(encoding="utf-8")):
                self.assertEqual(variant, path.stem, path)
                registered.append(str(path.relative_to("algorithms").with_suffix("")))
        self.assertEqual(sorted(registered), sorted(ROSTER))

    def test_all_public_headers_are_compiled_together_in_both_orders(self):
        # In the data of this test is the program that is made of these two files.
        one, other = (pathlib.Path("algorithms", name).read_text(encoding="utf-8").splitlines()
                      for name in ("headers.cc", "headers_backwards.cc"))
        self.assertEqual(one, other[::-1])
        for algorithm in {line.split("/")[0] for line in ROSTER}:
            self.assertIn(f'#include "concord/algorithms/{algorithm}/{algorithm}.h"', one)


if __name__ == "__main__":
    unittest.main()
