// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_VERIFY_H_
#define CONCORD_TESTING_ENGINE_VERIFY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/testing/engine/counterexample.h"

namespace concord {

struct VerifyProgress {
  // What runs next: "scan/tbb/one_pass".
  std::string implementation;
  // Trials so far and failures among them, over all implementations.
  std::int64_t executed = 0;
  std::int64_t failures = 0;
  // Trials in all; 0 when only the clock ends the work.
  std::int64_t planned = 0;
  double seconds = 0;
};

struct VerifyOptions {
  // Which implementations, by name; all of them when it is empty.
  std::function<bool(const std::string& implementation)> selects;
  // Backend specs separated by commas. Empty: each backend of the program as
  // the standard suite runs it, those that cannot run here being skipped.
  std::string backends;
  // Trials of each implementation, of which the standard suite comes first and
  // random cases follow. 0: the standard suite, and random cases as long as
  // `seconds` allows.
  std::int64_t cases = 0;
  // When to stop at the latest, shrinking included; 0 for never.
  double seconds = 0;
  // How long to go on with random cases when all others are done.
  double random_seconds = 0;
  std::uint64_t seed = 1;
  // The largest number of elements in a random case.
  std::int64_t largest_size = 4'000'000;
  // Where counterexamples are saved; see SaveFailure.
  std::string folder;
  // Called before every trial, also before each that is to shrink a failure;
  // false stops the work. Of replicas (core/replicas.h), what that of the first
  // says counts.
  std::function<bool(const VerifyProgress& progress)> progress;
};

struct VerifyRow {
  std::string implementation;
  std::int64_t executed = 0;
  // Why it did not run; "" when it did.
  std::string skipped;
};

struct VerifyReport {
  std::vector<VerifyRow> rows;
  // One for each implementation that failed: its first.
  std::vector<Counterexample> failures;
  double seconds = 0;
  // The progress function stopped it.
  bool stopped = false;

  std::int64_t executed() const;
  // Implementations that could run, but had no turn before the time was over.
  std::vector<std::string> without_a_case() const;
};

// Puts implementations through the standard suite and on through random cases,
// by turns, so that they share the time fairly.
// Which trials are run depends on the seed, not on the machine; how many of
// them, on the clock if `seconds` is given.
//
// NotFound: nothing is selected. InvalidArgument: no such backend, or an empty
// name in the list of them. Unavailable: a backend that is named cannot run
// here.
absl::StatusOr<VerifyReport> Verify(const VerifyOptions& options);

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_VERIFY_H_
