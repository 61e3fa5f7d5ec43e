# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""tools/gpu_bundle, with a Bazel that builds nothing, and tools/gpu/run_suite, with made-up tests."""

import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

PASSES = "echo '[  PASSED  ] 2 tests.'"
FAILS = "echo '[  PASSED  ] 1 test.'; echo '[  FAILED  ] 1 test, listed below:'; exit 1"

# What Bazel says of tests, and of what they are made.
RULES = """
<rule class="cc_test" location="a/BUILD:1:1" name="//large">
    <list name="tags"><string value="exclusive"/></list>
</rule>
<rule class="cc_test" location="a/BUILD:2:1" name="//a:a">
    <list name="tags"><string value="manual"/></list>
</rule>
<rule class="cc_test" location="a/BUILD:3:1" name="//a:b">
    <int name="shard_count" value="4"/>
</rule>
<rule class="cc_test" location="a/BUILD:4:1" name="//a:c">
    <list name="tags"><string value="exclusive"/></list>
    <int name="shard_count" value="2"/>
</rule>
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def program(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def bundle(self, programs, commit="abc"):
        """A folder as gpu_bundle makes it, of made-up programs; over an old one, if there is one."""
        bundle = self.folder / "bundle"
        shutil.copytree("tools/gpu", bundle, dirs_exist_ok=True)
        (bundle / "commit").write_text(f"{commit}\n", encoding="utf-8")
        for name, does in programs.items():
            self.program(f"content/runfiles/concord/{name}", does)
        with tarfile.open(bundle / "programs.tar.xz", "w:xz") as archive:
            archive.add(self.folder / "content", ".")
        return bundle


class Unpacking(Folder):
    PROGRAM = "tools/concord/concord"

    def test_a_new_bundle_over_an_old_one_is_unpacked(self):
        for content in ("old", "new"):
            bundle = self.bundle({self.PROGRAM: f"echo {content} $CONCORD_COMMIT"}, commit=content)
            for _ in range(2):
                said = subprocess.run([bundle / "concord"], capture_output=True, check=True, encoding="utf-8")
                self.assertEqual(said.stdout, f"{content} {content}\n")
        self.assertEqual(len(list(bundle.glob("unpack*"))), 2, list(bundle.iterdir()))

    def test_first_uses_at_once(self):
        bundle = self.bundle({self.PROGRAM: "echo there"})
        jobs = [subprocess.Popen([bundle / "concord"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for _ in range(6)]
        self.assertEqual([job.communicate() for job in jobs], [(b"there\n", b"")] * 6)
        self.assertEqual(len(list(bundle.glob("unpack*"))), 2, list(bundle.iterdir()))

    def test_a_damaged_archive_leaves_nothing(self):
        bundle = self.bundle({self.PROGRAM: "true"})
        (bundle / "programs.tar.xz").write_bytes(b"no archive")
        result = subprocess.run([bundle / "concord"], capture_output=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertEqual([path.name for path in bundle.glob("unpack*")], ["unpack"])


class RunSuite(Folder):
    def suite(self, tests, logs=None, before=""):
        """The status and the lines; `tests`: by name how many parts (" alone"), and what each does."""
        bundle = self.bundle({name: does for name, (_, does) in tests.items() if does})
        (bundle / "tests").write_text("".join(f"{name} {parts}\n" for name, (parts, _) in tests.items()),
                                      encoding="utf-8")
        subprocess.run([bundle / "concord"], capture_output=True, check=False)
        result = subprocess.run(["bash", "-c", f"{before} exec {bundle}/run_suite"], capture_output=True,
                                encoding="utf-8", check=False, cwd=self.folder,
                                env={**os.environ, "LOGS": str(logs or self.folder / "logs"), "JOBS": "1"})
        return result.returncode, result.stdout.splitlines()

    def test_cases_of_all_parts_are_added(self):
        status, lines = self.suite({"a/b": (2, PASSES), "c": (1, PASSES)})
        self.assertEqual((status, lines[-1]), (0, "6 passed, 0 failed, 0 skipped"))
        self.assertTrue(lines[1].startswith("ok a/b, part 2 of 2: 2 passed"), lines)

    def test_what_is_to_run_alone_runs_when_the_others_have_ended(self):
        done = self.folder / "done"
        status, lines = self.suite({"a": ("2 alone", f"[ -e {done} ] && {PASSES}"),
                                    "b": (1, f"sleep 0.3; touch {done}; {PASSES}")})
        self.assertEqual((status, lines[-1]), (0, "6 passed, 0 failed, 0 skipped"))

    def test_a_failed_case_fails(self):
        status, lines = self.suite({"a": (1, FAILS), "b": (1, PASSES)})
        self.assertEqual((status, lines[-1]), (1, "3 passed, 1 failed, 0 skipped"))

    def test_what_could_not_run_is_named_and_fails(self):
        # Whoever ends what runs a part ends what would have run the others.
        kills = "kill -9 $(awk '{ print $4 }' /proc/$PPID/stat)"
        status, lines = self.suite({"a": (1, PASSES), "b": (2, kills), "c": (1, PASSES)})
        self.assertEqual((status, lines[-1]), (1, "2 passed, 3 failed, 0 skipped"))
        for line, name in zip(lines[-4:], ("b, part 1 of 2", "b, part 2 of 2", "c")):
            self.assertTrue(line.startswith(f"FAILED {name}: did not run"), lines)

    def test_a_full_disk_fails(self):
        # No file may have a byte.
        status, lines = self.suite({"a": (1, PASSES)}, before="trap '' XFSZ; ulimit -f 0;")
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed, 0 skipped"))
        self.assertIn("its counts could not be written", lines[-2])

    def test_the_folder_of_the_logs_may_be_relative(self):
        status, lines = self.suite({"a": (1, PASSES)}, logs="here/logs")
        self.assertEqual((status, lines[-1]), (0, "2 passed, 0 failed, 0 skipped"))
        self.assertTrue((self.folder / "here/logs/a.0.log").exists())

    def test_a_folder_that_cannot_be_made_fails(self):
        (self.folder / "file").touch()
        self.assertEqual(self.suite({"a": (1, PASSES)}, logs="file/logs"), (1, []))


class Bundle(Folder):
    def bundle(self, argument):
        """From another folder than the checkout."""
        checkout = self.folder / "checkout"
        if not checkout.exists():
            shutil.copytree("tools/gpu", checkout / "tools/gpu")
            shutil.copy("tools/gpu_bundle", checkout / "tools/gpu_bundle")
            for path in ("tools/concord/concord", "benchmarks/concord_bench"):
                manifest = self.folder / f"bin/{path}.runfiles/MANIFEST"
                manifest.parent.mkdir(parents=True)
                manifest.write_text(f"concord/{path} /bin/true\n", encoding="utf-8")
            (self.folder / "rules.xml").write_text(RULES, encoding="utf-8")
            self.program("programs/bazel", f"""case "$*" in
                *bazel-bin) echo {self.folder}/bin ;;
                *--output=xml*) cat {self.folder}/rules.xml ;;
                esac""")
            for name, text in (("git", "echo abc"), ("strip", ""), ("xz", "cat")):
                self.program(f"programs/{name}", text)
        here = self.folder / "checkout" / "here"
        here.mkdir(exist_ok=True)
        return subprocess.run(["../tools/gpu_bundle", argument], capture_output=True, encoding="utf-8",
                              check=False, cwd=here, env={**os.environ, "BAZEL": "bazel",
                              "PATH": f"{self.folder}/programs:{os.environ['PATH']}"})

    def test_its_folder_is_the_callers_and_is_made_anew(self):
        made = self.folder / "checkout/here/made"
        for _ in range(2):
            result = self.bundle("made")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((made / "commit").read_text(encoding="utf-8"), "abc\n")
            self.assertLessEqual({"run_suite", "tests", "programs.tar.xz"}, set(os.listdir(made)))
            self.assertNotIn("old", os.listdir(made))
            (made / "old").touch()
        self.assertEqual(sorted(os.listdir(self.folder / "checkout")), ["here", "tools"])

    def test_says_how_each_test_is_to_run(self):
        self.bundle("made")
        tests = (self.folder / "checkout/here/made/tests").read_text(encoding="utf-8")
        self.assertEqual(tests.splitlines(), ["a/b 4", "a/c 2 alone", "a/a 1", "large/large 1 alone"])

    def test_what_is_no_bundle_stays(self):
        self.bundle("made")
        sources = self.folder / "checkout/tools/gpu"
        before = sorted(os.listdir(sources))
        (self.folder / "checkout/here/mine").mkdir()
        for argument in ("../tools/gpu", str(sources), "mine", "."):
            result = self.bundle(argument)
            self.assertEqual(result.returncode, 2, argument)
            self.assertIn("exists and is no bundle", result.stderr)
        self.assertEqual(sorted(os.listdir(sources)), before)
        self.assertEqual(self.bundle("").returncode, 1)


if __name__ == "__main__":
    unittest.main()
