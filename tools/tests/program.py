# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command line as a user does, for the tests beside this file."""

import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import time
import unittest

# Seconds after which something that should have happened will not happen.
PATIENCE = 60


def npy(elements, descr="<i4", shape=None, fortran_order=False, code="i"):
    """The bytes of a .npy file; `code` is struct's letter for the type."""
    shape = (len(elements),) if shape is None else shape
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    content = struct.pack("<%d%s" % (len(elements), code), *elements)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content


class CommandLineTest(unittest.TestCase):
    """Each case works in an empty folder of its own."""

    # The binary under test, from the root of the workspace, where Bazel starts
    # tests.
    program = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.binary = str(pathlib.Path(self.program).resolve())

    def write(self, name, content):
        path = self.folder / name
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        else:
            path.write_bytes(content)
        return name

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def environment(self, extra):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("CONCORD_")}
        environment.pop("NO_COLOR", None)
        environment.update(extra)
        return environment

    def run_program(self, *arguments, stdin="", environment=(), **kwargs):
        return subprocess.run(
            [self.binary, *arguments],
            cwd=self.folder,
            input=stdin,
            env=self.environment(dict(environment)),
            stdout=kwargs.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
            **kwargs,
        )

    def assert_refused(self, status, said, *arguments, **kwargs):
        """Fails with this status and one line on standard error that says so.

        For a mistake in a text, the text and a caret may follow.
        """
        before = self.names()
        result = self.run_program(*arguments, **kwargs)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertRegex(result.stderr, r"\Aconcord: [^\n]+\n(  [^\n]*\n *\^\n)?\Z")
        for part in [said] if isinstance(said, str) else said:
            self.assertIn(part, result.stderr)
        if result.stdout is not None:
            self.assertEqual(result.stdout, "")
        self.assertEqual(self.names(), before)

    def output_of(self, *arguments, **kwargs):
        result = self.run_program(*arguments, **kwargs)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def json_of(self, *arguments, status=0):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def started(self, *arguments, environment=(), **kwargs):
        return subprocess.Popen(
            [self.binary, *arguments],
            cwd=self.folder,
            env=self.environment(dict(environment)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **kwargs,
        )

    def interrupt(self, number, ready, *arguments, environment=(), ignored=False):
        """Sends the signal once `ready` says so; returns what was printed.

        What it said on standard error is then in `complaints`. Where the signal
        is `ignored`, as by nohup, the program goes on to its end.
        """
        ignore = (lambda: signal.signal(number, signal.SIG_IGN)) if ignored else None
        with self.started(*arguments, environment=environment, preexec_fn=ignore) as process:
            self.wait_until(lambda: ready(process))
            process.send_signal(number)
            stdout, self.complaints = process.communicate(timeout=PATIENCE)
        # As a shell sees it: 128 and the signal's number, 130 for SIGINT.
        self.assertEqual(process.returncode, 0 if ignored else -number)
        return stdout

    def has_open_output(self, process, folder="."):
        """Whether it writes a file into the folder: until it is complete, that has no name, or a
        temporary one."""
        inside = f"{(self.folder / folder).resolve()}/"
        try:
            files = [os.readlink(file) for file in pathlib.Path(f"/proc/{process.pid}/fd").iterdir()]
        except FileNotFoundError:  # one that was closed meanwhile
            return False
        return any(file.startswith(f"{inside}#") or file.startswith(inside) and file.endswith(".tmp")
                   for file in files)

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.001)


class ConcordTest(CommandLineTest):
    """By the real command line."""

    program = "tools/concord/concord"
