#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the index of the recorded runs into README.md beside this file.

A folder is a recording: run.json, what the benchmark program wrote, and about.txt, how it was
called and what there is to know. With --check: exit status 1 when the index is not current.
"""

import argparse
import pathlib
import sys

FOLDER = pathlib.Path(__file__).absolute().parent
sys.path.insert(0, str(FOLDER.parent))

import recorded_run  # noqa: E402  pylint: disable=wrong-import-position

_BEGIN, _END = "<!-- index.py writes this -->\n", "<!-- to here -->\n"


def _line(folder):
    about = " ".join((folder / "about.txt").read_text(encoding="utf-8").split())
    path = folder / "run.json"
    if not path.exists():
        return f"| [{folder.name}]({folder.name}) | | | | {about} |"
    context, rows = recorded_run.load(path)
    processors = dict.fromkeys(recorded_run.machine(context).values())
    gpus = dict.fromkeys(value for key, value in context.items() if key.endswith(".gpu"))
    samples = "yes" if all(row.passes for row in rows if row.error is None) else "no"
    commit = context.get("commit", "unknown")[:7]
    machine = ", ".join(gpus or processors)
    return (f"| [{folder.name}]({folder.name}/run.json) | {commit} | {machine} | "
            f"{len(rows)}, {samples} | {about} |")


def index():
    """The table, the latest recordings first."""
    folders = [path.parent for path in FOLDER.glob("*/about.txt")]
    lines = ["| recording | commit | machine | rows, samples | flags and remarks |",
             "| --- | --- | --- | --- | --- |"]
    # By name within a day; the name has the day after the machine.
    key = {folder: folder.name.split("_") for folder in folders}
    by_name = sorted(folders, key=lambda folder: folder.name)
    by_day = sorted(by_name, key=lambda folder: key[folder][1], reverse=True)
    return "\n".join(lines + [_line(folder) for folder in by_day]) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="index", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    readme = FOLDER / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    after = rest.partition(_END)[2]
    current = before + _BEGIN + "\n" + index() + "\n" + _END + after
    if current == text:
        return 0
    if arguments.check:
        print("benchmarks/results/README.md is not current; run benchmarks/results/index.py",
              file=sys.stderr)
        return 1
    readme.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
