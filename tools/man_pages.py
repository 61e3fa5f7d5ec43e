# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the man pages of the command line, from what it says of itself.

    man_pages.py FOLDER CONCORD [CONCORD_BENCH]

FOLDER gets man1/concord.1, man1/concord-COMMAND.1 and man7/concord-ALGORITHM.7
of the program CONCORD, and man1/concord_bench.1. Their date is today, or that
of $SOURCE_DATE_EPOCH.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

# Names of entries and their explanations stand at least so far apart.
GAP = re.compile(r" {2,}")
ESCAPES = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti",
           # A long list of choices may be broken.
           "|": r"|\:"}


def output_of(*command):
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          env=environment).stdout


def escaped(text):
    """The text for roff, in lines that no request can begin."""
    lines = textwrap.wrap(text, 72, break_on_hyphens=False, break_long_words=False)
    return "\n".join(guarded(line) for line in lines)


def guarded(line):
    line = "".join(ESCAPES.get(letter, letter) for letter in line)
    return r"\&" + line if line.startswith(".") else line


class Help:
    """What --help and `describe` print: a paragraph, then sections of entries."""

    def __init__(self, text):
        self.usage = ""
        self.sections = []  # (title, [[name, explanation]])
        self.paragraphs = []
        for block in text.strip("\n").split("\n\n"):
            first, *rest = block.split("\n")
            if first.startswith("Usage: "):
                self.usage = first[len("Usage: "):]
            elif first.endswith(":") and rest and rest[0].startswith("  "):
                self.sections.append((first[:-1], self.entries(rest)))
            else:
                self.paragraphs.append(" ".join(block.split()))

    @staticmethod
    def entries(lines):
        entries = []
        for line in lines:
            if re.match(r"  \S", line):
                entries.append((GAP.split(line.strip(), 1) + [""])[:2])
            else:
                entries[-1][1] = f"{entries[-1][1]} {line.strip()}".strip()
        return entries


class Page:
    def __init__(self, name, section, version, what):
        self.file = f"man{section}/{name}.{section}"
        self.lines = [f'.TH "{guarded(name.upper())}" {section} {date()} "{version}"', ".ad l"]
        self.section("Name", f"{escaped(name)} \\- {escaped(what)}")

    def section(self, title, text):
        self.lines += [f'.SH "{guarded(title.upper())}"', text]

    def paragraphs(self, title, paragraphs):
        if paragraphs:
            self.section(title, "\n.PP\n".join(map(escaped, paragraphs)))

    def entries(self, title, entries):
        parts = [f".TP\n.B {guarded(name)}\n{escaped(text)}".rstrip() for name, text in entries]
        self.section(title, "\n".join(parts))

    def see_also(self, names):
        pages = [f"{guarded(name)}({section})" for name, section in names]
        self.section("See also", ",\n".join(f".BR {page.replace('(', ' (', 1)}" for page in pages)
                     .replace("),\n", ") ,\n"))

    def write(self, folder):
        path = pathlib.Path(folder, self.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.lines) + "\n", encoding="ascii")


def date():
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds else now
    return day.strftime("%Y-%m-%d")


def page_of(name, section, version, text, what=None):
    """The page of one --help or `describe`."""
    parsed = Help(text)
    summary, *more = parsed.paragraphs
    page = Page(name, section, version, what or summary.rstrip("."))
    if parsed.usage:
        page.section("Synopsis", f".B {guarded(parsed.usage)}")
    page.paragraphs("Description", [summary] + [text for text in more if not titled(text)])
    for title, entries in parsed.sections:
        page.entries(title, entries)
    for text in filter(titled, more):
        page.paragraphs(titled(text)[1], [titled(text)[2]])
    return page


def titled(paragraph):
    """A paragraph such as "Exit status: ...", which is a section of its own."""
    return re.match(r"([A-Z][a-z]+(?: [a-z]+)?): (.*)", paragraph)


def pages_of_concord(program):
    version = output_of(program, "--version").splitlines()[0]
    text = output_of(program, "--help")
    commands = dict(dict(Help(text).sections)["Commands"])
    rows = json.loads(output_of(program, "list", "--json"))
    algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
    top = page_of("concord", 1, version, text)
    top.see_also([(f"concord-{name}", 1) for name in commands] +
                 [(f"concord-{name}", 7) for name in algorithms])
    yield top
    for name in commands:
        page = page_of(f"concord-{name}", 1, version, output_of(program, name, "--help"))
        page.see_also([("concord", 1)])
        yield page
    for name in algorithms:
        text = output_of(program, "describe", name)
        page = page_of(f"concord-{name}", 7, version, text,
                       json.loads(output_of(program, "describe", name, "--json"))["summary"])
        implementations = [[row["implementation"], row["summary"]] for row in rows
                           if row["algorithm"] == name]
        page.entries("Implementations", implementations)
        page.see_also([("concord", 1), ("concord-run", 1)])
        yield page


def page_of_bench(program, version):
    """Its help is laid out by other rules, and stays as it is."""
    page = Page("concord_bench", 1, version, "times every implementation of every algorithm")
    page.section("Synopsis", ".B concord_bench [OPTIONS]")
    lines = output_of(program, "--help").rstrip().split("\n")
    page.section("Description", ".nf\n" + "\n".join(map(guarded, lines)) + "\n.fi")
    page.see_also([("concord", 1)])
    return page


def main(folder, concord, bench=None):
    pages = list(pages_of_concord(concord))
    if bench:
        pages.append(page_of_bench(bench, output_of(concord, "--version").splitlines()[0]))
    for page in pages:
        page.write(folder)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: man_pages.py FOLDER CONCORD [CONCORD_BENCH]")
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"man_pages.py: {error.filename}: {error.strerror}")
