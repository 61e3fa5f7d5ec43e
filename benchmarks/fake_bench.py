# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs fake_bench for tests.

It times `negate` on the backend `fake`; the backend `absent` is not available. With $FAULT set,
results are wrong from the second run on; with $SCARCE set, the first run finds no memory.
"""

import os
import subprocess

ROW = "negate/fake/loop/int32/n:100/mode:plain/uniform/kernel/hot"
QUICK = ("--sizes=100", "--repetitions=2")


def bench(*arguments, **environment):
    return subprocess.run(
        ["benchmarks/fake_bench", *arguments],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
