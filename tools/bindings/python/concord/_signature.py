# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What Python shows of an algorithm: parameters and a docstring, from its description."""

import keyword
import math
import textwrap

# What every function has beside what the algorithm takes.
COMMON = (("out", "None"), ("backend", "'auto'"), ("variant", "''"))
_COMMON_HELP = {
    "out": "an array to write to; where there are several results a dict by name, or a tuple",
    "backend": 'a Backend or the name of one; "auto" runs where the arrays are',
    "variant": 'an implementation; "" is the default of the backend',
}


def python_name(name):
    """A name of the library's as a parameter; `in` is a word of Python's, and is `x`."""
    if name == "in":
        return "x"
    name = name.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def key(value):
    """What stands for the value of an option where kernels are looked up. Equal numbers are one,
    but -0.0 is another than 0, and NaN is itself."""
    if value is None or isinstance(value, (str, int)):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return value
    return (repr(number),) if math.isnan(number) or _is_negative_zero(number) else value


def _is_negative_zero(number):
    return number == 0 and math.copysign(1, number) < 0


class Option:
    """One option, and how its values become text."""

    def __init__(self, described):
        self.name = described["name"]
        self.parameter = python_name(self.name)
        self.help = described["help"]
        self.kind = described["kind"]
        self.choices = described.get("choices", [])
        self.is_tuning = bool(described["tuning_of"])
        self.default = described["default"]
        if self.kind in ("switch", "output"):
            self.default = False
        elif self.kind == "number" and self.default:
            self.default = int(self.default)

    @property
    def type(self):
        """Of the parameter, in a type stub."""
        return {"number": "int", "switch": "bool", "output": "bool",
                "choice": "str"}.get(self.kind, "str | float")

    @property
    def _wanted(self):
        return {"number": "a number", "switch": "True or False", "output": "True or False",
                "choice": "a str"}.get(self.kind, "a str or a number")

    def _wrong(self, wanted, value):
        return TypeError(f"the option '{self.parameter}' takes {wanted}, not {value!r}")

    def check(self, value):
        """Refuses what no kernel can be looked up by, such as an array."""
        try:
            hash(value)
        except TypeError:
            raise self._wrong(self._wanted, value) from None

    def text(self, value):
        """"name=value", or None where it is to be left out. Values with equal keys have equal
        texts, as kernels are looked up by them."""
        if self.kind in ("switch", "output"):
            if value not in (True, False):
                raise self._wrong(self._wanted, value)
            return self.name if value else None
        if isinstance(value, str):
            return f"{self.name}={value}"
        try:
            number = float(value)
            whole = int(value) if math.isfinite(number) else None
        except (TypeError, ValueError, OverflowError):
            raise self._wrong(self._wanted, value) from None
        if self.kind == "choice" and whole is None:
            raise self._wrong(self._wanted, value)
        if whole == value and (self.kind == "number" or not _is_negative_zero(number)):
            return f"{self.name}={whole}"
        if self.kind == "number":
            raise self._wrong("a whole number", value)
        return f"{self.name}={number!r}"


class Signature:
    """The parameters of a function and the arrays that it returns."""

    def __init__(self, described, variants):
        self.name = described["algorithm"]
        self.summary = described["summary"]
        self.inputs = described["inputs"]
        self.outputs = described["outputs"]
        self.variants = variants
        asked = " ".join(output["when"] for output in self.outputs)
        self.options = [
            Option(option) for option in described["options"]
            # A file would be an array; an output that needs no asking is there anyway.
            if option["kind"] != "file"
            and (option["kind"] != "output" or f"--{option['name']}" in asked)
        ]
        sizes = {output["size_in"] for output in self.outputs}
        self.results = [output for output in self.outputs if output["name"] not in sizes]
        # Whether the sizes of outputs are plain ones, of inputs or numbers.
        self.shapes_decide = not described["extents"]

    def parameters(self, with_tuning=True):
        """Name, default or None, type, and whether it may be given by position."""
        options = [option for option in self.options if with_tuning or not option.is_tuning]
        inputs = [(python_name(item["name"]), "None" if item["optional"] else None,
                   "ArrayLike | None" if item["optional"] else "ArrayLike", True)
                  for item in self.inputs]
        program = [(option.parameter, None, "str", True) for option in options
                   if option.name == "program"]
        named = [(option.parameter, repr(option.default), option.type, False)
                 for option in options if option.name != "program"]
        # A default makes those behind it optional, too.
        required = [item for item in inputs if item[1] is None]
        optional = [item for item in inputs if item[1] is not None]
        return program + required + optional + named + [
            (name, default, {"out": "Any", "backend": "Backend | str"}.get(name, "str"), False)
            for name, default in COMMON]

    def source(self, runs=True):
        """The text of a function that hands its arguments on: also those that say how to run,
        where it does."""
        texts = []
        common = dict(COMMON)
        for name, default, _, by_position in self.parameters():
            if name in common and not runs:
                continue
            if not by_position and "*" not in texts:
                texts.append("*")
            texts.append(name if default is None else f"{name}={default}")
        inputs = "".join(f"{python_name(item['name'])}, " for item in self.inputs)
        options = "".join(f"{option.parameter}, " for option in self.options)
        return (f"def {self.name}({', '.join(texts)}):\n"
                f"    return _call({inputs}{options}{'variant, out, backend' if runs else ''})\n")

    def _lines(self):
        for item in self.inputs:
            types = ", ".join(item["element_types"])
            yield python_name(item["name"]), (
                f"{item['help']}: {types} [{', '.join(item['shape'])}]"
                f"{', or None' if item['optional'] else ''}")
        for option in self.options:
            choices = f": {', '.join(option.choices)}" if option.choices else ""
            yield option.parameter, option.help + choices
        for name, _ in COMMON:
            known = f": {', '.join(self.variants)}" if name == "variant" else ""
            yield name, _COMMON_HELP[name] + known

    def docstring(self):
        """What help() shows."""
        def listed(lines):
            return "\n".join(
                textwrap.fill(f"{name}: {text}", 88, initial_indent="    ",
                              subsequent_indent="        ") for name, text in lines)

        results = [(output["name"], f"{output['help']}: {output['type']} "
                    f"[{', '.join(output['shape'])}]"
                    f"{', ' if output['when'] else ''}{output['when']}")
                   for output in self.results]
        return (f"{self.summary[:1].upper()}{self.summary[1:]}.\n\n"
                f"Args:\n{listed(self._lines())}\n\nReturns:\n{listed(results)}\n")
