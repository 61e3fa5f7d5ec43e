# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What CONTRIBUTING shows is what there is."""

import pathlib
import re
import textwrap
import unittest

CONTRIBUTING = pathlib.Path("CONTRIBUTING.md").read_text(encoding="utf-8")
ROSTER = pathlib.Path("testing/roster.txt").read_text(encoding="utf-8").split("\n")


class Contributing(unittest.TestCase):
    def test_the_registration_shown_is_one_that_is_compiled(self):
        (shown,) = re.findall(r"(?:^    .*\n)*^    const bool kRegistered(?:.*\n    )+.*\n",
                              CONTRIBUTING, re.MULTILINE)
        compiled = pathlib.Path("algorithms/scan/cuda/naive.cu").read_text(encoding="utf-8")
        self.assertIn(textwrap.dedent(shown).strip(), compiled)

    def test_the_algorithms_shown_as_models_exist(self):
        models = set(re.findall(r"`algorithms/([a-z_]+)`", CONTRIBUTING))
        self.assertGreaterEqual(len(models), 3)
        for model in models:
            self.assertIn(f"{model}/serial/reference", ROSTER)


if __name__ == "__main__":
    unittest.main()
