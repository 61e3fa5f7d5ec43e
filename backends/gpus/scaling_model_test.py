# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""SCALING.md has what the model computes, and the model is near what was measured."""

import contextlib
import io
import pathlib
import unittest

import scaling_model

_PAGE = pathlib.Path(__file__).parent / "SCALING.md"


class PageTest(unittest.TestCase):
    def test_tables_are_those_that_the_program_prints(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            scaling_model.main([])
        page = _PAGE.read_text(encoding="utf-8")
        tables = printed.getvalue().strip().split("\n\n")
        self.assertEqual(len(tables), 5)
        for table in tables:
            self.assertIn(f"\n\n{table}\n\n", page)


class ModelTest(unittest.TestCase):
    def test_measured_points_are_met_within_eight_percent(self):
        for name, model in scaling_model.MODELS.items():
            for p, points in model.measured.items():
                for exponent, time in points.items():
                    predicted = model.time(2.0**exponent, p)
                    self.assertAlmostEqual(predicted / time, 1, delta=0.08, msg=(name, p, exponent))

    def test_points_that_were_not_fitted_are_met_within_eight_percent(self):
        for name, points in scaling_model.OWN.items():
            for exponent, time in points.items():
                predicted = scaling_model.MODELS[name].time(2.0**exponent, 2)
                self.assertAlmostEqual(predicted / time, 1, delta=0.08, msg=(name, exponent))

    def test_a_line_is_found_again(self):
        line = scaling_model.Line({k: 5 + 3e-6 * 2.0**k for k in (20, 24, 28)})
        self.assertAlmostEqual(line.constant, 5, places=6)
        self.assertAlmostEqual(line.slope, 3e-6, places=12)

    def test_a_faster_network_helps_what_it_bounds(self):
        slow, fast = (dict(scaling_model.many_hosts(rate, 5e-6)) for rate in (45e9, 90e9))
        self.assertGreater(fast["radix_sort"], 1.5 * slow["radix_sort"])
        self.assertAlmostEqual(fast["scan"], slow["scan"], places=6)


if __name__ == "__main__":
    unittest.main()
