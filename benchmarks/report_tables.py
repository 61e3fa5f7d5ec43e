# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The Markdown tables of a recorded run that READMEs show."""

import math

import recorded_run
import scaling_views


def _line(cells):
    """A row of a table, whatever is in the cells."""
    texts = [recorded_run.one_line(cell).replace("\\", "\\\\").replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(texts)} |"


def _case_text(row):
    """'int32, 2^28, op:add, uniform'."""
    parts = []
    for part in row.case:
        if part.startswith("n:"):
            size = int(part[2:])
            exponent = size.bit_length() - 1
            power = size >= 1024 and size == 1 << exponent
            part = f"2^{exponent}" if power else f"{size:,}"
        parts.append(part)
    return ", ".join(parts)


def _share_text(row):
    """Of the copy, or, where that does not apply, of reading or filling alone. From host
    memory: the time as a multiple of the time to copy the input to the device."""
    counters = row.counters
    if "times_input_copy" in counters:
        return f"{counters['times_input_copy']:.2f} times the input's copy"
    percent = f"{100 * counters['ceiling_share']:.1f} %"
    if counters["ceiling_share"] == counters["copy_share"]:
        return percent
    fills = math.isclose(row.ceiling(), counters.get("fill_bytes_per_second", 0))
    return percent + (" (fill)" if fills else " (read)")


def _scaling_cells(row, curve):
    """Members, speed-up and efficiency; what the run does not have is that of its curve."""
    if row.error is not None or not row.scaling:
        return [""] * 3
    members = f"{row.members}, {row.scaling}"
    if "efficiency" in row.counters:
        factor, part = row.counters["speed_up"], row.counters["efficiency"]
    elif curve is not None and curve.one is not None:
        factor = scaling_views.speed_up(row, curve.one)
        part = factor / row.members
    else:
        why = row.counters.get("efficiency_refused", "") if curve is None else curve.refusal
        return [members, why, ""]
    return [members, f"{factor:.2f}", f"{part:.2f}"]


def _cells(row, times, baseline):
    scope = f"{row.scope}, {row.cache}" + (", disturbed" if row.disturbed else "")
    cells = [f"{row.backend}/{row.variant}", _case_text(row), scope]
    if row.error is not None:
        return cells + [f"failed: {row.error}"] + [""] * (4 if baseline else 3)
    cells += [
        recorded_run.time_text(row.microseconds),
        recorded_run.rate_text(row.counters["elements_per_second"], ""),
        recorded_run.rate_text(row.counters["floor_bytes_per_second"], "B"),
        _share_text(row),
    ]
    if baseline:
        rival = times.get(row.rival(baseline))
        cells.append(f"{rival / row.microseconds:.2f}" if rival else "")
    return cells


def tables(rows, baseline, curves=()):
    """The lines of one table for each algorithm. Rows that stand in one of the curves, with those
    of other runs, are held against its row of one member."""
    curve_of = {id(row): curve for curve in curves for row in curve.rows.values()}
    times = {row.name: row.microseconds for row in rows if row.error is None}
    header = ["implementation", "case", "scope", "time", "elements", "floor", "of the ceiling"]
    if baseline:
        header.append(f"times as fast as {baseline}")
    lines = []
    scales = any(row.scaling for row in rows)
    if scales:
        header += ["members", "speed-up", "efficiency"]
    for algorithm in dict.fromkeys(row.algorithm for row in rows):
        lines += ["", f"### {algorithm}", ""]
        lines += [_line(header), _line(["---"] * 3 + ["---:"] * (len(header) - 3))]
        for row in rows:
            if row.algorithm == algorithm:
                scaling = _scaling_cells(row, curve_of.get(id(row))) if scales else []
                lines.append(_line(_cells(row, times, baseline) + scaling))
    return lines


def provenance(context):
    """One line: what was measured, on what, when."""
    wanted = ("gpu", "cpu", "threads", "driver_cuda")
    facts = dict.fromkeys(
        f"{key.rpartition('.')[2]} {value}"
        for key, value in context.items()
        if key.rpartition(".")[2] in wanted
    )
    commit = context.get("commit", "unknown")[:12]
    if context.get("dirty") == "yes":
        commit += " with changes"
    return recorded_run.one_line(
        f"Commit {commit}, {context.get('date', '')[:10]}; " + "; ".join(facts))
