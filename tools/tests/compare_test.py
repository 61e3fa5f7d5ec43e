# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""`concord compare` from end to end."""

import unittest

from toy import ToyTest


class Compare(ToyTest):
    def test_json(self):
        self.write("in.txt", "1 2 3 4 5")
        table = self.json_of("compare", "toy", "--input=in.txt", "--type=int32", "--addend=3",
                             "--repetitions=2", "--json", status=1)
        self.assertEqual(list(table), ["algorithm", "options", "elements",
                                       "ceiling_bytes_per_second", "read_bytes_per_second",
                                       "fill_bytes_per_second", "rows"])
        self.assertEqual(table["algorithm"], "toy")
        self.assertEqual(table["options"], {"addend": "3", "mood": "good", "output-first": "no",
                                            "polite": "no", "sleep": "0", "throw": ""})
        self.assertEqual(table["elements"], 5)
        self.assertGreater(table["ceiling_bytes_per_second"]["host"], 0)
        self.assertGreater(table["read_bytes_per_second"]["host"], 0)
        self.assertGreater(table["fill_bytes_per_second"]["host"], 0)
        rows = {row["implementation"]: row for row in table["rows"]}
        for row in rows.values():
            self.assertEqual(list(row), ["implementation", "backend", "status", "reason",
                                         "seconds", "floor_bytes", "ceiling_share", "speedup"])
            self.assertEqual(row["floor_bytes"], 40)
        self.assertEqual({name: row["status"] for name, row in rows.items()},
                         {"toy/serial/loop": "ok", "toy/tbb/right": "ok",
                          "toy/tbb/wrong": "mismatch", "toy/tbb/broken": "error",
                          "toy/tbb/narrow": "skipped", "toy/tbb/picky": "skipped",
                          "toy/absent/any": "skipped"})
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
                                   "--addend=1 --mood=good --sleep=0 --throw=")
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


if __name__ == "__main__":
    unittest.main()
