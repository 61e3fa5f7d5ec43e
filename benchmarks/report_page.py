# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML file that needs no network: plots, the tables behind them, and on
what machine everything was measured."""

import html
import pathlib
import re

import chart
import families
import intervals
import recorded_run
import scaling_views
import views

_FOLDER = pathlib.Path(__file__).absolute().parent


def _text(name):
    return (_FOLDER / name).read_text(encoding="utf-8")


def picture_style():
    """For a plot that stands alone."""
    variables = _text("report.css").split("* {")[0].partition(":root")[2]
    return ":root" + variables + _text("chart.css")


def _escaped(value):
    return html.escape(str(value))


def _anchors(algorithms):
    """By algorithm: what links to it. An address has few characters that mean themselves."""
    anchors = {}
    for name in algorithms:
        anchor = "a-" + re.sub("[^a-z0-9]+", "-", name.lower())
        while anchor in anchors.values():
            anchor += "-again"
        anchors[name] = anchor
    return anchors


def _legend(plot):
    parts = ['<div class="legend" role="group" aria-label="Series to show">']
    for series in plot.series:
        parts.append(
            f'<button type="button" aria-pressed="true" data-series="{_escaped(series.label)}">'
            f'<svg viewBox="-7 -7 14 14" aria-hidden="true">'
            f'<g class="series {series.style()}">{chart.mark(series.number)}</g></svg>'
            f"{_escaped(series.label)}</button>"
        )
    return "".join(parts) + "</div>"


def _cell(row):
    low, high = (recorded_run.time_text(value * 1e6) for value in families.interval(row))
    share = f"{100 * row.counters['ceiling_share']:.1f} %"
    of_few = "" if row.passes and families.has_interval(row) else " least and most"
    lines = [recorded_run.time_text(row.microseconds), f"[{low}, {high}]{of_few}", share]
    if row.disturbed:
        lines.append(f'<abbr title="{_escaped(row.disturbed)}">disturbed</abbr>')
    return f"<td>{'<br>'.join(lines)}</td>"


def _table(runs, family):
    """The values of all plots: the times, from which the others follow."""
    columns = list(family.rows)
    heads = "".join(
        f'<th scope="col">{_escaped(views.label(runs, number, name))}</th>'
        for number, name in columns
    )
    lines = []
    for place in family.places():
        cells = "".join(
            _cell(family.rows[column][place]) if place in family.rows[column] else "<td></td>"
            for column in columns
        )
        lines.append(f'<tr><th scope="row">{place:,}</th>{cells}</tr>')
    return _folded_table("Median time with its interval, and the share of the ceiling",
                         family.axis, heads, lines)


def _folded_table(caption, corner, heads, lines):
    return (
        '<details><summary>Table of these values</summary><div class="scroll" tabindex="0"><table>'
        f"<caption><span>{caption}</span></caption>"
        f'<thead><tr><th scope="col">{_escaped(corner)}</th>{heads}</tr></thead><tbody>'
        f'{"".join(lines)}</tbody></table></div></details>'
    )


def _family(runs, family):
    plots = views.plots(runs, family)
    of_axis = "" if family.axis == families.SIZE else f"{family.axis} "
    notes = [f"From {of_axis}{place:,} on {best} is the fastest, before it {before}."
             for place, best, before in views.crossovers(family)]
    return _section(family.title, plots["time"], plots, notes, _table(runs, family))


def _section(title, with_all, plots, notes, table):
    """`with_all`: the plot whose series the legend has."""
    drawn = "".join(chart.draw(plot) for plot in plots.values())
    said = "".join(f'<p class="note">{_escaped(note)}</p>' for note in notes)
    return (f'<section class="family"><h3>{_escaped(title)}</h3>{_legend(with_all)}'
            f'<div class="plots">{drawn}</div>{said}{table}</section>')


def _curve_cell(curve, members):
    if members not in curve.rows:
        return "<td></td>"
    row = curve.rows[members]
    lines = [_cell(row).removeprefix("<td>").removesuffix("</td>")]
    if curve.one is not None:
        factor = scaling_views.speed_up(row, curve.one)
        lines.append(f"{factor:.2f} times, {100 * factor / members:.0f} %")
    return f"<td>{'<br>'.join(lines)}</td>"


def _curves(group):
    """Of one algorithm, over members."""
    heads = "".join(f'<th scope="col">{_escaped(curve.label)}</th>' for curve in group.curves)
    lines = [f'<tr><th scope="row">{members}</th>'
             + "".join(_curve_cell(curve, members) for curve in group.curves) + "</tr>"
             for members in group.members()]
    table = _folded_table("Median time with its interval, the share of the ceiling of these "
                          "members, the speed-up and the efficiency", "members", heads, lines)
    plots = scaling_views.plots(group)
    with_all = plots.get("speed_up", plots["time"])
    return _section(group.title, with_all, plots, group.refusals(), table)


def _heat_map(run):
    types, lines = views.heat(run)
    if not lines:
        return ""
    heads = "".join(f'<th scope="col">{_escaped(name)}</th>' for name in types)
    body = []
    for name, cells in lines:
        values = []
        for element in types:
            row = cells.get(element)
            if row is None:
                values.append("<td></td>")
                continue
            share = row.counters["ceiling_share"]
            values.append(f'<td style="background: rgba(var(--heat), {0.6 * min(share, 1):.2f})" '
                          f'title="{_escaped(row.name)}">{100 * share:.0f} %</td>')
        # A name may go on in the next line behind each slash.
        parts = _escaped(name).replace("/", "/<wbr>")
        body.append(f'<tr><th scope="row">{parts}</th>{"".join(values)}</tr>')
    return (
        f'<div class="scroll" tabindex="0"><table><caption><span>{_escaped(run.label)}</span>'
        "</caption>"
        f'<thead><tr><th scope="col" class="left">implementation</th>{heads}</tr></thead>'
        f'<tbody>{"".join(body)}</tbody></table></div>'
    )


def _overview(runs):
    maps = "".join(_heat_map(run) for run in runs)
    if not maps:
        return ""
    return ('<h2>Overview</h2><p class="note">The share of the ceiling that each implementation '
            "reaches at the largest size, by element type.</p>"
            f'<div class="maps">{maps}</div>')


def _provenance(runs):
    facts = dict.fromkeys(name for run in runs for name in run.context)
    heads = "".join(f'<th scope="col" class="left">{_escaped(run.label)}</th>' for run in runs)
    body = "".join(
        f'<tr><th scope="row">{_escaped(fact)}</th>'
        + "".join(f'<td class="left">{_escaped(run.context.get(fact, ""))}</td>' for run in runs)
        + "</tr>"
        for fact in facts if fact != "caches"
    )
    return (
        '<details><summary>With what and on what these runs were made</summary><div class="scroll" '
        f'tabindex="0"><table><thead><tr><th scope="col" class="left">fact</th>{heads}</tr>'
        f"</thead><tbody>{body}</tbody></table></div></details>"
    )


def _errors(runs):
    wrong = [(run, row) for run in runs for row in run.errors]
    if not wrong:
        return ""
    items = "".join(f"<li>{_escaped(run.label)}: {_escaped(row.name)}: "
                    f"{_escaped(recorded_run.one_line(row.error))}</li>" for run, row in wrong)
    return f"<h2>Rows without a time</h2><ul>{items}</ul>"


def _navigation(anchors):
    items = "".join(f'<li><a href="#{anchor}">{_escaped(name)}</a></li>'
                    for name, anchor in anchors.items())
    return f'<nav aria-label="Algorithms"><ul>{items}</ul></nav>'


_READING = f"""<p class="note">Times are medians, bands their 95 % intervals; of fewer than
{intervals.fewest(0.05)} samples or passes (over members {intervals.fewest(0.025)}), and in runs that
were recorded without samples, the least and the most. A dashed line across is the ceiling or the one
that others are measured against; a dotted line marks a size from which another implementation is
the fastest. Over members, a straight line is what so many of them do at best, and dots are what
the machine allows: its ceiling with so many, over that with one. A button hides a series; a
pointer at a mark shows its row.</p>"""


def page(runs):
    """The whole file."""
    found = families.families(runs)
    scaling = scaling_views.groups(runs)
    anchors = _anchors(dict.fromkeys(each.algorithm for each in [*found, *scaling]))
    labels = ", ".join(run.label for run in runs)
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        # Nothing is fetched, not even the icon that browsers ask for.
        '<link rel="icon" href="data:,">',
        f"<title>Benchmarks: {_escaped(labels)}</title>",
        f'<style>{_text("report.css")}{_text("chart.css")}</style></head><body>',
        f"<main><h1>Benchmarks: {_escaped(labels)}</h1>", _READING, _navigation(anchors),
        _overview(runs), _errors(runs),
    ]
    for algorithm, anchor in anchors.items():
        parts.append(f'<h2 id="{anchor}">{_escaped(algorithm)}</h2>')
        parts += [_family(runs, family) for family in found if family.algorithm == algorithm]
        parts += [_curves(group) for group in scaling if group.algorithm == algorithm]
    parts += ["<h2>Provenance</h2>", _provenance(runs), "</main>",
              '<div id="tip" role="status" hidden></div>',
              f'<script>{_text("report.js")}</script></body></html>\n']
    return "\n".join(part for part in parts if part)
