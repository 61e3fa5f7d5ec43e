# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What READMEs say of an algorithm's inputs, options and outputs is what its signature says.

Three rows of each contract are compared with `concord describe --json`, word for word: a failure
shows how the row has to be. Beside them, `in place` has to agree, and every option that a README
names has to exist.
"""

import pathlib
import re
import unittest

from program import ConcordTest

_FOLDER = pathlib.Path("algorithms").resolve()
_ALL_TYPES = 8
_LARGEST = 2**63 - 1
_OPTION = r"(?<![\w-])--([a-z][a-z0-9_-]*)"


def _number(value):
    """As READMEs write it: 2^20."""
    value = int(value)
    exponent = value.bit_length() - 1
    return f"2^{exponent}" if value >= 1024 and value == 1 << exponent else f"{value:,}"


def _array(array):
    return f"`{array['name']}` `[{', '.join(array['shape'])}]`"


def _input(array):
    types = array["element_types"]
    words = "any type" if len(types) == _ALL_TYPES else " ".join(types)
    if array["file_option"] not in ("", "input"):
        words += f", from `--{array['file_option']}`"
    return f"{_array(array)}: {words}" + (", optional" if array["optional"] else "")


def _output(array):
    words = array["type"].replace(";", ",")
    for condition in (array["when"], array["size_in"] and f"`{array['size_in']}` of them"):
        words += f", {condition}" if condition else ""
    return f"{_array(array)}: {words}"


def _option(option):
    kind, default = option["kind"], option["default"]
    if kind == "choice":
        words = ": " + " ".join(f"`{value}`" + (" (default)" if value == default else "")
                                for value in option["choices"])
    elif kind == "number":
        words = f": {_number(option['least'])} "
        words += "or more" if option["most"] == _LARGEST else f"to {_number(option['most'])}"
        words += f", by default {_number(default)}"
    elif kind == "text" and default:
        words = f": by default `{default}`"
    else:
        words = ""
    if option["takes_functions"]:
        words += ", or a function"
    return f"`--{option['name']}`{words}"


def _rows(described):
    """What the rows of the contract have to be, by their questions."""
    # Those of files are with the arrays, those of tuning with the variants, which a build may lack.
    options = [option for option in described["options"]
               if option["kind"] not in ("file", "output") and not option["tuning_of"]]
    rows = {"inputs": [_input(array) for array in described["inputs"]],
            "options": [_option(option) for option in options],
            "outputs": [_output(array) for array in described["outputs"]]}
    return {question: "; ".join(answers) for question, answers in rows.items() if answers}


def _contract(readme):
    """The rows of the contract's tables: (question, answer)."""
    contract = readme.partition("\n## Contract\n")[2].split("\n## ")[0]
    lines = [line for line in contract.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [tuple(row) for row in rows if len(row) == 2]


class ContractTables(ConcordTest):
    def setUp(self):
        super().setUp()
        names = {row["algorithm"] for row in self.json_of("list", "--json")}
        self.described = {name: self.json_of("describe", name, "--json") for name in names}
        absent = sorted(name for name in names if not (_FOLDER / name / "README.md").exists())
        self.assertEqual(absent, [], "algorithms without a README.md")
        self.readmes = {name: (_FOLDER / name / "README.md").read_text() for name in names}

    def test_inputs_options_and_outputs(self):
        wanted = ""
        for name, described in sorted(self.described.items()):
            contract = _contract(self.readmes[name])
            rows = [f"| {question} | {answer} |\n" for question, answer in _rows(described).items()
                    if (question, answer) not in contract]
            if rows:
                wanted += f"algorithms/{name}/README.md, ## Contract:\n{''.join(rows)}"
        self.assertEqual(wanted, "", f"READMEs lack these rows:\n{wanted}")

    def test_rows_of_nothing(self):
        for name, described in self.described.items():
            contract = _contract(self.readmes[name])
            for question in {"inputs", "options", "outputs"} - set(_rows(described)):
                self.assertNotIn(question, [row[0] for row in contract], name)

    def test_in_place(self):
        for name, described in self.described.items():
            over = [array["in_place_of"] for array in described["outputs"] if array["in_place_of"]]
            for question, answer in _contract(self.readmes[name]):
                if question == "in place":
                    with self.subTest(algorithm=name):
                        self.assertEqual(answer.startswith("not allowed"), not over)
            if over:
                self.assertIn("in place", [row[0] for row in _contract(self.readmes[name])])

    def test_options_that_are_named_exist(self):
        stages = [backend["stage"] for backend in self.json_of("backends", "--json")]
        if "not_compiled" in stages:
            self.skipTest("variants that this build lacks have options too")
        commands = ("run", "compare", "verify", "explain", "tune", "describe", "bench")
        general = set()
        for command in commands:
            general.update(re.findall(_OPTION, self.output_of(command, "--help")))
        of_algorithms = {name: {option["name"] for option in described["options"]}
                         for name, described in self.described.items()}
        for name, readme in self.readmes.items():
            known = general | of_algorithms[name]
            for line in readme.splitlines():
                # Those of compilers.
                if "NVRTC" in line:
                    continue
                here = known.union(*(of_algorithms[other] for other in of_algorithms
                                     if f"concord run {other}" in line
                                     or f"concord compare {other}" in line))
                with self.subTest(algorithm=name, line=line):
                    self.assertEqual(set(re.findall(_OPTION, line)) - here, set())


if __name__ == "__main__":
    unittest.main()
