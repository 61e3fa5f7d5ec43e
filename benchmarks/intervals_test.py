# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of medians and ratios, against tables and against draws."""

import math
import random
import unittest

import intervals


class RankTest(unittest.TestCase):
    def test_ranks_are_those_of_printed_tables(self):
        # Conover, Practical Nonparametric Statistics: 95 % for the median.
        for count, rank in ((5, 0), (6, 1), (10, 2), (15, 4), (20, 6), (25, 8), (30, 10)):
            self.assertEqual(intervals.rank(count, 0.05), rank, count)

    def test_interval_ends_at_that_rank_on_both_sides(self):
        values = [float(value) for value in (8, 1, 15, 3, 2, 14, 5, 4, 13, 7, 6, 12, 9, 11, 10)]
        self.assertEqual(intervals.of_median(values, 0.05), (4.0, 12.0))

    def test_too_few_values_enclose_nothing(self):
        self.assertEqual(intervals.of_median([1.0, 2.0], 0.05), (-math.inf, math.inf))
        self.assertEqual(intervals.fewest(0.05), 6)
        self.assertEqual(intervals.fewest(0.0005), 12)


class CoverageTest(unittest.TestCase):
    def draw(self, source, count, factor=1.0):
        # Skewed, with outliers, as times are.
        return [
            factor * math.exp(source.gauss(0, 0.1)) * (3 if source.random() < 0.1 else 1)
            for _ in range(count)
        ]

    def test_ratio_is_missed_no_more_often_than_promised(self):
        source = random.Random(1)
        missed = 0
        for _ in range(2000):
            ratio = intervals.of_ratio(
                self.draw(source, 15), self.draw(source, 15, 1.2), 0.5
            )
            missed += not ratio.low <= math.log(1.2) <= ratio.high
        self.assertLess(missed, 1000)
        self.assertGreater(missed, 0)

    def test_interval_shrinks_with_the_number_of_samples(self):
        source = random.Random(2)
        few, many = (
            intervals.of_ratio(self.draw(source, count), self.draw(source, count), 0.05)
            for count in (20, 320)
        )
        self.assertLess(many.high - many.low, (few.high - few.low) / 2)


class DriftTest(unittest.TestCase):
    def test_quiet_rows_do_not_hide_what_disturbs_others(self):
        quiet, others = [0.0, 0.01, -0.01, 0.02, 0.0, 0.01, -0.02], [0.13, -0.02, 0.0, -0.27, -0.26]
        drift = intervals.Drift(quiet + others, 0.05, ["serial"] * 7 + ["tbb"] * 5)
        self.assertGreater(min(drift.allowance("tbb")), 0.13)
        self.assertLess(max(drift.allowance()), 0.1)
        # Never less than what all rows tell.
        self.assertEqual(drift.allowance("serial"), drift.allowance())
        few = intervals.Drift(quiet + others[:4], 0.05, ["serial"] * 7 + ["tbb"] * 4)
        self.assertEqual(few.allowance("tbb"), few.allowance())

    def test_what_happened_to_all_rows_is_no_verdict_on_one(self):
        drift = intervals.Drift([0.30, 0.31, 0.29, 0.30, 0.28, 0.32], 0.05)
        low, high = drift.allowance()
        self.assertAlmostEqual(drift.shift, 0.30)
        self.assertGreater(low, 0.30)
        self.assertLess(high, 0.05)

    def test_few_rows_tell_nothing(self):
        drift = intervals.Drift([0.3] * 4, 0.05)
        self.assertFalse(drift.known)
        self.assertEqual(drift.allowance(), (0, 0))


if __name__ == "__main__":
    unittest.main()
