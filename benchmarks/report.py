#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Shows recorded runs: as Markdown tables, as one HTML file, or as a picture of one plot.

Exit status: 0 done; 2 the runs or the arguments cannot be used, or nothing can be written.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # script.py says why

# pylint: disable=wrong-import-position
import chart  # noqa: E402
import families  # noqa: E402
import recorded_run  # noqa: E402
import report_page  # noqa: E402
import report_tables  # noqa: E402
import scaling_views  # noqa: E402
import script  # noqa: E402
import views  # noqa: E402

_VIEWS = ("time", "throughput", "roofline", "serial", "library", "speed_up", "efficiency")


def _labelled(argument):
    """'before=FILE' as (before, FILE); a file alone is called by its name, or that of its
    folder where that has the name."""
    if argument == "-":
        return "stdin", argument
    label, equals, path = argument.partition("=")
    if not equals or os.path.exists(argument):
        folder, file = os.path.split(os.path.abspath(argument))
        stem = os.path.splitext(file)[0]
        label, path = os.path.basename(folder) if stem == "run" else stem, argument
    # A name may have any bytes; a page is UTF-8.
    return os.fsencode(label).decode("utf-8", "replace"), path


def _picture(runs, view):
    """The first rows that have this view with more than one place on its axis."""
    drawn = [(family, views.plots(runs, family)) for family in families.families(runs)]
    drawn += [(group, scaling_views.plots(group)) for group in scaling_views.groups(runs)]
    for rows, plots in drawn:
        plot = plots.get(view)
        if plot is not None and len(plot.places()) > 1:
            plot.title = f"{rows.algorithm}, {rows.title}: {plot.title}"
            return chart.draw(plot, 720, 400, report_page.picture_style()) + "\n"
    raise recorded_run.UnusableRun(
        f"no rows of several sizes, options or members for a picture of '{view}'")


def _show(arguments):
    runs, rows_of_runs = [], []
    for argument in arguments.runs:
        label, path = _labelled(argument)
        # Once: a pipe has nothing more.
        context, rows = recorded_run.load(path, arguments.filter)
        runs.append(families.Run(label, context, rows))
        rows_of_runs.append(rows)
        if not re.search(r"\S", label):
            raise recorded_run.UnusableRun(f"{argument}: no label before the '='")
    if not any(run.rows or run.errors for run in runs):
        raise recorded_run.UnusableRun(f"{arguments.runs[0]}: no such rows")
    variants = {row.variant for rows in rows_of_runs for row in rows}
    if arguments.baseline and arguments.baseline not in variants:
        raise recorded_run.UnusableRun(f"--baseline={arguments.baseline}: no row is of such a "
                                       f"variant; there are {', '.join(sorted(variants))}")
    if arguments.html:
        script.write(arguments.html, report_page.page(runs))
    if arguments.picture:
        script.write(arguments.svg, _picture(runs, arguments.picture))
    if arguments.html or arguments.picture:
        return
    curves = [curve for group in scaling_views.groups(runs) for curve in group.curves]
    for run, rows in zip(runs, rows_of_runs):
        print("\n".join([report_tables.provenance(run.context)]
                        + report_tables.tables(rows, arguments.baseline, curves)))


def main():
    parser = script.parser("report", __doc__)
    parser.add_argument("runs", nargs="+", metavar="[LABEL=]RUN",
                        help="what concord_bench --out=FILE wrote; - is standard input")
    parser.add_argument("--filter", "--rows", default="", metavar="REGEX",
                        help="only rows that match")
    parser.add_argument("--html", default="", metavar="FILE", help="write a page of plots there; - is standard output")
    parser.add_argument("--picture", choices=_VIEWS, help="draw one plot, of the first rows")
    parser.add_argument("--svg", default="", metavar="FILE", help="where to write the picture")
    parser.add_argument("--baseline", default="",
                        help="for tables: a variant, such as cub, to compare with")
    arguments = parser.parse_args()
    if bool(arguments.picture) != bool(arguments.svg):
        parser.error("--picture and --svg go together")
    _show(arguments)
    return 0


if __name__ == "__main__":
    script.run("report", main)
