# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""How far a long job is, on standard error where that is a terminal: a line that the next one
overwrites. progress.h is the same for the benchmark program."""

import math
import os
import sys
import time


class Progress:
    """Of one job, which begins now."""

    def __init__(self):
        self._on_terminal = sys.stderr.isatty()
        self._start = time.monotonic()

    def show(self, done, steps, what):
        """`steps` that are left are taken to last as long as those that are done."""
        seconds = time.monotonic() - self._start
        self._write(text(done, steps, seconds, what, _width() - 1))

    def end(self):
        """Others may write."""
        self._write("")

    def _write(self, line):
        if self._on_terminal:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()


def text(done, steps, seconds, what, width):
    """'[12/96] rounds of 5 rows: about 3 min left', at most `width` characters."""
    left = f": about {_duration(seconds / done * (steps - done))} left" if done else ""
    before = f"[{done}/{steps}] "
    return (before + what[:max(width - len(before) - len(left), 0)] + left)[:width]


def _width():
    try:
        # Of a terminal that does not say how wide it is: 0.
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _duration(seconds):
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
