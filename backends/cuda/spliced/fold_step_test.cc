// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/fold_step.h"

#include <gtest/gtest.h>

#include <string>

#include "concord/core/expression/parser.h"

namespace concord::spliced {
namespace {

using expression::Type;

bool HasStep(const std::string& prologue, const std::string& op) {
  const expression::Table table = {"t", ElementType::kInt32};
  return StepOf({*expression::ParseFunction(prologue, {Type::kInt32}, {table}),
                 *expression::ParseFunction(op, {Type::kInt32, Type::kInt32})})
      .has_value();
}

// What is read for nothing may lie outside, which is an error.
TEST(FoldStep, MakesAllReads) {
  EXPECT_TRUE(HasStep("x -> t[x]", "a, b -> a + b"));
  EXPECT_TRUE(HasStep("x -> x + 1", "a, b -> a"));
  EXPECT_FALSE(HasStep("x -> t[x]", "a, b -> a"));
  EXPECT_FALSE(HasStep("x -> t[t[x]]", "a, b -> a * 3"));
}

}  // namespace
}  // namespace concord::spliced
