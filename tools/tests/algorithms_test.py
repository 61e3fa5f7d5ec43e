# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Algorithms by the real command line: their results, their files and what they
refuse."""

import gzip
import unittest

from program import ConcordTest, npy


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

    def test_minus_zero_is_a_number_of_every_type(self):
        for name in ("int32", "uint8", "uint32", "uint64"):
            out = self.output_of("run", "reduce", "--input=-", f"--type={name}", stdin="-0 -00 7")
            self.assertEqual(out, "7\n")
        self.assert_refused(2, "'-1' is out of range for uint64", "run", "reduce", "--input=-",
                            "--type=uint64", stdin="-1")

    def test_an_at_sign_in_a_text_is_a_letter(self):
        out = self.output_of("run", "match_parens", "--input=-", "--kinds=@#", stdin="@x#")
        self.assertEqual(out, self.output_of("run", "match_parens", "--input=-", "--kinds=#@",
                                             stdin="#x@"))
        self.assert_refused(2, "'@' cannot be a letter of the alphabet @AC", "run",
                            "tensor_sketch", "--input=-", "--alphabet=@AC", stdin=">a\nAC\n")

    def test_compare_refuses_an_input_as_run_does(self):
        self.write("large.npy", npy([2**63 - 1, 1], "<i8", code="q"))
        self.write("equal.npy", npy([0] * 9, shape=(3, 3)))
        for said, *arguments in (
                ("does not fit int64", "max_subarray", "--input=large.npy"),
                ("there are 3 similar pairs, and room for 1", "similar_pairs", "--input=equal.npy",
                 "--dim=3", "--most=1")):
            for command in (["run"], ["compare"], ["compare", "--json"],
                            ["compare", "--backend=tbb"]):
                self.assert_refused(2, said, *command, *arguments)

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


    def test_numbers_that_cannot_be(self):
        for option in ("--scale", "--offset", "--constant"):
            for number, said in (("two", "'two' is not a number"),
                                 ("1e400", "no element type can hold 1e400")):
                self.assert_refused(2, f"{option}: {said}", "run", "transform",
                                    f"{option}={number}", "--input=-", stdin="1 2")


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

    def test_a_symbol_past_9_alone_is_read_as_it_is_written(self):
        self.write("three.npy", npy([1, 12, 1], "|u1", code="B"))
        one = self.output_of("run", "look_and_say", "--counts=symbol", "--steps=0", "--from=1",
                             "--count=1", "--input=three.npy")
        self.assertEqual(one, "+12\n")
        self.assertEqual(self.output_of("run", "look_and_say", "--counts=symbol", "--steps=1",
                                        "--input=-", stdin=one), "1 12\n")
        # What is unmistakable has no sign.
        for said in ("1 12 1\n", "121\n", "1\n"):
            self.assertEqual(self.output_of("run", "look_and_say", "--counts=symbol", "--steps=0",
                                            "--input=-", stdin=said), said)

    def test_a_result_too_large_for_memory(self):
        for steps, said in (("150", "of memory"), ("9999", "more than 2^63 - 1")):
            self.assert_refused(2, ["digits", said, "--from=0 --count=1000000"], "run",
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


class Assumed(ConcordTest):
    def test_each_input_once(self):
        def explain(assumed):
            return ("explain", "sequence", "--program=map x + 1", f"--assume={assumed}")

        self.assertIn("10", self.output_of(*explain("x:int32:10")))
        self.assert_refused(2, ["the input 'x' is assumed twice"],
                            *explain("x:int32:10,x:int32:10"))
        self.write("in.txt", "1 2")
        self.assert_refused(2, ["the input 'in' is given, and assumed"], "explain", "scan",
                            "--input=in.txt", "--assume=in:int32:10")
        for assumed in (",", "x:int32:10,", "x:int32", "x:int32:-1", "x:int32:ten"):
            self.assert_refused(2, ["--assume takes inputs such as x:int32:1000"],
                                *explain(assumed))


class Variants(ConcordTest):
    def test_one_of_another_backend_is_not_available(self):
        for command in ("run", "compare"):
            self.assert_refused(3, ["compact has no variant 'scan_scatter' on tbb",
                                    "serial/scan_scatter"], command, "compact", "--backend=tbb",
                                "--variant=scan_scatter", "--input=-", stdin="1 2")
            self.assert_refused(2, ["compact has no variant 'scatter'"], command, "compact",
                                "--backend=tbb", "--variant=scatter", "--input=-", stdin="1 2")


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

    def test_text_is_not_read_as_numbers(self):
        for algorithm in ("match_parens", "look_and_say", "tensor_sketch"):
            self.assert_refused(2, ["--type=int8: text is read as uint8 here"], "run", algorithm,
                                "--type=int8", "--input=-", "--output=out.npy", stdin="1\n")
        self.assertEqual(self.run_on("()", "--type=uint8"), "balanced\n")


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

    def test_a_function_may_be_in_a_file(self):
        self.write("function.txt", "x % 3 == 1\n")
        self.write("name.txt", "greater:4\n")
        self.write("operator.txt", "a > b ? a : b\n")
        self.write("program.txt", "filter x % 3 == 1\n")
        self.write("in.txt", "4 7 3 5")
        for arguments, out in ((["compact", "--keep=@function.txt"], "4\n7\n"),
                               (["compact", "--keep=@name.txt"], "7\n5\n"),
                               (["reduce", "--op=@operator.txt"], "7\n"),
                               (["sequence", "--program=@program.txt"], "4\n7\n")):
            self.assertEqual(self.output_of("run", *arguments, "--input=in.txt"), out)
            self.output_of("compare", *arguments, "--input=in.txt", "--repetitions=1")
        self.assert_refused(2, "cannot read nothing", "run", "compact", "--keep=@nothing",
                            "--input=-", stdin="1")

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

    def test_compare_without_input(self):
        out = self.output_of("compare", "sequence", "--program=tabulate int32(i), 5",
                             "--repetitions=1")
        self.assertEqual(out.splitlines()[0],
                         "sequence without input: 5 elements; --program=tabulate int32(i), 5")

    def test_mistakes(self):
        self.assert_refused(2, ["line 1, column 8: the operator is not associative"],
                            "run", "reduce", "--op=a - b", "--input=-", stdin="1 2")
        self.assert_refused(2, ["--op takes one of add"], "run", "reduce", "--op=sum",
                            "--input=-", stdin="1 2")
        self.assert_refused(2, ["'between:1' is not a predicate"], "run", "compact",
                            "--keep=between:1", "--input=-", stdin="1 2")
        self.assert_refused(2, ["--output-indices cannot go with a function in --keep"], "run", "compact",
                            "--keep=x > 1", "--output-indices=i.npy", "--input=-", stdin="1 2")
        self.assert_refused(2, ["transform with a function: it gives several values, and there is one output"],
                            "run", "transform", "--op=(x, x + 1)", "--input=-", stdin="1 2")
        self.assert_refused(2, ["--kind takes one of"], "run", "scan", "--op=a + b",
                            "--kind=neither", "--input=-", stdin="1 2")

    def test_explain(self):
        self.write("in.npy", npy([3, 1, 4, 1, 5]))
        self.assertEqual(
            self.output_of("explain", "reduce", "--op=a > b ? a : b", "--input=in.npy"),
            self.output_of("explain", "--program=reduce a > b ? a : b", "--input=in.npy"))


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


if __name__ == "__main__":
    unittest.main()
