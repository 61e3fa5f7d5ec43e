# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs two benchmark programs in turns, sample by sample.

One of them runs at a time: it is let take a sample, and prepare what comes after it, until
it asks for the next one. So what else the machine does meets both alike. A round is a
process of each; memory is laid out anew in the next.
"""

import contextlib
import os
import subprocess
import tempfile

import programs
import recorded_run


class _Program:
    """A benchmark program that waits for its turns."""

    def __init__(self, command, out):
        self.command, self.out = command, out
        programs.forget(out)
        self._asked, asks = os.pipe()
        granted, self._grants = os.pipe()
        with open(out + ".log", "w", encoding="utf-8") as log:
            self._running = contextlib.ExitStack()
            self._process = self._running.enter_context(programs.started(
                [*command, f"--out={out}", f"--turns={asks},{granted}"],
                pass_fds=(asks, granted),
                stdout=subprocess.DEVNULL,
                stderr=log,
            ))
        os.close(asks)
        os.close(granted)

    def work(self):
        """Until it asks for a turn: True; or until its end."""
        return os.read(self._asked, 1) != b""

    def grant(self):
        """Lets it go on; of one that has died meanwhile, finish() tells."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._grants, b".")

    def finish(self):
        """After its end. Raises what says why it has not measured."""
        status = self._process.wait()
        with open(self.out + ".log", encoding="utf-8", errors="replace") as log:
            last = log.read().strip().splitlines()[-1:]
        programs.check(status, self.out,
                       f"{self.command[0]}: exit status {status}: {''.join(last)}")

    def close(self):
        """Nobody waits for it any more; it ends, if it has not."""
        os.close(self._asked)
        os.close(self._grants)
        self._running.close()


def _take_turns(both):
    """Until they have ended."""
    running = [program for program in both if program.work()]
    while running:
        for program in list(running):
            program.grant()
            if not program.work():
                running.remove(program)


class Interleaved:
    """Rounds of two programs, given as commands."""

    def __init__(self, base, new, flags):
        self._commands = ([*base, *flags], [*new, *flags])
        self._folder = tempfile.TemporaryDirectory()
        self._round = 0

    def close(self):
        """Removes what the programs wrote."""
        self._folder.cleanup()

    def rounds(self, count, names=None):
        """Yields the (base, new) rows of each round, by name; of `names` alone, if given."""
        only = []
        if names is not None:
            path = os.path.join(self._folder.name, "rows.json")
            programs.write_rows(path, [{"name": name} for name in names])
            only = [f"--rows_from={path}"]
        for _ in range(count):
            yield self._run(only)

    def _run(self, flags):
        outs = [os.path.join(self._folder.name, name) for name in ("base.json", "new.json")]
        # Whoever is first in a round is second in the next.
        order = (0, 1) if self._round % 2 == 0 else (1, 0)
        self._round += 1
        with contextlib.ExitStack() as running:
            both = []
            for side in order:
                program = _Program([*self._commands[side], *flags], outs[side])
                both.append(running.enter_context(contextlib.closing(program)))
            _take_turns(both)
            for program in both:
                program.finish()
        return [{row.name: row for row in recorded_run.load(out)[1]} for out in outs]
