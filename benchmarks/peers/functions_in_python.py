# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Times functions of a user's own on a GPU, by Concord's Python module and by CuPy, JAX and
PyTorch, each in the form that a knowing user would write.

    python3 benchmarks/peers/functions_in_python.py [--log2-size=28] [--out=FILE]

Libraries that are not there are left out. All work on the same int32 elements, and every
result is compared with Concord's before it is timed; one that differs has no time. Concord's
is compared with NumPy's on the first elements. A time is of a call whose result is complete
when the clock stops: the median of several, after the first, which is told beside it."""

import argparse
import json
import os
import statistics
import sys
import time

import numpy

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

# CuPy takes no hexadecimal numbers in a reduction.
SIX = "((((x * 2 + 1) ^ 85) * 3 - 7) & 65535)"
BRACKETS = "map (x, min(x, 0)) |> reduce (s, m), (t, n) -> (s + t, min(m, s + n))"
LARGEST = ("map { v = int64(x); (v, v, v, v) } |> reduce (s, p, f, b), (t, q, g, c) -> "
           "(s + t, max(p, s + q), max(g, t + f), max(b, max(c, f + q))) |> "
           "map (s, p, f, b) -> b")
# How often each work is timed.
REPETITIONS = 15
# What is compared with NumPy.
FEW = 1 << 20


def six(x):
    """The function of SIX, for any library's arrays."""
    return (((x * 2 + 1) ^ 0x55) * 3 - 7) & 0xFFFF


class Concord:
    """Programs as text, by the default: interpreted, until compiling has paid."""

    name = "Concord"
    variant = ""

    def __init__(self, host):
        import concord
        self.concord, self.backend = concord, concord.Backend("cuda:0")
        self.version = concord.__version__
        self.x = self.backend.array(host)
        self.complete = lambda result: result
        self.work = {
            "sum of 6 operations": self._program(f"map {SIX} |> reduce a + b"),
            "scan of 6 operations": self._program(f"map {SIX} |> scan a + b"),
            "map of 6 operations": self._program(f"map {SIX}"),
            "filter of 6 operations": self._program(f"map {SIX} |> filter (x & 7) < 6"),
            "brackets": self._program(BRACKETS),
            "largest run": self._program(LARGEST),
        }

    def _program(self, text):
        return lambda: self.concord.sequence(text, self.x, backend=self.backend,
                                             variant=self.variant)

    def host(self, result):
        """A result as an array of NumPy's."""
        parts = result if isinstance(result, tuple) else (result,)
        return numpy.concatenate([part.numpy() for part in parts])


class Compiled(Concord):
    """The same, compiled at the first call."""

    name = "Concord, spliced"
    variant = "spliced"


class CuPy:
    """Kernels that fuse a map with a sum, and maps with nothing else."""

    name = "CuPy"

    def __init__(self, host):
        import cupy
        self.cupy, self.version, self.x = cupy, cupy.__version__, cupy.asarray(host)
        total = cupy.ReductionKernel("int32 x", "int32 y", SIX, "a + b", "y = a", "0", "total")
        mapped = cupy.ElementwiseKernel("int32 x", "int32 y", f"y = {SIX}", "mapped")
        self.complete = lambda result: cupy.cuda.get_current_stream().synchronize()

        def kept():
            y = mapped(self.x)
            return y[(y & 7) < 6]

        def brackets():
            sums = cupy.cumsum(self.x, dtype=cupy.int32)
            return cupy.stack([sums[-1], cupy.minimum(sums.min(), 0)])

        self.work = {
            "sum of 6 operations": lambda: total(self.x),
            "scan of 6 operations": lambda: cupy.cumsum(mapped(self.x), dtype=cupy.int32),
            "map of 6 operations": lambda: mapped(self.x),
            "filter of 6 operations": kept,
            "brackets": brackets,
        }

    def host(self, result):
        """A result as an array of NumPy's."""
        return self.cupy.asnumpy(result)


class Jax:
    """Functions that XLA compiles whole."""

    name = "JAX"

    def __init__(self, host):
        import jax
        jax.config.update("jax_enable_x64", True)
        jnp, lax = jax.numpy, jax.lax
        self.version, self.x = jax.__version__, jax.device_put(host)
        self.complete = jax.block_until_ready

        def brackets(x):
            sums = jnp.cumsum(x, dtype=jnp.int32)
            return jnp.stack([sums[-1], jnp.minimum(sums.min(), 0)])

        def largest(x):
            sums = jnp.cumsum(x, dtype=jnp.int64)
            before = jnp.concatenate([jnp.zeros(1, jnp.int64), lax.cummin(sums)[:-1]])
            return jnp.max(sums - jnp.minimum(before, 0))

        functions = {
            "sum of 6 operations": lambda x: jnp.sum(six(x), dtype=jnp.int32),
            "scan of 6 operations": lambda x: jnp.cumsum(six(x), dtype=jnp.int32),
            "map of 6 operations": six,
            "brackets": brackets,
            "largest run": largest,
        }
        self.work = {name: self._compiled(jax.jit(function))
                     for name, function in functions.items()}
        mapped = jax.jit(six)

        def kept():
            y = mapped(self.x)
            return y[(y & 7) < 6]

        self.work["filter of 6 operations"] = kept

    def _compiled(self, function):
        return lambda: function(self.x)

    def host(self, result):
        """A result as an array of NumPy's."""
        return numpy.asarray(result)


class Torch:
    """Functions that torch.compile fuses."""

    name = "torch.compile"

    def __init__(self, host):
        import torch
        self.version, self.x = torch.__version__, torch.from_numpy(host).cuda()
        self.complete = lambda result: torch.cuda.synchronize()

        def kept(x):
            y = six(x)
            return y[(y & 7) < 6]

        def brackets(x):
            sums = torch.cumsum(x, 0, dtype=torch.int32)
            return torch.stack([sums[-1], sums.min().clamp(max=0)])

        def largest(x):
            sums = torch.cumsum(x, 0, dtype=torch.int64)
            before = torch.cummin(sums, 0).values.roll(1)
            before[0] = 0
            return (sums - before.clamp(max=0)).max()

        functions = {
            "sum of 6 operations": lambda x: six(x).sum(dtype=torch.int32),
            "scan of 6 operations": lambda x: torch.cumsum(six(x), 0, dtype=torch.int32),
            "map of 6 operations": six,
            "filter of 6 operations": kept,
            "brackets": brackets,
            "largest run": largest,
        }
        self.work = {name: self._compiled(torch.compile(function))
                     for name, function in functions.items()}

    def _compiled(self, function):
        return lambda: function(self.x)

    def host(self, result):
        """A result as an array of NumPy's."""
        return result.cpu().numpy()


def expected(x):
    """What NumPy gives, of each work."""
    y = six(x)
    sums = numpy.cumsum(x, dtype=numpy.int64)
    before = numpy.minimum.accumulate(numpy.concatenate([[0], sums]))[:-1]
    return {
        "sum of 6 operations": numpy.array([y.sum(dtype=numpy.int32)]),
        "scan of 6 operations": numpy.cumsum(y, dtype=numpy.int32),
        "map of 6 operations": y,
        "filter of 6 operations": y[(y & 7) < 6],
        "brackets": numpy.array([sums[-1], min(sums.min(), 0)], numpy.int32),
        "largest run": numpy.array([(sums - before).max()]),
    }


def seconds_of(library, work):
    """Of one call."""
    start = time.perf_counter()
    library.complete(work())
    return time.perf_counter() - start


def measure(library, name, reference):
    """The row of one work, a dict."""
    row = {"work": name, "library": library.name, "version": library.version}
    try:
        work = library.work[name]
        row["first_seconds"] = seconds_of(library, work)
        result = library.host(work()).ravel()
        if not numpy.array_equal(result, reference.ravel()):
            return {**row, "error": "another result than Concord's"}
        row["samples"] = [seconds_of(library, work) for _ in range(REPETITIONS)]
        row["seconds"] = statistics.median(row["samples"])
    except Exception as error:  # pylint: disable=broad-except
        # Whatever a library throws where it runs out of memory or refuses.
        text = str(error).strip().splitlines()
        row["error"] = f"{type(error).__name__}: {text[0] if text else ''}"[:120]
    return row


def check_concord(host):
    """Ends the program if NumPy has another result."""
    few = host[:FEW]
    library = Concord(few)
    for name, wanted in expected(few).items():
        got = library.host(library.work[name]())
        if not numpy.array_equal(got, wanted):
            sys.exit(f"functions_in_python: Concord's {name} is not what NumPy gives")


def print_row(row, concords):
    """One line of the table; `concords` are the seconds to compare with."""
    if "error" in row:
        print(f"{row['work']:24} {row['library']:16} {row['error']}")
        return
    print(f"{row['work']:24} {row['library']:16} {row['seconds'] * 1e3:10.4f} ms "
          f"{row['seconds'] / concords:8.2f} x   first call {row['first_seconds'] * 1e3:9.1f} ms",
          flush=True)


def run(log2_size):
    """All rows. One library's arrays are on the GPU at a time, beside the results of Concord's
    on the host."""
    shifted = numpy.arange(1 << log2_size, dtype=numpy.uint64) * numpy.uint64(2654435761)
    host = ((shifted >> numpy.uint64(7)) % numpy.uint64(100)).astype(numpy.int32) - 50
    del shifted
    check_concord(host)
    references, times, rows = {}, {}, []
    for make in (Compiled, Concord, CuPy, Jax, Torch):
        try:
            library = make(host)
        except ImportError as error:
            print(f"{make.name} is left out: {error}")
            continue
        for name in library.work:
            if make is Compiled:
                references[name] = library.host(library.work[name]())
            row = measure(library, name, references[name])
            if make is Compiled and "seconds" in row:
                times[name] = row["seconds"]
            print_row(row, times.get(name, float("nan")))
            rows.append(row)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--log2-size", type=int, default=28)
    parser.add_argument("--out", help="a file for all rows with their samples, as JSON")
    arguments = parser.parse_args()
    rows = run(arguments.log2_size)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as out:
            json.dump({"log2_size": arguments.log2_size, "rows": rows}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main()
