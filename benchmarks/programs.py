# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the benchmark program that belongs to these scripts, and measures with it again."""

import os
import shlex
import subprocess
import sys

import recorded_run
import verdicts

# Flags of the program that make the same inputs and the same plan; of older files, the
# defaults of their time.
PLAN = {"seed": "1", "repetitions": "15", "max_seconds": "1", "passes": "1"}

# As it was called: among runfiles a script is a link, and its program stands beside the link.
_FOLDER = os.path.dirname(os.path.abspath(sys.argv[0]))
_SOURCES = os.path.dirname(os.path.abspath(__file__))


class NoProgram(Exception):
    """There is none; the message says where it was looked for."""


class NoBackend(Exception):
    """A backend that was asked for is not available; the message says which program said so."""


def check_status(status, text):
    """Raises what says why a benchmark program has not measured, in the words of `text`."""
    if status == verdicts.ABSENT:
        raise NoBackend(text)
    # 1: some result was wrong, which the file says.
    if status not in (verdicts.PASSED, verdicts.FAILED):
        raise recorded_run.UnusableRun(text)


def command(script):
    """What the user called: the script itself, or `concord` with its name."""
    return os.environ.get("CONCORD_COMMAND", script)


def benchmark_program(command=""):
    """As a list of arguments: `command`, $CONCORD_BENCH, or what stands beside the scripts."""
    command = command or os.environ.get("CONCORD_BENCH", "")
    if command:
        return shlex.split(command)
    # Beside them in Bazel's runfiles and in PREFIX/libexec/concord; built in a checkout.
    for folder in (_FOLDER, os.path.join(_SOURCES, "..", "bazel-bin", "benchmarks")):
        path = os.path.join(folder, "concord_bench")
        if os.access(path, os.X_OK):
            return [os.path.normpath(path)]
    raise NoProgram(f"no concord_bench beside {_FOLDER}; --program says where it is")


def measure_again(program, run, context, rows, out, commit=None):
    """Measures the rows of a recorded run with its inputs and its plan, into the file `out`."""
    command = [*program, f"--rows_from={run}", f"--out={out}"]
    command += [f"--{flag}={context.get(flag, default)}" for flag, default in PLAN.items()]
    if "checker" in context:
        command.append(f"--checker={context['checker']}")
    if rows:
        command.append(f"--benchmark_filter={rows}")
    environment = dict(os.environ)
    if commit is not None:
        environment["CONCORD_COMMIT"] = commit
    status = subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                            env=environment).returncode
    check_status(status, f"the benchmark program ended with status {status}")
