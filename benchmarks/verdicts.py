# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of each row of two runs, and the lines and exit statuses of it."""

import argparse
import math

import intervals
import recorded_run

SLOWER, FASTER, SAME, UNDECIDED = "slower", "faster", "same", "undecided"
REPRODUCED = "reproduced"
WRONG, MISSING, UNSAMPLED = "wrong", "missing", "no samples"
# Of a row that is right and has no time to be held against.
NO_BASE = "no base"

# Exit statuses; ABSENT, "a backend is not available", is also the benchmark program's.
PASSED, FAILED, UNUSABLE, ABSENT, OPEN = 0, 1, 2, 3, 4

# A difference that takes more samples than this is not one to wait for.
_MOST_SAMPLES = 100000


def percentage(text):
    """'3%' or '3' as 0.03, for argparse."""
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        value = math.nan
    if not 0 < value < 10:
        raise argparse.ArgumentTypeError(f"'{text}' is no percentage such as 3%")
    return value


class Verdict:
    """Of one row."""

    def __init__(self, name, kind, ratio=None, note=""):
        self.name, self.kind, self.ratio, self.note = name, kind, ratio, note

    def remark(self, text):
        """Puts the text before what is noted already."""
        self.note = "; ".join(filter(None, [text, self.note]))

    def line(self):
        """One line of the report."""
        text = f"{self.kind:10} "
        if self.ratio is not None:
            estimate, low, high = (
                _ratio_text(value)
                for value in (self.ratio.estimate, self.ratio.low, self.ratio.high)
            )
            text += f"{estimate} [{low}, {high}]  "
        return recorded_run.one_line(text + self.name + (f": {self.note}" if self.note else ""))


def pairs(base, new):
    """(name, row of BASE, row of NEW) for all rows of both; None: it has none of that name."""
    before, after = ({row.name: row for row in rows} for rows in (base, new))
    return [(name, before.get(name), after.get(name)) for name in {**before, **after}]


def unjudged(before, after):
    """The verdict on a row that has no times to judge, or None. Either may be None."""
    if after is None:
        return Verdict(before.name, MISSING)
    if after.error is not None:
        return Verdict(after.name, WRONG, note=after.error)
    if before is None:
        return Verdict(after.name, NO_BASE, note="not in BASE")
    if before.error is not None:
        return Verdict(after.name, NO_BASE, note=f"no time in BASE: {before.error}")
    if before.members != after.members:
        # The name says nothing of ranks.
        return Verdict(before.name, MISSING,
                       note=f"of {before.members} members; there are {after.members}")
    return None


def remark_disturbances(verdict, before, after):
    """Says which of the two rows was disturbed while it was measured, and by what."""
    for row, which in ((after, "new"), (before, "base")):
        if row.disturbed:
            verdict.remark(f"{which} disturbed: {row.disturbed}")


def _ratio_text(logarithm):
    """0.970; beyond a factor of 1000 nothing is known."""
    if abs(logarithm) > math.log(1000):
        return "  inf" if logarithm > 0 else "0.000"
    return f"{math.exp(logarithm):.3f}"


def judge(name, ratio, margin, error, allowance=(0.0, 0.0), within=None):
    """The verdict that the interval allows. `error`: that of the interval; `allowance`: how much
    wider the machine makes it. `within`, where being faster is a difference as well: the margin
    for `reproduced`, which is neither. It may be wider than `margin`: an interval holds for any."""
    threshold = math.log1p(margin)
    whole = ratio.widened(allowance)
    if whole.low > threshold:
        return Verdict(name, SLOWER, whole)
    if whole.high < -threshold:
        return Verdict(name, FASTER, whole)
    if within is None:
        margins = (threshold,)
        if whole.high <= threshold:
            return Verdict(name, SAME, whole)
    else:
        margins = (math.log1p(within), -math.log1p(within))
        if margins[1] <= whole.low and whole.high <= margins[0]:
            return Verdict(name, REPRODUCED, whole)
    return Verdict(name, UNDECIDED, whole, _needs(ratio, margins, error, allowance))


def _needs(ratio, margins, error, allowance):
    """How many samples would decide: the interval shrinks with the root of their number.
    `margins`: where it may come to lie between or beyond."""
    fewest = intervals.fewest(error / 2)
    if ratio.count < fewest:
        return f"has {ratio.count} samples and needs {fewest} or more"
    below, above = ratio.estimate - ratio.low, ratio.high - ratio.estimate
    drift_below, drift_above = allowance
    # What is left between the estimate and each margin, and the half of the interval there.
    counts = []
    for margin in margins:
        for way, half in ((margin - ratio.estimate - drift_above, above),
                          (ratio.estimate - drift_below - margin, below)):
            if way > 0:
                counts.append(ratio.count * (half / way) ** 2)
    if len(counts) < len(margins):
        return "the machine changed more between the runs than the margin; use --interleave"
    count = max(fewest, ratio.count + 1, math.ceil(max(counts)))
    if count > _MOST_SAMPLES:
        return "the difference is the margin itself; no number of samples tells"
    return f"has {ratio.count} samples and needs about {count}"


def summary(verdicts, margin, confidence, within=None):
    """The last line. `within`: the margin for `reproduced`, if it is another."""
    kinds = [verdict.kind for verdict in verdicts]
    counts = ", ".join(
        f"{kinds.count(kind)} {kind}"
        for kind in (SLOWER, FASTER, SAME, REPRODUCED, UNDECIDED, WRONG, MISSING, UNSAMPLED,
                     NO_BASE)
        if kind in (SLOWER, UNDECIDED) or kind in kinds
    )
    wider = "" if within in (None, margin) else f"reproduced within {100 * within:g} %, "
    return (
        f"{len(verdicts)} rows, margin {100 * margin:g} %, {wider}"
        f"{100 * confidence:g} % confidence for all together: {counts}"
    )


def of_drift(drift):
    """The line on what happened between the runs."""
    text = (f"between the runs: all rows {math.exp(drift.shift):.3f} times as long, "
            f"each within {100 * drift.spread:.1f} % of that")
    for group, its in drift.groups.items():
        if its.spread > drift.spread:
            text += f", those of {group} within {100 * its.spread:.1f} %"
    return text


def status(verdicts):
    """The exit status: what is worst about the rows."""
    kinds = {verdict.kind for verdict in verdicts}
    if kinds & {SLOWER, WRONG, MISSING}:
        return FAILED
    if UNSAMPLED in kinds or kinds == {NO_BASE}:
        return UNUSABLE
    return OPEN if UNDECIDED in kinds else PASSED


def status_of_both(verdicts):
    """The same for rows that should be as they were."""
    kinds = {verdict.kind for verdict in verdicts}
    if kinds & {SLOWER, FASTER, WRONG, MISSING}:
        return FAILED
    return OPEN if kinds & {UNDECIDED, UNSAMPLED, NO_BASE} else PASSED
