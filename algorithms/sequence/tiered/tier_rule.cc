// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/tiered/tier_rule.h"

#include <cstdlib>

#include "absl/strings/string_view.h"
#include "concord/algorithms/sequence/built_in_scan.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

// Measured on an H200, which has 132 multiprocessors (NOTES.md).
struct Costs {
  // Of an element, in seconds * multiprocessors.
  double element;
  double operation;
  double compile;
};

constexpr double kPicoseconds = 132e-12;

Costs CostsOf(const Pass& pass) {
  switch (pass.kind) {
    case Pass::Kind::kReduce:
      if (pass.order == Pass::Order::kAny || pass.order == Pass::Order::kTree) {
        return {0.1 * kPicoseconds, 0.12 * kPicoseconds, 0.13};
      }
      return {14 * kPicoseconds, 4 * kPicoseconds, 0.1};
    case Pass::Kind::kScan:
      // Interpreted, its functions are maps of their own.
      if (BuiltInScan::CanRun(pass)) {
        return {1.8 * kPicoseconds, 0.03 * kPicoseconds, 0.1};
      }
      return {100 * kPicoseconds, 10 * kPicoseconds, 0.2};
    case Pass::Kind::kFilter:
      return {2.3 * kPicoseconds, 0.2 * kPicoseconds, 0.05};
    default:
      return {0.05 * kPicoseconds, 0.03 * kPicoseconds, 0.022};
  }
}

}  // namespace

absl::StatusOr<JitMode> JitModeFromEnvironment() {
  const char* const variable = std::getenv("CONCORD_JIT");
  const absl::string_view value = variable == nullptr ? "" : variable;
  if (value.empty() || value == "auto") return JitMode::kAuto;
  if (value == "always") return JitMode::kAlways;
  if (value == "never") return JitMode::kNever;
  return InvalidArgumentError("CONCORD_JIT is '", value,
                              "'; it can be auto, always or never");
}

int InterpretedOperations(const Pass& pass) {
  int operations = 0;
  if (pass.prologue.has_value()) {
    operations += pass.prologue->CountOperations();
  }
  if (pass.op.has_value()) operations += pass.op->function().CountOperations();
  if (pass.epilogue.has_value() && pass.kind == Pass::Kind::kScan) {
    operations += pass.epilogue->CountOperations();
  }
  return operations;
}

double ExtraSecondsOfElement(const Pass& pass, int multiprocessors) {
  const Costs costs = CostsOf(pass);
  return (costs.element + costs.operation * InterpretedOperations(pass)) /
         multiprocessors;
}

double CompileSeconds(const Pass& pass) { return CostsOf(pass).compile; }

}  // namespace concord::sequence
