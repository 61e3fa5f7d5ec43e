// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_COUNTEREXAMPLE_H_
#define CONCORD_TESTING_ENGINE_COUNTEREXAMPLE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "concord/testing/engine/examiner.h"
#include "concord/testing/engine/failure_file.h"
#include "concord/testing/engine/recipe.h"
#include "concord/testing/engine/shrink.h"

namespace concord {

// A failure after all that can be found out about it.
struct Counterexample {
  // Shrunk as far as it goes.
  FailureRecord record;
  // The trial that failed first, in words.
  std::string found_as;
  // Of the shrunk case, in the spec's unit.
  std::int64_t size = 0;
  int attempts = 0;
  // A limit ended the shrinking: smaller cases may fail, too.
  bool limited = false;
  // What a reader must know: why it was not shrunk, or not to the end.
  std::string note;
  // Where it is saved; empty, with a note, when that failed.
  std::string path;
  // The line that repeats it, with $FILE for the path: as it is in '$FILE', as
  // a shell wants it elsewhere.
  std::string repeat;

  // Several lines: what failed and how, the arrays when they are short, and the
  // command that repeats it.
  std::string Report() const;
};

struct InvestigationOptions {
  ShrinkLimits limits;
  // Where failures are saved; see SaveFailure.
  std::string folder;
  bool save = true;
  std::string repeat = "concord verify --replay=$FILE";
};

// Who is asked about a failing trial and smaller ones: each time as if it were
// the first.
struct Inquiry {
  const AlgorithmSpec* spec = nullptr;
  std::string implementation;
  std::function<std::optional<Failure>(const Trial&)> examine;
};

// Repeats the failing trial, shrinks it and saves what is left.
Counterexample Investigate(
    const Inquiry& inquiry, const Trial& trial, const Failure& failure,
    const InvestigationOptions& options = InvestigationOptions());
Counterexample Investigate(
    Examiner& examiner, const Trial& trial, const Failure& failure,
    const InvestigationOptions& options = InvestigationOptions());

// Carries out recipes in turn until one fails. What goes wrong in carrying one
// out is a failure, too.
struct Round {
  std::int64_t executed = 0;
  std::optional<Trial> failing;
  std::optional<Failure> failure;
};
Round Go(Examiner& examiner, const std::vector<Recipe>& recipes);

// The failure saved in a file, seen again: nothing when it does not fail now.
// NotFound: no such file or implementation. InvalidArgument: not such a file.
// Unavailable: its backend cannot run here.
absl::StatusOr<std::optional<Failure>> Replay(const FailureRecord& record);

// The elements of a short case, one input on each line; "" for a long one.
std::string DescribeInputs(const Case& test_case);

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_COUNTEREXAMPLE_H_
