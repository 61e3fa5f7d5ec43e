# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What README shows is what is built, and it runs."""

import os
import pathlib
import re
import shlex
import subprocess
import unittest

README = pathlib.Path("README.md").read_text(encoding="utf-8")
EXAMPLE = pathlib.Path("examples/choose_backend.cc").read_text(encoding="utf-8")
ROSTER = pathlib.Path("testing/roster.txt").read_text(encoding="utf-8").split("\n")
CONCORD = "tools/concord/concord"


def run(command, backend=None):
    environment = dict(os.environ)
    environment.pop("CONCORD_BACKEND", None)
    if backend:
        environment["CONCORD_BACKEND"] = backend
    return subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def table_rows(text, *titles):
    """The cells of each row of the table that has these titles."""
    lines = iter(text.splitlines())
    for line in lines:
        if cells_of(line) == list(titles):
            break
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield cells_of(line)


def cells_of(line):
    # What stands before the first bar and behind the last is no cell.
    return [cell.strip() for cell in line.split("|")[1:-1]]


class Readme(unittest.TestCase):
    def test_the_cpp_example_is_the_file_that_is_compiled(self):
        (shown,) = re.findall(r"```cpp\n(.*?)```", README, re.DOTALL)
        self.assertIn(shown.strip(), EXAMPLE)

    def test_the_cpp_example_runs_on_the_backend_that_is_named(self):
        for backend in ("serial", "tbb:2"):
            result = run(["examples/choose_backend"], backend)
            self.assertEqual(result.stdout, f"{backend}: 0 15 25 67\n", result.stderr)

    def test_the_cpp_example_chooses_by_itself(self):
        result = run(["examples/choose_backend"])
        self.assertRegex(result.stdout, r"^(tbb|cuda):\d+: 0 15 25 67\n$")

    def test_the_cpp_example_tells_what_is_wrong(self):
        result = run(["examples/choose_backend"], "opencl")
        self.assertEqual(result.returncode, 1)
        self.assertIn("unknown backend 'opencl'", result.stderr)

    def test_the_table_has_every_implementation_and_no_other(self):
        shown = []
        backends = ("serial", "tbb", "cuda")
        titles = ("algorithm", "what it computes", *(f"`{backend}`" for backend in backends))
        for algorithm, _, *cells in table_rows(README, *titles):
            name = re.match(r"\[`(\w+)`\]", algorithm)[1]
            for backend, cell in zip(backends, cells):
                variants = re.findall(r"`(\w+)`", cell)
                shown += [f"{name}/{backend}/{variant}" for variant in variants]
                self.assertTrue(variants or cell == "none", f"{name}, {backend}: '{cell}'")
        for backend in ("gpus", "mpi"):
            for algorithm, cell in table_rows(README, "algorithm", f"`{backend}`"):
                name = re.match(r"\[`(\w+)`\]", algorithm)[1]
                shown += [f"{name}/{backend}/{variant}" for variant in re.findall(r"`(\w+)`", cell)]
        there_are = [line for line in ROSTER if line and not line.startswith("#")]
        self.assertEqual(sorted(shown), sorted(there_are))

    def test_rows_with_empty_cells_are_rows(self):
        table = "| a | b |\n| --- | --- |\n| 1 | |\n| | 2 |\n|||\n\n| no | row |\n"
        self.assertEqual(list(table_rows(table, "a", "b")), [["1", ""], ["", "2"], ["", ""]])

    def test_the_commands_shown_work(self):
        commands = re.findall(r"^\$ (concord .*)$", README, re.MULTILINE)
        self.assertGreaterEqual(len(commands), 4)
        for command in commands:
            words = shlex.split(command)[1:]
            result = run(["sh", "-c", f"exec {CONCORD} {shlex.join(words)}"])
            self.assertEqual(result.returncode, 0, f"{command}: {result.stderr}")


if __name__ == "__main__":
    unittest.main()
