# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""What a public host and its container read: none of it can run here, so at
least what it names has to be there."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import unittest

import yaml

HOST = pathlib.Path(".github")
README = pathlib.Path("README.md").read_text(encoding="utf-8")


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


class Workflow(unittest.TestCase):
    def setUp(self):
        self.workflow = load(HOST / "workflows" / "ci.yml")
        self.jobs = self.workflow["jobs"]

    def scripts(self):
        """The command lines of all steps that start a script of the tree."""
        for job in self.jobs.values():
            for step in job["steps"]:
                self.assertEqual(len({"run", "uses"} & set(step)), 1, step)
                words = shlex.split(step.get("run", ""))
                if words and "/" in words[0]:
                    yield words

    def test_it_runs_for_every_change(self):
        # YAML 1.1 reads the word `on` as true.
        self.assertLessEqual({"push", "pull_request"}, set(self.workflow[True]))
        for job in self.jobs.values():
            self.assertLessEqual({"runs-on", "timeout-minutes", "steps"}, set(job))

    def test_the_scripts_that_it_calls_are_there(self):
        scripts = {words[0] for words in self.scripts()}
        self.assertLessEqual({"tools/test", "tools/lane"}, scripts)
        for script in scripts:
            self.assertTrue(os.access(script, os.X_OK), script)

    def test_it_runs_the_lanes(self):
        lanes = subprocess.run(["tools/lane"], check=True, stdout=subprocess.PIPE, text=True).stdout
        names = [line.split()[0] for line in lanes.splitlines() if "CPU build" in line]
        self.assertEqual(self.jobs["lanes"]["strategy"]["matrix"]["lane"], names)
        # What does more than run the tests has a job of its own.
        self.assertIn("\nshared ", lanes)
        run = [words[1:] for words in self.scripts() if words[0] == "tools/lane"]
        self.assertCountEqual(run, [["${{", "matrix.lane", "}}", "--noshow_progress"],
                                    ["shared", "--noshow_progress"]])

    def test_the_machine_is_the_one_of_the_readme(self):
        self.assertEqual(self.jobs["debian12"]["container"], "debian:12")
        self.assertIn("On Debian 12", README)


class Container(unittest.TestCase):
    def setUp(self):
        text = pathlib.Path("Dockerfile").read_text(encoding="utf-8")
        self.steps = [line.split(" ", 1) for line in text.splitlines()
                      if line and not line.startswith("#")]

    def test_its_steps_are_those_of_the_readme(self):
        self.assertEqual(self.steps[0], ["FROM", "debian:12"])
        runs = [step for word, step in self.steps if word == "RUN"]
        # "On Debian 12 or a relative of it, with git", and then one of two commands.
        self.assertEqual(runs[0],
                         "apt-get update && apt-get install -y --no-install-recommends git")
        self.assertRegex(README, r"On Debian 12 [^\n]*, with git\b")
        commands = re.findall(r"^    (tools/\w+)", README, re.MULTILINE)
        commands.remove("tools/install")  # what comes after it was built
        self.assertEqual(commands, ["tools/demo", "tools/test"])
        self.assertIn(json.loads(dict(self.steps)["CMD"]), [[command] for command in commands])
        # Both begin with tools/setup, so that it may run before.
        for command in commands:
            self.assertIn("\ntools/setup\n", pathlib.Path(command).read_text(encoding="utf-8"))
        self.assertIn("tools/setup", runs)

    def test_what_it_copies_is_not_ignored(self):
        copied = [step.split()[0] for word, step in self.steps if word == "COPY"]
        self.assertEqual(copied, ["tools/setup"])
        ignored = pathlib.Path(".dockerignore").read_text(encoding="utf-8").splitlines()
        self.assertEqual([line[1:] for line in ignored if line.startswith("!")], copied)

    def test_the_development_container_is_this_one(self):
        text = pathlib.Path(".devcontainer/devcontainer.json").read_text(encoding="utf-8")
        settings = json.loads(text)
        dockerfile = pathlib.Path(".devcontainer", settings["build"]["dockerfile"])
        self.assertTrue(dockerfile.exists())
        self.assertEqual(settings["workspaceFolder"], dict(self.steps)["WORKDIR"])
        self.assertTrue(os.access(settings["onCreateCommand"].split()[0], os.X_OK))


class Templates(unittest.TestCase):
    def test_a_bug_comes_with_the_line_that_repeats_it(self):
        form = load(HOST / "ISSUE_TEMPLATE" / "bug.yml")
        fields = {field["id"]: field for field in form["body"]}
        self.assertIn("concord verify --replay=", fields["replay"]["attributes"]["description"])
        for field in ("what", "replay", "version"):
            self.assertIs(fields[field]["validations"]["required"], True)

    def test_each_form_is_complete(self):
        for path in (HOST / "ISSUE_TEMPLATE").glob("*.yml"):
            form = load(path)
            self.assertLessEqual({"name", "description", "body"}, set(form))
            for field in form["body"]:
                self.assertEqual(field["type"], "textarea")
                self.assertTrue(field["attributes"]["label"])

    def test_a_change_comes_with_the_line_too(self):
        text = (HOST / "pull_request_template.md").read_text(encoding="utf-8")
        self.assertIn("concord verify --replay", text)


class Citation(unittest.TestCase):
    # All keys that version 1.2.0 of the format has at the top and that are of use here.
    KEYS = {"cff-version", "message", "title", "authors", "type", "abstract", "version",
            "license", "keywords", "date-released", "doi", "url", "repository-code"}

    def setUp(self):
        self.citation = load("CITATION.cff")

    def test_it_has_what_the_format_asks_for(self):
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(self.citation))
        self.assertLessEqual(set(self.citation), self.KEYS)
        self.assertEqual(self.citation["cff-version"], "1.2.0")
        self.assertEqual(self.citation["type"], "software")
        for author in self.citation["authors"]:
            self.assertTrue(author.get("name") or author.get("family-names"))
        self.assertTrue(all(isinstance(word, str) for word in self.citation["keywords"]))

    def test_its_version_and_date_are_those_of_the_changelog(self):
        changelog = pathlib.Path("CHANGELOG.md").read_text(encoding="utf-8")
        version, state = re.search(r"^## (\S+) \((.*)\)$", changelog, re.MULTILINE).groups()
        self.assertEqual(self.citation["version"], version)
        released = str(self.citation.get("date-released", "unreleased"))
        self.assertEqual(released, state)


if __name__ == "__main__":
    unittest.main()
