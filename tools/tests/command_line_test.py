# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""The command line from end to end, on an algorithm made for the purpose.

`toy` adds --addend to every element; of its implementations tbb/wrong is wrong,
tbb/broken fails, tbb/narrow takes up to four int32, and the backend `absent`
can run nowhere.
"""

import os
import pty
import resource
import signal
import subprocess
import time
import unittest

from program import CommandLineTest, npy


class ToyTest(CommandLineTest):
    program = "tools/tests/toy"


class Run(ToyTest):
    def test_text_to_standard_output(self):
        self.write("in.txt", "1 2\n3\n")
        self.assertEqual(self.output_of("run", "toy", "--input=in.txt"), "2\n3\n4\n")

    def test_from_standard_input(self):
        out = self.output_of("run", "toy", "--input=-", "--output=-", stdin="1.5")
        self.assertEqual(out, "2.5\n")

    def test_npy_to_npy(self):
        self.write("in.npy", npy([1, 2, 3]))
        out = self.output_of("run", "toy", "--input=in.npy", "--output=out.npy", "--addend=2")
        self.assertEqual(out, "")
        self.assertEqual((self.folder / "out.npy").read_bytes(), npy([3, 4, 5]))
        self.assertEqual(self.names(), ["in.npy", "out.npy"])

    def test_every_backend_and_variant_that_is_named(self):
        for flags in (["--backend=serial"], ["--backend=tbb:2", "--variant=right"], ["--backend=auto"]):
            out = self.output_of("run", "toy", *flags, "--input=-", stdin="1")
            self.assertEqual(out, "2\n")
        out = self.output_of("run", "toy", "--backend=tbb", "--variant=wrong", "--input=-", stdin="1")
        self.assertEqual(out, "3\n")

    def test_type_of_text(self):
        out = self.output_of("run", "toy", "--type=uint8", "--input=-", stdin="255")
        self.assertEqual(out, "0\n")

    def test_options_may_stand_before_the_algorithm(self):
        out = self.output_of("run", "--input", "-", "--addend", "5", "toy", stdin="1")
        self.assertEqual(out, "6\n")
        self.write("toy", "1")
        self.assertEqual(self.output_of("run", "--input", "toy", "toy", "--addend=2"), "3\n")

    def test_a_switch_takes_no_value(self):
        self.assertEqual(self.output_of("run", "toy", "--polite", "--input=-", stdin="1"), "2\n")
        self.assert_refused(2, "--polite", "run", "toy", "--polite=very", "--input=-", stdin="1")

    def test_a_further_output_has_a_file_of_its_own_and_its_own_size(self):
        out = self.output_of("run", "toy", "--input=-", "--output-first=first.txt", stdin="4 5 6")
        self.assertEqual(out, "5\n6\n7\n")
        self.assertEqual((self.folder / "first.txt").read_text(), "5\n")
        out = self.output_of("run", "toy", "--input=-", "--output-first=none.txt", stdin="")
        self.assertEqual((self.folder / "none.txt").read_text(), "")

    def test_two_outputs_have_two_files(self):
        self.assert_refused(2, "only one output can be standard output", "run", "toy", "--input=-",
                            "--output-first=-", stdin="1")
        self.assert_refused(2, "two outputs cannot both be a.txt", "run", "toy", "--input=-",
                            "--output=a.txt", "--output-first=a.txt", stdin="1")

    def test_empty_text_is_an_empty_array(self):
        self.assertEqual(self.output_of("run", "toy", "--input=-", stdin=""), "")

    def test_the_environment_names_the_default_backend(self):
        self.assert_refused(
            3, "absent is not available (no_device: there is no such device)",
            "run", "toy", "--input=-", environment={"CONCORD_BACKEND": "absent"})
        out = self.output_of("run", "toy", "--backend=serial", "--input=-", stdin="1",
                             environment={"CONCORD_BACKEND": "absent"})
        self.assertEqual(out, "2\n")

    def test_an_implementation_that_fails_leaves_no_output(self):
        self.write("in.txt", "1")
        self.assert_refused(1, "the toy is broken", "run", "toy", "--backend=tbb",
                            "--variant=broken", "--input=in.txt", "--output=out.txt")

    def test_a_contract_that_refuses_the_input(self):
        self.assert_refused(2, "it does not take int64, only int32", "run", "toy", "--backend=tbb",
                            "--variant=narrow", "--input=-", stdin="1")
        self.assert_refused(2, "it takes at most 4 elements", "run", "toy", "--backend=tbb",
                            "--variant=narrow", "--input=-", "--type=int32", stdin="1 2 3 4 5")


class UnusableArguments(ToyTest):
    def test_no_command(self):
        self.assert_refused(2, ["a command is needed", "compare"])

    def test_unknown_command(self):
        self.assert_refused(2, ["unknown command 'sort'", "backends, list, run"], "sort")
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
            ("--type", "--type"),
        ):
            self.assert_refused(2, said, "run", "toy", "--input=-", flag, stdin="1")
        self.assert_refused(2, "--repetitions", "compare", "toy", "--input=-", "--repetitions=0")

    def test_an_option_twice(self):
        self.assert_refused(2, "--addend", "run", "toy", "--input=-", "--addend=1", "--addend=2")

    def test_no_input(self):
        for command in ("run", "compare"):
            self.assert_refused(2, "--input=FILE is needed", command, "toy")

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


class OutputThatCannotBeWritten(ToyTest):
    def test_full_disk(self):
        self.assert_refused(1, "cannot write /dev/full: No space left on device", "run", "toy",
                            "--input=-", "--output=/dev/full", stdin="1")

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            for arguments in (["list"], ["backends", "--json"], ["run", "toy", "--input=-"]):
                self.assert_refused(1, "cannot write standard output: No space left on device",
                                    *arguments, stdin="1", stdout=full)

    def test_a_disk_that_fills_up_leaves_what_was_there(self):
        self.write("in.npy", npy([1] * 10000))
        self.write("out.npy", "old")
        # The write past the limit fails, as it does on a full disk. Python
        # ignores the signal that goes with it; so does then the program.
        self.assert_refused(
            1, "cannot write out.npy: File too large", "run", "toy", "--input=in.npy",
            "--output=out.npy", restore_signals=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual((self.folder / "out.npy").read_text(), "old")

    def test_a_folder_that_is_missing(self):
        self.assert_refused(2, "cannot write no/out.npy: No such file or directory", "run", "toy",
                            "--input=-", "--output=no/out.npy", stdin="1")

    def test_nothing_is_computed_that_cannot_be_kept(self):
        # The run alone would take the time that is too long for a test.
        for flag in ("--output=no/out.npy", "--output-first=no/first.npy"):
            self.assert_refused(2, "No such file or directory", "run", "toy", "--input=-",
                                "--sleep=100000", flag, stdin="1")

    def test_an_output_that_is_a_folder(self):
        self.assert_refused(2, "Is a directory", "run", "toy", "--input=-", "--output=.", stdin="1")


class Interruption(ToyTest):
    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    @staticmethod
    def is_under_way(_):
        # The commands below take minutes: half a second is in their midst.
        time.sleep(0.5)
        return True

    def test_of_a_long_run(self):
        self.write("in.txt", "1")
        for number in self.SIGNALS:
            self.interrupt(number, self.is_under_way, "run", "toy", "--sleep=100000",
                           "--input=in.txt", "--output=out.txt")
            self.assertEqual(self.names(), ["in.txt"])

    def test_of_a_long_comparison(self):
        self.write("in.txt", "1")
        for flags in ([], ["--json"]):
            stdout = self.interrupt(signal.SIGINT, self.is_under_way, "compare", "toy",
                                    "--sleep=100000", "--input=in.txt", *flags)
            self.assertEqual(stdout, "")
        self.assertEqual(self.names(), ["in.txt"])

    def test_while_the_output_is_written(self):
        self.write("in.npy", npy(range(4000000)))
        self.write("out.txt", "old")
        for number in self.SIGNALS:
            self.interrupt(number, lambda _: len(self.names()) == 3, "run", "toy",
                           "--input=in.npy", "--output=out.txt")
            self.assertEqual(self.names(), ["in.npy", "out.txt"])
            self.assertEqual((self.folder / "out.txt").read_text(), "old")


class Backends(ToyTest):
    def test_json(self):
        backends = {row["backend"]: row for row in self.json_of("backends", "--json")}
        for row in backends.values():
            self.assertEqual(list(row), ["backend", "available", "stage", "reason", "devices"])
        self.assertEqual(backends["serial"]["stage"], "ok")
        self.assertIs(backends["tbb"]["available"], True)
        self.assertTrue(backends["tbb"]["devices"][0]["spec"].startswith("tbb:"))
        self.assertEqual(
            backends["absent"],
            {"backend": "absent", "available": False, "stage": "no_device",
             "reason": "there is no such device", "devices": []})

    def test_table(self):
        out = self.output_of("backends")
        self.assertRegex(out, r"absent +no +no_device\n")
        self.assertIn("absent: there is no such device\n", out)


class List(ToyTest):
    def test_json(self):
        rows = {row["implementation"]: row for row in self.json_of("list", "--json")}
        self.assertEqual(len(rows), 6)
        for row in rows.values():
            self.assertEqual(list(row), ["implementation", "algorithm", "backend", "variant",
                                         "default", "available", "reason", "summary", "contract"])
        self.assertIs(rows["toy/tbb/right"]["default"], True)
        self.assertIs(rows["toy/tbb/narrow"]["default"], False)
        self.assertEqual(rows["toy/tbb/narrow"]["contract"]["element_types"], ["int32"])
        self.assertEqual(rows["toy/tbb/narrow"]["contract"]["max_size"], 4)
        self.assertEqual(rows["toy/absent/any"]["reason"], "no_device: there is no such device")

    def test_patterns(self):
        def listed(pattern):
            return [row["variant"] for row in self.json_of("list", pattern, "--json")]
        self.assertEqual(listed("tbb/"), ["right", "wrong", "broken", "narrow"])
        self.assertEqual(listed("toy/*/*o*"), ["loop", "wrong", "broken", "narrow"])
        self.assertEqual(listed("toy/serial/loop"), ["loop"])

    def test_table(self):
        out = self.output_of("list")
        self.assertRegex(out, r"toy/tbb/right +yes +yes\n    the right one; all types;")
        self.assertIn("absent cannot run here: no_device: there is no such device\n", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)


class Compare(ToyTest):
    def test_json(self):
        self.write("in.txt", "1 2 3 4 5")
        table = self.json_of("compare", "toy", "--input=in.txt", "--type=int32", "--addend=3",
                             "--repetitions=2", "--json", status=1)
        self.assertEqual(list(table), ["algorithm", "options", "elements",
                                       "ceiling_bytes_per_second", "read_bytes_per_second", "rows"])
        self.assertEqual(table["algorithm"], "toy")
        self.assertEqual(table["options"], {"addend": "3", "mood": "good", "output-first": "no",
                                            "polite": "no", "sleep": "0"})
        self.assertEqual(table["elements"], 5)
        self.assertGreater(table["ceiling_bytes_per_second"]["host"], 0)
        self.assertGreater(table["read_bytes_per_second"]["host"], 0)
        rows = {row["implementation"]: row for row in table["rows"]}
        for row in rows.values():
            self.assertEqual(list(row), ["implementation", "backend", "status", "reason",
                                         "seconds", "floor_bytes", "ceiling_share", "speedup"])
            self.assertEqual(row["floor_bytes"], 40)
        self.assertEqual({name: row["status"] for name, row in rows.items()},
                         {"toy/serial/loop": "ok", "toy/tbb/right": "ok",
                          "toy/tbb/wrong": "mismatch", "toy/tbb/broken": "error",
                          "toy/tbb/narrow": "skipped", "toy/absent/any": "skipped"})
        right = rows["toy/tbb/right"]
        self.assertEqual(list(right["seconds"]), ["kernel", "call", "end_to_end"])
        self.assertGreater(min(right["seconds"].values()), 0)
        self.assertEqual(right["reason"], "")
        self.assertEqual(rows["toy/serial/loop"]["speedup"], 1)
        self.assertAlmostEqual(
            right["speedup"],
            rows["toy/serial/loop"]["seconds"]["call"] / right["seconds"]["call"])
        self.assertAlmostEqual(
            right["ceiling_share"],
            40 / right["seconds"]["kernel"] / table["ceiling_bytes_per_second"]["host"])
        # A wrong result never gets a time; what is wrong is said.
        wrong = rows["toy/tbb/wrong"]
        for field in ("seconds", "ceiling_share", "speedup"):
            self.assertIsNone(wrong[field])
        for part in ("1 of 5 elements", "[4]", "9 instead of 8"):
            self.assertIn(part, wrong["reason"])
        self.assertIn("the toy is broken", rows["toy/tbb/broken"]["reason"])
        self.assertEqual(rows["toy/absent/any"]["reason"], "no_device: there is no such device")

    def test_all_agree(self):
        self.write("in.txt", "1 2 3")
        result = self.run_program("compare", "toy", "--backend=serial,tbb:1,tbb:2",
                                  "--variant=right", "--input=in.txt", "--repetitions=2")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "toy of in.txt: 3 elements (int64, 24 bytes); "
                                   "--addend=1 --mood=good --sleep=0")
        self.assertRegex(result.stdout, r"tbb:1 +right +agrees +\d")
        self.assertRegex(lines[-1], r"\A2 implementations agree with the reference; "
                                    r"the fastest is tbb:[12]/right \([\d.]+x\)\.\Z")
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_one_wrong(self):
        self.write("in.txt", "1 2 3")
        result = self.run_program("compare", "toy", "--backend=serial,tbb", "--input=in.txt",
                                  "--repetitions=2")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"tbb +wrong +DIFFERS( +-)+\n    out: 1 of 3 elements")
        self.assertRegex(result.stdout, r"tbb +broken +error( +-)+\n    the toy is broken\n")
        self.assertRegex(result.stdout, r"Skipped:\n    tbb/narrow: it does not take int64")
        self.assertIn("agree with the reference, 1 does not, 1 failed", result.stdout)

    def test_nothing_can_run(self):
        self.assert_refused(2, ["nothing can run on this input", "does not take int64"], "compare",
                            "toy", "--variant=narrow", "--input=-", stdin="1")

    def test_empty_input(self):
        table = self.json_of("compare", "toy", "--input=/dev/null", "--backend=serial", "--json")
        self.assertEqual(table["elements"], 0)
        self.assertEqual(table["rows"][0]["status"], "ok")
        self.assertIsNone(table["rows"][0]["ceiling_share"])

    def test_what_is_slow_runs_seldom(self):
        self.write("in.txt", "1")
        # A thousand times would be twenty minutes; `json_of` waits for one.
        table = self.json_of("compare", "toy", "--sleep=1200", "--input=in.txt",
                             "--backend=serial", "--repetitions=1000", "--json")
        self.assertGreater(table["rows"][0]["seconds"]["call"], 1.2)


class Verify(ToyTest):
    def test_right_implementations_pass(self):
        out = self.output_of("verify", "right", "--cases=30")
        self.assertRegex(out, r"toy/tbb/right +30\n")
        self.assertRegex(out, r"30 cases in .* with seed 1: no failure\.\n\Z")

    def test_a_wrong_one_fails_and_the_failure_can_be_replayed(self):
        result = self.run_program("verify", "wrong", "--cases=30",
                                  environment={"TMPDIR": str(self.folder)})
        self.assertEqual(result.returncode, 1)
        line = [line for line in result.stdout.splitlines() if "--replay=" in line]
        self.assertEqual(len(line), 1)
        path = line[0].split("--replay=")[1]
        replayed = self.run_program("verify", f"--replay={path}")
        self.assertEqual(replayed.returncode, 1)
        self.assertIn("2 instead of 1", replayed.stdout)

    def test_replaying_what_is_no_failure(self):
        self.write("in.txt", "1")
        self.assert_refused(2, "in.txt", "verify", "--replay=in.txt")
        self.assert_refused(2, "no.json", "verify", "--replay=no.json")

    def test_skipped_is_said_and_is_not_passed(self):
        result = self.run_program("verify", "any", "--cases=1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("0 cases executed on 0 implementations, 1 skipped (no_device: ",
                      result.stdout)
        self.assertEqual(result.stderr, "concord: nothing was executed\n")

    def test_a_required_backend_must_run(self):
        result = self.run_program("verify", "*a*", "--cases=1",
                                  environment={"CONCORD_REQUIRE": "serial,absent"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("absent is required, but it was skipped", result.stderr)


class Terminal(ToyTest):
    def on_terminal(self, *arguments, **environment):
        """What a terminal receives: standard output and standard error."""
        master, slave = pty.openpty()
        with subprocess.Popen([self.binary, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=slave, stderr=slave,
                              env=self.environment({"TERM": "xterm", **environment})):
            os.close(slave)
            received = b""
            while True:
                try:
                    part = os.read(master, 65536)
                except OSError:
                    break
                received += part
        os.close(master)
        return received.decode()

    def test_colours_only_there_and_only_when_wanted(self):
        colour = "\x1b[3"
        self.assertIn(colour, self.on_terminal("backends"))
        self.assertNotIn(colour, self.on_terminal("backends", NO_COLOR="1"))
        self.assertNotIn(colour, self.on_terminal("backends", TERM="dumb"))
        self.assertNotIn("\x1b", self.output_of("backends"))

    def test_progress(self):
        self.write("in.txt", "1")
        received = self.on_terminal("compare", "toy", "--input=in.txt", "--backend=tbb")
        self.assertIn("\r\x1b[K[2/4] tbb/wrong", received)
        self.assertIn("toy/tbb/right", self.on_terminal("verify", "right", "--cases=5"))


class Help(ToyTest):
    def test_of_the_program(self):
        out = self.output_of("--help")
        for command in ("backends", "list", "run", "compare", "verify"):
            self.assertRegex(out, rf"\n  {command} +\w")

    def test_shows_the_options_of_an_algorithm(self):
        for command in ("run", "compare"):
            out = self.output_of(command, "toy", "--help")
            self.assertRegex(out, r"--addend=NUMBER +What is added to every element, from 0 to 100 "
                                  r"\[default 1\]\n")
            self.assertRegex(out, r"--mood=good\|bad +Changes nothing \[default good\]\n")
            self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_without_an_algorithm_lists_them(self):
        self.assertIn("Algorithms: toy (adds a number).", self.output_of("run", "--help"))


if __name__ == "__main__":
    unittest.main()
