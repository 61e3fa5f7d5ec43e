# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What a report shows of recorded runs: families of rows that differ in implementation and
size alone, and the plots of each."""

import intervals
import recorded_run
from chart import Plot, Point, Series

# Whose rows others are measured against.
_SERIAL = "serial/reference"
_LIBRARIES = ("cub", "thrust")
_ERROR = 0.05


class Run:
    """A recorded run with the label that tells it from the others."""

    def __init__(self, label, context, rows):
        self.label, self.context = label, context
        self.rows = [row for row in rows if row.error is None]
        self.errors = [row for row in rows if row.error is not None]


def interval(row):
    """(low, high) of the median, as seconds. Of a row without samples, the least and the
    most of them."""
    median = row.microseconds * 1e-6
    if row.passes:
        low, high = intervals.of_median(row.independent(), _ERROR)
        if low > 0:
            return min(low, median), max(high, median)
    return (row.counters.get("least_seconds", median), row.counters.get("most_seconds", median))


def size_of(row):
    """Elements, or what the algorithm counts in."""
    return next(int(part[2:]) for part in row.case if part.startswith("n:"))


class Family:
    """Rows of one algorithm, type, options, distribution, scope and cache."""

    def __init__(self, algorithm, case):
        self.algorithm, self.case = algorithm, case
        # (number of the run, implementation) -> size -> row
        self.rows = {}

    def add(self, number, row):
        key = (number, f"{row.backend}/{row.variant}")
        self.rows.setdefault(key, {})[size_of(row)] = row

    @property
    def title(self):
        return ", ".join(self.case)

    def sizes(self):
        return sorted({size for rows in self.rows.values() for size in rows})


def families(runs):
    """Of all rows, in the order of the rows."""
    found = {}
    for number, run in enumerate(runs):
        for row in run.rows:
            case = [part for part in row.case if not part.startswith("n:")]
            key = (row.algorithm, *case, row.scope, row.cache)
            family = found.setdefault(key, Family(row.algorithm, key[1:]))
            family.add(number, row)
    return list(found.values())


def label(runs, number, implementation):
    """What legends and tables call a series."""
    return implementation if len(runs) == 1 else f"{implementation} ({runs[number].label})"


def _series(runs, family, point_of):
    """One for each implementation and run, of the points that there are."""
    implementations = list(dict.fromkeys(name for _, name in family.rows))
    series = []
    for (number, name), rows in family.rows.items():
        points = [point_of(number, row, size) for size, row in rows.items()]
        points = [point for point in points if point is not None]
        if points:
            series.append(Series(implementations.index(name), number,
                                 label(runs, number, name), points))
    return series


def _time_point(row, size):
    low, high = interval(row)
    text = (f"{row.name}\n{recorded_run.time_text(row.microseconds)} "
            f"[{recorded_run.time_text(low * 1e6)}, {recorded_run.time_text(high * 1e6)}]")
    return Point(size, row.microseconds, low * 1e6, high * 1e6, text)


def _scaled_point(row, size, value, text):
    """A value that is the greater the shorter the time."""
    low, high = interval(row)
    seconds = row.microseconds * 1e-6
    return Point(size, value, value * seconds / high, value * seconds / low,
                 f"{row.name}\n{text}")


def _speed_up_point(family, rivals, number, row, size):
    times = [family.rows[number, name][size].microseconds for name in rivals
             if size in family.rows.get((number, name), {})]
    if not times:
        return None
    factor = min(times) / row.microseconds
    return _scaled_point(row, size, factor, f"{factor:.2f} times as fast")


def crossovers(family):
    """(size, implementation, the one before) wherever another one of the first run is the
    fastest from here on. Not where the intervals of the two overlap: noise crosses often."""
    found, best = [], None
    for size in family.sizes():
        rows = {name: rows[size] for (number, name), rows in family.rows.items()
                if number == 0 and size in rows}
        if not rows:
            continue
        fastest = min(rows, key=lambda name, rows=rows: rows[name].microseconds)
        if best not in rows:
            best = fastest
        elif interval(rows[fastest])[1] < interval(rows[best])[0]:
            found.append((size, fastest, best))
            best = fastest
    return found


def _elements(rate):
    return recorded_run.rate_text(rate, "").replace(" /s", "/s")


def plots(runs, family):
    """The plots of a family by the name of the view."""
    marks = [size for size, _, _ in crossovers(family)]
    shown = {
        "time": Plot("time", recorded_run.time_text,
                     _series(runs, family, lambda _, row, size: _time_point(row, size)),
                     crossovers=marks),
        "throughput": Plot(
            "elements per second", _elements,
            _series(runs, family, lambda _, row, size: _scaled_point(
                row, size, row.counters["elements_per_second"],
                _elements(row.counters["elements_per_second"])))),
        "roofline": Plot(
            "share of the ceiling", lambda share: f"{100 * share:.0f} %",
            _series(runs, family, lambda _, row, size: _scaled_point(
                row, size, row.counters["ceiling_share"],
                f"{100 * row.counters['ceiling_share']:.1f} % of the ceiling")),
            logarithmic=False, level=1.0),
    }
    names = {name for _, name in family.rows}
    libraries = [name for name in names if name.rpartition("/")[2] in _LIBRARIES]
    for view, title, rivals in (
        ("serial", "speed-up over the serial reference", [_SERIAL] if _SERIAL in names else []),
        ("library", "speed-up over the faster of CUB and Thrust"
         if len(libraries) > 1 else "speed-up over " + "".join(libraries), libraries),
    ):
        if rivals and len(names) > len(rivals):
            shown[view] = Plot(title, lambda factor: f"{factor:.3g} x",
                               _series(runs, family, lambda number, row, size, rivals=rivals:
                                       _speed_up_point(family, rivals, number, row, size)),
                               level=1.0)
    return {view: plot for view, plot in shown.items() if plot.series}


def heat(run):
    """(types, [(implementation, {type: row})]): of the first family of each algorithm and
    type, at its largest size, the share of the ceiling."""
    types, lines = {}, {}
    first = {}
    for family in families([run]):
        key = (family.algorithm, family.case[0])
        if first.setdefault(key, family) is not family:
            continue
        types[family.case[0]] = None
        largest = family.sizes()[-1]
        for (_, name), rows in family.rows.items():
            if largest in rows:
                line = lines.setdefault((family.algorithm, name), {})
                line[family.case[0]] = rows[largest]
    ordered = sorted(lines.items(), key=lambda item: list(first).index(
        next(key for key in first if key[0] == item[0][0])))
    return list(types), [(f"{algorithm}/{name}", cells) for (algorithm, name), cells in ordered]
