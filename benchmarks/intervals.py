# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals of medians and of their ratios, from order statistics.

Whether a value lies below the median of its distribution is the toss of a coin. So the
number of values below it is binomial, whatever the distribution, and two of the sorted
values enclose the median with a probability that is known exactly. Times of a machine
that has other work to do are skewed and have outliers; this asks nothing of them but that
one is independent of the next. It needs no random numbers: the same files give the same
verdicts.
"""

import math
import statistics


def rank(count, error):
    """The largest k such that the k-th of `count` sorted values and the k-th from the end
    enclose the median but for a probability of `error` at most; 0: there is none."""
    below = 0.0
    k = 0
    # P(the median lies below the k-th value) = P(at most k - 1 of them are below it).
    while k < count // 2:
        below += math.exp(
            math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
            - count * math.log(2)
        )
        if 2 * below > error:
            break
        k += 1
    return k


def fewest(error):
    """How many values it takes for there to be an interval."""
    count = 2
    while rank(count, error) == 0:
        count += 1
    return count


def of_median(values, error):
    """(low, high); infinite where there are too few values."""
    k = rank(len(values), error)
    if k == 0:
        return -math.inf, math.inf
    ordered = sorted(values)
    return ordered[k - 1], ordered[-k]


class Ratio:
    """How many times as long `new` takes as `base`: estimate and interval, as logarithms."""

    def __init__(self, estimate, low, high, count):
        self.estimate, self.low, self.high = estimate, low, high
        # Of the values of one side.
        self.count = count

    def room(self):
        """The half of the interval that is the longer one."""
        return max(self.estimate - self.low, self.high - self.estimate)

    def widened(self, by):
        """With `by` (low, high) more room on either side."""
        return Ratio(self.estimate, self.low - by[0], self.high + by[1], self.count)


def of_ratio(base, new, error):
    """Of the medians of two independent sets of times. Each of the two intervals misses
    with half the error, so that both hold but for `error`."""
    low_base, high_base = of_median([math.log(value) for value in base], error / 2)
    low_new, high_new = of_median([math.log(value) for value in new], error / 2)
    estimate = math.log(statistics.median(new) / statistics.median(base))
    return Ratio(estimate, low_new - high_base, high_new - low_base, min(len(base), len(new)))


class Drift:
    """What two runs differ by beyond what their samples show: the machine was busier, hotter,
    or laid out the memory in another way. The ratios of all rows tell: their median is what
    happened to all, their spread what happens to each. Fewer than five rows tell nothing.

    What disturbs rows that need every processor leaves those of one thread alone, whose quiet
    must not hide it. So a row has the allowance of its group, where that is the greater one."""

    FEWEST_ROWS = 5
    # Of a normal distribution, in medians of absolute deviations.
    _DEVIATION = 1.4826

    def __init__(self, ratios, error, groups=None):
        """`groups`: for each ratio what is disturbed with it, such as its backend."""
        self.shift = self.spread = 0.0
        self.known = len(ratios) >= self.FEWEST_ROWS
        if self.known:
            self.shift = statistics.median(ratios)
            self.spread = self._DEVIATION * statistics.median(
                abs(ratio - self.shift) for ratio in ratios
            )
        self._quantile = statistics.NormalDist().inv_cdf(1 - error / 2)
        # The drift of each group that is large enough.
        self.groups = {}
        for group in dict.fromkeys(groups or []):
            members = [ratio for ratio, of in zip(ratios, groups) if of == group]
            if len(members) >= self.FEWEST_ROWS and len(members) < len(ratios):
                self.groups[group] = Drift(members, error)

    def allowance(self, group=None):
        """(low, high): how much wider that makes the interval of each row of the group."""
        room = self._quantile * self.spread
        low, high = room + max(self.shift, 0.0), room - min(self.shift, 0.0)
        if group in self.groups:
            its_low, its_high = self.groups[group].allowance()
            low, high = max(low, its_low), max(high, its_high)
        return low, high

    def margin(self, rooms):
        """The margin, as a logarithm, within which rows lie that nothing but the machine has
        moved: by the shift, and all but one in a hundred by up to 2.5 times the spread. `rooms`:
        of the rows' own intervals."""
        return abs(self.shift) + (self._quantile + 2.5) * self.spread + statistics.median(rooms)
