# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded runs as a report takes them, and which of their rows belong into one figure."""

import intervals

# What a family's rows differ in, unless it is an option.
SIZE = "size"
_ERROR = 0.05


class Run:
    """A recorded run with the label that tells it from the others."""

    def __init__(self, label, context, rows):
        self.label, self.context = label, context
        self.rows = [row for row in rows if row.error is None]
        self.errors = [row for row in rows if row.error is not None]


def has_interval(row):
    """Whether the row has so many samples that two of them enclose the median."""
    return row.sample_count() >= intervals.fewest(_ERROR)


def interval(row, error=_ERROR):
    """(low, high) of the median, as seconds. Of a row with too few samples for that, or without
    them in the file, the least and the most."""
    median = row.microseconds * 1e-6
    if row.passes:
        low, high = intervals.of_median(row.independent(), error)
        if low > 0:
            return min(low, median), max(high, median)
    return (row.counters.get("least_seconds", median), row.counters.get("most_seconds", median))


class Family:
    """Rows of one algorithm, type, options, distribution, scope and cache, which differ in
    implementation and along one axis: the size, or an option that is a number."""

    def __init__(self, algorithm, case, axis):
        self.algorithm, self.case, self.axis = algorithm, case, axis
        # (number of the run, implementation) -> place on the axis -> row
        self.rows = {}

    def add(self, number, row, place):
        key = (number, f"{row.backend}/{row.variant}")
        self.rows.setdefault(key, {})[place] = row

    @property
    def title(self):
        over = "" if self.axis == SIZE else f", over {self.axis}"
        return ", ".join(self.case) + over

    def places(self):
        return sorted({place for rows in self.rows.values() for place in rows})


def _along(row, axis):
    """The parts of the case that rows along the axis have in common. A size that follows from
    an option goes with it."""
    gone = {axis, SIZE} if axis in row.case_options else {axis}
    names = {"n:": SIZE, **{f"{option}:": option for option in row.numbers}}
    return [part for part in row.case
            if not any(part.startswith(begin) and name in gone for begin, name in names.items())]


def _families_over(runs, axes_of):
    """`axes_of`: a row's places by axis."""
    found = {}
    for number, run in enumerate(runs):
        for row in run.rows:
            if row.scaling:
                continue
            for axis, place in axes_of(row).items():
                case = (*_along(row, axis), row.scope, row.cache)
                family = found.setdefault((row.algorithm, case, axis),
                                          Family(row.algorithm, case, axis))
                family.add(number, row, place)
    return list(found.values())


def by_size(runs):
    """All rows but those about scaling, in their order."""
    return _families_over(runs, lambda row: {SIZE: row.size})


def families(runs):
    """Those over the size and over options, each row in one of them at least: an option is an
    axis where rows that are otherwise alike have several values of it."""
    over_options = [family for family in _families_over(runs, lambda row: row.numbers)
                    if len(family.places()) > 1]
    covered = {id(row): family.axis for family in over_options
               for rows in family.rows.values() for row in rows.values()}

    def adds_nothing(family):
        """Whether the others show all that there is to see."""
        rows = [row for each in family.rows.values() for row in each.values()]
        return all(id(row) in covered for row in rows) and (
            len(family.places()) == 1
            or all(covered[id(row)] in row.case_options for row in rows))

    sized = [family for family in by_size(runs) if not adds_nothing(family)]
    return sized + over_options
