# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What a program such as `concord bench` gets, by one that prints it."""

import shutil
import unittest

from toy import ToyTest


class Programs(ToyTest):
    def setUp(self):
        super().setUp()
        for folder in ("bin", "libexec/concord"):
            (self.folder / folder).mkdir(parents=True)
        self.binary = shutil.copy(self.binary, self.folder / "bin")
        bench = self.folder / "libexec/concord/concord_bench"
        bench.write_text("#!/bin/sh\nprintf '<%s>' \"$@\"\n")
        bench.chmod(0o755)

    def test_arguments_are_handed_over_as_they_are(self):
        for arguments in (["--", "a"], ["++", "a"], ["a", "--", "b"], ["--input=", "a"],
                          ["--input", "", "--version"], ["toy", "-h"]):
            self.assertEqual(self.output_of("bench", *arguments),
                             "".join(f"<{argument}>" for argument in arguments))


if __name__ == "__main__":
    unittest.main()
