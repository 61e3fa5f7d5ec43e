# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The real command line: that everything is linked in, and what it says of what
no algorithm can read."""

import json
import os
import pathlib
import re
import unittest

from program import ConcordTest, npy


CHANGELOG = pathlib.Path("CHANGELOG.md").read_text(encoding="utf-8")
ALGORITHMS_WITHOUT_OPTIONS = {"max_subarray"}


class Everything(ConcordTest):
    def test_backends(self):
        backends = [row["backend"] for row in self.json_of("backends", "--json")]
        self.assertEqual(sorted(backends), ["cuda", "gpus", "mpi", "serial", "tbb"])

    def test_every_algorithm_has_a_reference_and_a_parallel_implementation(self):
        rows = self.json_of("list", "--json")
        algorithms = {row["algorithm"] for row in rows}
        self.assertGreaterEqual(algorithms, {"reduce", "scan", "tensor_sketch"})
        for algorithm in algorithms:
            for backend in ("serial", "tbb"):
                defaults = [row for row in rows if row["default"] and row["backend"] == backend
                            and row["algorithm"] == algorithm]
                self.assertEqual(len(defaults), 1, f"{algorithm} on {backend}")
                self.assertIs(defaults[0]["available"], True)

    def test_every_algorithm_explains_its_options(self):
        for algorithm in {row["algorithm"] for row in self.json_of("list", "--json")}:
            out = self.output_of("compare", algorithm, "--help")
            has_options = algorithm not in ALGORITHMS_WITHOUT_OPTIONS
            self.assertEqual(f"Options of {algorithm}:" in out, has_options, algorithm)
            self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_every_algorithm_is_described(self):
        for algorithm in {row["algorithm"] for row in self.json_of("list", "--json")}:
            described = self.json_of("describe", algorithm, "--json")
            self.assertEqual(described["algorithm"], algorithm)
            text = self.output_of("describe", algorithm)
            self.assertLessEqual(max(map(len, text.splitlines())), 100)
            extents = {extent["name"] for extent in described["extents"]}
            names = {array["name"] for array in described["inputs"] + described["outputs"]}
            for array in described["inputs"] + described["outputs"]:
                self.assertIn(f"\n  {array['name']} [{', '.join(array['shape'])}]", text)
            for option in described["options"]:
                self.assertIn(f"\n  --{option['name']}", text)
            for input_ in described["inputs"]:
                self.assertTrue(input_["element_types"])
                extents.update(input_["shape"])
            for output in described["outputs"]:
                for extent in output["shape"]:
                    self.assertTrue(extent.isdigit() or extent in extents, extent)
                self.assertLessEqual({output["size_in"], output["in_place_of"]}, names | {""})

    def test_comparisons_agree(self):
        self.write("in.npy", npy(range(1000)))
        self.write("in.fa", ">a\nACGTACGTTGCA\n>b\nGATTACA\n")
        self.write("digits.txt", "1113122113\n")
        self.write("peptide.txt", "LEQN\n")
        for arguments in (["scan", "--input=in.npy", "--kind=inclusive"],
                          ["reduce", "--input=in.npy", "--op=max"],
                          ["compact", "--input=in.npy", "--output-rejected"],
                          ["look_and_say", "--input=digits.txt", "--steps=25"],
                          ["cyclospectrum", "--input=peptide.txt"],
                          ["max_subarray", "--input=in.npy"],
                          ["match_parens", "--input=in.fa", "--kinds=AG"],
                          ["tensor_sketch", "--input=in.fa", "--dim=8"]):
            table = self.json_of("compare", *arguments, "--repetitions=1", "--json")
            statuses = {row["status"] for row in table["rows"]}
            self.assertIn("ok", statuses)
            self.assertLessEqual(statuses, {"ok", "skipped"})


class Describe(ConcordTest):
    def described(self, algorithm, part, name):
        parts = self.json_of("describe", algorithm, "--json")[part]
        return next(entry for entry in parts if entry["name"] == name)

    def test_inputs(self):
        self.assertEqual(self.described("run_length_decode", "inputs", "lengths"), {
            "name": "lengths", "help": "how many elements each run has",
            "element_types": ["int32", "int64"], "shape": ["runs"], "optional": False,
            "file_option": "lengths"})
        self.assertEqual(self.described("scan", "inputs", "in")["file_option"], "input")
        self.assertEqual(self.described("tensor_sketch", "inputs", "offsets")["file_option"], "")

    def test_options(self):
        stride = self.described("tensor_sketch", "options", "stride")
        self.assertEqual(stride, {
            "name": "stride", "help": "letters from one window to the next", "kind": "number",
            "default": "1", "tuning_of": [], "takes_functions": False, "least": 1,
            "most": 2**63 - 1, "step": 1})
        self.assertTrue(self.described("scan", "options", "op")["takes_functions"])
        self.assertFalse(self.described("scan", "options", "kind")["takes_functions"])
        self.assertEqual(self.described("cyclospectrum", "options", "as")["choices"],
                         ["spectrum", "histogram"])

    def test_outputs_and_extents(self):
        self.assertEqual(self.described("compact", "outputs", "indices"), {
            "name": "indices", "help": "where they stood", "type": "int64", "shape": ["n"],
            "when": "with --output-indices", "size_in": "count", "in_place_of": ""})
        self.assertEqual(self.described("run_length_decode", "extents", "room"), {
            "name": "room", "words": "the sum of the lengths, or --limit", "data_of": ["lengths"]})

    def test_an_option_of_tuning_names_its_variants(self):
        for algorithm in {row["algorithm"] for row in self.json_of("list", "--json")}:
            implementations = {row["implementation"] for row in self.json_of("list", "--json")}
            for option in self.json_of("describe", algorithm, "--json")["options"]:
                self.assertLessEqual(set(option["tuning_of"]), implementations)
                for variant in option["tuning_of"]:
                    self.assertIn(variant, self.output_of("describe", algorithm))

    def test_an_unknown_algorithm(self):
        self.assert_refused(2, ["alchemy", "the algorithms are", "scan"], "describe", "alchemy")


class UnreadableInput(ConcordTest):
    OTHER_INPUTS = {"run_length_decode": ["--lengths=lengths.txt"]}

    def assert_every_algorithm_refuses(self, said, path, **kwargs):
        self.write("lengths.txt", "1")
        for algorithm in {row["algorithm"] for row in self.json_of("list", "--json")}:
            self.assert_refused(2, said, "run", algorithm, f"--input={path}",
                                *self.OTHER_INPUTS.get(algorithm, []), **kwargs)

    def test_a_folder(self):
        self.assert_every_algorithm_refuses("cannot read .: Is a directory", ".")

    def test_a_file_that_fails(self):
        # Nothing is mapped at address 0, not even for a superuser.
        self.assert_every_algorithm_refuses("cannot read /proc/self/mem: Input/output error",
                                            "/proc/self/mem")

    def test_standard_input_that_is_closed(self):
        self.assert_every_algorithm_refuses("cannot read standard input: Bad file descriptor", "-",
                                            preexec_fn=lambda: os.close(0))

    def test_standard_input_is_called_so(self):
        refused = 0
        self.write("lengths.txt", "1")
        for algorithm in {row["algorithm"] for row in self.json_of("list", "--json")}:
            result = self.run_program("run", algorithm, "--input=-",
                                      *self.OTHER_INPUTS.get(algorithm, []), stdin="1 x\n")
            if result.returncode == 0:  # match_parens reads past what is no bracket
                continue
            refused += 1
            self.assertIn("standard input", result.stderr, algorithm)
        self.assertGreater(refused, 9)

    def test_a_stream_is_read_by_one_input_only(self):
        for said, arguments in (
                ("--input and --lengths are both standard input, which can be read only once",
                 ["run_length_decode", "--input=-", "--lengths=-"]),
                ("--input and --lengths are both /dev/stdin",
                 ["run_length_decode", "--input=-", "--lengths=/dev/stdin"]),
                ("--input and --program are both standard input",
                 ["sequence", "--input=-", "--program=@-"]),
                ("--hashes and --signs are both standard input",
                 ["tensor_sketch", "--input=in.fa", "--hashes=-", "--signs=-"])):
            self.assert_refused(2, said, "run", *arguments, stdin="1")
        os.mkfifo(self.folder / "pipe")
        self.assert_refused(2, "--input and --lengths are both pipe", "run", "run_length_decode",
                            "--input=pipe", "--lengths=pipe")
        for command in ("run", "compare"):
            self.assert_refused(2, "--input and --op are both pipe", command, "reduce",
                                "--input=pipe", "--op=@pipe")
        self.write("lengths.txt", "2")
        out = self.output_of("run", "run_length_decode", "--input=lengths.txt",
                             "--lengths=lengths.txt")
        self.assertEqual(out, "2\n2\n")


class Version(ConcordTest):
    def test_version_commit_backends_and_libraries(self):
        lines = self.output_of("--version").splitlines()
        self.assertRegex(CHANGELOG, rf"\A[^#]*# Changelog[^#]*## {lines[0].split()[1]}\b")
        self.assertEqual(lines[1], "commit unknown")
        self.assertRegex(lines[2], r"\Acompiler (g|clang)\+\+ [0-9]+\.")
        compiled = [row["backend"] for row in self.json_of("backends", "--json")
                    if row["stage"] != "not_compiled"]
        self.assertEqual(lines[3], "backends " + ", ".join(compiled))
        number = r"[0-9]+(\.[0-9]+)*"
        cuda = f"CUDA runtime {number}, CCCL {number}, " if "cuda" in compiled else ""
        # MPI has many makers.
        mpi = rf"[^,]+ v?{number}, " if "mpi" in compiled else ""
        self.assertRegex(lines[4],
                         rf"\Alibraries {mpi}oneTBB {number}, {cuda}Abseil {number}\Z")
        self.assertEqual(len(lines), 5)

    def test_the_command_says_the_same(self):
        self.assertEqual(self.output_of("version"), self.output_of("--version"))
        facts = self.json_of("version", "--json")
        for line in self.output_of("--version").splitlines():
            name, value = line.split(" ", 1)
            self.assertEqual(facts["version" if name == "concord" else name], value)
        self.assertIn("-ffp-contract=off", facts["flags"])

    def test_the_commit_that_the_environment_says(self):
        out = self.output_of("--version", environment={"CONCORD_COMMIT": "1234abc-dirty"})
        self.assertIn("\ncommit 1234abc-dirty\n", out)


class EmptyValues(ConcordTest):
    def test_every_option_refuses_one_and_leaves_what_follows(self):
        self.write("in.npy", npy([1, 2]))
        algorithms = {row["algorithm"] for row in self.json_of("list", "--json")}
        commands = [["list"], ["verify"], ["backends"]] + [
            [command, name] for command in ("run", "compare", "explain") for name in algorithms]
        tried = 0
        for command in commands:
            shown = self.output_of(*command, "--help")
            for option in re.findall(r"^  (--[a-z-]+)=", shown, re.MULTILINE):
                self.assert_refused(2, [option + ":"], *command, option + "=", "--input=in.npy")
                tried += 1
        self.assertGreater(tried, 150)

    def test_a_value_that_is_an_empty_argument(self):
        for option in ("--op", "--backend", "--output", "--input"):
            self.assert_refused(2, [option + ":"], "run", "scan", option, "", "--kind=inclusive")


class Replay(ConcordTest):
    # Of an algorithm without options: some are there with certain variants only.
    RECORD = {"format": "concord failure 1", "implementation": "max_subarray/serial/reference",
              "kind": "wrong_result", "message": "", "backend": "serial", "placement": "aligned",
              "law": "", "repetitions": 1, "also_on": [],
              "case": {"label": "by hand", "type": "int8",
                       "options": {},
                       "inputs": {"in": {"type": "int8", "shape": [2], "values": [1, 2]}}}}

    def replay(self, **damage):
        self.write("failure.json", json.dumps({**self.RECORD, **damage}))
        return "verify", "--replay=failure.json"

    def test_what_does_not_fail(self):
        self.assertRegex(self.output_of(*self.replay()), r"does not\s+fail any more")

    def test_what_cannot_be_examined(self):
        no_input = {**self.RECORD["case"], "inputs": {}}
        huge = {"in": {"type": "int8", "shape": [2**32, 2**32], "values": []}}
        unknown = "max_subarray/serial/fast"
        for said, damage in (("no " + unknown, {"implementation": unknown}),
                             ("unknown placement", {"placement": "sideways"}),
                             ("no input 'in'", {"case": no_input}),
                             ("a shape", {"case": {**no_input, "inputs": huge}}),
                             ("repetitions", {"repetitions": -1}),
                             ("does not run on 'tbb'", {"also_on": ["tbb"]})):
            self.assert_refused(2, ["failure.json", said], *self.replay(**damage))


class Programs(ConcordTest):
    """`bench`, `report`, `gate` and `reproduce` are found, and get the arguments as they are."""

    def record(self):
        # All 15 samples, which take milliseconds, on a busy machine, too.
        self.output_of_program("bench", "--algorithms=reduce", "--backends=serial",
                               "--sizes=1000", "--max_seconds=10", "--out=run.json")

    def output_of_program(self, *arguments):
        # What is no backend here is said on standard error.
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_a_run_is_recorded_shown_judged_and_reproduced(self):
        self.record()
        row = "reduce/serial/reference/int32/n:1000/op:add/uniform/kernel/hot"
        self.assertIn("### reduce", self.output_of_program("report", "run.json"))
        self.output_of_program("report", "run.json", "--html=page.html")
        self.assertIn("page.html", self.names())
        verdicts = self.output_of_program("gate", "run.json", "run.json", "--margin=900%")
        self.assertIn(row, verdicts)
        result = self.run_program("reproduce", "run.json", "--rows=reduce", "--margin=900%")
        self.assertIn(row, result.stdout)
        self.assertIn(result.returncode, (0, 4), result.stderr)

    def test_exit_statuses_and_help_are_the_programs_own(self):
        self.assertEqual(self.run_program("gate", "a.json", "b.json").returncode, 2)
        self.assertEqual(self.run_program("bench", "--sizes=many").returncode, 2)
        for flag in ("-h", "--help"):
            self.assertIn("usage: concord gate", self.output_of_program("gate", flag))
            self.assertIn("--rows_from", self.output_of_program("bench", flag))
        self.assertIn("\n  reproduce ", self.output_of("--help"))

    def test_every_help_names_the_exit_statuses(self):
        usual = ["0", "1", "2", "3"]
        documented = {"gate": usual + ["4"], "reproduce": usual + ["4"], "report": ["0", "2"],
                      "bench": usual + ["130"]}
        help_of_all = self.output_of("--help")
        commands = re.findall(r"^  (\w+) ", help_of_all.split("Options:")[0], re.MULTILINE)
        self.assertLessEqual(documented.keys() | {"explain", "tune"}, set(commands))
        pages = {command: self.output_of_program(command, "--help") for command in commands}
        for command in ("run", "compare", "explain"):  # which have a page for each algorithm
            self.assertEqual(self.statuses(self.output_of(command, "sequence", "--help")), usual)
        for command, page in pages.items():
            with self.subTest(command):
                self.assertEqual(self.statuses(page), documented.get(command, usual))
        self.assertEqual(self.statuses(help_of_all), usual + ["4"])

    @staticmethod
    def statuses(page):
        """Of the paragraph that names them, one after the other."""
        found = re.findall(r"^Exit status: (.*?)(?:\n\n|\Z)", page, re.MULTILINE | re.DOTALL)
        return re.findall(r"(?:^|; )(\d+)\b", " ".join(" ".join(found).split()))

    def test_without_python_one_line_says_so(self):
        self.assert_refused(2, "gate needs python3", "gate", "a.json", "b.json",
                            environment={"PATH": str(self.folder)})


if __name__ == "__main__":
    unittest.main()
