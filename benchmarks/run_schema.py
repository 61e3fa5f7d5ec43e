# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What a recorded run must be before anyone computes with it: results/SCHEMA.md, as a table."""

def _is_text(value):
    return isinstance(value, str)


def _is_shown(value):
    return _is_text(value) and value.isprintable()


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_positive(value):
    # Their products and quotients are finite as well.
    return _is_number(value) and 1e-100 <= value <= 1e100


def _is_rate(value):
    return _is_positive(value) or (_is_number(value) and value == 0)


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63


def _is_list_of(holds):
    return lambda value: isinstance(value, list) and all(holds(each) for each in value)


def _is_passes(value):
    return _is_list_of(lambda samples: samples != [] and _is_list_of(_is_positive)(samples))(value)


def _is_shown_by_name(value):
    return isinstance(value, dict) and all(map(_is_shown, [*value, *value.values()]))


_TEXT = (_is_text, "a text")
# Stands in tables, pages and verdicts as it is.
_SHOWN = (_is_shown, "a printable text")
_POSITIVE = (_is_positive, "a number from 1e-100 to 1e100")
_RATE = (_is_rate, "0 or a number from 1e-100 to 1e100")
_COUNT = (_is_count, "a whole number from 1 on")

_ROW = {
    "name": _TEXT,
    "real_time": _POSITIVE,
    "time_unit": (("ns", "us", "ms", "s").__contains__, "ns, us, ms or s"),
    "samples": _POSITIVE,
    "sample_seconds": (_is_passes, "lists of numbers from 1e-100 to 1e100"),
    "least_seconds": _POSITIVE,
    "most_seconds": _POSITIVE,
    "elements_per_second": _POSITIVE,
    "floor_bytes_per_second": _POSITIVE,
    "copy_bytes_per_second": _POSITIVE,
    "read_bytes_per_second": _POSITIVE,
    "fill_bytes_per_second": _RATE,
    "copy_share": _POSITIVE,
    "ceiling_share": _POSITIVE,
    "input_copy_seconds": _POSITIVE,
    "times_input_copy": _POSITIVE,
    "case_options": (_is_shown_by_name, "an object of printable texts"),
    "scaling": (("", "strong", "weak").__contains__, "strong or weak"),
    "members": _COUNT,
    "one_member": _SHOWN,
    "speed_up": _POSITIVE,
    "efficiency": _POSITIVE,
    "efficiency_refused": _SHOWN,
    "disturbed_by": (_is_list_of(_is_shown), "a list of printable texts"),
    # May have lines, which are a library's.
    "error_message": _TEXT,
}

# Of the context, all but these are texts; those of schema 1 have more.
_NO_TEXTS = {"num_cpus", "mhz_per_cpu", "caches", "load_avg"}
# What is computed with or given to programs, in every schema.
_USED = {"commit", "date", "seed", "repetitions", "max_seconds", "passes", "checker"}

# What a row has that did not fail, in every schema.
_MEASURED = ("real_time", "time_unit", "elements_per_second", "floor_bytes_per_second",
             "copy_share", "ceiling_share")


def _check_row(entry):
    for key, value in entry.items():
        if key in _ROW:
            holds, words = _ROW[key]
            if not holds(value):
                raise ValueError(f"'{key}' is not {words}")
    if not isinstance(entry.get("error_occurred", False), bool):
        raise ValueError("'error_occurred' is not true or false")
    failed = entry.get("error_occurred", False)
    for key in ("error_message",) if failed else _MEASURED:
        if key not in entry:
            raise ValueError(f"it has no '{key}'")
    if entry.get("scaling") and "efficiency" in entry and "speed_up" not in entry:
        raise ValueError("it has an 'efficiency' and no 'speed_up'")


def check(content, newest):
    """ValueError in words where `content` is no recorded run of a schema up to the newest."""
    if not isinstance(content, dict):
        raise ValueError("it is no object")
    schema = content.get("schema", 1)
    if not _is_count(schema):
        raise ValueError("'schema' is not a whole number from 1 on")
    if schema > newest:
        raise ValueError(f"schema {schema} is newer than what is read here, {newest}")
    context = content.get("context")
    rows = content.get("benchmarks")
    if not isinstance(context, dict):
        raise ValueError("it has no object 'context'")
    if not isinstance(rows, list):
        raise ValueError("it has no list 'benchmarks'")
    for key, value in context.items():
        if key in _USED and not _is_shown(value):
            raise ValueError(f"'{key}' of the context is not a printable text")
        if schema > 1 and key not in _NO_TEXTS and not _is_text(value):
            raise ValueError(f"'{key}' of the context is not a text")
    names = set()
    for place, entry in enumerate(rows):
        name = entry.get("name") if isinstance(entry, dict) else None
        if not _is_shown(name):
            raise ValueError(f"row {place + 1} has no name")
        if name in names:
            raise ValueError(f"row '{name}' stands twice")
        names.add(name)
        try:
            _check_row(entry)
        except ValueError as error:
            raise ValueError(f"row '{name}': {error}") from error
