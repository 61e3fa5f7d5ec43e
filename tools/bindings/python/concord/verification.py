# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The differential engine: implementations against the reference."""

from __future__ import annotations

import ctypes
import json
import threading
from typing import Any, Callable, NamedTuple

from concord import _checks
from concord._library import LIBRARY, Owner, check, encode, handle_of, text_of, texts
from concord._prototypes import Progress

# Seconds from one look at the progress to the next.
_PAUSE = 0.1


class Verified(NamedTuple):
    """What a verification found."""

    executed: int
    seconds: float
    cancelled: bool
    implementations: list  # of dicts: implementation, executed, skipped
    failures: list  # of dicts: implementation, report, file

    @property
    def passed(self) -> bool:
        """Whether cases ran, and none failed."""
        return self.executed > 0 and not self.failures


class _Run(Owner):
    """One verification in a thread of its own, so that this one hears Ctrl-C."""

    def __init__(self, pattern, options):
        self._handle = None
        given, count = texts(options)
        self._handle = handle_of(LIBRARY.concord_verification_create, encode(pattern, "pattern"),
                                 given, count)
        self._error = None
        self._thread = threading.Thread(target=self._work, name="concord.verify", daemon=True)

    def __del__(self, _free=LIBRARY.concord_verification_free):
        _free(self._handle)

    def _work(self):
        try:
            check(LIBRARY.concord_verification_run(self._handle))
        except Exception as error:  # raised again where somebody waits
            self._error = error

    def progress(self):
        """How far it is."""
        progress = Progress()
        check(LIBRARY.concord_verification_progress(self._handle, ctypes.byref(progress)))
        return progress.executed, progress.failures, progress.planned, progress.seconds

    def wait(self, show):
        """Until it is over; whatever interrupts the waiting ends the work, too."""
        self._thread.start()
        try:
            while self._thread.is_alive():
                self._thread.join(_PAUSE)
                if show is not None and show(*self.progress()) is False:
                    self._cancel()
        except BaseException:
            self._cancel()
            raise
        if self._error is not None:
            raise self._error

    def _cancel(self):
        check(LIBRARY.concord_verification_cancel(self._handle))
        self._thread.join()

    def result(self):
        """Of a run that is over."""
        found = json.loads(text_of(LIBRARY.concord_verification_result, self._handle))
        return Verified(**found)


def verify(pattern: str = "", *, backends: str = "", cases: int = 0, seconds: float = 0,
           seed: int = 1, largest_size: int | None = None, folder: Any = "",
           progress: Callable[..., Any] | None = None) -> Verified:
    """Tests implementations against the reference, as `concord verify` does.

    Args:
        pattern: part of the names of implementations, "scan/tbb"; "" is all.
        backends: on which, "tbb:1,tbb:3".
        cases: of each implementation; the standard suite first, random ones after it.
        seconds: at most, in all. Without cases and seconds the standard suite runs once.
        seed: of the random cases.
        largest_size: elements of random cases.
        folder: where the smallest failing cases are saved.
        progress: is called ten times a second with the cases executed, the failures among them,
            the cases in all (0 when only the clock ends the work) and the seconds so far. When
            it returns False the work ends, and the result is `cancelled`. Ctrl-C ends it, too.

    Returns:
        Verified, whose `failures` say how each implementation fails in its smallest case.
    """
    if progress is not None:
        _checks.function("progress", progress)
    options = [("backends", backends), ("cases", cases), ("seconds", seconds), ("seed", seed),
               ("largest-size", largest_size), ("folder", _checks.path(folder))]
    run = _Run(pattern, [f"{name}={value}" for name, value in options
                         if value is not None])
    run.wait(progress)
    return run.result()
