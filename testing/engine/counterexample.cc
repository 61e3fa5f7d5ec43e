// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/counterexample.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "concord/core/errors.h"
#include "concord/core/replicas.h"
#include "concord/testing/engine/record_check.h"

namespace concord {
namespace {

// Arrays up to this length are printed.
constexpr std::int64_t kLongestPrinted = 64;

// Shrinking keeps a few copies of the case and needs many runs.
constexpr std::int64_t kMostElementsToShrink = std::int64_t{1} << 26;

// How often a trial that fails only now and then is run.
constexpr int kRetries = 64;

// Fewer times if it is stopped.
std::optional<Failure> ExamineOften(const Inquiry& inquiry, const Trial& trial,
                                    int times,
                                    const ShrinkLimits& limits = {}) {
  std::optional<Failure> failure;
  for (int i = 0; i < times && !failure.has_value(); ++i) {
    if (IsStopped(limits)) break;
    failure = inquiry.examine(trial);
  }
  return failure;
}

// With a newly made implementation, as a replay will do it.
Inquiry InquiryOf(Examiner& examiner) {
  const Subject& subject = examiner.subject();
  return {subject.spec, subject.implementation.name(),
          [&examiner](const Trial& trial) {
            examiner.Renew();
            return examiner.Examine(trial);
          }};
}

// A word of a shell's; in quotes only where it needs them.
std::string ForShell(const std::string& path) {
  const bool is_plain = std::all_of(path.begin(), path.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("/._-+", c);
  });
  if (is_plain) return path;
  return absl::StrCat("'", absl::StrReplaceAll(path, {{"'", "'\\''"}}), "'");
}

void AddNote(Counterexample& found, absl::string_view text) {
  absl::StrAppend(&found.note, found.note.empty() ? "" : "; ", text);
}

// What is found so far goes into the record, and into a file.
void Record(const Inquiry& inquiry, Shrunk shrunk,
            const InvestigationOptions& options, Counterexample& found) {
  found.attempts = shrunk.attempts;
  found.size = inquiry.spec->SizeOfCase(shrunk.trial.test_case);
  found.record = {inquiry.implementation, std::move(shrunk.trial),
                  std::string(Name(shrunk.failure.kind)),
                  shrunk.failure.message};
  found.repeat = options.repeat;
  if (!options.save) return;
  absl::StatusOr<std::string> path = SaveFailure(found.record, options.folder);
  if (path.ok()) {
    found.path = *std::move(path);
  } else {
    AddNote(found, path.status().message());
  }
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
    const std::string line = absl::StrReplaceAll(
        repeat,
        {{"'$FILE'", absl::StrCat("'", path, "'")}, {"$FILE", ForShell(path)}});
    absl::StrAppend(&text, "  repeat: ", line, "\n");
  }
  return text;
}

Counterexample Investigate(const Inquiry& inquiry, const Trial& trial,
                           const Failure& failure,
                           const InvestigationOptions& options) {
  Counterexample found;
  found.found_as = Describe(trial);
  Shrunk shrunk{trial, failure};
  const ShrinkLimits& limits = options.limits;
  int times = 1;
  std::optional<Failure> again = ExamineOften(inquiry, trial, times, limits);
  if (!again.has_value()) {
    times = kRetries;
    again = ExamineOften(inquiry, trial, times, limits);
    if (again.has_value()) AddNote(found, "does not fail every time");
  }
  if (again.has_value()) {
    shrunk = Shrink(
        *inquiry.spec, trial, *again,
        [&](const Trial& smaller) {
          return ExamineOften(inquiry, smaller, times, limits);
        },
        limits);
    found.limited = !shrunk.minimal;
  } else if (IsStopped(limits)) {
    found.limited = true;
  } else {
    AddNote(found,
            "does not fail when run by itself: it may depend on the runs "
            "before it, or on timing");
  }
  if (found.limited) {
    AddNote(found, "shrinking came to its limit; smaller cases may fail");
  }
  Record(inquiry, std::move(shrunk), options, found);
  return found;
}

Counterexample Investigate(Examiner& examiner, const Trial& trial,
                           const Failure& failure,
                           const InvestigationOptions& options) {
  const Inquiry inquiry = InquiryOf(examiner);
  absl::string_view why_not;
  if (failure.kind == FailureKind::kSpec) {
    // The implementation has not even been asked.
    why_not = "the description of the algorithm is at fault";
  } else if (!examiner.IsUsable(trial.backend)) {
    why_not =
        "the backend is of no use after this, so the case is as it was found";
  } else if (ElementsOf(trial.test_case) > kMostElementsToShrink) {
    why_not = "too large to be shrunk";
  } else {
    return Investigate(inquiry, trial, failure, options);
  }
  Counterexample found;
  found.found_as = Describe(trial);
  AddNote(found, why_not);
  Record(inquiry, {trial, failure}, options, found);
  return found;
}

Round Go(Examiner& examiner, const std::vector<Recipe>& recipes) {
  Round round;
  for (const Recipe& recipe : recipes) {
    absl::StatusOr<Trial> trial = CarryOut(recipe, *examiner.subject().spec);
    std::optional<Failure> failure;
    if (absl::Status status = AgreeAsOne(trial.status()); !status.ok()) {
      failure = Failure{FailureKind::kSpec,
                        absl::StrCat("Generate: ", status.ToString())};
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
  return ExamineOften(InquiryOf(examiner), record.trial, kRetries);
}

}  // namespace concord
