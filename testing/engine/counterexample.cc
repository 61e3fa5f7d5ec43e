// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/counterexample.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"
#include "concord/testing/engine/record_check.h"

namespace concord {
namespace {

// Arrays up to this length are printed.
constexpr std::int64_t kLongestPrinted = 64;

// Shrinking keeps a few copies of the case and needs many runs.
constexpr std::int64_t kMostElementsToShrink = std::int64_t{1} << 26;

// How often a trial that fails only now and then is run.
constexpr int kRetries = 64;

std::int64_t ElementsOf(const Case& test_case) {
  std::int64_t elements = 0;
  for (const auto& [name, value] : test_case.inputs) elements += value.size();
  return elements;
}

// With a newly made implementation, as a replay will do it.
std::optional<Failure> ExamineAnew(Examiner& examiner, const Trial& trial,
                                   int times) {
  std::optional<Failure> failure;
  for (int i = 0; i < times && !failure.has_value(); ++i) {
    examiner.Renew();
    failure = examiner.Examine(trial);
  }
  return failure;
}

}  // namespace

std::string DescribeInputs(const Case& test_case) {
  std::string text;
  for (const auto& [name, value] : test_case.inputs) {
    if (value.size() > kLongestPrinted) return "";
    absl::StrAppend(&text, "  ", name, ": ", Name(value.type()), " [");
    for (std::int64_t i = 0; i < value.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", value.ToString(i));
    }
    absl::StrAppend(&text, "]\n");
  }
  return text;
}

std::string Counterexample::Report() const {
  std::string text =
      absl::StrCat(record.implementation, ": ", record.kind, ": ",
                   record.message, "\n  case: ", Describe(record.trial), "\n");
  absl::StrAppend(&text, DescribeInputs(record.trial.test_case));
  if (attempts > 0) {
    absl::StrAppend(&text, "  found as: ", found_as, "; shrunk to size ", size,
                    " in ", attempts, " attempts\n");
  }
  if (!note.empty()) absl::StrAppend(&text, "  note: ", note, "\n");
  if (!path.empty()) {
    absl::StrAppend(&text, "  repeat: concord verify --replay=", path, "\n");
  }
  return text;
}

Counterexample Investigate(Examiner& examiner, const Trial& trial,
                           const Failure& failure,
                           const InvestigationOptions& options) {
  const AlgorithmSpec& spec = *examiner.subject().spec;
  Counterexample found;
  found.found_as = Describe(trial);
  Shrunk shrunk{trial, failure};
  const auto note = [&](absl::string_view text) {
    absl::StrAppend(&found.note, found.note.empty() ? "" : "; ", text);
  };
  if (failure.kind == FailureKind::kSpec) {
    // The implementation has not even been asked.
    note("the description of the algorithm is at fault");
  } else if (!examiner.IsUsable(trial.backend)) {
    note("the backend is of no use after this, so the case is as it was found");
  } else if (ElementsOf(trial.test_case) > kMostElementsToShrink) {
    note("too large to be shrunk");
  } else {
    int times = 1;
    std::optional<Failure> again = ExamineAnew(examiner, trial, times);
    if (!again.has_value()) {
      times = kRetries;
      again = ExamineAnew(examiner, trial, times);
      if (again.has_value()) note("does not fail every time");
    }
    if (again.has_value()) {
      shrunk = Shrink(
          spec, trial, *again,
          [&](const Trial& smaller) {
            return ExamineAnew(examiner, smaller, times);
          },
          options.limits);
      found.limited = !shrunk.minimal;
      if (found.limited) {
        note("shrinking came to its limit; smaller cases may fail");
      }
    } else {
      note(
          "does not fail when run by itself: it may depend on the runs before "
          "it, or on timing");
    }
  }
  found.attempts = shrunk.attempts;
  found.size = spec.SizeOfCase(shrunk.trial.test_case);
  found.record = {
      examiner.subject().implementation.name(), std::move(shrunk.trial),
      std::string(Name(shrunk.failure.kind)), shrunk.failure.message};
  if (options.save) {
    absl::StatusOr<std::string> path =
        SaveFailure(found.record, options.folder);
    if (path.ok()) {
      found.path = *std::move(path);
    } else {
      note(path.status().message());
    }
  }
  return found;
}

Round Go(Examiner& examiner, const std::vector<Recipe>& recipes) {
  Round round;
  for (const Recipe& recipe : recipes) {
    absl::StatusOr<Trial> trial = CarryOut(recipe, *examiner.subject().spec);
    std::optional<Failure> failure;
    if (!trial.ok()) {
      failure = Failure{FailureKind::kSpec,
                        absl::StrCat("Generate: ", trial.status().ToString())};
      trial = Trial();
      trial->request = recipe.request;
      trial->backend = recipe.backend;
    } else {
      failure = examiner.Examine(*trial);
      ++round.executed;
    }
    if (failure.has_value()) {
      round.failing = *std::move(trial);
      round.failure = std::move(failure);
      break;
    }
  }
  return round;
}

absl::StatusOr<std::optional<Failure>> Replay(const FailureRecord& record) {
  ASSIGN_OR_RETURN(Subject subject, FindSubject(record.implementation));
  const bool sound = record.kind != Name(FailureKind::kSpec);
  RETURN_IF_ERROR(CheckTrial(subject, record.trial, sound));
  Examiner examiner(std::move(subject));
  return ExamineAnew(examiner, record.trial, kRetries);
}

}  // namespace concord
