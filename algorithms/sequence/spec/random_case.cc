// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spec/random_case.h"

#include <algorithm>
#include <utility>

#include "concord/algorithms/sequence/random_program.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/expression/value_type.h"
#include "concord/core/random.h"

namespace concord::sequence {
namespace {

using Kind = RandomProgramShape::Kind;

constexpr std::pair<const char*, Kind> kKinds[] = {
    {"random_map", Kind::kMap},
    {"random_filter", Kind::kFilter},
    {"random_scan", Kind::kScan},
    {"random_operator", Kind::kOperator},
    {"random_pipeline", Kind::kPipeline}};

}  // namespace

const std::vector<std::string>& RandomProgramNames() {
  static const auto* const names = [] {
    auto* const list = new std::vector<std::string>();
    for (const auto& [name, kind] : kKinds) list->push_back(name);
    return list;
  }();
  return *names;
}

DrawnProgram DrawCase(absl::string_view name, ElementType type,
                      std::int64_t size, std::uint64_t seed) {
  RandomProgramShape shape;
  for (const auto& [known, kind] : kKinds) {
    if (name == known) shape.kind = kind;
  }
  shape.type = expression::ValueTypeOf(type);
  shape.size = size;
  RandomProgramText program = DrawProgram(seed, std::move(shape));
  DrawnProgram drawn = {std::move(program.text), {}};
  Random random(seed);
  for (const expression::Parameter& column : program.columns) {
    const ElementType stored = StoredAs(column.type);
    HostArray values(stored, {size});
    for (std::int64_t i = 0; i < size; ++i) {
      expression::Store(stored, values.data<char>(), i,
                        expression::RandomValue(random, column.type));
    }
    drawn.columns.emplace(column.name, std::move(values));
  }
  return drawn;
}

}  // namespace concord::sequence
