# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The plots of each family of rows, and the overview."""

import recorded_run
from chart import Plot, Point, Series
from families import SIZE, by_size, has_interval, interval

# Whose rows others are measured against.
_SERIAL = "serial/reference"
_LIBRARIES = ("cub", "thrust")

def label(runs, number, implementation):
    """What legends and tables call a series."""
    return implementation if len(runs) == 1 else f"{implementation} ({runs[number].label})"


def _series(runs, family, point_of):
    """One for each implementation and run, of the points that there are."""
    implementations = list(dict.fromkeys(name for _, name in family.rows))
    series = []
    for (number, name), rows in family.rows.items():
        points = [point_of(number, row, place) for place, row in rows.items()]
        points = [point for point in points if point is not None]
        if points:
            series.append(Series(implementations.index(name), number,
                                 label(runs, number, name), points))
    return series


def _time_point(row, place):
    low, high = interval(row)
    text = (f"{row.name}\n{recorded_run.time_text(row.microseconds)} "
            f"[{recorded_run.time_text(low * 1e6)}, {recorded_run.time_text(high * 1e6)}]")
    return Point(place, row.microseconds, low * 1e6, high * 1e6, text)


def _scaled_point(row, place, value, text):
    """A value that is the greater the shorter the time."""
    low, high = interval(row)
    seconds = row.microseconds * 1e-6
    return Point(place, value, value * seconds / high, value * seconds / low,
                 f"{row.name}\n{text}")


def _speed_up_point(family, rivals, number, row, place):
    times = [family.rows[number, name][place].microseconds for name in rivals
             if place in family.rows.get((number, name), {})]
    if not times:
        return None
    factor = min(times) / row.microseconds
    return _scaled_point(row, place, factor, f"{factor:.2f} times as fast")


def crossovers(family):
    """(place, implementation, the one before) wherever another one of the first run is the
    fastest from here on. Not where the intervals of the two overlap, or a row has too few samples
    for one: noise crosses often."""
    found, best = [], None
    for place in family.places():
        rows = {name: rows[place] for (number, name), rows in family.rows.items()
                if number == 0 and place in rows}
        if not rows:
            continue
        fastest = min(rows, key=lambda name, rows=rows: rows[name].microseconds)
        if best not in rows:
            best = fastest
        elif (has_interval(rows[fastest]) and has_interval(rows[best])
              and interval(rows[fastest])[1] < interval(rows[best])[0]):
            found.append((place, fastest, best))
            best = fastest
    return found


def _elements(rate):
    return recorded_run.rate_text(rate, "").replace(" /s", "/s")


def plots(runs, family):
    """The plots of a family by the name of the view."""
    marks = [place for place, _, _ in crossovers(family)]
    axis = {} if family.axis == SIZE else {"axis": family.axis}
    shown = {
        "time": Plot("time", recorded_run.time_text,
                     _series(runs, family, lambda _, row, place: _time_point(row, place)),
                     crossovers=marks, **axis),
        "throughput": Plot(
            "elements per second", _elements,
            _series(runs, family, lambda _, row, place: _scaled_point(
                row, place, row.counters["elements_per_second"],
                _elements(row.counters["elements_per_second"]))), **axis),
        "roofline": Plot(
            "share of the ceiling", lambda share: f"{100 * share:.0f} %",
            _series(runs, family, lambda _, row, place: _scaled_point(
                row, place, row.counters["ceiling_share"],
                f"{100 * row.counters['ceiling_share']:.1f} % of the ceiling")),
            logarithmic=False, level=1.0, **axis),
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
                               _series(runs, family, lambda number, row, place, rivals=rivals:
                                       _speed_up_point(family, rivals, number, row, place)),
                               level=1.0, **axis)
    return {view: plot for view, plot in shown.items() if plot.series}


def heat(run):
    """(types, [(implementation, {type: row})]): of the first family of each algorithm and
    type, at its largest size, the share of the ceiling."""
    types, lines = {}, {}
    first = {}
    for family in by_size([run]):
        key = (family.algorithm, family.case[0])
        if first.setdefault(key, family) is not family:
            continue
        types[family.case[0]] = None
        largest = family.places()[-1]
        for (_, name), rows in family.rows.items():
            if largest in rows:
                line = lines.setdefault((family.algorithm, name), {})
                line[family.case[0]] = rows[largest]
    ordered = sorted(lines.items(), key=lambda item: list(first).index(
        next(key for key in first if key[0] == item[0][0])))
    return list(types), [(f"{algorithm}/{name}", cells) for (algorithm, name), cells in ordered]
