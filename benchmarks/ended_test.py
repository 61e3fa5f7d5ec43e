# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""A signal ends the scripts, what they run, and what they put on the disk meanwhile."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

_FOLDER = pathlib.Path(__file__).absolute().parent


class EndedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.run_file = self.folder / "run.json"
        row = {"name": "scan/serial/loop/int32/n:8/uniform/kernel/hot", "real_time": 1.0,
               "time_unit": "us", "floor_bytes_per_second": 1.0, "ceiling_share": 0.5,
               "copy_share": 0.5, "elements_per_second": 1.0}
        self.run_file.write_text(json.dumps({"context": {}, "benchmarks": [row]}), encoding="utf-8")
        # Writes its process and waits.
        self.program = self.folder / "program.sh"
        self.program.write_text(f"echo $$ > {self.folder}/started.$$\nexec sleep 100\n",
                                encoding="utf-8")
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def programs(self):
        return [int(path.suffix[1:]) for path in self.folder.glob("started.*") if path.read_text("utf-8")]

    def assert_ends(self, name, *arguments, count, number=signal.SIGTERM):
        script = subprocess.Popen([sys.executable, str(_FOLDER / f"{name}.py"), *arguments],
                                  env={**os.environ, "TMPDIR": str(self.temporary)},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while len(self.programs()) < count and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertNotEqual(os.listdir(self.temporary), [])
        script.send_signal(number)
        _, messages = script.communicate()
        left = [process for process in self.programs() if os.path.exists(f"/proc/{process}")]
        for process in left:
            os.kill(process, signal.SIGKILL)
        self.assertEqual((script.returncode, messages), (128 + number, b""))
        self.assertEqual((left, os.listdir(self.temporary)), ([], []))

    def test_gate_that_measures_again(self):
        self.assert_ends("gate", str(self.run_file), f"--program=sh {self.program}", count=1)

    def test_gate_of_two_programs(self):
        program = f"sh {self.program}"
        self.assert_ends("gate", program, program, "--interleave", count=2)

    def test_reproduce(self):
        self.assert_ends("reproduce", str(self.run_file), f"--program=sh {self.program}", count=1,
                         number=signal.SIGHUP)

    def test_program_that_heeds_no_signal(self):
        text = self.program.read_text(encoding="utf-8")
        self.program.write_text(f"trap '' TERM\n{text}", encoding="utf-8")
        self.assert_ends("gate", str(self.run_file), f"--program=sh {self.program}", count=1)


if __name__ == "__main__":
    unittest.main()
