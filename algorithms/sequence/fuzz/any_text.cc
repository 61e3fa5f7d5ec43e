// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/fuzz/any_text.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/program_text.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/run_program.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/expression/token.h"

namespace concord::sequence {
namespace {

constexpr std::int64_t kElements = 5;
// Operations on elements in a run that does not take long.
constexpr std::int64_t kMostWork = 20'000;

std::int64_t OperationsOf(const Stage& stage) {
  std::int64_t operations = 1;
  if (stage.function.has_value()) {
    operations += static_cast<std::int64_t>(stage.function->nodes().size());
  }
  if (stage.op.has_value()) {
    operations +=
        static_cast<std::int64_t>(stage.op->function().nodes().size());
  }
  return operations;
}

std::string ComplaintAboutError(const absl::Status& status) {
  const bool has_place = status.code() == absl::StatusCode::kInvalidArgument &&
                         absl::StartsWith(status.message(), "line ") &&
                         absl::StrContains(status.message(), ", column ") &&
                         absl::EndsWith(status.message(), "^");
  return has_place
             ? ""
             : absl::StrCat("an error without its place: ", status.ToString());
}

std::string ComplaintAboutPrinting(const Program& program) {
  const std::string printed = ToText(program);
  // Names make it longer than what was parsed.
  if (printed.size() > expression::kMostTextBytes) return "";
  const absl::StatusOr<Program> again =
      Program::Parse(printed, RandomProgramColumns());
  if (!again.ok()) {
    return absl::StrCat(printed, "\nis what a program is printed as: ",
                        again.status().ToString());
  }
  const std::string second = ToText(*again);
  if (second == printed) return "";
  return absl::StrCat(printed, "\nis a program that is printed as\n", second);
}

bool RunsQuickly(const Program& program,
                 const std::vector<std::int64_t>& columns) {
  const absl::StatusOr<std::vector<KnownSize>> sizes =
      KnownSizes(program, columns);
  if (!sizes.ok()) return false;
  std::int64_t work = 0;
  for (std::size_t k = 0; k < sizes->size(); ++k) {
    work = SaturatedSum(
        work,
        SaturatedProduct((*sizes)[k].most, OperationsOf(program.stages()[k])));
  }
  return work <= kMostWork;
}

std::string ComplaintAboutRun(const Program& program) {
  const std::vector<std::int64_t> sizes(program.columns().size(), kElements);
  if (!RunsQuickly(program, sizes)) return "";
  const absl::StatusOr<std::vector<Tuple>> result =
      RunProgram(program, RandomColumns(/*seed=*/1, kElements).views());
  const bool as_said = result.ok() || absl::IsOutOfRange(result.status()) ||
                       absl::IsInvalidArgument(result.status());
  return as_said ? "" : absl::StrCat("a run: ", result.status().ToString());
}

}  // namespace

std::string ComplaintAbout(absl::string_view text) {
  const absl::StatusOr<Program> program =
      Program::Parse(text, RandomProgramColumns());
  if (!program.ok()) return ComplaintAboutError(program.status());
  std::string complaint = ComplaintAboutPrinting(*program);
  if (!complaint.empty()) return complaint;
  const absl::StatusOr<Plan> plan = MakePlan(*program);
  if (!plan.ok() && !absl::IsInvalidArgument(plan.status())) {
    return absl::StrCat("a plan: ", plan.status().ToString());
  }
  return ComplaintAboutRun(*program);
}

}  // namespace concord::sequence
