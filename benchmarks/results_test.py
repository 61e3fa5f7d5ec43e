# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Every recorded run can be read, and the index lists it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

_FOLDER = pathlib.Path(__file__).parent / "results"


class ResultsTest(unittest.TestCase):
    def test_index_is_current(self):
        result = subprocess.run([sys.executable, str(_FOLDER / "index.py"), "--check"],
                                check=False, capture_output=True, encoding="utf-8")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_every_run_is_in_a_folder_that_says_how_it_was_made(self):
        runs = list(_FOLDER.glob("*/run.json"))
        self.assertGreater(len(runs), 10)
        for run in runs:
            self.assertTrue((run.parent / "about.txt").read_text(encoding="utf-8").strip(), run)
        self.assertEqual(list(_FOLDER.glob("*.json")), [])

    def test_pictures_are_those_of_the_recorded_runs(self):
        run = _FOLDER / "h200_2026-11-22_small" / "run.json"
        for name, algorithm, view in (("scan_time", "scan", "time"),
                                      ("compact_speed_up", "compact", "library")):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "picture.svg")
                subprocess.run([sys.executable, str(_FOLDER.parent / "report.py"), str(run),
                                f"--rows=^{algorithm}/cuda/.*/int32/.*/kernel/",
                                f"--picture={view}", f"--svg={path}"], check=True)
                kept = _FOLDER.parent / "pictures" / f"{name}.svg"
                self.assertEqual(path.read_text(encoding="utf-8"),
                                 kept.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
