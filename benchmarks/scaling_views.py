# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that show how members (GPUs, ranks, threads) share work out, as curves: the speed-up
over one member, and the part of the best possible one that it is."""

import re

import recorded_run
from chart import MEMBERS_AXIS, Plot, Point, Series
from families import interval

# Of a ratio's error, each of its two times has half.
_ERROR = 0.025
# What runs have to have in common for times of one to be held against those of another.
_SAME = ("commit", "dirty", "compiler", "flags", "cuda_flags")


def speed_up(row, one):
    """How much more the members do in a second than one of them. The elements a second do not
    tell: they are those of the input, which need not grow with the work."""
    return row.size / one.size * one.microseconds / row.microseconds


class Curve:
    """The rows of an implementation by members, and the row of one member that they are held
    against; None: there is none, and `refusal` says why."""

    def __init__(self, number, name):
        self.runs, self.name = [number], name
        self.rows = {}
        self.one, self.refusal = None, ""
        self.label = name


class Group:
    """The curves of one algorithm, kind of scaling, case, scope and cache."""

    def __init__(self, algorithm, kind, case):
        self.algorithm, self.kind, self.case = algorithm, kind, case
        self.curves = []

    @property
    def title(self):
        return f"{self.kind} scaling: {', '.join(self.case)}"

    def members(self):
        return sorted({members for curve in self.curves for members in curve.rows})

    def refusals(self):
        return [f"{curve.label}: no efficiency, {curve.refusal}."
                for curve in self.curves if curve.refusal]


def _name(row):
    """What rows of a curve have in common: 'tbb/one_pass' of tbb:4, 'gpus@striped/pipelined' of
    gpus:0+1@striped. How many ranks 'mpi:tbb:1' has is not in its name."""
    backend = re.sub(r"^(\w+):[0-9+]+(@\w+)?$", lambda found: found[1] + (found[2] or ""),
                     row.backend)
    return f"{backend}/{row.variant}"


def _key(row):
    """Of the group that the row belongs to."""
    size = row.size // row.members if row.scaling == "weak" else row.size
    each = " each" if row.scaling == "weak" else ""
    case = [f"n:{size:,}{each}" if part.startswith("n:") else part for part in row.case]
    return row.algorithm, row.scaling, (*case, row.scope, row.cache)


def _are_comparable(runs, first, second, backend):
    contexts = runs[first].context, runs[second].context
    return (recorded_run.processor(contexts[0], backend)
            == recorded_run.processor(contexts[1], backend)
            and all(contexts[0].get(fact) == contexts[1].get(fact) for fact in _SAME))


def _join(runs, group):
    """How many ranks there are is a run's matter: curves without a row of one member join that
    of a run that has nothing else."""
    alone = [curve for curve in group.curves if curve.one is not None and set(curve.rows) == {1}]
    left = []
    for curve in group.curves:
        if curve.one is not None:
            left.append(curve)
            continue
        number, some = curve.runs[0], next(iter(curve.rows.values()))
        fitting = [other for other in alone if other.name == curve.name
                   and _are_comparable(runs, number, other.runs[0], some.backend)]
        same_label = [other for other in fitting
                      if runs[other.runs[0]].label == runs[number].label]
        fitting = same_label or fitting
        if len(fitting) == 1 and not set(curve.rows) & set(fitting[0].rows):
            fitting[0].runs.append(number)
            fitting[0].rows.update(curve.rows)
            continue
        curve.refusal = some.counters.get("efficiency_refused", "no row of one member")
        if fitting:
            curve.refusal += ("; several runs have what belongs together, and the same label "
                              "says which")
        left.append(curve)
    group.curves = left


def groups(runs):
    """Of all rows about scaling, in their order."""
    found = {}
    for number, run in enumerate(runs):
        by_name = {row.name: row for row in run.rows}
        curves = {}
        for row in run.rows:
            if not row.scaling:
                continue
            key = _key(row)
            group = found.setdefault(key, Group(*key))
            curve = curves.get((key, _name(row)))
            if curve is None:
                curve = curves[key, _name(row)] = Curve(number, _name(row))
                group.curves.append(curve)
            curve.rows[row.members] = row
            one = by_name.get(row.counters.get("one_member"))
            if one is not None:
                # That of another layout or variant begins the curve, too.
                curve.one = one
                curve.rows.setdefault(1, one)
    for group in found.values():
        _join(runs, group)
        for curve in group.curves:
            labels = dict.fromkeys(runs[number].label for number in curve.runs)
            if len(runs) > 1:
                curve.label = f"{curve.name} ({', '.join(labels)})"
    return list(found.values())


def _factor_text(factor):
    return f"{factor:.3g} x"


def _part_text(part):
    return f"{100 * part:.0f} %"


def _point(row, one, members, part):
    """Of the speed-up, or of the efficiency: `part` is by what that is divided."""
    factor = speed_up(row, one)
    median, (low, high) = row.microseconds * 1e-6, interval(row, _ERROR)
    one_median, (one_low, one_high) = one.microseconds * 1e-6, interval(one, _ERROR)
    least = factor * median / high * one_low / one_median
    most = factor * median / low * one_high / one_median
    text = (f"{row.name}\n{members} members, {factor:.2f} times as fast as one, "
            f"{_part_text(factor / members)} of the best possible")
    if row is one:
        least, most = factor, factor
    return Point(members, factor / part, least / part, most / part, text)


def _bound_point(row, one, members, part):
    allows = row.ceiling() / one.ceiling()
    text = (f"{recorded_run.rate_text(row.ceiling(), 'B')} of memory for {members} members, "
            f"{allows:.2f} times that of one")
    return Point(members, allows / part, allows / part, allows / part, text)


def _time_point(row, members):
    low, high = interval(row)
    return Point(members, row.microseconds, low * 1e6, high * 1e6,
                 f"{row.name}\n{members} members, {recorded_run.time_text(row.microseconds)}")


def _series(group, point_of, bound_of=None):
    names = list(dict.fromkeys(curve.name for curve in group.curves))
    dashes = {name: [curve for curve in group.curves if curve.name == name] for name in names}
    series = []
    for curve in group.curves:
        colour, run = names.index(curve.name), dashes[curve.name].index(curve)
        if bound_of is None or curve.one is not None:
            series.append(Series(colour, run, curve.label, [
                point_of(row, curve.one, members) for members, row in curve.rows.items()]))
        if bound_of is not None and curve.one is not None and len(curve.rows) > 1:
            series.append(Series(colour, run, f"memory allows {curve.label}", [
                bound_of(row, curve.one, members) for members, row in curve.rows.items()],
                bound=True))
    return series


def plots(group):
    """By the name of the view."""
    shown = {
        "speed_up": Plot(
            "speed-up over one member", _factor_text,
            _series(group, lambda row, one, members: _point(row, one, members, 1),
                    lambda row, one, members: _bound_point(row, one, members, 1)),
            ideal=lambda members: members, axis=MEMBERS_AXIS),
        "efficiency": Plot(
            "efficiency", _part_text,
            _series(group, lambda row, one, members: _point(row, one, members, members),
                    lambda row, one, members: _bound_point(row, one, members, members)),
            logarithmic=False, level=1.0, axis=MEMBERS_AXIS),
        "time": Plot("time", recorded_run.time_text,
                     _series(group, lambda row, _, members: _time_point(row, members)),
                     axis=MEMBERS_AXIS),
    }
    return {view: plot for view, plot in shown.items() if plot.series}
