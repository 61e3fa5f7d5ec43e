# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
"""Adds up the test cases of Bazel's test.xml files.

    count_test_cases.py TESTLOGS LABEL...

Prints why cases were skipped, each reason once, and last one line `N passed, N
failed, N skipped`. Exits with 1 when a case failed, when a target left no
result, or when nothing ran at all.
"""

import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def results_of(testlogs, label):
    """The XML files of a target: one, or one for each shard."""
    folder = pathlib.Path(testlogs) / label.lstrip("/").replace(":", "/")
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


def main(testlogs, labels):
    counts = collections.Counter()
    reasons = collections.Counter()
    for label in labels:
        files = results_of(testlogs, label)
        if not files:
            print(f"{label} left no result")
            counts["failed"] += 1
        for file in files:
            for case in ElementTree.parse(file).iter("testcase"):
                if case.get("status") == "notrun":
                    continue
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
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
