// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The engine works in a thread of its own, from which nothing may be thrown
// either: whichever allocation fails, the interview ends with a status.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/testing/engine/interview.h"
#include "concord/testing/support/scarce_memory.h"

namespace concord {
namespace {

Description Small() {
  Description description;
  description.name = "small";
  description.inputs = {{"x", {ElementType::kInt32}, {"n"}, {}, {}, ""}};
  description.options = {{OptionSpec::Switch("fast", ""), {"no", "yes"}}};
  description.largest_size = 4;
  return description;
}

// From three elements on it fails.
absl::Status Ask(bool is_wrong) {
  ASSIGN_OR_RETURN(std::unique_ptr<DescribedSpec> spec,
                   DescribedSpec::Create(Small()));
  InterviewOptions options;
  options.cases = 12;
  options.investigation.save = false;
  Interview interview(std::move(spec), std::move(options));
  while (const std::optional<Case> asked = interview.Next()) {
    std::optional<Failure> failure;
    if (is_wrong && asked->inputs.at("x").size() >= 3) {
      failure = Failure{FailureKind::kValue, "three or more elements"};
    }
    interview.Answer(std::move(failure));
  }
  return interview.status();
}

TEST(InterviewMemory, NothingIsThrownWhileCasesAreTried) {
  ExpectStatusWithoutMemory(
      [] { return Guarded([] { return Ask(/*is_wrong=*/false); }); });
}

TEST(InterviewMemory, NothingIsThrownWhileAFailureIsShrunk) {
  ExpectStatusWithoutMemory(
      [] { return Guarded([] { return Ask(/*is_wrong=*/true); }); });
}

}  // namespace
}  // namespace concord
