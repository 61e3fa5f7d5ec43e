# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that fail when a program has become slower than a recorded run."""

def concord_benchmark_gate(
        name,
        baseline,
        rows = "",
        margin = "3%",
        program = Label("//benchmarks:concord_bench"),
        undecided_passes = True,
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
      size: Bazel's size of the test, which sets its time limit.
      tags: of the test. Nothing else runs meanwhile ("exclusive").
      **kwargs: as of any test.
    """
    gate = Label("//benchmarks:gate.py")
    native.sh_test(
        name = name,
        size = size,
        srcs = [Label("//tools/bazel:run_benchmark_gate")],
        args = [
            "$(location %s)" % gate,
            "1" if undecided_passes else "0",
            "$(location %s)" % baseline,
            "--program=$(location %s)" % program,
            "--margin=" + margin,
        ] + (["'--rows=%s'" % rows] if rows else []),
        data = [baseline, program, gate, Label("//benchmarks:scripts")],
        tags = tags + ["exclusive"],
        **kwargs
    )
