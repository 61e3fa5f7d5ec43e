#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
#
# The benchmark program as a whole: its rows, its file, its exit statuses.
set -uo pipefail
cd "${TEST_SRCDIR}/${TEST_WORKSPACE}" || exit 1
bench=benchmarks/fake_bench
record="$TEST_TMPDIR/record.json"
failures=0

# expect_status STATUS COMMAND...
expect_status() {
  local wanted=$1 status=0
  shift
  "$@" > "$TEST_TMPDIR/output" 2>&1 || status=$?
  if [ "$status" -ne "$wanted" ]; then
    echo "FAILED: $*: exit status $status, not $wanted"
    cat "$TEST_TMPDIR/output"
    failures=$((failures + 1))
  fi
}

# expect_text FILE TEXT
expect_text() {
  if ! grep -qF -- "$2" "$1"; then
    echo "FAILED: not in $1: $2"
    cat "$1"
    failures=$((failures + 1))
  fi
}

quick=(--sizes=100 --repetitions=2)
row=negate/fake/loop/int32/n:100/mode:plain/uniform/kernel/hot

expect_status 0 env CONCORD_COMMIT=abc123-dirty \
  "$bench" "${quick[@]}" "--benchmark_out=$record"
expect_text "$TEST_TMPDIR/output" "no rows for absent (no_device: )"
expect_text "$record" "\"name\": \"$row\""
expect_text "$record" '"commit": "abc123"'
expect_text "$record" '"dirty": "yes"'
expect_text "$record" '"seed": "1"'
for private in host_name executable; do
  if grep -q "\"$private\"" "$record"; then
    echo "FAILED: the file has $private"
    failures=$((failures + 1))
  fi
done
expect_status 0 benchmarks/report.py "$record"
expect_text "$TEST_TMPDIR/output" "| fake/loop | int32, 100, mode:plain, uniform |"
expect_status 0 benchmarks/compare_runs.py "$record" "$record"

expect_status 1 env FAULT=1 "$bench" "${quick[@]}" "--benchmark_out=$record"
expect_text "$record" '"error_message": "DATA_LOSS: out: 1 of 100 elements differs'
expect_status 2 "$bench" --sizes=many
expect_text "$TEST_TMPDIR/output" "'many' is no size such as 1000 or 2^20"
expect_status 2 "$bench" --algorithms=invert
expect_status 2 "$bench" --no_such_flag
expect_status 2 "$bench" "${quick[@]}" --benchmark_filter=nothing_at_all
expect_status 3 "$bench" --backends=absent
expect_status 0 "$bench" --help
expect_text "$TEST_TMPDIR/output" "--distributions"
exit $((failures > 0))
