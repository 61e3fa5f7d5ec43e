# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The real command line: that everything is linked in, and what it says about
files that its algorithms cannot read."""

import gzip
import json
import os
import pathlib
import re
import unittest

from program import CommandLineTest, npy


CHANGELOG = pathlib.Path("CHANGELOG.md").read_text(encoding="utf-8")
ALGORITHMS_WITHOUT_OPTIONS = {"max_subarray"}


class ConcordTest(CommandLineTest):
    program = "tools/concord/concord"


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
                ("--hashes and --signs are both standard input",
                 ["tensor_sketch", "--input=in.fa", "--hashes=-", "--signs=-"])):
            self.assert_refused(2, said, "run", *arguments, stdin="1")
        os.mkfifo(self.folder / "pipe")
        self.assert_refused(2, "--input and --lengths are both pipe", "run", "run_length_decode",
                            "--input=pipe", "--lengths=pipe")
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


class Results(ConcordTest):
    def test_scan(self):
        out = self.output_of("run", "scan", "--kind=exclusive", "--input=-", stdin="3 1 2")
        self.assertEqual(out, "0\n3\n4\n")

    def test_reduce(self):
        out = self.output_of("run", "reduce", "--op=max", "--input=-", stdin="3 1 2")
        self.assertEqual(out, "3\n")

    def test_compact(self):
        out = self.output_of("run", "compact", "--keep=between:1,3", "--input=-",
                             "--output-indices=where.txt", "--output-rejected=rest.txt",
                             stdin="5 1 0 3 -2 1")
        self.assertEqual(out, "1\n3\n1\n")
        self.assertEqual((self.folder / "where.txt").read_text(), "1\n3\n5\n")
        self.assertEqual((self.folder / "rest.txt").read_text(), "5\n0\n-2\n")

    def test_predicates_that_cannot_be(self):
        for keep, said in (("zero", "'zero' is not a predicate"),
                           ("less:x", "'x' is not a number"),
                           ("less:0.5", "elements of type int64 cannot hold 0.5")):
            self.assert_refused(2, said, "run", "compact", f"--keep={keep}", "--input=-",
                                stdin="1 2")

    def test_tensor_sketch(self):
        # One place and no signs: what is left is the number of subsequences of
        # two letters, 5 * 4 / 2.
        self.write("hashes.npy", npy([0] * 8, shape=(4, 2)))
        self.write("signs.npy", npy([1] * 8, shape=(4, 2)))
        result = self.run_program("run", "tensor_sketch", "--t=2", "--dim=1", "--input=-",
                                  "--hashes=hashes.npy", "--signs=signs.npy", stdin=">a\nACNGTA\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "10\n")
        self.assertRegex(result.stderr, r"\Aconcord: .*1 letter.*\n\Z")


class Cyclospectrum(ConcordTest):
    LEQN = [0, 113, 114, 128, 129, 227, 242, 242, 257, 355, 356, 370, 371, 484]

    def run_on(self, masses, *arguments):
        return self.output_of("run", "cyclospectrum", *arguments, "--input=-", stdin=masses)

    def test_peptides_and_masses(self):
        spectrum = "".join(f"{mass}\n" for mass in self.LEQN)
        self.assertEqual(self.run_on("LEQN\n"), spectrum)
        self.assertEqual(self.run_on("leqn", "--type=int64"), spectrum)
        self.assertEqual(self.run_on("113 129\n128 114"), spectrum)
        self.assertEqual(self.run_on(""), "0\n0\n")
        self.write("in.npy", npy([113, 129, 128, 114]))
        self.assertEqual(self.output_of("run", "cyclospectrum", "--input=in.npy"), spectrum)

    def test_histogram(self):
        self.assertEqual(self.run_on("1 1 2", "--as=histogram"), "0 1\n1 2\n2 2\n3 2\n4 1\n")

    def test_totals_past_32_bits_are_64_bits_wide(self):
        self.assertEqual(self.run_on("2147483647 1"), "0\n1\n2147483647\n2147483648\n")

    def test_bad_input(self):
        for content, arguments, said in (
                ("LEXN", (), "letter 3 is 'X', no amino acid"),
                ("LE QN", (), "letter 3 is ' ', no amino acid"),
                ("1 -2", (), "mass 2 is -2"),
                ("1 2.5", (), "whole numbers"),
                ("2147483647 1", ("--type=int32",), "more than int32 holds"),
                ("9223372036854775807 1", (), "more than int64 holds"),
                ("1 2", ("--type=uint8",), "int32 or int64, not uint8"),
                (400000 * "1 ", (), "of memory")):
            self.write("in.txt", content)
            self.assert_refused(2, [said], "run", "cyclospectrum", *arguments, "--input=in.txt",
                                "--output=out.npy")


class LookAndSay(ConcordTest):
    def run_on(self, digits, *arguments):
        return self.output_of("run", "look_and_say", *arguments, "--input=-", stdin=digits)

    def test_results(self):
        self.assertEqual(self.run_on("1113122113\n"), "311311222113\n")
        self.assertEqual(self.run_on("1", "--steps=8", "--from=3", "--count=6"), "312111\n")
        twelve = 12 * "1"
        self.assertEqual(self.run_on(twelve), "121\n")
        self.assertEqual(self.run_on(twelve, "--counts=symbol"), "12 1\n")
        self.assertEqual(self.run_on("12 1", "--counts=symbol"), "1 12 1 1\n")

    def test_lengths(self):
        self.assertEqual(self.run_on("1", "--steps=99", "--length-only"), "511247092564\n")
        self.assertEqual(self.run_on("1", "--steps=300", "--length-only"),
                         "70977950150306719270314694318875534\n")

    def test_a_result_too_large_for_memory(self):
        for steps in ("150", "9999"):
            self.assert_refused(2, ["digits", "of memory", "--from=0 --count=1000000"], "run",
                                "look_and_say", f"--steps={steps}", "--input=-",
                                "--output=out.npy", stdin="1")

    def test_bad_input(self):
        for content, arguments, said in (
                ("12x4", (), "character 3 is 'x', not a digit"),
                ("1 2", (), "character 2 is the byte 32, not a digit"),
                ("1 256", ("--counts=symbol",), "symbol 2 is '256'"),
                ("1", ("--steps=-1",), "--steps takes a whole number"),
                ("1", ("--count=few",), "--count takes a whole number"),
                ("1", ("--from=3",), "the result has 2 digits"),
                ("1", ("--length-only", "--from=3"), "mean nothing beside it"),
                (300 * "7", ("--counts=symbol",), "a run of 300 equal digits")):
            self.write("in.txt", content)
            self.assert_refused(2, [said], "run", "look_and_say", *arguments, "--input=in.txt",
                                "--output=out.npy")
        self.write("in.npy", npy([1, 2]))
        self.assert_refused(2, ["one dimension of uint8"], "run", "look_and_say",
                            "--input=in.npy")


class MaxSubarray(ConcordTest):
    def run_on(self, numbers):
        return self.output_of("run", "max_subarray", "--input=-", stdin=numbers)

    def test_results(self):
        self.assertEqual(self.run_on("-2 1 -3 4 -1 2 1 -5 4"), "6 3 7\n")
        self.assertEqual(self.run_on("1 2 3"), "6 0 3\n")
        self.assertEqual(self.run_on("-3 -1.5 -2"), "-1.5 1 2\n")

    def test_a_sum_that_does_not_fit(self):
        self.assert_refused(2, ["does not fit int64"], "run", "max_subarray", "--input=-",
                            "--output=out.npy", stdin="9223372036854775807 1")


class MatchParens(ConcordTest):
    def run_on(self, text, *arguments):
        return self.output_of("run", "match_parens", *arguments, "--input=-", stdin=text)

    def test_verdicts(self):
        self.assertEqual(self.run_on("f(x, (y))"), "balanced\n")
        self.assertEqual(self.run_on("())("), "unbalanced at 2\n")
        self.assertEqual(self.run_on("([)]", "--kinds=()[]"), "unbalanced at 2\n")
        self.assertEqual(self.run_on(""), "balanced\n")

    def test_bad_input(self):
        self.write("in.txt", "f(x[0])")
        self.assert_refused(2, ["in.txt: element 3 is '['", '--kinds="()"'], "run",
                            "match_parens", "--input=in.txt", "--output=out.npy")
        self.assert_refused(2, ["pairs of an opening and a closing"], "run", "match_parens",
                            "--kinds=()[", "--input=in.txt")
        self.write("in.npy", npy([1, 2, -1]))
        self.assert_refused(2, ["in.npy: element 1 is 2"], "run", "match_parens",
                            "--input=in.npy")


class FunctionsOfTheUsers(ConcordTest):
    """Options that take a function: the call is one of `sequence`."""

    CALLS = [
        (["reduce", "--op=a > b ? a : b"], "reduce a > b ? a : b", "5\n"),
        (["reduce", "--op", "min(a, b)"], "reduce min(a, b)", "1\n"),
        (["scan", "--op=max(a, b)", "--kind=inclusive"], "scan max(a, b)", "3\n3\n4\n4\n5\n"),
        (["scan", "--op=a+b"], "scan_before a+b", "0\n3\n4\n8\n9\n"),
        (["compact", "--keep=x % 3 == 1"], "filter x % 3 == 1", "1\n4\n1\n"),
        (["transform", "--op=2 * x + 1"], "map 2 * x + 1", "7\n3\n9\n3\n11\n"),
        (["transform", "--op=d = x - 3; d * d"], "map { d = x - 3; d * d }", "0\n4\n1\n4\n4\n"),
        (["transform", "--op=v -> d = v - 3; d * d"], "map v -> { d = v - 3; d * d }",
         "0\n4\n1\n4\n4\n"),
    ]

    def test_run_is_run_of_the_program(self):
        for arguments, program, expected in self.CALLS:
            for call in (arguments, ["sequence", "--program=" + program]):
                for backend in ("serial", "tbb:2"):
                    with self.subTest(call=call, backend=backend):
                        out = self.output_of("run", *call, "--backend=" + backend, "--input=-",
                                             stdin="3 1 4 1 5")
                        self.assertEqual(out, expected)

    def test_every_option_that_takes_a_function_is_in_the_calls(self):
        names = {row["algorithm"] for row in self.json_of("list", "--json")}
        takes = {name for name in names
                 if any(option["takes_functions"]
                        for option in self.json_of("describe", name, "--json")["options"])}
        self.assertEqual(takes, {arguments[0] for arguments, _, _ in self.CALLS})

    def test_compare(self):
        self.write("in.npy", npy([3, 1, 4, 1, 5]))
        for arguments, _, _ in self.CALLS:
            with self.subTest(arguments=arguments):
                self.assertIn("sequence", self.output_of("compare", *arguments, "--input=in.npy"))

    def test_mistakes(self):
        self.assert_refused(2, ["line 1, column 8: the operator is not associative"],
                            "run", "reduce", "--op=a - b", "--input=-", stdin="1 2")
        self.assert_refused(2, ["--op takes one of add"], "run", "reduce", "--op=sum",
                            "--input=-", stdin="1 2")
        self.assert_refused(2, ["'between:1' is not a predicate"], "run", "compact",
                            "--keep=between:1", "--input=-", stdin="1 2")
        self.assert_refused(2, ["unknown option --output-indices"], "run", "compact",
                            "--keep=x > 1", "--output-indices=i.npy", "--input=-", stdin="1 2")
        self.assert_refused(2, ["--kind takes one of"], "run", "scan", "--op=a + b",
                            "--kind=neither", "--input=-", stdin="1 2")

    def test_explain(self):
        self.write("in.npy", npy([3, 1, 4, 1, 5]))
        self.assertEqual(
            self.output_of("explain", "reduce", "--op=a > b ? a : b", "--input=in.npy"),
            self.output_of("explain", "--program=reduce a > b ? a : b", "--input=in.npy"))


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
            self.assert_refused(2, said, *self.replay(**damage))


class Sequences(ConcordTest):
    def assert_sequences_refused(self, said, content, name):
        self.write(name, content)
        for command in ("run", "compare"):
            self.assert_refused(2, [name, said], command, "tensor_sketch", f"--input={name}")
        self.assert_refused(2, [name, said], "run", "tensor_sketch", f"--input={name}",
                            "--output=out.npy")

    def test_missing(self):
        self.assert_refused(2, ["no.fa", "No such file"], "run", "tensor_sketch", "--input=no.fa")

    def test_empty(self):
        self.assert_sequences_refused("empty", b"", "in.fa")

    def test_binary(self):
        self.assert_sequences_refused("neither FASTA nor FASTQ", b"\x7fELF\x02\x01", "in.fa")

    def test_other_text(self):
        self.assert_sequences_refused("neither FASTA nor FASTQ", b"1 2 3\n", "in.txt")

    def test_truncated(self):
        # What does not compress, so that half the file is half the content.
        letters = "".join("ACGT"[(i * i // 7 + i // 3) % 4] for i in range(200000))
        whole = gzip.compress(f">a\n{letters}\n".encode())
        self.assert_sequences_refused("cut short", whole[: len(whole) // 2], "in.fa.gz")
        self.assert_sequences_refused("line", b"@read\nACGT\n+\nII\n", "in.fq")


class Programs(ConcordTest):
    """`bench`, `report`, `gate` and `reproduce` are found, and get the arguments as they are."""

    def record(self):
        self.output_of_program("bench", "--algorithms=reduce", "--backends=serial",
                               "--sizes=1000", "--max_seconds=0.2", "--out=run.json")

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

    def test_without_python_one_line_says_so(self):
        self.assert_refused(2, "gate needs python3", "gate", "a.json", "b.json",
                            environment={"PATH": str(self.folder)})


if __name__ == "__main__":
    unittest.main()
