#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Judges row by row whether NEW is slower than BASE, from the samples of both.

Exit status: 0 nothing is slower; 1 some row is slower, wrong or missing; 2 the files or
programs cannot be used; 3 a backend is not available; 4 some row is undecided, and none fails.
"""

import math
import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # script.py says why

# pylint: disable=wrong-import-position
import in_turns  # noqa: E402
import intervals  # noqa: E402
import programs  # noqa: E402
import progress  # noqa: E402
import recorded_run  # noqa: E402
import script  # noqa: E402
import verdicts  # noqa: E402
from verdicts import Verdict  # noqa: E402

# Rounds after which verdicts are looked for. Each look has its part of the error.
_LOOKS = (12, 24, 48, 96)
_SAMPLES_OF_A_ROUND = 5


def judge_runs(base, new, margin, error):
    """The verdicts on two recorded runs. `base`, `new`: rows; `error`: of all rows together."""
    result, sampled = {}, []
    for name, row, other in verdicts.pairs(base, new):
        result[name] = verdicts.unjudged(row, other)
        if result[name] is None and not (row.passes and other.passes):
            ratio = other.microseconds / row.microseconds
            result[name] = Verdict(name, verdicts.UNSAMPLED, note=f"{ratio:.3f} times as long")
        if result[name] is None:
            sampled.append((row, other))
    share = error / max(len(sampled), 1)
    ratios = [
        intervals.of_ratio(row.independent(), other.independent(), share)
        for row, other in sampled
    ]
    drift = intervals.Drift([ratio.estimate for ratio in ratios], share,
                            [row.backend for row, _ in sampled])
    for (row, other), ratio in zip(sampled, ratios):
        verdict = verdicts.judge(row.name, ratio, margin, share,
                                 drift.allowance(row.backend))
        verdicts.remark_disturbances(verdict, row, other)
        result[row.name] = verdict
    return list(result.values()), drift


def judge_machines(base, new):
    """The verdicts on runs of two machines, whose times tell nothing of the code."""
    return [
        verdicts.unjudged(row, other)
        or Verdict(name, verdicts.UNDECIDED, note="recorded on another machine")
        for name, row, other in verdicts.pairs(base, new)
    ]


def _take_round(base, new, result, ratios):
    """Adds what a round says of its rows: a ratio, or a verdict where there can be none."""
    for name, row, other in verdicts.pairs(base.values(), new.values()):
        verdict = verdicts.unjudged(row, other)
        ratios.setdefault(name, [])
        if verdict is None:
            ratios[name].append(_ratio_of_round(row, other))
        elif name not in result or verdict.kind == verdicts.WRONG:
            result[name] = verdict


def judge_programs(interleaved, margin, error, most_rounds, shown, names=None):
    """The verdicts on two programs that measure in turns. `shown`: its Progress; `names`: of the
    rows, if it is not all."""
    result, ratios, done = {}, {}, 0
    looks = [look for look in _LOOKS if look < most_rounds] + [most_rounds]
    for look in looks:
        what = f"rounds, {len(names)} rows undecided" if done else "rounds"
        shown.show(done, look, what)
        for count, (base, new) in enumerate(interleaved.rounds(look - done, names), done + 1):
            shown.show(count, look, what)
            _take_round(base, new, result, ratios)
        done = look
        share = error / len(looks) / max(sum(map(bool, ratios.values())), 1)
        names = []
        for name, values in ratios.items():
            if name in result:
                continue
            if len(values) < look:
                result[name] = Verdict(name, verdicts.UNDECIDED,
                                       note=f"measured in {len(values)} of {look} rounds")
                continue
            estimate = statistics.median(values)
            low, high = intervals.of_median(values, share)
            ratio = intervals.Ratio(estimate, low, high, len(values))
            verdict = verdicts.judge(name, ratio, margin, share)
            if verdict.kind == verdicts.UNDECIDED and look < most_rounds:
                names.append(name)
            else:
                result[name] = verdict
        if not names:
            break
    return [result[name] for name in ratios]


def _ratio_of_round(base, new):
    """The logarithm; the k-th samples of both were taken one after the other."""
    return statistics.median(
        math.log(after / before) for before, after in zip(base.passes[0], new.passes[0])
    )


def report(found, margin, confidence):
    """Prints the verdicts; the exit status."""
    for verdict in found:
        print(verdict.line())
    print(verdicts.summary(found, margin, confidence))
    return verdicts.status(found)


def _parser():
    parser = script.parser(
        "gate", __doc__, "What follows -- are flags of both programs, such as --sizes=2^20.")
    parser.add_argument("base", help="a recorded run (- is standard input); with --interleave, a benchmark "
                        "program")
    parser.add_argument("new", nargs="?", default="",
                        help="the run or program that is judged (default: BASE measured again)")
    parser.add_argument("--margin", type=verdicts.percentage, default=0.03, metavar="PERCENT",
                        help="a difference that matters (default: 3%%)")
    parser.add_argument("--confidence", type=verdicts.percentage, default=0.95, metavar="PERCENT",
                        help="that no row is judged wrongly (default: 95%%)")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only rows that match")
    parser.add_argument("--program", default="", metavar="COMMAND",
                        help="without NEW: what measures (default: the program at hand)")
    parser.add_argument("--any-machine", action="store_true",
                        help="a run of another machine leaves rows undecided that are right")
    parser.add_argument("--interleave", action="store_true",
                        help="run two programs in turns, sample by sample")
    parser.add_argument("--rounds", type=int, metavar="NUMBER",
                        help=f"with --interleave: at most so many (default: {_LOOKS[-1]})")
    return parser


def _misuse(arguments):
    """What is wrong with arguments that argparse takes; None if nothing is."""
    if not 0 < arguments.confidence < 1:
        return "--confidence must be below 100%"
    if arguments.rounds is not None and arguments.rounds < 1:
        return "--rounds must be at least 1"
    if arguments.interleave and not arguments.new:
        return "--interleave takes two programs"
    if not arguments.interleave and arguments.rounds is not None:
        return "--rounds goes with --interleave"
    if not arguments.interleave and arguments.flags:
        return "what follows -- goes with --interleave"
    if arguments.new and arguments.program:
        return "--program measures BASE again, so no NEW goes with it"
    return None


def _gate_programs(arguments, error):
    flags = [*arguments.flags, f"--repetitions={_SAMPLES_OF_A_ROUND}"]
    both = [programs.words(arguments.base), programs.words(arguments.new)]
    names = None
    if arguments.rows:
        names = list(dict.fromkeys(name for program in both for name in programs.names_of_rows(
            [*program, *flags], arguments.rows)))
        if not names:
            return []
    interleaved = in_turns.Interleaved(*both, flags)
    shown = progress.Progress()
    try:
        return judge_programs(interleaved, arguments.margin, error,
                              arguments.rounds or _LOOKS[-1], shown, names)
    finally:
        shown.end()
        interleaved.close()


def _measured_again(arguments, context, rows):
    """The rows of BASE as the program at hand measures them."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "new.json")
        programs.measure_again(programs.benchmark_program(arguments.program), rows, context, out)
        return recorded_run.load(out, arguments.rows)


def _gate_files(arguments, error):
    base_context, base = recorded_run.load(arguments.base, arguments.rows)
    if arguments.new:
        new_context, new = recorded_run.load(arguments.new, arguments.rows)
    else:
        new_context, new = _measured_again(arguments, base_context, base)
    if not recorded_run.are_of_one_machine(base_context, new_context):
        if arguments.any_machine:
            return judge_machines(base, new)
        raise recorded_run.UnusableRun(
            f"{arguments.base} is from another machine; reproduce compares such runs, as shares "
            "of what each machine can do"
        )
    found, drift = judge_runs(base, new, arguments.margin, error)
    if drift.known:
        print(verdicts.of_drift(drift))
    elif found:
        print("note: too few rows to tell what the machine did between the runs; "
              "--interleave leaves no doubt")
    return found


def main():
    parser = _parser()
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:end])
    arguments.flags = words[end + 1:]
    misuse = _misuse(arguments)
    if misuse:
        parser.error(misuse)
    error = 1 - arguments.confidence
    found = (_gate_programs if arguments.interleave else _gate_files)(arguments, error)
    if not found:
        raise recorded_run.UnusableRun(f"{arguments.base}: no such rows")
    return report(found, arguments.margin, arguments.confidence)


if __name__ == "__main__":
    script.run("gate", main)
