# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`concord run` from end to end."""

import json
import os
import resource
import unittest

from program import PATIENCE, npy
from toy import ToyTest


class Run(ToyTest):
    def test_text_to_standard_output(self):
        self.write("in.txt", "1 2\n3\n")
        self.assertEqual(self.output_of("run", "toy", "--input=in.txt"), "2\n3\n4\n")

    def test_from_standard_input(self):
        out = self.output_of("run", "toy", "--input=-", "--output=-", stdin="1.5")
        self.assertEqual(out, "2.5\n")

    def test_a_file_called_minus_is_not_standard_input(self):
        self.write("-", npy([1, 2, 3]))
        self.assertEqual(self.output_of("run", "toy", "--input=-", stdin="7"), "8\n")

    def test_every_name_of_standard_output_writes_where_it_stands(self):
        (self.folder / "link").symlink_to("/dev/stdout")
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"):
            self.write("log", "a line before\n")
            with open(self.folder / "log", "ab") as log:
                self.output_of("run", "toy", "--input=-", f"--output={name}", stdin="1", stdout=log)
            self.assertEqual((self.folder / "log").read_text(), "a line before\n2\n", name)
            self.assertTrue((self.folder / "link").is_symlink())

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

    def test_two_names_of_a_file_are_one(self):
        (self.folder / "link").symlink_to("a.txt")
        (self.folder / "folder").mkdir()
        for other in ("./a.txt", "folder/../a.txt", "link", str(self.folder / "a.txt")):
            self.assert_refused(2, f"two outputs cannot both be {other}", "run", "toy",
                                "--input=-", "--output=a.txt", f"--output-first={other}", stdin="1")
        with open(self.folder / "a.txt", "wb") as out:
            self.assert_refused(2, "two outputs cannot both be a.txt", "run", "toy", "--input=-",
                                "--output-first=a.txt", stdin="1", stdout=out)
        self.assert_refused(2, "two outputs cannot both be /dev/stdout", "run", "toy", "--input=-",
                            "--output-first=/dev/stdout", stdin="1")

    def test_what_nobody_wants_goes_to_the_null_device(self):
        self.output_of("run", "toy", "--input=-", "--output=/dev/null", "--output-first=/dev/null",
                       stdin="1")

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


class WhatIsThrown(ToyTest):
    def test_ends_in_one_line(self):
        for thrown, said in (("memory", "there is not enough host memory"),
                             ("number", "something of no known kind was thrown"),
                             ("two\nlines", "two; lines")):
            arguments = ["toy", "--input=-", f"--throw={thrown}"]
            self.assert_refused(1, said, "run", *arguments, "--output=out.txt", stdin="1")
            compared = self.run_program("compare", *arguments, "--json", stdin="1")
            self.assertEqual(compared.returncode, 1)
            self.assertEqual(compared.stderr, "")
            reasons = [row["reason"] for row in json.loads(compared.stdout)["rows"]
                       if row["status"] == "error"]
            # tbb/broken fails by itself.
            self.assertEqual(reasons, 3 * [said.replace("; ", "\n")] + ["the toy is broken"])


class OutputThatCannotBeWritten(ToyTest):
    def test_full_disk(self):
        self.assert_refused(1, "cannot write /dev/full: No space left on device", "run", "toy",
                            "--input=-", "--output=/dev/full", stdin="1")

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            for arguments in (["list"], ["backends", "--json"], ["run", "toy", "--input=-"]):
                self.assert_refused(1, "cannot write standard output: No space left on device",
                                    *arguments, stdin="1", stdout=full)

    def test_closed_standard_output(self):
        # Another file must not take its place.
        self.assert_refused(1, "cannot write standard output: Bad file descriptor", "run", "toy",
                            "--input=-", "--output-first=first.txt", stdin="1",
                            preexec_fn=lambda: os.close(1))

    def test_a_disk_that_fills_up_leaves_what_was_there(self):
        self.write("in.npy", npy([1] * 10000))
        # The write past the limit fails, as it does on a full disk. A signal
        # goes with it, which Python ignores unless it is told to restore it.
        for name in ("out.npy", "out.txt"):
            self.write(name, "old")
            self.assert_refused(
                1, f"cannot write {name}: File too large", "run", "toy", "--input=in.npy",
                f"--output={name}", restore_signals=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
            self.assertEqual((self.folder / name).read_text(), "old")

    def test_outputs_are_replaced_together(self):
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_RDWR))
        except OSError:
            self.skipTest("no files without a name here")
        self.write("in.txt", "1")
        self.write("first.txt", "old")
        folder = self.folder / "folder"
        folder.mkdir()
        with self.started("run", "toy", "--input=in.txt", "--sleep=1500", "--output-first=first.txt",
                          "--output=folder/out.txt") as process:
            self.wait_until(lambda: self.has_open_output(process, "folder"))
            # Nothing in it has a name before all is computed.
            folder.rmdir()
            _, complaints = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1)
        self.assertIn("cannot write folder/out.txt: No such file or directory", complaints)
        self.assertEqual((self.folder / "first.txt").read_text(), "old")
        self.assertEqual(self.names(), ["first.txt", "in.txt"])

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


if __name__ == "__main__":
    unittest.main()
