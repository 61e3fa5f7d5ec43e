# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Completion as it happens: shells at a terminal, and somebody who types."""

import os
import pathlib
import pty
import select
import shutil
import subprocess
import unittest

from program import CommandLineTest

# `show` is completed as `concord` is, and keeps what it is called with.
SHOW = """show() {
  if [ "$1" = completion ]; then concord "$@"; else printf '%s\\n' "$@" > shown.new; mv shown.new shown; fi
}
"""
BASH = SHOW + """source <(concord completion bash)
complete -F _concord show
_probe() {
  _concord "$@"
  printf '%s\\n' "${COMPREPLY[@]}" > replies.new
  COMPREPLY=()
  mv replies.new replies
}
complete -F _probe concord
"""
ZSH = SHOW + """autoload -Uz compinit
compinit -u -d compdump
source <(concord completion zsh)
compdef _concord show
"""


class CompletionTest(CommandLineTest):
    program = "tools/concord/concord"

    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "concord").symlink_to(self.binary)
        self.write("numbers 1.npy", "")
        self.terminal = None
        self.algorithms = sorted({row["algorithm"] for row in self.json_of("list", "--json")})

    def shell_environment(self):
        return self.environment({"PATH": f"{self.folder}/bin:/usr/bin:/bin", "TERM": "dumb",
                                 "HOME": str(self.folder), "ZDOTDIR": str(self.folder)})

    def open(self, start, *command):
        """A shell that has read `start` and waits for somebody to type."""
        self.write("start", start + "\ntouch ready\n")
        self.terminal, slave = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        process = subprocess.Popen(command, cwd=self.folder, env=self.shell_environment(),
                                   stdin=slave, stdout=slave, stderr=slave,
                                   start_new_session=True)
        os.close(slave)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.type(". ./start\n")
        self.await_file("ready")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def await_file(self, name):
        """What the shell writes into the file, which then is gone."""
        path = self.folder / name

        def there():
            # What it prints has to be taken, or it waits.
            if select.select([self.terminal], [], [], 0)[0]:
                os.read(self.terminal, 65536)
            return path.exists()

        self.wait_until(there)
        text = path.read_text(encoding="utf-8")
        path.unlink()
        return text.splitlines()

    def completed(self, typed):
        """The arguments of `show` when Tab is hit behind this."""
        self.type(f"show {typed}\t\n")
        return self.await_file("shown")


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class Bash(CompletionTest):
    def setUp(self):
        super().setUp()
        self.open(BASH, "bash", "--norc", "--noprofile", "-i")

    def replies(self, typed):
        self.type(f"concord {typed}\t")
        replies = set(self.await_file("replies")) - {""}
        self.type("\x15")  # the line is not run
        return replies

    def test_commands(self):
        commands = {"backends", "list", "describe", "run", "compare", "verify", "explain",
                    "version", "completion", "bench", "report", "gate", "reproduce", "tune"}
        self.assertEqual(self.replies(""), commands)
        self.assertEqual(self.replies("--"), {"--help", "--version"})
        self.assertEqual(self.replies("ver"), {"verify", "version"})

    def test_algorithms(self):
        for command in ("run", "compare", "describe"):
            self.assertEqual(self.replies(command + " "), set(self.algorithms))

    def test_options_of_every_algorithm_and_their_values(self):
        asked = 0
        for algorithm in self.algorithms:
            described = self.json_of("describe", algorithm, "--json")
            options = {f"--{option['name']}" + ("" if option["kind"] == "switch" else "=")
                       for option in described["options"]}
            common = {"--help", "--backend=", "--variant=", "--output=", "--input=", "--type="}
            self.assertEqual(self.replies(f"run {algorithm} --"), options | common)
            for option in described["options"]:
                if option["kind"] != "choice":
                    continue
                asked += 1
                for sign in ("=", " "):
                    typed = f"run {algorithm} --{option['name']}{sign}"
                    self.assertEqual(self.replies(typed), set(option["choices"]), typed)
        self.assertGreater(asked, 5)

    def test_implementations(self):
        rows = self.json_of("list", "--json")
        self.assertEqual(self.replies("list "), {row["implementation"] for row in rows})
        for algorithm in self.algorithms:
            variants = {row["variant"] for row in rows if row["algorithm"] == algorithm}
            self.assertEqual(self.replies(f"compare {algorithm} --variant="), variants)

    def test_backends_types_shells_and_files(self):
        self.assertEqual(self.replies("run scan --backend=se"), {"serial"})
        self.assertEqual(self.replies("compare scan --backend=serial,t"), {"serial,tbb"})
        self.assertEqual(self.replies("run scan --type=uint3"), {"uint32"})
        self.assertEqual(self.replies("completion "), {"bash", "zsh", "fish"})
        self.assertEqual(self.replies("run scan --input=num"), {"numbers 1.npy"})
        self.assertEqual(self.replies("run scan --input num"), {"numbers 1.npy"})
        self.assertEqual(self.replies("explain --assu"), {"--assume="})

    def test_options_of_the_programs_and_their_values(self):
        self.assertLessEqual({"--margin=", "--rows=", "--interleave"}, self.replies("gate --"))
        self.assertLessEqual({"--picture=", "--html="}, self.replies("report numbers --"))
        self.assertIn("--at-commit", self.replies("reproduce --at"))
        self.assertLessEqual({"--preset=", "--types=", "--out=", "--continue"}, self.replies("bench --"))
        self.assertIn("roofline", self.replies("report --picture="))
        self.assertEqual(self.replies("bench --preset=str"), {"strong"})
        self.assertEqual(self.replies("bench --types=int8,float6"), {"int8,float64"})
        self.assertEqual(self.replies("tune --algorithms=reduce,max_s"), {"reduce,max_subarray"})
        for typed in ("report num", "report a.json num", "gate --rows=x num", "reproduce num",
                      "report --html=num", "bench --out num"):
            self.assertEqual(self.replies(typed), {"numbers 1.npy"}, typed)
        self.assertEqual(self.replies("bench "), self.replies("bench --"))

    def test_nothing_where_nothing_can_be_known(self):
        for typed in ("run scan --op=x", "run tensor_sketch --dim=", "alchemy ", "list --json="):
            self.assertEqual(self.replies(typed), set(), typed)

    def test_a_word_is_completed_in_its_place(self):
        self.assertEqual(self.completed("run scan --op=ma"), ["run", "scan", "--op=max"])
        self.assertEqual(self.completed("run scan --backend=tb"), ["run", "scan", "--backend=tbb"])
        self.assertEqual(self.completed("run scan --input=num"),
                         ["run", "scan", "--input=numbers 1.npy"])
        # A value goes on where its option ends, without a blank.
        self.assertEqual(self.completed("run scan --vari"), ["run", "scan", "--variant="])


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(CompletionTest):
    def test_a_word_is_completed_in_its_place(self):
        self.open(ZSH, "zsh", "-f", "-i")
        self.assertEqual(self.completed("run scan --op=ma"), ["run", "scan", "--op=max"])
        self.assertEqual(self.completed("run max_s"), ["run", "max_subarray"])
        self.assertEqual(self.completed("run scan --input=num"),
                         ["run", "scan", "--input=numbers 1.npy"])
        self.assertEqual(self.completed("run scan --vari"), ["run", "scan", "--variant="])


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(CompletionTest):
    def suggestions(self, line):
        script = f"concord completion fish | source; complete -C '{line}'"
        out = subprocess.run(["fish", "--no-config", "-c", script], cwd=self.folder, check=True,
                             env=self.shell_environment(), stdout=subprocess.PIPE, text=True)
        return {row.split("\t")[0] for row in out.stdout.splitlines()}

    def test_suggestions(self):
        self.assertEqual(self.suggestions("concord run scan --op=ma"), {"--op=max"})
        self.assertEqual(self.suggestions("concord run "), set(self.algorithms))
        self.assertEqual(self.suggestions("concord run scan --input=num"),
                         {"--input=numbers 1.npy"})


class Words(CompletionTest):
    def test_no_word_comes_twice(self):
        for words in (["run", "scan", "--variant="], ["compare", "scan", "--backend="], ["list", ""]):
            lines = self.output_of("completion", "--words", *words).splitlines()
            suggested = [line.split("\t")[0] for line in lines]
            self.assertEqual(len(suggested), len(set(suggested)), words)
        out = self.output_of("completion", "--words", "run", "scan", "--variant=fixed_")
        self.assertRegex(out, r"\A--variant=fixed_order\t(.*; )?serial: .*; tbb: .*\n\Z")


class Scripts(CompletionTest):
    def test_a_shell_that_is_unknown(self):
        self.assert_refused(2, ["no completion for 'tcsh'", "bash, zsh, fish"], "completion",
                            "tcsh")

    def test_each_script_says_how_it_is_used(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.output_of("completion", shell)
            self.assertIn(f"concord completion {shell}", script)
            if shutil.which(shell):
                pathlib.Path(self.folder, "script").write_text(script, encoding="utf-8")
                subprocess.run([shell, "-n", "script"], cwd=self.folder, check=True)


if __name__ == "__main__":
    unittest.main()
