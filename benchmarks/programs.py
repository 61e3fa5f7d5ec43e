# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the benchmark program that belongs to these scripts, and measures with it again."""

import contextlib
import json
import os
import shlex
import signal
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
# Seconds for a program that is to end: it does so after the sample that it takes.
_PATIENCE = 5
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class NoProgram(Exception):
    """There is none; the message says where it was looked for."""


class NoBackend(Exception):
    """A backend that was asked for is not available; the message says which program said so."""


def check(status, out, text):
    """Raises what says, in the words of `text`, why a benchmark program has not measured into the
    file `out`. That a result is wrong is no reason, if the file says it."""
    if status == verdicts.ABSENT:
        raise NoBackend(text)
    if status not in (verdicts.PASSED, verdicts.FAILED) or not os.path.exists(out):
        raise recorded_run.UnusableRun(text)
    if status == verdicts.FAILED and all(row.error is None for row in recorded_run.load(out)[1]):
        raise recorded_run.UnusableRun(text)


def forget(out):
    """Removes what an earlier program wrote, or it would pass for the next one's."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(out)


def _end(process):
    """If it still runs: by SIGTERM and, where that does not help soon, by SIGKILL."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def started(command, **how):
    """The process, which does not outlive the block, whatever ends that."""
    # A signal while it starts would find no process to end.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)

    def heed():
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    try:
        process = subprocess.Popen(  # pylint: disable=subprocess-popen-preexec-fn
            command, preexec_fn=heed, **how)
        try:
            heed()
            yield process
        finally:
            _end(process)
    finally:
        heed()


def status_of(command, **how):
    """The exit status of a program, which does not outlive us."""
    with started(command, **how) as process:
        return process.wait()


def words(text):
    """Those of a command, as a shell has them."""
    try:
        found = shlex.split(text)
    except ValueError as error:
        raise NoProgram(f"'{text}' is no command: {error}") from error
    if not found:
        raise NoProgram(f"'{text}' names no program")
    return found


def command(script):
    """What the user called: the script itself, or `concord` with its name."""
    return os.environ.get("CONCORD_COMMAND", script)


def benchmark_program(command=""):
    """As a list of arguments: `command`, $CONCORD_BENCH, or what stands beside the scripts."""
    command = command or os.environ.get("CONCORD_BENCH", "")
    if command:
        return words(command)
    # Beside them in Bazel's runfiles and in PREFIX/libexec/concord; built in a checkout.
    for folder in (_FOLDER, os.path.join(_SOURCES, "..", "bazel-bin", "benchmarks")):
        path = os.path.join(folder, "concord_bench")
        if os.access(path, os.X_OK):
            return [os.path.normpath(path)]
    raise NoProgram(f"no concord_bench beside {_FOLDER}; --program says where it is")


def write_rows(path, rows):
    """A file for --rows_from, of rows that are objects with a name."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"context": {}, "benchmarks": rows}, file)


def names_of_rows(command, pattern):
    """Of all rows that a benchmark program would measure, those that match. The program's own
    filter has other regular expressions."""
    wanted = recorded_run.selection(pattern)
    with started([*command, "--benchmark_list_tests"], stdout=subprocess.PIPE,
                 stderr=subprocess.PIPE, encoding="utf-8", errors="replace") as process:
        names, messages = process.communicate()
    if process.returncode != 0:
        last = "".join(messages.strip().splitlines()[-1:])
        text = f"{command[0]}: exit status {process.returncode}: {last}"
        raise (NoBackend if process.returncode == verdicts.ABSENT
               else recorded_run.UnusableRun)(text)
    return [name for name in names.splitlines() if wanted(name)]


def measure_again(program, rows, context, out, commit=None):
    """Measures rows of a recorded run with its inputs and its plan, into the file `out`. What the
    program reads lies beside it: the run itself may be a pipe, which is empty by now."""
    run = out + ".rows"
    write_rows(run, [{"name": row.name, "scaling": row.scaling} for row in rows])
    command = [*program, f"--rows_from={run}", f"--out={out}"]
    command += [f"--{flag}={context.get(flag, default)}" for flag, default in PLAN.items()]
    if "checker" in context:
        command.append(f"--checker={context['checker']}")
    forget(out)
    # What the program says at an interruption: the caller removes the file then.
    environment = {**os.environ, "CONCORD_OUT_IS_REMOVED": "1"}
    if commit is not None:
        environment["CONCORD_COMMIT"] = commit
    status = status_of(command, stdout=subprocess.DEVNULL, env=environment)
    check(status, out, f"the benchmark program ended with status {status}")
