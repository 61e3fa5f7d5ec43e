# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Adds up the test cases of Bazel's test.xml files.

    count_test_cases.py [--test_filter=FILTER] TESTLOGS LABEL... [TESTLOGS LABEL...]

Labels, which begin with "//" or "@", belong to the folder that stands before
them. Prints why cases were skipped, each reason once, and last one line `N passed, N
failed, N skipped`. Exits with 1 when a case failed, when a target left no
result, when nothing ran at all, or when the filter that Bazel was given selected
no case of any GoogleTest program; others heed no filter.
"""

import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def results_of(testlogs, label):
    """The XML files of a target: one, or one for each shard."""
    folder = pathlib.Path(testlogs) / label.lstrip("@/").replace(":", "/").lstrip("/")
    whole = folder / "test.xml"
    return [whole] if whole.exists() else sorted(folder.glob("shard_*/test.xml"))


def outcome_of(case):
    """"passed", "failed" or "skipped", and the reason of a skip."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed", ""
    skipped = case.find("skipped")
    if skipped is not None:
        text = skipped.get("message") or skipped.text or ""
        lines = [line for line in text.splitlines() if line.strip()]
        return "skipped", lines[-1].strip() if lines else "no reason given"
    return "passed", ""


def main(arguments, test_filter=None):
    counts = collections.Counter()
    selected = 0
    reasons = collections.Counter()
    testlogs = None
    for label in arguments:
        if not label.startswith(("//", "@")):
            testlogs = label
            continue
        files = results_of(testlogs, label)
        if not files:
            print(f"{label} left no result")
            counts["failed"] += 1
        for file in files:
            root = ElementTree.parse(file).getroot()
            for case in root.iter("testcase"):
                if case.get("status") == "notrun":
                    continue
                selected += root.get("name") == "AllTests"  # as GoogleTest calls them
                outcome, reason = outcome_of(case)
                counts[outcome] += 1
                if outcome == "skipped":
                    reasons[reason] += 1
    for reason, count in reasons.most_common():
        print(f"skipped {count}: {reason}")
    print(
        f"{counts['passed']} passed, {counts['failed']} failed,"
        f" {counts['skipped']} skipped"
    )
    if test_filter is not None and not selected:
        print(f"no test matches --test_filter={test_filter}", file=sys.stderr)
        return 1
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    flag, _, value = arguments[0].partition("=")
    given = flag == "--test_filter"
    sys.exit(main(arguments[given:], value if given else None))
