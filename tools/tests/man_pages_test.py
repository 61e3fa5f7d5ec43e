# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Man pages of everything that there is, which readers of man pages accept."""

import re
import shutil
import subprocess
import sys
import unittest

from program import CommandLineTest

LINT = next((name for name in ("mandoc", "man") if shutil.which(name)), None)


class ManPages(CommandLineTest):
    program = "tools/concord/concord"

    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, "tools/man_pages.py", self.folder, self.binary], check=True,
                       env=self.environment({"SOURCE_DATE_EPOCH": "86400"}))
        self.pages = sorted(self.folder.glob("man*/*"))

    def test_every_command_and_every_algorithm_has_a_page(self):
        commands = re.findall(r"^  (\w+) ", self.output_of("--help").split("Options:")[0],
                              re.MULTILINE)
        algorithms = {row["algorithm"] for row in self.json_of("list", "--json")}
        self.assertEqual({path.name for path in self.pages},
                         {"concord.1"} | {f"concord-{name}.1" for name in commands} |
                         {f"concord-{name}.7" for name in algorithms})

    def test_a_page_says_what_the_program_says(self):
        text = (self.folder / "man7" / "concord-scan.7").read_text(encoding="ascii")
        self.assertIn('.TH "CONCORD\\-SCAN" 7 1970-01-02 "concord ', text)
        for said in (".SH \"OPTIONS\"", ".B \\-\\-kind=exclusive|\\:inclusive",
                     ".B scan/tbb/one_pass", ".SH \"OUTPUTS\""):
            self.assertIn(said, text)
        top = (self.folder / "man1" / "concord.1").read_text(encoding="ascii")
        self.assertIn('.SH "EXIT STATUS"\n0 done', top)
        self.assertIn(".BR concord\\-scan (7)", top)

    @unittest.skipUnless(LINT, "neither mandoc nor man is installed")
    def test_no_reader_warns(self):
        command = {"mandoc": ["mandoc", "-T", "lint", "-W", "warning"],
                   "man": ["man", "--warnings", "-l"]}[LINT]
        for path in self.pages:
            result = subprocess.run([*command, path], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, check=False,
                                    env=self.environment({"LC_ALL": "C.UTF-8"}))
            said = result.stdout if LINT == "mandoc" else result.stderr
            self.assertEqual((result.returncode, said), (0, ""), path)


if __name__ == "__main__":
    unittest.main()
