# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws a plot over sizes or other numbers as SVG: text that a browser shows without a
network, that prints, and that a README can hold."""

import html
import math
import re

import recorded_run

_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 12, 30, 40
# One of each for a series; colours are the style's (c0, c1, ...).
COLOURS = 8
# What the axis across says.
SIZE_AXIS, MEMBERS_AXIS = "size of the input", "members"
_MARKS = ("M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z", "M-4,-4h8v8h-8Z", "M0,-5l5,9h-10Z",
          "M0,-5l5,5l-5,5l-5,-5Z", "M-5,-4h10l-5,9Z")


def mark(number):
    """The mark of a series, around the origin."""
    return f'<path class="mark" d="{_MARKS[number % len(_MARKS)]}"/>'


class Point:
    """A value of a series at a place of the axis across, with its interval and what a hover
    shows."""

    def __init__(self, place, value, low, high, text):
        self.place, self.value, self.low, self.high, self.text = place, value, low, high, text


class Series:
    """Points by rising place. `number` picks colour and mark, `run` the dashes; `bound`: not
    measured itself, but what bounds those that are."""

    def __init__(self, number, run, label, points, bound=False):
        self.number, self.run, self.label, self.bound = number, run, label, bound
        self.points = sorted(points, key=lambda point: point.place)

    def style(self):
        """The classes that the style knows."""
        return f"c{self.number % COLOURS} run{min(self.run, 2)}" + (" bound" if self.bound else "")


class Plot:
    """What is drawn: a title, the axis of values, series, and lines across."""

    def __init__(self, title, value_text, series, logarithmic=True, level=None, crossovers=(),
                 axis=SIZE_AXIS, ideal=None):
        self.title, self.value_text, self.series = title, value_text, series
        self.logarithmic = logarithmic
        # A value with a line, such as the ceiling.
        self.level = level
        # Places at which another series becomes the best.
        self.crossovers = crossovers
        # What the axis across has, and the best value of each place, where there is one.
        self.axis, self.ideal = axis, ideal

    def places(self):
        return sorted({point.place for series in self.series for point in series.points})


def size_text(size):
    """2^20 as SVG, 1,000 otherwise."""
    exponent = size.bit_length() - 1
    if size >= 8 and size == 1 << exponent:
        return f'2<tspan dy="-4" font-size="75%">{exponent}</tspan>'
    if size >= 10000:
        return recorded_run.count_text(size)
    return str(size)


class Axis:
    """From values to places."""

    def __init__(self, low, high, first, last, logarithmic):
        self.logarithmic = logarithmic
        if logarithmic and low == high:
            low, high = low / 2, high * 2
        self.low, self.high, self._first, self._last = low, high, first, last

    def at(self, value):
        """The place of a value; what is beyond the axis is at its end."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self._first + part * (self._last - self._first)

    def ticks(self):
        """Three to ten values."""
        if not self.logarithmic:
            return self._even_ticks()
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for factors in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)):
            ticks = [
                factor * 10.0**decade
                for decade in decades for factor in factors
                if self.low <= factor * 10.0**decade <= self.high
            ]
            if len(ticks) >= 3:
                return ticks[:: math.ceil(len(ticks) / 8)]
        # A short piece of an axis, which may lie between all of those.
        return self._even_ticks()

    def _even_ticks(self):
        step = 10 ** math.floor(math.log10(self.high - self.low))
        while (self.high - self.low) / step < 4:
            step /= 2
        first = math.ceil(self.low / step)
        return [step * k for k in range(first, math.floor(self.high / step) + 1)]


def _value_axis(plot, height):
    points = [point for series in plot.series for point in series.points]
    low = min(min(point.value, max(point.low, point.value / 10)) for point in points)
    high = max(max(point.value, min(point.high, point.value * 10)) for point in points)
    if plot.level is not None:
        high = max(high, plot.level * 1.05)
        low = min(low, plot.level)
    if plot.ideal is not None:
        high = max(high, plot.ideal(plot.places()[-1]))
    if plot.logarithmic:
        low, high = low / 1.1, high * 1.1
    else:
        low, high = 0, high * 1.02
    return Axis(low, high, height - _BOTTOM, _TOP, plot.logarithmic)


def tick_texts(values, value_text):
    """10 us for 10.0 us, as ticks are round; of even steps each has the decimals that one needs:
    4.50, 4.25, 4.00."""
    parts = [re.fullmatch(r"([0-9]*)\.?([0-9]*)(.*)", value_text(value)).groups()
             for value in values]
    steps = [after - before for before, after in zip(values, values[1:])]
    is_even = all(math.isclose(step, steps[0]) for step in steps)
    texts = []
    for whole, decimals, unit in parts:
        others = [other for _, other, of in parts if of == unit] if is_even else [decimals]
        # Three digits are what there is.
        count = min(max(len(other.rstrip("0")) for other in others), 3 - len(whole))
        texts.append(whole + ("." + decimals.ljust(count, "0")[:count] if count > 0 else "") + unit)
    return texts


def _is_even(places):
    """Whether the places spread more evenly over a plain axis than over a logarithmic one."""
    if places[0] <= 0:
        return True
    logs = [math.log(place) for place in places]
    gaps, log_gaps = (max(b - a for a, b in zip(all_of_it, all_of_it[1:]))
                      / (all_of_it[-1] - all_of_it[0]) for all_of_it in (places, logs))
    return gaps <= log_gaps


def _across(plot, places, width):
    """The axis. Sizes and members are thought of in powers of two; of other numbers, nobody
    knows before."""
    plain = plot.axis not in (SIZE_AXIS, MEMBERS_AXIS) and len(places) > 1 and _is_even(places)
    low = places[0] if plain else max(places[0], 1)
    return Axis(low, places[-1], _LEFT + 14, width - _RIGHT - 14, not plain)


def _is_power(place):
    return place > 0 and place & (place - 1) == 0


def ticks_across(places, across):
    """So many that their texts do not touch; of neighbours, a power of two."""
    room, ticks = 40, []
    for place in places:
        if not ticks or across.at(place) - across.at(ticks[-1]) >= room:
            ticks.append(place)
        elif _is_power(place) and not _is_power(ticks[-1]):
            ticks[-1] = place
    return ticks


def _place_text(plot, place):
    return size_text(place) if plot.axis == SIZE_AXIS else f"{place:,}"


def _grid(plot, across, up, width, height):
    places = plot.places()
    parts = [f'<text class="title" x="8" y="18">{html.escape(plot.title)}</text>']
    values = up.ticks()
    for value, text in zip(values, tick_texts(values, plot.value_text)):
        y = up.at(value)
        parts.append(f'<path class="grid" d="M{_LEFT},{y:.1f}H{width - _RIGHT}"/>'
                     f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">'
                     f"{html.escape(text)}</text>")
    for place in ticks_across(places, across) if len(places) > 1 else []:
        x = across.at(place)
        parts.append(f'<path class="grid" d="M{x:.1f},{_TOP}V{height - _BOTTOM}"/>'
                     f'<text x="{x:.1f}" y="{height - _BOTTOM + 16}" text-anchor="middle">'
                     f"{_place_text(plot, place)}</text>")
    parts.append(f'<text x="{(width + _LEFT - _RIGHT) / 2:.0f}" y="{height - 6}" '
                 f'text-anchor="middle">{html.escape(plot.axis)}'
                 f'{"" if len(places) > 1 else ": " + _place_text(plot, places[0])}</text>')
    if plot.ideal is not None and len(places) > 1:
        ideal = "L".join(f"{across.at(place):.1f},{up.at(plot.ideal(place)):.1f}"
                         for place in places)
        parts.append(f'<path class="ideal" d="M{ideal}"/>')
    if plot.level is not None:
        parts.append(f'<path class="level" d="M{_LEFT},{up.at(plot.level):.1f}H{width - _RIGHT}"/>')
    for place in plot.crossovers:
        parts.append(f'<path class="crossover" d="M{across.at(place):.1f},{_TOP}V{height - _BOTTOM}">'
                     f"<title>another is the fastest from here on</title></path>")
    return parts


def _drawn(series, across, up):
    """`across`: from places of the axis to those of the picture."""
    marks = [(across(point.place), up.at(point.value)) for point in series.points]
    band = [f"{across(point.place):.1f},{up.at(point.high):.1f}" for point in series.points]
    band += [f"{across(point.place):.1f},{up.at(point.low):.1f}"
             for point in reversed(series.points)]
    mark = _MARKS[series.number % len(_MARKS)]
    parts = [f'<g class="series {series.style()}" data-series="{html.escape(series.label)}">']
    if len(marks) > 1:
        parts.append(f'<path class="band" d="M{"L".join(band)}Z"/>')
        parts.append(f'<path class="line" d="M{"L".join(f"{x:.1f},{y:.1f}" for x, y in marks)}"/>')
    else:
        parts.append(f'<path class="line" d="M{"L".join(band)}"/>')
    for (x, y), point in zip(marks, series.points):
        tip = html.escape(point.text)
        parts.append(f'<path class="mark" transform="translate({x:.1f},{y:.1f})" d="{mark}" '
                     f'data-tip="{tip}"/>')
    parts.append("</g>")
    return parts


def draw(plot, width=400, height=280, style=""):
    """The SVG. `style`: CSS, for a picture that stands alone, with its legend."""
    names = [series.label for series in plot.series]
    columns = 2 if width < 600 else 3
    legend = 20 * math.ceil(len(names) / columns) if style else 0
    places = plot.places()
    across = _across(plot, places, width)
    up = _value_axis(plot, height)
    label = html.escape(f"{plot.title}: {', '.join(names)}; the table has the values")
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + legend}" '
             f'role="img" aria-label="{label}">']
    if style:
        parts.append(f'<style>{style}</style><rect class="paper" width="100%" height="100%"/>')
    parts += _grid(plot, across, up, width, height)
    for column, series in enumerate(plot.series):
        # At one place alone they stand side by side.
        beside = _LEFT + (column + 0.5) / len(names) * (width - _LEFT - _RIGHT)
        parts += _drawn(series, across.at if len(places) > 1 else lambda _, x=beside: x, up)
    if style:
        for column, series in enumerate(plot.series):
            x = _LEFT + (column % columns) * (width - _LEFT) / columns
            y = height + 8 + 20 * (column // columns)
            parts.append(f'<g class="series c{series.number % COLOURS}">'
                         f'<path class="mark" transform="translate({x:.0f},{y})" '
                         f'd="{_MARKS[series.number % len(_MARKS)]}"/></g>'
                         f'<text x="{x + 10:.0f}" y="{y + 4}">{html.escape(series.label)}</text>')
    parts.append("</svg>")
    return "".join(parts)
