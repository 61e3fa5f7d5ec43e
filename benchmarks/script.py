# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""How the scripts for recorded runs begin, with flags, and how they end: with a status, and one
line for what they refuse."""

import argparse
import contextlib
import os
import signal
import sys

import programs
import recorded_run
import verdicts

_INTERRUPTED = 128 + 2
_NOBODY_READS = 128 + 13
_ENDING = (signal.SIGTERM, signal.SIGHUP)


class _Ended(BaseException):
    """By a signal. On the way out, programs end and temporary files go."""


class _Help(argparse.HelpFormatter):
    """With an empty line between paragraphs."""

    def _fill_text(self, text, width, indent):
        return "\n\n".join(super(_Help, self)._fill_text(paragraph, width, indent)
                           for paragraph in text.split("\n\n"))


def parser(name, text, *more):
    """The parser of the script `name`, whose text is its summary and its exit statuses. Further
    paragraphs of --help stand between these."""
    summary, *_, statuses = text.strip().split("\n\n")
    return argparse.ArgumentParser(prog=programs.command(name), description=summary,
                                   epilog="\n\n".join([*more, statuses]), formatter_class=_Help)


def run(name, main):
    """Ends the process with the status that main() returns; `name` is the script's."""
    _leave_ranks()
    for number in _ENDING:
        # One that is ignored, as nohup has it, stays so.
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end_by)
    try:
        status = main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except _Ended as ended:
        status = 128 + ended.args[0]
    except BrokenPipeError:
        status = _without_output(_NOBODY_READS)
    except (recorded_run.UnusableRun, programs.NoProgram) as problem:
        status = _refuse(name, problem)
    except programs.NoBackend as problem:
        _refuse(name, problem)
        status = verdicts.ABSENT
    except OSError as problem:
        what = "standard output" if problem.filename is None else problem.filename
        status = _without_output(_refuse(name, f"{what}: {problem.strerror}"))
    except Exception as problem:  # pylint: disable=broad-except
        # 1, with which Python ends, would be a verdict.
        status = _refuse(name, f"unexpected {type(problem).__name__}: {problem}")
    sys.exit(status)


def write(path, text):
    """The whole file or, if that fails, none."""
    with _written(path) as partial:
        with open(partial, "w", encoding="utf-8") as file:
            file.write(text)
        if partial != path:
            os.replace(partial, os.path.realpath(path))


def check_writable(path):
    """Raises what write() would, where that is known before, and leaves nothing."""
    with _written(path) as partial:
        if partial != path or os.path.isdir(path):
            with open(partial, "w", encoding="utf-8"):
                pass


@contextlib.contextmanager
def _written(path):
    """The path of what becomes the file, in its folder; it is removed if it did not."""
    # A pipe or a device stays what it is.
    is_special = os.path.exists(path) and not os.path.isfile(path)
    partial = path if is_special else f"{os.path.realpath(path)}.{os.getpid()}.partial"
    try:
        yield partial
    except OSError as error:
        raise recorded_run.UnusableRun(f"{path}: {error.strerror}") from error
    finally:
        if partial != path and os.path.exists(partial):
            os.remove(partial)


def _leave_ranks():
    """Of several ranks of mpirun only the first runs a script, so what it measures by is no rank."""
    for variable in [name for name in os.environ if name.startswith(("OMPI_", "PMIX_"))]:
        del os.environ[variable]


def _end_by(number, _):
    # Whoever ends a job tells its processes one by one and all at once.
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)
    raise _Ended(number)


def _refuse(name, problem):
    print(recorded_run.one_line(f"{programs.command(name)}: {problem}"), file=sys.stderr)
    return verdicts.UNUSABLE


def _without_output(status):
    # What is left to be written would fail once more as the process ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
