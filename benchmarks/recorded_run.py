# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what concord_bench --out=FILE wrote: results/SCHEMA.md, also older schemas."""

import json
import re
import statistics

import run_schema

SCHEMA = 2

_MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}

# In a name: algorithm, backend, variant, type and size stand before the options; distribution,
# scope and cache after them.
_BEFORE, _AFTER = 5, 3
_OPTION = re.compile(r"[a-z][a-z0-9_-]*(:|$)")


class UnusableRun(Exception):
    """The file is no recorded run; the message names it and says why."""


def parts_of(name):
    """The parts of a row's name, in its order. The value of an option may have slashes, such as
    program:map x / 3; concord_bench --rows_from tells them apart alike (AxesOfRow)."""
    parts = name.split("/")
    if len(parts) < _BEFORE + _AFTER:
        raise ValueError(f"row '{name}' is not named like a row of concord_bench")
    if not re.fullmatch("n:[1-9][0-9]{0,17}", parts[_BEFORE - 1]):
        raise ValueError(f"row '{name}' does not name its size, such as n:1024")
    options = []
    for part in parts[_BEFORE:-_AFTER]:
        if options and not _OPTION.match(part):
            options[-1] += "/" + part
        else:
            options.append(part)
    return [*parts[:_BEFORE], *options, *parts[-_AFTER:]]


class Row:
    """One line: its name, the parts of the name, and what was measured."""

    def __init__(self, entry):
        self.name = entry["name"]
        parts = parts_of(self.name)
        self.algorithm, self.backend, self.variant = parts[:3]
        self.case = parts[3:-2]
        self.scope, self.cache = parts[-2:]
        # Elements, or what the algorithm counts in.
        self.size = int(parts[_BEFORE - 1][2:])
        # Options that the case itself sets, whatever the row was asked for.
        self.case_options = entry.get("case_options", {})
        # Options that are numbers, by name; one of more digits is a text.
        self.numbers = self._numbers()
        # "strong" or "weak": the row shows how members share work out.
        self.scaling = entry.get("scaling", "")
        self.members = entry.get("members", 1)
        self.error = entry.get("error_message") if entry.get("error_occurred") else None
        self.counters = entry
        # Seconds, a list for each pass; none in files of schema 1.
        self.passes = entry.get("sample_seconds", [])
        # What else the machine did meanwhile, in words.
        self.disturbed = "; ".join(entry.get("disturbed_by", []))
        self.microseconds = None
        if self.error is None:
            self.microseconds = entry["real_time"] * _MICROSECONDS[entry["time_unit"]]

    def _numbers(self):
        named = [part.partition(":") for part in self.case]
        values = {name: value for name, _, value in named if name != "n"}
        values.update(self.case_options)
        return {name: int(value) for name, value in values.items()
                if re.fullmatch(r"-?[0-9]{1,18}", value)}

    def rival(self, variant):
        """The name that this row has for another variant of its backend."""
        return "/".join(
            [self.algorithm, self.backend, variant, *self.case, self.scope, self.cache]
        )

    def ceiling(self):
        """What of the machine bounds it, in bytes per second."""
        return self.counters["floor_bytes_per_second"] / self.counters["ceiling_share"]

    def independent(self):
        """Seconds measured apart from each other: a median for each pass, or, of a run with
        one pass, its samples."""
        if len(self.passes) == 1:
            return self.passes[0]
        return [statistics.median(samples) for samples in self.passes]

    def sample_count(self):
        """How many independent samples there are, or, in a file without them, were."""
        return len(self.independent()) if self.passes else self.counters.get("samples", 0)


def load(path, pattern=""):
    """(context, rows) of the file, or of standard input where the path is "-"; only rows whose
    names match the pattern."""
    try:
        is_input = path == "-"
        if is_input:
            path = "standard input"
        with open(0 if is_input else path, encoding="utf-8", closefd=not is_input) as file:
            content = json.load(file)
        # JSON can spell halves of a character (\ud800), which nothing could print or write.
        json.dumps(content, ensure_ascii=False).encode("utf-8")
        run_schema.check(content, SCHEMA)
        rows = [Row(entry) for entry in content["benchmarks"]]
        context = content["context"]
    except OSError as error:
        raise UnusableRun(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UnusableRun(f"{path}: not a recorded run ({error})") from error
    wanted = selection(pattern)
    return context, [row for row in rows if wanted(row.name)]


def selection(pattern):
    """The function that says of the name of a row whether the pattern matches it."""
    try:
        return re.compile(pattern).search
    except re.error as error:
        raise UnusableRun(f"'{pattern}' is no regular expression: {error}") from error


def machine(context):
    """The processors that a run used: what each backend computes on."""
    return {
        key.rpartition(".")[0]: value
        for key, value in context.items()
        if key.rpartition(".")[2] in ("gpu", "cpu")
    }


def are_of_one_machine(first, second):
    """Whether two contexts have the same processors. A part of a run's rows opens a part of its
    backends."""
    part, whole = sorted((machine(first), machine(second)), key=len)
    if not part:
        return not whole
    return all(whole.get(backend) == value for backend, value in part.items())


def processor(context, backend):
    """What rows of this backend, such as tbb or tbb:2, were computed on: what was opened for them,
    such as tbb:2, and the name of the processor; None: not said."""
    for opened, value in machine(context).items():
        if opened == backend or opened.partition(":")[0] == backend:
            return opened, value
    return None


def one_line(text):
    """As a terminal or a page may have it, whatever a file or a library put into it."""
    return "".join(character if character.isprintable() else " " for character in text)


def time_text(microseconds):
    """With three significant digits and a fitting unit."""
    for factor, unit in ((1e6, "s"), (1e3, "ms"), (1.0, "us")):
        if microseconds >= factor:
            return f"{_three_digits(microseconds / factor)} {unit}"
    return f"{_three_digits(microseconds * 1e3)} ns"


def rate_text(rate, unit):
    """Such as 3.13 TB/s."""
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= factor:
            return f"{_three_digits(rate / factor)} {prefix}{unit}/s"
    return f"{_three_digits(rate)} {unit}/s"


def count_text(count):
    """Such as 1.6 M."""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= factor:
            return f"{count / factor:.3g} {prefix}"
    return f"{count:.3g}"


def _three_digits(value):
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{decimals}f}"
