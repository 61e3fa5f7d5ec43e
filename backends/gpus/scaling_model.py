#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""How reduce, scan, radix_sort and compact share out among GPUs and hosts: a model, fitted to
what was measured on 1, 2 and 4 GPUs, and what it says of 8 GPUs and 64 hosts.

Prints the tables of SCALING.md, which says what the formulas mean.
"""

import argparse
import math

# Measured on NVIDIA H200s of one host (NVLink, CUDA 13.0), by prototypes of these algorithms,
# 2026-11-22, checked in the same run. Microseconds by the binary logarithm of the elements.
REDUCE = {1: {26: 67.6, 28: 244, 30: 943, 32: 3654},
          2: {26: 46.5, 28: 136, 30: 491, 32: 1849},
          4: {26: 32.0, 28: 80.3, 30: 257, 32: 950}}
SCAN = {1: {26: 137, 28: 524, 30: 2064, 32: 8320},
        2: {26: 78.2, 28: 272, 30: 1047, 32: 4183},
        4: {26: 49.8, 28: 152, 30: 559, 32: 2207}}
BLOCKED_SCAN = {1: SCAN[1], 2: {26: 137, 28: 419, 30: 1541, 32: 6044},
                4: {26: 135, 28: 250, 30: 825, 32: 3058}}
SORT = {1: {26: 1180, 28: 4510, 30: 17800, 31: 35600, 32: 71200},
        2: {26: 815, 28: 2900, 30: 10200, 31: 19800, 32: 39200},
        4: {26: 629, 28: 1600, 30: 5510, 31: 10300, 32: 20100}}
# This project's own backend, backends/gpus/NOTES.md, 2026-11-23. Nothing is fitted to these.
OWN = {"reduce": {28: 142, 30: 491}, "scan, striped": {28: 287, 30: 1072},
       "scan, blocked": {28: 415, 30: 1540}}
# One GPU, 2^28 int32: microseconds by the part that is kept. h200_2026-11-22_primitives.
COMPACT = {0.75: 460, 0.1: 345}

# Bytes a second into and out of each GPU, all at once: copy engines beside a kernel, and kernels
# that write to another's memory.
COPIES, STORES = 281e9, 363e9
# Words that a block of the prototype's scan adds up for each tile, for each member: its 132
# multiprocessors.
WORDS = 132
# Tiles of a stripe, which other members are told of by one word.
TILES = 64
# Of the sort's time on several GPUs, the part before keys begin to cross.
BEFORE_CROSSING = 0.38
# A chunk of reduce's tree of float sums, whose result ranks tell each other.
CHUNK = 65536

ELEMENT = 4  # bytes


class Line:
    """Microseconds as a constant and a slope (microseconds an element) over elements, by least
    squares of the relative errors."""

    def __init__(self, points):
        s = [0.0] * 5
        for exponent, time in points.items():
            n = 2.0**exponent
            for k, term in enumerate((1, n, n * n, time, n * time)):
                s[k] += term / time**2
        determinant = s[0] * s[2] - s[1] ** 2
        self.constant = (s[3] * s[2] - s[1] * s[4]) / determinant
        self.slope = (s[0] * s[4] - s[1] * s[3]) / determinant

    def at(self, n):
        return self.constant + n * self.slope


def meeting_of(points, slope):
    """The constant alone, where the slope is known."""
    weights = {exponent: time**-2 for exponent, time in points.items()}
    return sum(weight * (points[exponent] - 2.0**exponent * slope)
               for exponent, weight in weights.items()) / sum(weights.values())


class Model:
    """Of one algorithm: `one` GPU is a line, several take `meeting` and a slope."""

    def __init__(self, measured):
        self.measured, self.one = measured, Line(measured[1])
        self.meeting = {}

    def fit_meeting(self):
        for p in (2, 4):
            self.meeting[p] = meeting_of(self.measured[p], self.slope(p))

    def meeting_at(self, p):
        """Members are awaited one by one, so it grows with their number."""
        more = (self.meeting[4] - self.meeting[2]) / 2
        return self.meeting[2] + max(0.0, more) * (p - 2)

    def time(self, n, p):
        return self.one.at(n) if p == 1 else self.meeting_at(p) + n * self.slope(p)

    def slope(self, p):
        raise NotImplementedError


class Reduce(Model):
    def __init__(self):
        super().__init__(REDUCE)
        self.fit_meeting()

    def slope(self, p):
        return self.one.slope / p


class Scan(Model):
    """Striped: a block of the prototype adds up the words of all members for each tile, which hides
    behind the tile's memory until there are too many."""

    def __init__(self):
        super().__init__(SCAN)
        lines = {p: Line(SCAN[p]) for p in (2, 4)}
        excess = {p: line.slope * p / self.one.slope - 1 for p, line in lines.items()}
        self.by_word = (excess[4] - excess[2]) / (2 * WORDS)
        self.hidden_words = 2 * WORDS - excess[2] / self.by_word
        self.fit_meeting()

    def slope(self, p, words=None):
        words = WORDS * p if words is None else words
        excess = max(0.0, words - self.hidden_words) * self.by_word
        return self.one.slope / p * (1 + excess)


class BlockedScan(Model):
    """What each stretch amounts to, then the scan of each: three moves of the elements."""

    def __init__(self, reduce):
        super().__init__(BLOCKED_SCAN)
        self.reads = reduce.one.slope
        self.fit_meeting()

    def slope(self, p):
        return (self.reads + self.one.slope) / p


class Sort(Model):
    """One more pass that counts, and copies to other members behind the last passes."""

    def __init__(self, reduce):
        super().__init__(SORT)
        self.counts = reduce.one.slope
        exposed = []
        for p in (2, 4):
            local = Line(SORT[p]).slope * p - self.one.slope - self.counts
            exposed.append(local / self.crossing(p))
        self.exposed = sum(exposed) / 2
        self.fit_meeting()

    @staticmethod
    def crossing(p, rate=COPIES):
        """Microseconds that an element takes, on average, to where it belongs."""
        return ELEMENT * (p - 1) / p / rate * 1e6

    def slope(self, p, network=None):
        """`network`: bytes a second of a GPU to other hosts."""
        work = self.one.slope + self.counts
        crossing = self.crossing(p) if network is None else self.crossing(p, network)
        before = BEFORE_CROSSING * work
        return (before + max(work - before + self.exposed * crossing, crossing)) / p


def compact_slope(kept, p, rate):
    """Without a meeting: counting, then one pass whose kept elements go where they belong."""
    one = COMPACT[kept] / 2**28
    if p == 1:
        return one
    crossing = ELEMENT * kept * (p - 1) / p / rate * 1e6
    return (REDUCE_MODEL.one.slope + max(one, crossing)) / p


REDUCE_MODEL = Reduce()
MODELS = {"reduce": REDUCE_MODEL, "scan, striped": Scan(),
          "scan, blocked": BlockedScan(REDUCE_MODEL), "radix_sort": Sort(REDUCE_MODEL)}


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |",
             "| --- |" + " ---: |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _rate(slope, bytes_of_element):
    return f"{bytes_of_element / slope * 1e-6:.2f} TB/s"


def constants():
    scan, sort = MODELS["scan, striped"], MODELS["radix_sort"]
    rows = [["`reduce`: elements read by one GPU", _rate(REDUCE_MODEL.one.slope, ELEMENT)],
            ["`scan`: elements read and written by one GPU", _rate(scan.one.slope, 2 * ELEMENT)],
            ["`scan`: words a tile that hide behind its memory", f"{scan.hidden_words:.0f}"],
            ["`scan`: longer for each further hundred words", f"{1e4 * scan.by_word:.1f} %"],
            ["`radix_sort`: keys of one GPU", f"{1e-3 / sort.one.slope:.1f} G/s"],
            ["`radix_sort`: part of the copies' time that shows", f"{sort.exposed:.2f}"]]
    for name, model in MODELS.items():
        two, four = model.meeting[2], model.meeting[4]
        rows.append([f"{name}: meeting of 2, of 4 members", f"{two:.0f}, {four:.0f} us"])
    return table(["constant", "fitted"], rows)


def comparison():
    """Every measured point of several GPUs beside the model."""
    rows = []
    for name, model in MODELS.items():
        for p in (2, 4):
            for exponent, time in model.measured[p].items():
                n = 2.0**exponent
                rows.append([f"{name}, 2^{exponent}", str(p), f"{time:.0f}",
                             f"{model.time(n, p):.0f}",
                             f"{model.measured[1][exponent] / p / time:.2f}",
                             f"{model.one.at(n) / p / model.time(n, p):.2f}"])
    return table(["case", "GPUs", "measured, us", "model, us", "efficiency", "model"], rows)


def own():
    rows = []
    for name, points in OWN.items():
        for exponent, time in points.items():
            predicted = MODELS[name].time(2.0**exponent, 2)
            rows.append([f"{name}, 2^{exponent}", str(time), f"{predicted:.0f}",
                         f"{100 * (time / predicted - 1):+.0f} %"])
    return table(["case", "measured, us", "model, us", "longer by"], rows)


def eight_gpus():
    """(name, strong at 2^32, weak at 2^30 each) on one host."""
    found = []
    for name, model in MODELS.items():
        found.append((name, model.one.at(2**32) / 8 / model.time(2**32, 8),
                      model.one.at(2**30) / model.time(8 * 2**30, 8)))
    scan = MODELS["scan, striped"]
    # What a block adds up since the last of a stripe's tiles adds those up for other members.
    by_stripe = scan.slope(8, WORDS + TILES + 2 * 7)
    found.insert(2, ("scan, striped, a word for each stripe",
                     scan.one.at(2**32) / 8 / (scan.meeting_at(8) + 2**32 * by_stripe),
                     scan.one.at(2**30) / (scan.meeting_at(8) + 2**33 * by_stripe)))
    for kept in COMPACT:
        factor = compact_slope(kept, 1, STORES) / 8 / compact_slope(kept, 8, STORES)
        found.append((f"compact, {kept:.0%} kept", factor, factor))
    return found


def many_hosts(network, latency, hosts=64, each=2**30):
    """(name, efficiency) of 8 GPUs on each host with `each` elements a GPU."""
    gpus, n = 8 * hosts, 8 * hosts * each
    reduce, scan, sort = REDUCE_MODEL, MODELS["scan, striped"], MODELS["radix_sort"]
    # A value from everybody to everybody, and the results of all chunks.
    tell = latency * 1e6 * math.ceil(math.log2(hosts))
    chunks = ELEMENT * n / CHUNK * (hosts - 1) / hosts / (8 * network) * 1e6
    totals = reduce.time(8 * each, 8) + tell
    found = [
        ("reduce", reduce.one.at(each) / totals),
        ("reduce, float sums", reduce.one.at(each) / (totals + chunks)),
        ("scan", scan.one.at(each) / (totals + scan.time(8 * each, 8))),
        ("radix_sort",
         sort.one.at(each) / (sort.meeting_at(8) + tell + n * sort.slope(gpus, network))),
    ]
    for kept in COMPACT:
        time = n * compact_slope(kept, gpus, network) + tell
        found.append((f"compact, {kept:.0%} kept", each * compact_slope(kept, 1, network) / time))
    return found


def predictions(network, latency):
    one_host = table(["8 GPUs of one host", "2^32 in all", "2^30 each"],
                     [[name, f"{strong:.2f}", f"{weak:.2f}"]
                      for name, strong, weak in eight_gpus()])
    many = table(["64 hosts of 8 GPUs", "2^30 each"],
                 [[name, f"{weak:.2f}"] for name, weak in many_hosts(network, latency)])
    return one_host + "\n\n" + many


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--network", type=float, default=45e9, metavar="BYTES",
                        help="a second, of each GPU to other hosts (default: %(default).0f)")
    parser.add_argument("--latency", type=float, default=5e-6, metavar="SECONDS",
                        help="of a message between hosts (default: %(default)g)")
    arguments = parser.parse_args(words)
    print("\n\n".join([constants(), comparison(), own(),
                       predictions(arguments.network, arguments.latency)]))


if __name__ == "__main__":
    main()
