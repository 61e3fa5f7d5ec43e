// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/program_cache.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/run_text.h"
#include "gtest/gtest.h"

namespace concord::sequence {
namespace {

TEST(ProgramOf, ParsesOnce) {
  const std::vector<std::int32_t> x = {1};
  const std::vector<float> f = {1};
  const auto first = ProgramOf("map x + 1", {View(x)});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*ProgramOf("map x + 1", {View(x)}), *first);
  const auto of_floats = ProgramOf("map x + 1", {View(f)});
  EXPECT_EQ((*of_floats)->types().front(), expression::Type::kFloat32);
  // The same type, of another column.
  EXPECT_FALSE(ProgramOf("map x + 1", {{}, View(x)}) == first);
}

TEST(ProgramOf, KeepsNoMoreThanItSays) {
  const std::vector<std::int32_t> x = {1};
  const std::weak_ptr<const Program> first = *ProgramOf("map x - 1", {View(x)});
  EXPECT_FALSE(first.expired());
  for (int k = 0; k < kMostCachedPrograms; ++k) {
    ASSERT_TRUE(ProgramOf(absl::StrCat("map x * 1000 + ", k), {View(x)}).ok());
  }
  EXPECT_TRUE(first.expired());
}

}  // namespace
}  // namespace concord::sequence
