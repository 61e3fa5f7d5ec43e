# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that fail when a program has become slower than a recorded run."""

load("//tools/bazel:programs.bzl", "path_among_runfiles", "starts")

def _gate_test_impl(ctx):
    words = [
        ctx.file._runner,
        ctx.file._gate,
        "1" if ctx.attr.undecided_passes else "0",
        ctx.file.baseline,
        "--program=" + path_among_runfiles(ctx.executable.program),
        "--margin=" + ctx.attr.margin,
    ]
    if ctx.attr.rows:
        words.append("--rows=" + ctx.attr.rows)
    if ctx.attr.any_machine:
        words.append("--any-machine")
    return starts(ctx, words, data = [ctx.attr.program, ctx.attr._scripts])

_gate_test = rule(
    implementation = _gate_test_impl,
    attrs = {
        "baseline": attr.label(allow_single_file = [".json"], mandatory = True),
        "rows": attr.string(),
        "margin": attr.string(mandatory = True),
        "program": attr.label(executable = True, cfg = "target", mandatory = True),
        "undecided_passes": attr.bool(),
        "any_machine": attr.bool(),
        "_gate": attr.label(default = Label("//benchmarks:gate.py"), allow_single_file = True),
        "_runner": attr.label(default = Label("//tools/bazel:run_benchmark_gate"), allow_single_file = True),
        "_scripts": attr.label(default = Label("//benchmarks:scripts")),
    },
    test = True,
)

def concord_benchmark_gate(
        name,
        baseline,
        rows = "",
        margin = "3%",
        program = Label("//benchmarks:concord_bench"),
        undecided_passes = True,
        any_machine = False,
        size = "large",
        tags = [],
        **kwargs):
    """Measures the rows of `baseline` again and fails when one is slower, wrong or missing.

    The baseline comes from the machine that runs the test:

        bazel run //benchmarks:record -- --passes=45 --repetitions=1 --out=baseline.json ...

    Args:
      name: of the test.
      baseline: a recorded run with samples.
      rows: which of its rows, as a regular expression; all by default.
      margin: the difference that matters.
      program: a benchmark program.
      undecided_passes: whether the test passes when the machine is too noisy to
        tell. What it takes to decide is in the test's log either way.
      any_machine: whether a baseline of another machine leaves its rows undecided,
        as long as they are right and there, where otherwise the test fails.
      size: Bazel's size of the test, which sets its time limit.
      tags: of the test. Nothing else runs meanwhile ("exclusive").
      **kwargs: as of any test.
    """
    _gate_test(
        name = name,
        size = size,
        baseline = baseline,
        rows = rows,
        margin = margin,
        program = program,
        undecided_passes = undecided_passes,
        any_machine = any_machine,
        tags = tags + ["exclusive"],
        **kwargs
    )
