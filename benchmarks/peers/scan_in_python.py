# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Times prefix sums from Python: concord.scan beside numpy.cumsum on the host, and beside
cupy.cumsum and torch.cumsum on a GPU.

    python3 benchmarks/peers/scan_in_python.py [--sizes=10,268435456] [--out=FILE]

Libraries that are not there are left out, and so is the GPU. The elements are int32, and so are
the sums: NumPy's and CuPy's are told so. Every result is compared with NumPy's before it is
timed. A time is of a call whose result is complete when the clock stops: the least and the
median of several batches of calls."""

import argparse
import json
import statistics
import time

import numpy

import concord

# At most so many batches, and none is begun after so long. Calls in a batch
# take about so long together.
REPETITIONS = 25
MOST_SECONDS = 1.0
BATCH_SECONDS = 2e-3


def on_the_host(x):
    """Calls on arrays of NumPy's: (name, call, what makes an array of its result)."""
    y = numpy.empty_like(x)
    same = numpy.asarray
    return [
        ("numpy.cumsum", lambda: numpy.cumsum(x, dtype=numpy.int32), same),
        ("numpy.cumsum, out", lambda: numpy.cumsum(x, dtype=numpy.int32, out=y), same),
        ("concord.scan", lambda: concord.scan(x, kind="inclusive"), same),
        ("concord.scan, out", lambda: concord.scan(x, kind="inclusive", out=y), same),
    ]


def on_a_gpu(x):
    """Calls on arrays of CuPy's and PyTorch's, and what waits for them."""
    import cupy
    x, y = cupy.asarray(x), cupy.empty(x.size, cupy.int32)
    backend = concord.Backend("cuda:0")
    wait = cupy.cuda.Device().synchronize

    def complete(call):
        def run():
            result = call()
            wait()
            return result
        return run

    def host(result):
        return cupy.asnumpy(cupy.from_dlpack(result))

    calls = [
        ("cupy.cumsum", lambda: cupy.cumsum(x, dtype=cupy.int32), host),
        ("cupy.cumsum, out", lambda: cupy.cumsum(x, dtype=cupy.int32, out=y), host),
        ("concord.scan of CuPy's",
         lambda: concord.scan(x, kind="inclusive", backend=backend), host),
        ("concord.scan of CuPy's, out",
         lambda: concord.scan(x, kind="inclusive", backend=backend, out=y), host),
    ]
    try:
        import torch
    except ImportError as error:
        print(f"torch.cumsum is left out: {error}")
    else:
        t = torch.from_dlpack(x)
        u = torch.empty_like(t)
        calls += [
            ("torch.cumsum", lambda: torch.cumsum(t, 0, dtype=torch.int32), host),
            ("torch.cumsum, out", lambda: torch.cumsum(t, 0, dtype=torch.int32, out=u), host),
        ]
    return [(name, complete(call), made) for name, call, made in calls]


def seconds_of(call, times):
    """Of one of so many calls."""
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def samples_of(call):
    """Seconds of a call, batch by batch."""
    times = max(1, int(BATCH_SECONDS / seconds_of(call, 1)))
    start = time.perf_counter()
    samples = []
    while not samples or (len(samples) < REPETITIONS
                          and time.perf_counter() - start < MOST_SECONDS):
        samples.append(seconds_of(call, times))
    return samples


def measure(size):
    """The rows of one size."""
    x = (numpy.arange(size, dtype=numpy.int64) * 2654435761 >> 7 & 127).astype(numpy.int32)
    wanted = numpy.cumsum(x, dtype=numpy.int32)
    calls = on_the_host(x)
    try:
        calls += on_a_gpu(x)
    except (ImportError, concord.Unavailable) as error:
        print(f"the GPU is left out: {error}")
    rows = []
    for name, call, made in calls:
        row = {"call": name, "size": size}
        if numpy.array_equal(made(call()), wanted):
            row["samples"] = samples_of(call)
            print(f"{size:12} {name:28} {min(row['samples']) * 1e6:12.2f} us, median "
                  f"{statistics.median(row['samples']) * 1e6:12.2f} us", flush=True)
        else:
            row["error"] = "another result than NumPy's"
            print(f"{size:12} {name:28} {row['error']}")
        rows.append(row)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--sizes", default="10,268435456", help="numbers of elements")
    parser.add_argument("--out", help="a file for all rows with their samples, as JSON")
    arguments = parser.parse_args()
    rows = []
    for size in arguments.sizes.split(","):
        rows += measure(int(size))
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as out:
            json.dump({"version": concord.__version__, "rows": rows}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main()
