# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""How the scripts for recorded runs begin, with flags, and how they end: with a status, and one
line for what they refuse.

Each first puts its folder, and so this file, where Python finds it. Under PYTHONSAFEPATH Python
does not look there, and would end with 1, which is a verdict."""

import argparse
import contextlib
import os
import re
import signal
import sys

import programs
import recorded_run
import verdicts

_INTERRUPTED = 128 + 2
_NOBODY_READS = 128 + 13
_ENDING = (signal.SIGTERM, signal.SIGHUP)

# As many as Linux follows before it speaks of a loop.
_MOST_LINKS = 40


class _Ended(BaseException):
    """By a signal. On the way out, programs end and temporary files go."""


class _Help(argparse.HelpFormatter):
    """With an empty line between paragraphs."""

    def _fill_text(self, text, width, indent):
        return "\n\n".join(super(_Help, self)._fill_text(paragraph, width, indent)
                           for paragraph in text.split("\n\n"))


class _Parser(argparse.ArgumentParser):
    """What it refuses ends the script as any input does that cannot be used, without the usage."""

    def error(self, message):
        raise recorded_run.UnusableRun(message)


def parser(name, text, *more):
    """The parser of the script `name`, whose text is its summary and its exit statuses. Further
    paragraphs of --help stand between these."""
    summary, *_, statuses = text.strip().split("\n\n")
    return _Parser(prog=programs.command(name), description=summary,
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
    """The whole file or, if that fails, none. A descriptor that is open, such as "-" and
    /dev/stdout, is written where it stands."""
    with _written(path) as partial:
        with _opened(path, partial) as file:
            file.write(text)
        if partial:
            os.replace(partial, os.path.realpath(path))


def is_standard_output(path):
    """Whether write() writes there, so that nothing else should."""
    return _descriptor(path) == 1


def check_writable(path):
    """Raises what write() would, where that is known before, and leaves nothing."""
    with _written(path) as partial:
        # To open a pipe is an event for whoever reads it.
        if partial or os.path.isdir(path) or _descriptor(path) is not None:
            _opened(path, partial).close()


@contextlib.contextmanager
def _written(path):
    """The path of what becomes the file, in its folder; it is removed if it did not. None for
    what stays what it is: a pipe, a device or a descriptor."""
    is_special = os.path.exists(path) and not os.path.isfile(path)
    partial = None
    if not is_special and _descriptor(path) is None:
        partial = f"{os.path.realpath(path)}.{os.getpid()}.partial"
    try:
        yield partial
    except OSError as error:
        what = "standard output" if path == "-" else path
        raise recorded_run.UnusableRun(f"{what}: {error.strerror}") from error
    finally:
        if partial and os.path.exists(partial):
            os.remove(partial)


def _opened(path, partial):
    """What is written: `partial`, with the permissions of the old file, or the path itself."""
    if not partial:
        descriptor = _descriptor(path)
        return open(path if descriptor is None else os.dup(descriptor), "w", encoding="utf-8")
    if not os.path.exists(path):
        return open(partial, "w", encoding="utf-8")
    mode = os.stat(path).st_mode & 0o777
    file = open(partial, "w", encoding="utf-8",
                opener=lambda name, flags: os.open(name, flags, mode))
    # What the user's umask took away.
    os.fchmod(file.fileno(), mode)
    return file


def _descriptor(path):
    """Which of the descriptors of this process that is: 1 for "-" and /dev/stdout, 3 for /dev/fd/3
    and for a link to it. None for other files. What opens such a path anew, or replaces its file, destroys
    what is there."""
    if path == "-":
        return 1
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(path)
        if (re.fullmatch("[0-9]+", name)
                and os.path.realpath(folder) == os.path.realpath("/proc/self/fd")):
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def _leave_ranks():
    """Of several ranks of mpirun only the first runs a script, so what it measures by is no rank.
    Outside of mpirun, settings of Open MPI's are those of a program that starts ranks itself."""
    if "OMPI_COMM_WORLD_SIZE" not in os.environ:
        return
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
