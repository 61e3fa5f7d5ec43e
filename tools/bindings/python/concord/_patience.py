# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C of calls, which nothing can stop once they run."""

import threading


def quick_size(elements, seconds):
    """Of how many elements a call takes no more than a tenth of a second, even where time grows
    with the square of the size, after one of so many took so long."""
    if seconds < 0.0015:
        return 8 * elements
    return 2 * elements if seconds < 0.025 else 0


def interruptibly(work):
    """What work() gives. It runs in another thread, so that this one hears Ctrl-C: whatever that
    raises leaves the work to itself, which has to keep all that it needs."""
    if threading.current_thread() is not threading.main_thread():
        return work()  # here nobody hears anything
    results = []
    thread = threading.Thread(target=lambda: results.append(work()), name="concord", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the interpreter is about to end
        return work()
    thread.join()
    return results[0]
