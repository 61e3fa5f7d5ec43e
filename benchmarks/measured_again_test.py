# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""gate.py and reproduce.py with benchmark programs that fail, write nothing, or copy a run."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

_FOLDER = pathlib.Path(__file__).absolute().parent
_NAME = "scan/serial/loop/int32/n:8/uniform/kernel/hot"
_GOOD = {"name": _NAME, "real_time": 1.0, "time_unit": "us", "sample_seconds": [[1e-6] * 15],
         "floor_bytes_per_second": 1.0, "ceiling_share": 0.5, "copy_share": 0.5,
         "elements_per_second": 1.0}
_WRONG = {"name": _NAME, "error_occurred": True, "error_message": "differs"}


def _text(row):
    return json.dumps({"schema": 2, "context": {"serial.cpu": "A"}, "benchmarks": [row]})


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.good = self.write("good.json", _text(_GOOD))
        self.wrong = self.write("wrong.json", _text(_WRONG))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def program(self, does):
        """The command of a program; $out is its --out."""
        path = self.write("program.sh", "for word; do case $word in --out=*) out=${word#--out=} ;; esac; "
                                        f"done\ntouch {self.folder}/started\n{does}\n")
        return f"sh {path}"

    def run_script(self, name, *arguments, **environment):
        return subprocess.run([sys.executable, str(_FOLDER / f"{name}.py"), *map(str, arguments)],
                              check=False, capture_output=True, encoding="utf-8",
                              env={**os.environ, **environment})

    def assert_unusable(self, result, message):
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertIn(message, result.stderr)


class GateTest(ProgramTest):
    def gate(self, *arguments):
        return self.run_script("gate", *arguments)

    def test_failure_that_the_file_does_not_tell_is_no_measurement(self):
        program = self.program(f'cp {self.good} "$out"; exit 1')
        self.assert_unusable(self.gate(self.good, f"--program={program}"), "ended with status 1")
        self.assert_unusable(self.gate(program, program, "--interleave"), "exit status 1")
        program = self.program(f'cp {self.wrong} "$out"; exit 1')
        result = self.gate(self.good, f"--program={program}")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stdout, "(?m)^wrong ")

    def test_program_that_writes_nothing_has_not_measured(self):
        program = self.program("exit 0")
        self.assert_unusable(self.gate(self.good, f"--program={program}"), "ended with status 0")

    def test_file_of_the_round_before_is_no_measurement(self):
        program = self.program(f'[ -e {self.folder}/once ] || cp {self.wrong} "$out"\n'
                               f"case $out in *new.json) touch {self.folder}/once ;; esac\nexit 1")
        self.assert_unusable(self.gate(program, program, "--interleave"), "exit status 1")

    def test_command_that_no_shell_would_take(self):
        refusal = "'./it's' is no command: No closing"
        self.assert_unusable(self.gate("--interleave", "./it's", "x"), refusal)
        self.assert_unusable(self.gate(self.good, "--program=./it's"), refusal)
        self.assert_unusable(self.gate("--interleave", " ", "x"), "names no program")


class ReproduceTest(ProgramTest):
    def reproduce(self, does, out):
        return self.run_script("reproduce", self.good, f"--program={self.program(does)}", f"--out={out}")

    def test_new_run_is_kept(self):
        out = self.write("again.json", "old")
        result = self.reproduce(f'cp {self.good} "$out"', out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(pathlib.Path(out).read_text(encoding="utf-8"), _text(_GOOD))

    def test_settings_of_mpi_are_the_programs_unless_the_script_is_a_rank(self):
        program = self.program(f'echo "<$OMPI_MCA_btl>" > {self.folder}/saw; cp {self.good} "$out"')
        for rank, seen in (({}, "<self>"), ({"OMPI_COMM_WORLD_SIZE": "2"}, "<>")):
            self.run_script("reproduce", self.good, f"--program={program}", OMPI_MCA_btl="self", **rank)
            self.assertEqual((self.folder / "saw").read_text(encoding="utf-8").strip(), seen)

    def test_file_that_was_there_is_no_measurement(self):
        for old in (_text(_GOOD), _text(_WRONG)):
            out = self.write("again.json", old)
            for status in (0, 1):
                result = self.reproduce(f"exit {status}", out)
                self.assert_unusable(result, f"ended with status {status}")
            self.assertEqual(pathlib.Path(out).read_text(encoding="utf-8"), old)

    def test_file_that_cannot_be_written_is_known_before(self):
        for out, why in ((self.folder / "none" / "a.json", "No such file"),
                         (self.folder, "Is a directory")):
            result = self.reproduce(f'cp {self.good} "$out"', out)
            self.assert_unusable(result, f"{out}: {why}")
        self.assertNotIn("started", os.listdir(self.folder))


class PipeTest(ProgramTest):
    """Runs that can be read once."""

    def run_script(self, name, *arguments):
        """Each '|' of the arguments stands for a pipe that has the good run."""
        command = " ".join(f"<(cat {self.good})" if argument == "|" else f"'{argument}'"
                           for argument in arguments)
        return subprocess.run(
            ["bash", "-c", f"exec '{sys.executable}' '{_FOLDER / name}.py' {command}"],
            check=False, capture_output=True, encoding="utf-8")

    def measures(self):
        """The flag for a program that copies the good run, if it can read the rows that it gets."""
        program = self.program("for word; do case $word in --rows_from=*) "
                               f"grep -q {_NAME} ${{word#--rows_from=}} || exit 5 ;; esac; done\n"
                               f'cp {self.good} "$out"')
        return f"--program={program}"

    def test_report_shows_them(self):
        result = self.run_script("report", "|", "|")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("| serial/loop | int32, 8, uniform |"), 2)

    def test_gate_compares_and_measures_them(self):
        for arguments in (("|", "|"), ("|", self.measures()), ("|", self.measures(), "--rows=scan")):
            result = self.run_script("gate", *arguments)
            self.assertIn("1 rows, margin 3 %", result.stdout, result.stderr)

    def test_reproduce_measures_them(self):
        for rows in ("", "scan"):
            result = self.run_script("reproduce", "|", self.measures(), f"--rows={rows}")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
