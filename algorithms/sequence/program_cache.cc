// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/program_cache.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/column_names.h"
#include "concord/algorithms/sequence/recent_cache.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

using expression::Parameter;

// A byte for each input: 0, or one more than its element type.
std::uint32_t TypesOf(Views inputs) {
  std::uint32_t types = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].given()) continue;
    types |= (static_cast<std::uint32_t>(inputs[k].type()) + 1) << (8 * k);
  }
  return types;
}

// What a program is made from. `Text` owns it, or not.
template <typename Text>
struct Source {
  std::uint32_t types;
  Text text;

  friend bool operator==(const Source& x, const Source<absl::string_view>& y) {
    return x.types == y.types && x.text == y.text;
  }
};

auto& Programs() {
  static auto* const cache =
      new RecentCache<Source<std::string>, const Program>(kMostCachedPrograms);
  return *cache;
}

auto& Plans() {
  static auto* const cache =
      new RecentCache<std::uint64_t, const Plan>(kMostCachedPrograms);
  return *cache;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Program>> ProgramOf(absl::string_view text,
                                                         Views inputs) {
  const std::uint32_t types = TypesOf(inputs);
  const Source<absl::string_view> source = {types, text};
  if (auto cached = Programs().Find(source)) return cached;
  std::vector<Parameter> columns;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].given()) continue;
    columns.push_back(
        {kColumnNames[k], expression::ValueTypeOf(inputs[k].type())});
  }
  ASSIGN_OR_RETURN(Program parsed, Program::Parse(text, std::move(columns)));
  auto program = std::make_shared<const Program>(std::move(parsed));
  Programs().Add({types, std::string(text)}, program);
  return program;
}

absl::StatusOr<std::shared_ptr<const Plan>> PlanOf(const Program& program) {
  if (auto cached = Plans().Find(program.id())) return cached;
  ASSIGN_OR_RETURN(Plan made, MakePlan(program));
  auto plan = std::make_shared<const Plan>(std::move(made));
  Plans().Add(program.id(), plan);
  return plan;
}

std::vector<ConstArrayView> ColumnsOf(Views inputs) {
  std::vector<ConstArrayView> columns;
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(columns),
               [](const ConstArrayView& input) { return input.given(); });
  return columns;
}

}  // namespace concord::sequence
