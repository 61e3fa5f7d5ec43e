# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Bazel's visibility enforces the layers that CONTRIBUTING states.

What a layer may use, of the targets that BUILD lists, beside those of its own
package."""

import pathlib
import unittest

CORE = {"//core:core"}
BACKENDS = CORE | {"//backends:backends", "//backends/tbb:tbb"}
ENGINE = CORE | {"//testing/engine:engine"}
PROGRAMS = ENGINE | {"//backends:backends", "//algorithms:algorithms", "//benchmarks:measure"}


class Layers(unittest.TestCase):
    def assert_visible(self, layer, targets):
        lines = pathlib.Path("testing", f"visible_to_{layer}").read_text(encoding="utf-8").split()
        self.assertEqual(set(lines), targets)

    def test_core_uses_nothing_of_ours(self):
        self.assert_visible("core", CORE)

    def test_backends_use_core(self):
        self.assert_visible("backends", BACKENDS)

    def test_algorithms_use_backends_and_what_others_offer(self):
        self.assert_visible("algorithm", BACKENDS | {"//algorithms/reduce:reduce_spec"} |
                            {"//algorithms/scan:scan", "//algorithms/scan:scan_kernels"})

    def test_the_engine_uses_core(self):
        self.assert_visible("engine", ENGINE)

    def test_benchmarks_name_no_algorithm(self):
        self.assert_visible("benchmarks", PROGRAMS)

    def test_tools_name_no_algorithm(self):
        self.assert_visible("tools", PROGRAMS | {"//tools/concord:commands"})


if __name__ == "__main__":
    unittest.main()
