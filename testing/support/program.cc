// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/support/program.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/testing/engine/required.h"

namespace concord {
namespace {

struct Count {
  std::int64_t executed = 0;
  std::int64_t skipped = 0;
  std::string reason;
};

struct Program {
  std::vector<std::function<void()>> actions;
  std::map<std::string, Count> counts;
  std::int64_t faults = 0;
  std::int64_t faults_caught = 0;
};

Program& TheProgram() {
  static auto* const program = new Program();
  return *program;
}

}  // namespace

bool BeforeTests(std::function<void()> action) {
  TheProgram().actions.push_back(std::move(action));
  return true;
}

void RunActionsBeforeTests() {
  for (const std::function<void()>& action : TheProgram().actions) action();
}

void CountExecuted(absl::string_view backend, std::int64_t cases) {
  TheProgram().counts[std::string(backend)].executed += cases;
}

void CountSkipped(absl::string_view backend, std::int64_t cases,
                  absl::string_view reason) {
  Count& count = TheProgram().counts[std::string(backend)];
  count.skipped += cases;
  count.reason = std::string(reason);
}

void CountPlantedFault(bool caught) {
  ++TheProgram().faults;
  if (caught) ++TheProgram().faults_caught;
}

void SkipOrFail(absl::string_view backend, absl::string_view reason) {
  if (IsRequired(backend)) {
    GTEST_FAIL() << "CONCORD_REQUIRE names " << backend
                 << ", so it must not be skipped: " << reason;
  }
  GTEST_SKIP() << reason;
}

std::string Summary() {
  std::vector<std::string> parts;
  for (const auto& [backend, count] : TheProgram().counts) {
    parts.push_back(absl::StrCat(
        backend, " ", count.executed, " executed, ", count.skipped, " skipped",
        count.skipped == 0 ? "" : " (" + count.reason + ")"));
  }
  if (TheProgram().actions.empty()) return "";
  const Program& program = TheProgram();
  if (program.faults > 0) {
    parts.push_back(absl::StrCat(program.faults_caught, " of ", program.faults,
                                 " planted faults caught"));
  }
  return absl::StrCat("differential: ", parts.empty()
                                            ? "nothing executed"
                                            : absl::StrJoin(parts, "; "));
}

std::string WholeProgramFailure(bool partial) {
  if (TheProgram().actions.empty()) return "";
  const absl::Status required = CheckRequiredBackends();
  if (!required.ok()) return std::string(required.message());
  std::int64_t executed = 0;
  for (const auto& [backend, count] : TheProgram().counts) {
    executed += count.executed;
  }
  if (executed == 0 && !partial) {
    return "the program has a differential suite, but none of it was executed";
  }
  return "";
}

}  // namespace concord
