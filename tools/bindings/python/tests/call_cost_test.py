# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What a call costs, beside one from C and beside NumPy: prints a table."""

import json
import os
import subprocess
import sys

ROUNDS = 8
CALL_COST = "tools/bindings/call_cost"

# The least of many batches, in microseconds.
MEASURE = """
import concord, json, numpy, time
x = numpy.arange(10, dtype=numpy.int32)
y = numpy.empty_like(x)
backend = concord.Backend("serial")
calls = {
    "numpy.cumsum(x)": lambda: numpy.cumsum(x),
    "concord.scan(x)": lambda: concord.scan(x),
    "concord.scan(x, backend=backend)": lambda: concord.scan(x, backend=backend),
    "concord.scan(x, backend=backend, out=y)": lambda: concord.scan(x, backend=backend, out=y),
}
best = dict.fromkeys(calls, 1e9)
for _ in range(300):
    for name, call in calls.items():
        start = time.perf_counter_ns()
        for _ in range(40):
            call()
        best[name] = min(best[name], (time.perf_counter_ns() - start) / 40e3)
print(json.dumps(best))
"""


def measured(extension):
    environment = {**os.environ, "CONCORD_EXTENSION": extension}
    printed = subprocess.run([sys.executable, "-B", "-c", MEASURE], env=environment, check=True,
                             capture_output=True, text=True).stdout
    return json.loads(printed)


def from_c():
    printed = subprocess.run([CALL_COST, "--benchmark_format=json", "--benchmark_filter=FromC$",
                              "--benchmark_min_time=0.1"], check=True, capture_output=True,
                             text=True).stdout
    return json.loads(printed)["benchmarks"][0]["cpu_time"] / 1e3


def least(rounds):
    return {name: min(one[name] for one in rounds) for name in rounds[0]}


def test_a_small_call_costs_two_microseconds_more_than_from_c():
    # In turns, so that all have the machine as it is.
    quick, slow, c = [], [], []
    for _ in range(ROUNDS):
        quick.append(measured("1"))
        slow.append(measured("0"))
        c.append(from_c())
    quick, slow, c = least(quick), least(slow), min(c)
    print(f"\n{'call':42} extension   ctypes\n{'concord_kernel_run from C':42} {c:9.2f}")
    for name, cost in quick.items():
        print(f"{name:42} {cost:9.2f} {slow[name]:8.2f}")
    assert quick["concord.scan(x, backend=backend)"] <= c + 2
