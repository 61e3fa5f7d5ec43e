#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""How often gate calls a row slower that is not: on all pairs of several runs of one build.

Beside it, how often a bare threshold does, on the same pairs: it calls a row slower when its
median is so many times as long.
"""

import argparse
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # script.py says why

# pylint: disable=wrong-import-position
import gate  # noqa: E402
import recorded_run  # noqa: E402
import script  # noqa: E402
import verdicts  # noqa: E402

_THRESHOLDS = (1.03, 1.05, 1.10)


def _line(name, pairs, alarms, rows):
    """`alarms`: a number for each pair."""
    alarmed = sum(1 for alarm in alarms if alarm)
    return (f"{name:24} {alarmed:4} of {pairs} pairs ({100 * alarmed / pairs:.1f} %)   "
            f"{sum(alarms):5} of {rows} rows ({100 * sum(alarms) / rows:.2f} %)")


def _check(path, rows, first):
    """Raises what says why the rows of `path` cannot be held against those of the first run."""
    if not rows or any(row.error is not None for row in rows):
        raise recorded_run.UnusableRun(f"{path}: no rows, or one without a time")
    if {row.name for row in rows} != {row.name for row in first}:
        raise recorded_run.UnusableRun(f"{path}: other rows than those of the first run")


def main():
    parser = argparse.ArgumentParser(prog="false_alarms", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", help="recorded runs of one build on one machine")
    parser.add_argument("--margin", type=verdicts.percentage, default=0.03, metavar="PERCENT")
    arguments = parser.parse_args()
    runs = [recorded_run.load(path)[1] for path in arguments.runs]
    for path, rows in zip(arguments.runs, runs):
        _check(path, rows, runs[0])
    alarms, undecided, bare, rows = [], [], {threshold: [] for threshold in _THRESHOLDS}, 0
    # Each in both orders: every run is once the one that is judged.
    pairs = list(itertools.permutations(runs, 2))
    for base, new in pairs:
        found, _ = gate.judge_runs(base, new, arguments.margin, 0.05)
        kinds = [verdict.kind for verdict in found]
        rows += len(kinds)
        alarms.append(kinds.count(verdicts.SLOWER))
        undecided.append(kinds.count(verdicts.UNDECIDED))
        after = {row.name: row.microseconds for row in new}
        for threshold, counts in bare.items():
            counts.append(sum(after[row.name] > threshold * row.microseconds for row in base))
    if not pairs:
        parser.error("at least two runs")
    print(_line("gate: slower", len(pairs), alarms, rows))
    print(_line("gate: undecided", len(pairs), undecided, rows))
    for threshold, counts in bare.items():
        print(_line(f"threshold of {threshold:g}", len(pairs), counts, rows))
    return 0


if __name__ == "__main__":
    script.run("false_alarms", main)
