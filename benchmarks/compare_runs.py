#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Compares two recorded runs row by row and fails past a threshold.

Exit status: 0 no row is slower than allowed, 1 some row is slower, wrong or
missing, 2 the files cannot be used.
"""

import argparse
import sys

import recorded_run

# Rows whose times mean nothing side by side when one of these differs.
_SAME_MACHINE = ("gpu", "cpu")


def _machine(context):
    return {
        key: value
        for key, value in context.items()
        if key.rpartition(".")[2] in _SAME_MACHINE
    }


def compare(base, new, threshold):
    """The lines of the report, and how many rows fail."""
    new_rows = {row.name: row for row in new}
    lines = []
    counts = {"slower": 0, "faster": 0, "wrong": 0, "missing": 0}
    compared = 0
    for before in base:
        if before.error is not None:
            continue
        after = new_rows.get(before.name)
        if after is None:
            counts["missing"] += 1
            lines.append(f"MISSING  {before.name}")
            continue
        compared += 1
        if after.error is not None:
            counts["wrong"] += 1
            lines.append(f"WRONG    {before.name}: {after.error}")
            continue
        ratio = after.microseconds / before.microseconds
        verdict = ""
        if ratio > threshold:
            verdict = "SLOWER"
            counts["slower"] += 1
        elif ratio < 1 / threshold:
            verdict = "faster"
            counts["faster"] += 1
        times = [recorded_run.time_text(row.microseconds) for row in (before, after)]
        lines.append(f"{verdict:8} {ratio:6.3f}  {times[0]:>8} -> {times[1]:>8}  {before.name}")
    lines.append(
        f"{compared} rows compared: {counts['slower']} slower than {threshold:g} times, "
        f"{counts['faster']} faster, {counts['wrong']} wrong, {counts['missing']} missing"
    )
    return lines, counts["slower"] + counts["wrong"] + counts["missing"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", help="the run to compare with")
    parser.add_argument("new", help="the run that is judged")
    parser.add_argument(
        "--threshold",
        type=float,
        default=1.05,
        help="a row fails when it takes more than this times as long (default: %(default)s)",
    )
    parser.add_argument("--filter", default="", help="only rows that match this expression")
    arguments = parser.parse_args()
    if arguments.threshold < 1:
        parser.error("--threshold must be at least 1")
    try:
        base_context, base = recorded_run.load(arguments.base, arguments.filter)
        new_context, new = recorded_run.load(arguments.new, arguments.filter)
    except recorded_run.UnusableRun as error:
        print(f"compare_runs: {error}", file=sys.stderr)
        return 2
    if not base:
        print(f"compare_runs: {arguments.base}: no such rows", file=sys.stderr)
        return 2
    if _machine(base_context) != _machine(new_context):
        print("note: the two runs are from different machines")
    lines, failures = compare(base, new, arguments.threshold)
    print("\n".join(lines))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
