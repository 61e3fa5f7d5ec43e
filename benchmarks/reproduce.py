#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures the rows of a recorded run again, with the same inputs and the same plan.

Prints what differs in the provenance, and for each row whether it is reproduced, with the
interval of the ratio of the times.

Exit status: 0 all rows are reproduced; 1 some row is slower, faster, wrong or missing; 2 the
file or the program cannot be used; 3 a backend is not available; 4 some row is undecided or was
recorded without samples.
"""

import contextlib
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # script.py says why

# pylint: disable=wrong-import-position
import intervals  # noqa: E402
import programs  # noqa: E402
import recorded_run  # noqa: E402
import script  # noqa: E402
import verdicts  # noqa: E402
from verdicts import Verdict  # noqa: E402

# A difference that matters, and the most that two machines of one kind may differ by for a row
# to be reproduced.
_MARGIN, _WIDEST = 0.03, 0.10

# Of the moment, or said by the verdicts.
_PASSING = {"date", "load_avg", "mhz_per_cpu", "preset", *programs.PLAN}


def differences(before, after, backends=None):
    """The lines on what differs between two contexts. `backends`: those of the rows, if it is not
    all that were opened before."""
    lines = []
    left_out = [opened for opened in recorded_run.machine(before)
                if backends is not None and opened.partition(":")[0] not in backends]
    for name in dict.fromkeys([*before, *after]):
        if name in _PASSING or before.get(name) == after.get(name):
            continue
        if name.rpartition(".")[0] in left_out:
            continue
        values = [str(context.get(name, "(not recorded)")) for context in (before, after)]
        lines.append(recorded_run.one_line(f"  {name}: {values[0]} -> {values[1]}"))
    return lines


def _ratio(row, other, share, as_shares):
    """Of the times, or of the times in which each machine could have moved the bytes."""
    base, new = row.independent(), other.independent()
    if as_shares:
        base = [seconds * row.ceiling() for seconds in base]
        new = [seconds * other.ceiling() for seconds in new]
    return intervals.of_ratio(base, new, share)


def _plain_ratio(row, other, as_shares):
    """What a file without samples allows to say."""
    if as_shares:
        shares = [100 * each.counters["ceiling_share"] for each in (row, other)]
        return f"{shares[0]:.1f} % -> {shares[1]:.1f} % of the ceiling"
    return f"{other.microseconds / row.microseconds:.3f} times as long"


def _within(drift, ratios):
    """The margin for `reproduced` where none is given. Two machines of one kind differ by some
    per cent, row by row; what they differ by is not to be held against the code."""
    if not drift.known:
        return _MARGIN
    # Intervals of few samples are endless.
    needed = math.expm1(min(drift.margin([ratio.room() for ratio in ratios]), _WIDEST))
    return min(max(math.ceil(100 * needed) / 100, _MARGIN), _WIDEST)


def judge(base, new, margin, error):
    """(the verdicts, drift, the margin within which rows are reproduced). `base`, `new`:
    (context, rows); `margin`: None where it is the drift's to say."""
    pairs, result = [], {}
    for name, row, other in verdicts.pairs(base[1], new[1]):
        result[name] = verdicts.unjudged(row, other)
        if result[name] is not None:
            continue
        as_shares = recorded_run.processor(base[0], row.backend) != recorded_run.processor(
            new[0], row.backend)
        if not row.passes or not other.passes:
            result[name] = Verdict(name, verdicts.UNSAMPLED,
                                   note=_plain_ratio(row, other, as_shares))
        else:
            pairs.append((row, other, as_shares))
    share = error / max(len(pairs), 1)
    ratios = [_ratio(*pair[:2], share, pair[2]) for pair in pairs]
    drift = intervals.Drift([ratio.estimate for ratio in ratios], share,
                            [pair[0].backend for pair in pairs])
    within = _within(drift, ratios) if margin is None else margin
    for (row, other, as_shares), ratio in zip(pairs, ratios):
        verdict = verdicts.judge(row.name, ratio, _MARGIN if margin is None else margin, share,
                                 drift.allowance(row.backend), within)
        verdicts.remark_disturbances(verdict, row, other)
        if as_shares:
            verdict.remark("as shares of the ceilings")
        result[row.name] = verdict
    return list(result.values()), drift, within


def _bazel():
    return programs.words(os.environ.get("BAZEL") or "bazel")


def _built_at(commit, folder, build_flags):
    """The program of that commit, in a checkout of its own."""
    root = os.environ.get("BUILD_WORKSPACE_DIRECTORY", os.getcwd())
    checkout = os.path.join(folder, "checkout")
    build = [*_bazel(), "build", *build_flags, "//benchmarks:concord_bench"]
    try:
        subprocess.run(["git", "-C", root, "worktree", "add", "--detach", checkout, commit],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       encoding="utf-8")
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().splitlines()[-1]
        raise recorded_run.UnusableRun(f"commit {commit}: {reason}") from error
    if programs.status_of(build, cwd=checkout) != 0:
        raise recorded_run.UnusableRun(f"commit {commit}: the build failed")
    return os.path.join(checkout, "bazel-bin", "benchmarks", "concord_bench")


def _forget_checkout(folder):
    root = os.environ.get("BUILD_WORKSPACE_DIRECTORY", os.getcwd())
    checkout = os.path.join(folder, "checkout")
    if os.path.exists(checkout):
        # What was built for this checkout, and the server, serve nothing else.
        if not any(flag.startswith("--output_base") for flag in _bazel()):
            subprocess.run([*_bazel(), "clean", "--expunge"], cwd=checkout, check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["git", "-C", root, "worktree", "remove", "--force", checkout], check=False)


def _parser():
    parser = script.parser("reproduce", __doc__)
    parser.add_argument("run", help="a recorded run; - is standard input")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only rows that match")
    parser.add_argument("--program", default="", metavar="COMMAND",
                        help="the benchmark program (default: the one at hand)")
    parser.add_argument("--at-commit", action="store_true",
                        help="build the program of the recorded commit in a checkout of its own")
    parser.add_argument("--build-flag", action="append", default=[], metavar="FLAG",
                        help="with --at-commit, for bazel build; may be repeated")
    parser.add_argument("--margin", type=verdicts.percentage, metavar="PERCENT",
                        help="a difference that matters (default: 3%%, and for what is reproduced "
                        "as much as the machine changed, up to 10%%)")
    parser.add_argument("--confidence", type=verdicts.percentage, default=0.95, metavar="PERCENT",
                        help="that no row is judged wrongly (default: 95%%)")
    parser.add_argument("--out", default="", metavar="FILE",
                        help="keep the new run there; - is standard output, and what is printed "
                        "then goes to standard error")
    return parser


def _reproduce(arguments, folder):
    base = recorded_run.load(arguments.run, arguments.rows)
    if not base[1]:
        raise recorded_run.UnusableRun(f"{arguments.run}: no such rows")
    if arguments.out:
        script.check_writable(arguments.out)
    if arguments.at_commit:
        program = [_built_at(base[0].get("commit", "unknown"), folder, arguments.build_flag)]
    else:
        program = programs.benchmark_program(arguments.program)
    out = os.path.join(folder, "run.json")
    commit = base[0].get("commit") if arguments.at_commit else None
    programs.measure_again(program, base[1], base[0], out, commit)
    new = recorded_run.load(out, arguments.rows)
    if arguments.out:
        script.write(arguments.out, pathlib.Path(out).read_text(encoding="utf-8"))
    lines = differences(base[0], new[0], {row.backend.partition(":")[0] for row in base[1]})
    print("\n".join(["differs from the recorded run:"] + lines) if lines
          else "same commit, flags and kind of machine as the recorded run")
    found, drift, within = judge(base, new, arguments.margin, 1 - arguments.confidence)
    for verdict in found:
        print(verdict.line())
    margin = arguments.margin or _MARGIN
    if drift.known:
        wider = ", so rows are reproduced within {:g} %".format(100 * within)
        print(verdicts.of_drift(drift) + (wider if within > margin else ""))
    print(verdicts.summary(found, margin, arguments.confidence, within))
    return verdicts.status_of_both(found)


def main():
    parser = _parser()
    arguments = parser.parse_args()
    if not 0 < arguments.confidence < 1:
        parser.error("--confidence must be below 100%")
    if arguments.build_flag and not arguments.at_commit:
        parser.error("--build-flag goes with --at-commit")
    if arguments.program and arguments.at_commit:
        parser.error("--program and --at-commit each say what measures")
    aside = (contextlib.redirect_stdout(sys.stderr) if script.is_standard_output(arguments.out)
             else contextlib.nullcontext())
    with tempfile.TemporaryDirectory() as folder, aside:
        try:
            return _reproduce(arguments, folder)
        finally:
            _forget_checkout(folder)


if __name__ == "__main__":
    script.run("reproduce", main)
