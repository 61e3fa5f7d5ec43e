# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What cannot be used gives one clear line and the right exit status."""

import unittest

from program import npy
from toy import ToyTest


class UnusableArguments(ToyTest):
    def test_no_command(self):
        self.assert_refused(2, ["a command is needed", "compare"])

    def test_unknown_command(self):
        self.assert_refused(2, ["unknown command 'sort'", "backends, list, describe, run"], "sort")
        for argument in ("", "--", "--sort"):
            self.assert_refused(2, "", argument)

    def test_unknown_algorithm(self):
        for command in ("run", "compare"):
            for flags in (["--input=-"], ["--input=-", "--order=ascending"], ["--input", "toy"]):
                self.assert_refused(2, "unknown algorithm 'sort'; the algorithms are toy",
                                    command, "sort", *flags)

    def test_no_algorithm(self):
        self.assert_refused(2, "ALGORITHM is required", "run", "--input=-")

    def test_unknown_backend(self):
        for command in ("run", "compare", "verify"):
            algorithm = [] if command == "verify" else ["toy", "--input=-"]
            self.assert_refused(2, ["unknown backend 'gpu'", "serial, tbb"], command, *algorithm,
                                "--backend=gpu")
        self.assert_refused(2, "number of threads", "run", "toy", "--backend=tbb:many", "--input=-")
        self.assert_refused(2, "empty name", "compare", "toy", "--backend=serial,,tbb", "--input=-")

    def test_unknown_variant(self):
        for command in ("run", "compare"):
            self.assert_refused(2, ["toy has no variant 'left'", "tbb/right"], command, "toy",
                                "--backend=tbb", "--variant=left", "--input=-")

    def test_what_would_act_on_a_terminal_is_escaped(self):
        for name, shown in (("no\x1b[2J\r", "no\\x1b[2J\\x0d"), ("\x9b", "\\x9b"), ("\u00e4", "\u00e4")):
            self.assert_refused(2, [shown], "run", "toy", f"--input={name}")

    def test_unknown_instructions_are_refused(self):
        self.assert_refused(2, ["CONCORD_VECTOR_INSTRUCTIONS", "'sse'", "avx512"], "run", "toy",
                            "--backend=tbb", "--input=-",
                            environment={"CONCORD_VECTOR_INSTRUCTIONS": "sse"})

    def test_every_command_refuses_unknown_instructions(self):
        # Without tbb, tune would save a wrong table, and verify would say that kernels fail.
        for command in (["backends"], ["list"], ["compare", "toy", "--input=-"], ["verify"],
                        ["tune", "--seconds=1"], ["tune", "--show"], ["bench", "--sizes=10"]):
            self.assert_refused(2, "CONCORD_VECTOR_INSTRUCTIONS names no vector instructions",
                                *command, environment={"CONCORD_VECTOR_INSTRUCTIONS": "avx-2"})

    def test_unknown_option_lists_those_there_are(self):
        for command in ("run", "compare"):
            self.assert_refused(2, ["unknown option --kind;", "--addend", "--backend"], command,
                                "toy", "--input=-", "--kind=inclusive")
        self.assert_refused(2, ["unknown option --jason;", "--json"], "backends", "--jason")

    def test_further_arguments(self):
        self.assert_refused(2, "unexpected argument 'again'", "run", "toy", "again", "--input=-")

    def test_values_that_options_do_not_take(self):
        for flag, said in (
            ("--addend=101", "--addend takes a whole number from 0 to 100, not '101'"),
            ("--addend=one", "not 'one'"),
            ("--mood=ugly", "--mood takes one of good, bad, not 'ugly'"),
            ("--type=int16", "unknown element type 'int16'"),
            ("--type", "--type needs a value: "),
        ):
            self.assert_refused(2, said, "run", "toy", "--input=-", flag, stdin="1")
        self.assert_refused(2, "--repetitions", "compare", "toy", "--input=-", "--repetitions=0")

    def test_numbers_of_commands(self):
        for arguments, said in (
            (("tune", "--seconds=0"), "--seconds: not a number above 0 that fits: '0'"),
            (("tune", "--seconds=nan"), "--seconds: not a number above 0 that fits: 'nan'"),
            (("tune", "--check=-1"), "--check: not a number above 0 that fits: '-1'"),
            (("verify", "--minutes=inf"), "--minutes: not a number from 0 on that fits: 'inf'"),
            (("tune", "--seed=-1"), "--seed: not a number from 0 on that fits: '-1'"),
            (("tune", "--seed=18446744073709551616"), "--seed: not a number from 0 on that fits: "),
            (("verify", "--cases=0x10"), "--cases: not a number above 0 that fits: '0x10'"),
            (("compare", "toy", "--repetitions=1000001"), "not a number from 1 to 1000000: "),
        ):
            self.assert_refused(2, said, *arguments)

    def test_an_option_twice(self):
        self.assert_refused(2, "concord: --addend is given more than once\n", "run", "toy",
                            "--input=-", "--addend=1", "--addend=2")

    def test_no_input(self):
        for command in ("run", "compare"):
            self.assert_refused(2, "--input=FILE is needed", command, "toy")

    def test_a_text_that_begins_with_an_at_sign_is_no_file(self):
        self.write("text", "that is in a file")
        self.assert_refused(1, "@text", "run", "toy", "--input=-", "--throw=@text", stdin="1")

    def test_an_empty_word_is_refused(self):
        for command in ("list", "verify"):
            self.assert_refused(2, "concord: PATTERN: the word is empty; give one, or leave it out\n",
                                command, "")

    def test_a_pattern_that_nothing_matches(self):
        for command in ("list", "verify"):
            self.assert_refused(2, "no implementation matches 'sort'", command, "sort")


class UnusableInput(ToyTest):
    def assert_input_refused(self, said, content, name="in.npy"):
        self.write(name, content)
        for command in ("run", "compare"):
            self.assert_refused(2, [name, said], command, "toy", f"--input={name}")
        self.assert_refused(2, [name, said], "run", "toy", f"--input={name}", "--output=out.npy")

    def test_missing(self):
        self.assert_refused(2, "cannot read no.npy: No such file or directory", "run", "toy",
                            "--input=no.npy", "--output=out.npy")

    def test_a_folder(self):
        self.assert_refused(2, "Is a directory", "run", "toy", "--input=.")

    def test_empty(self):
        self.assert_input_refused("the file is empty", b"")

    def test_truncated(self):
        whole = npy([1, 2, 3])
        self.assert_input_refused("takes 12 bytes, but only 7 follow", whole[:-5])
        self.assert_input_refused("truncated within the .npy header", whole[:20])
        self.assert_input_refused("truncated within the .npy header", whole[:4])

    def test_trailing_bytes(self):
        self.assert_input_refused("1 bytes too many", npy([1, 2, 3]) + b"x")

    def test_binary(self):
        self.assert_input_refused("neither .npy nor text", bytes(range(256)))
        self.assert_input_refused("neither .npy nor text", b"\x7fELF\x02\x01\x01\x00")
        self.assert_input_refused("neither .npy nor text", b"\xff" * 100000, "in.txt")

    def test_text_that_is_no_number(self):
        self.assert_input_refused("line 2: 'two' is not a number", "1\ntwo\n", "in.txt")

    def test_element_type(self):
        self.assert_input_refused("unsupported element type '<i2'",
                                  npy([1, 2], descr="<i2", code="h"))
        self.assert_input_refused("unsupported element type '<U4'",
                                  npy([1, 2], descr="<U4"))

    def test_byte_order(self):
        self.assert_input_refused("big-endian elements", npy([1, 2], descr=">i4"))

    def test_shape(self):
        self.assert_input_refused("3 dimensions", npy([1, 2], shape=(1, 2, 1)))
        self.assert_input_refused("0 dimensions", npy([1], shape=()))
        self.assert_input_refused("negative", npy([1], shape=(-1,)))
        self.assert_input_refused("larger than any memory", npy([1], shape=(2**62, 2**62)))
        self.assert_input_refused("Fortran order", npy([1, 2, 3, 4], shape=(2, 2), fortran_order=True))


class Unavailable(ToyTest):
    def test_by_name(self):
        said = "absent is not available (no_device: there is no such device)"
        self.write("in.txt", "1")
        self.assert_refused(3, said, "run", "toy", "--backend=absent", "--input=in.txt",
                            "--output=out.txt")
        self.assert_refused(3, said, "compare", "toy", "--backend=serial,absent", "--input=in.txt")
        self.assert_refused(3, said, "verify", "--backend=absent")


if __name__ == "__main__":
    unittest.main()
