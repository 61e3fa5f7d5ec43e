# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`concord backends` and `concord list` from end to end."""

import unittest

from toy import ToyTest


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
        self.assertEqual(len(rows), 7)
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
        self.assertEqual(listed("tbb/"), ["right", "wrong", "broken", "narrow", "picky"])
        self.assertEqual(listed("toy/*/*o*"), ["loop", "wrong", "broken", "narrow"])
        self.assertEqual(listed("toy/serial/loop"), ["loop"])

    def test_table(self):
        out = self.output_of("list")
        self.assertRegex(out, r"toy/tbb/right +yes +yes\n    the right one; all types;")
        self.assertIn("absent cannot run here: no_device: there is no such device\n", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)


if __name__ == "__main__":
    unittest.main()
