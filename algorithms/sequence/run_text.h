// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What tests run programs by: text, and columns as vectors.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_RUN_TEXT_H_
#define CONCORD_ALGORITHMS_SEQUENCE_RUN_TEXT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/run_program.h"
#include "concord/core/array.h"
#include "gtest/gtest.h"

namespace concord::sequence {

template <typename T>
ConstArrayView View(const std::vector<T>& values) {
  return ConstArrayView(absl::MakeSpan(values));
}

// The result of a program on columns x, y, ... as they are given.
template <typename... T>
absl::StatusOr<std::vector<Tuple>> RunText(absl::string_view text,
                                           const std::vector<T>&... columns) {
  const std::vector<expression::Type> types = {expression::ValueTypeOf<T>()...};
  absl::StatusOr<Program> program =
      Program::Parse(text, expression::Scope::OfColumns(types).parameters);
  if (!program.ok()) return program.status();
  return RunProgram(*program, {View(columns)...});
}

// Of one value each.
template <typename R, typename... T>
std::vector<R> Values(absl::string_view text,
                      const std::vector<T>&... columns) {
  absl::StatusOr<std::vector<Tuple>> tuples = RunText(text, columns...);
  EXPECT_TRUE(tuples.ok()) << tuples.status();
  std::vector<R> values;
  if (!tuples.ok()) return values;
  for (const Tuple& tuple : *tuples) {
    EXPECT_EQ(tuple.size(), 1u);
    values.push_back(expression::FromWord<R>(tuple[0]));
  }
  return values;
}

using Ints = std::vector<int>;

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_RUN_TEXT_H_
