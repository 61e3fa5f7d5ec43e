# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""tools/install, with a stand-in for Bazel; and what documents say of concord.h."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HEADERS = {
    "core/array.h": '#include "concord/core/shape.h"\n',
    "core/shape.h": "#include <cstdint>\n",
    "core/unseen.h": "",
}
SCRIPTS = ("gate.py", "report.css", "report.js", "report.py")
SML = ("c_interface.sig", "concord.mlb", "concord.sml", "mlton.sml", "poly.sml")
MAN_PAGES = """
import os, sys
os.makedirs(sys.argv[1] + "/man1")
open(sys.argv[1] + "/man1/concord.1", "w").close()
"""
# Builds what tools/install asks for, or where $FAIL names one of them fails, or
# sends it $SIGNAL.
BAZEL = r"""#!/bin/bash
case "$*" in *"${FAIL:-nothing}"*)
  [ -z "$SIGNAL" ] || { kill -s "$SIGNAL" "$PPID"; sleep 0.2; }
  exit 1
  ;;
esac
cd "$(dirname "$0")"
echo "$*" >> calls
mkdir -p bazel-bin/{tools/{bindings/python/concord,installation,concord},benchmarks,algorithms}
cp /bin/true bazel-bin/tools/bindings/python/concord/_calls.abi3.so
cp /bin/true bazel-bin/tools/bindings/libconcord.so
printf '#!/bin/sh\necho "$*"\n' > bazel-bin/tools/concord/concord
chmod +x bazel-bin/tools/concord/concord
cp /bin/true bazel-bin/benchmarks/concord_bench
echo archive > bazel-bin/tools/installation/libconcord_cpp.a
printf -- '-L/opt/lib\n-ltbb\n' > bazel-bin/tools/installation/concord_cpp.flags
echo '#include "concord/core/array.h"' > bazel-bin/algorithms/headers.cc
"""


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "tree"
        self.prefix = pathlib.Path(folder.name) / "opt" / "concord"
        for name in ("tools/install", "tools/bindings/concord.h", "LICENSE",
                     "tools/bindings/python/concord/__init__.py",
                     "tools/bindings/python/concord/__init__.pyi",
                     "tools/bindings/python/concord/py.typed",
                     *(f"tools/bindings/sml/{name}" for name in SML),
                     *(f"tools/installation/{name}" for name in (
                         "concord.pc", "concord_cpp.pc", "ConcordConfig.cmake",
                         "ConcordConfigVersion.cmake"))):
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, target)
        for name, text in HEADERS.items():
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")
        (self.root / "benchmarks").mkdir()
        for name in (*SCRIPTS, "gate_test.py", "measure.cc", "README.md"):
            (self.root / "benchmarks" / name).write_text(name, encoding="utf-8")
        (self.root / "tools/man_pages.py").write_text(MAN_PAGES, encoding="utf-8")
        (self.root / "bazel").write_text(BAZEL, encoding="utf-8")
        (self.root / "bazel").chmod(0o755)

    def install(self, *arguments, fail="nothing", destdir="", signal="", before=()):
        return subprocess.run(
            [*before, self.root / "tools/install", *map(str, arguments)],
            capture_output=True, text=True,
            env={"PATH": "/usr/bin:/bin", "BAZEL": str(self.root / "bazel"), "FAIL": fail,
                 "SIGNAL": signal, "DESTDIR": str(destdir)}, check=False)

    def installed(self):
        return {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*")
                if not path.is_dir()}

    def assert_refused(self, result, message):
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, rf"\Atools/install: [^\n]*{re.escape(message)}[^\n]*\n\Z")

    def test_what_is_installed(self):
        result = self.install(self.prefix, "--config=nocuda")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, f"Concord 0.1.0 is installed in {self.prefix}.\n")
        self.assertEqual(self.installed(), {
            "bin/concord", "bin/concord_bench", "include/concord.h",
            "include/concord/core/array.h", "include/concord/core/shape.h",
            "lib/libconcord.so", "lib/libconcord.so.0", "lib/libconcord.so.0.1.0",
            "lib/libconcord_cpp.a", "lib/pkgconfig/concord.pc", "lib/pkgconfig/concord_cpp.pc",
            "lib/cmake/Concord/ConcordConfig.cmake",
            "lib/cmake/Concord/ConcordConfigVersion.cmake",
            "lib/python3/dist-packages/concord/__init__.py",
            "lib/python3/dist-packages/concord/__init__.pyi",
            "lib/python3/dist-packages/concord/_calls.abi3.so",
            "lib/python3/dist-packages/concord/py.typed", "share/doc/concord/LICENSE",
            "share/bash-completion/completions/concord", "share/zsh/site-functions/_concord",
            "share/fish/vendor_completions.d/concord.fish", "share/man/man1/concord.1",
            "libexec/concord/concord_bench",
            *(f"libexec/concord/{name}" for name in SCRIPTS),
            *(f"share/concord/sml/{name}" for name in SML)})
        calls = (self.root / "calls").read_text(encoding="utf-8").splitlines()
        self.assertTrue(all("--config=nocuda" in call for call in calls), calls)
        self.assertEqual(["--config=shared" in call for call in calls], [False, True])

    def test_what_is_packaged_lies_below_destdir(self):
        self.install(self.prefix)
        files = self.installed()
        stage = self.root.parent / "a stage"
        result = self.install("/usr/local", destdir=stage)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.prefix = stage / "usr/local"
        self.assertEqual(self.installed(), files)

    def test_what_a_program_links(self):
        self.install(self.prefix)
        libraries = self.prefix / "lib"
        self.assertEqual((libraries / "libconcord.so").resolve().name, "libconcord.so.0.1.0")
        self.assertIn("Libs: -L${libdir} -lconcord_cpp -L/opt/lib -ltbb\n",
                      (libraries / "pkgconfig/concord_cpp.pc").read_text(encoding="utf-8"))
        for path in libraries.rglob("*Config*.cmake"):
            self.assertNotIn("@", path.read_text(encoding="utf-8"))

    def test_installing_again_replaces(self):
        self.install(self.prefix)
        (self.prefix / "include/concord.h").write_text("old", encoding="utf-8")
        self.assertEqual(self.install(self.prefix).returncode, 0)
        self.assertIn("CONCORD_H_", (self.prefix / "include/concord.h").read_text(encoding="utf-8"))

    def test_no_prefix(self):
        for arguments in ([], ["--config=nocuda"]):
            result = self.install(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr, "usage: tools/install PREFIX [FLAG...]\n")

    def test_a_signal_leaves_nothing(self):
        for signal, status in (("INT", 130), ("TERM", 143)):
            for target in ("//tools/concord", "//tools/bindings"):
                result = self.install(self.prefix, fail=target, signal=signal)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (status, "", ""))
                self.assertFalse(self.prefix.parent.exists())

    def test_a_build_that_fails_leaves_nothing(self):
        for target in ("//tools/concord", "//tools/bindings"):
            self.assert_refused(self.install(self.prefix, fail=target), "the build failed")
            self.assertFalse(self.prefix.parent.exists())

    def test_a_build_that_fails_leaves_what_was_there(self):
        self.install(self.prefix)
        before = self.installed()
        (self.prefix / "bin/concord").write_text("kept", encoding="utf-8")
        self.assert_refused(self.install(self.prefix, fail="//tools/bindings"), "the build failed")
        self.assertEqual(self.installed(), before)
        self.assertEqual((self.prefix / "bin/concord").read_text(encoding="utf-8"), "kept")

    def content(self):
        return {str(path.relative_to(self.prefix)): path.is_file() and path.read_bytes()
                for path in self.prefix.rglob("*")}

    def mounted(self, command):
        """What unshare is called with to run `command`, and then the words after it, where nobody
        else sees what is mounted."""
        words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec",
                 f"{command}; exec \"$@\"", "sh"]
        if subprocess.run([*words, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespace can be made")
        return words

    def test_file_systems_may_be_mounted_below_the_prefix(self):
        self.install(self.prefix)
        files = self.installed()
        other = self.root.parent / "other"
        other.mkdir()
        shutil.rmtree(self.prefix / "lib")
        (self.prefix / "lib").mkdir()
        result = self.install(self.prefix,
                              before=self.mounted(f"mount --bind '{other}' '{self.prefix}/lib'"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        (self.prefix / "lib").rmdir()
        other.rename(self.prefix / "lib")
        self.assertEqual(self.installed(), files)

    def test_a_failure_in_the_middle_leaves_what_was_there(self):
        self.install(self.prefix)
        for name in ("bin/concord", "lib/libconcord_cpp.a"):
            (self.prefix / name).write_text("kept", encoding="utf-8")
        # Something new to be taken away.
        shutil.rmtree(self.prefix / "include")
        before = self.content()
        share, header = self.prefix / "share", self.prefix / "share/doc/concord/LICENSE"
        for command in (f"mount --bind '{share}' '{share}'; mount -o remount,bind,ro '{share}'",
                        f"mount --bind '{header}' '{header}'"):
            result = self.install(self.prefix, before=self.mounted(command))
            self.assert_refused(result, "")
            self.assertEqual(self.content(), before)

    def test_others_can_read_it_whatever_the_umask(self):
        self.assertEqual(self.install(self.prefix, before=(
            "sh", "-c", "umask 077; exec \"$@\"", "sh")).returncode, 0)
        for path in [self.prefix, *self.prefix.rglob("*")]:
            wanted = 0o055 if path.is_dir() else 0o044
            self.assertEqual(path.stat().st_mode & wanted, wanted, path)

    def test_a_folder_in_the_way(self):
        (self.prefix / "include/concord.h").mkdir(parents=True)
        self.assert_refused(self.install(self.prefix), "include/concord.h is in the way")
        self.assertEqual(self.installed(), set())

    def test_a_prefix_that_is_a_file(self):
        self.prefix.parent.mkdir()
        self.prefix.write_text("", encoding="utf-8")
        self.assert_refused(self.install(self.prefix), f"{self.prefix}: File exists")
        self.assertTrue(self.prefix.is_file())


class Documents(unittest.TestCase):
    def test_the_version_is_that_of_the_changelog(self):
        header = pathlib.Path("tools/bindings/concord.h").read_text(encoding="utf-8")
        numbers = re.findall(r"#define CONCORD_VERSION_[A-Z]+ (\d+)", header)
        changelog = pathlib.Path("CHANGELOG.md").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"^## (\S+)", changelog, re.MULTILINE)[1], ".".join(numbers))

    def test_the_program_of_the_readme_is_one_that_is_built(self):
        readme = pathlib.Path("tools/bindings/README.md").read_text(encoding="utf-8")
        (shown,) = re.findall(r"```c\n(.*?)```", readme, re.DOTALL)
        self.assertIn(shown, pathlib.Path("tools/installation/outside/sums.c")
                      .read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
