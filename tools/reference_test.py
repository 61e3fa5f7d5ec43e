# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""tools/reference on a small tree with all that Doxygen stumbles over."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

HEADER = """// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_SMALL_H_
#define CONCORD_SMALL_H_

namespace concord {

// Adds @FILE, 3 < 4 & #pragma, 100 % of `decltype(tag)::type`; Op<T>::Element.
//
//   digits[from, from + count)
class Adder {
 public:
  // --- For people ---

  // Of `n` steps:
  // - the first
  //   of them;
  //
  // Example:
  //   absl::StatusOr<int> sum = Add({/*steps=*/4});  // 4::x
  int Add(int n);
};

}  // namespace concord

#endif  // CONCORD_SMALL_H_
"""


class Reference(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name, "tree")
        (self.tree / "tools").mkdir(parents=True)
        shutil.copy("tools/reference", self.tree / "tools" / "reference")
        (self.tree / "small.h").write_text(HEADER, encoding="utf-8")
        (self.tree / "README.md").write_text("# Small\n\n`--NAME=@FILE` [x](tools/README.md)\n",
                                             encoding="utf-8")
        (self.tree / "tools" / "README.md").write_text("# Tools\n", encoding="utf-8")

    def run_tool(self, *arguments):
        return subprocess.run(["tools/reference", *arguments], cwd=self.tree, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def test_comments_become_prose_and_code(self):
        text = self.run_tool("--filter", "small.h").stdout
        self.assertIn("\n/// Adds \\@FILE, 3 \\< 4 \\& \\#pragma, 100 \\% of <code>", text)
        self.assertIn("/// @code{.unparsed}\n///   digits[from, from + count)\n/// @endcode\n", text)
        self.assertIn("\n  ///   of them;\n", text)
        self.assertIn("Add({4});  // 4::x\n/// @endcode\n", text)
        self.assertNotIn("SPDX", text)
        self.assertNotIn("---", text)
        self.assertIn("\n}  // namespace concord\n", text)

    @unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed")
    def test_doxygen_does_not_warn(self):
        result = self.run_tool("out")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        page = (self.tree / "out" / "classconcord_1_1Adder.html").read_text(encoding="utf-8")
        self.assertIn("100 %", page)
        self.assertIn("digits[from, from + count)", page)

    @unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed")
    def test_a_warning_is_a_failure(self):
        (self.tree / "README.md").write_text("# Small\n\n@unknown command\n", encoding="utf-8")
        self.assertNotEqual(self.run_tool("out").returncode, 0)


if __name__ == "__main__":
    unittest.main()
