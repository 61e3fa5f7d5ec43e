// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/spliced_module.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "concord/backends/cuda/spliced/emitter_version.h"
#include "concord/core/expression/parser.h"

namespace concord::spliced {
namespace {

using expression::Type;

PassFunctions Maps(const std::string& text, Type type = Type::kInt32) {
  return {*expression::ParseFunction(text, {type})};
}

constexpr PtxText kText = {"text", "12ab"};

// Whatever code depends on makes another key.
TEST(ModuleKey, IsAnotherForOtherCode) {
  const PassTemplate map = {"map", kText, false};
  PassFunctions sums = Maps("x");
  sums.op =
      *expression::ParseFunction("a, b -> a + b", {Type::kInt32, Type::kInt32});
  PassFunctions from_one = sums;
  from_one.identity = {1};
  const std::set<std::string> keys = {
      ModuleKey(map, Maps("x + 1"), "90", "13000"),
      ModuleKey({"mop", kText, false}, Maps("x + 1"), "90", "13000"),
      ModuleKey({"map", {"text", "12ac"}, false}, Maps("x + 1"), "90", "13000"),
      ModuleKey(map, Maps("x + 2"), "90", "13000"),
      ModuleKey(map, Maps("x + 1", Type::kInt64), "90", "13000"),
      ModuleKey(map, Maps("x + 1"), "80", "13000"),
      ModuleKey(map, Maps("x + 1"), "90", "13000 580.1"),
      ModuleKey(map, Maps("x"), "90", "13000"),
      ModuleKey(map, sums, "90", "13000"),
      ModuleKey(map, from_one, "90", "13000"),
  };
  EXPECT_EQ(keys.size(), 10);
}

TEST(ModuleKey, IsShortAndHasTheEmittersHash) {
  const std::string text(100'000, ' ');
  const std::string key =
      ModuleKey({"map", {text, "12ab"}, false}, Maps("x + 1"), "90", "13000");
  EXPECT_LT(key.size(), 500);
  EXPECT_EQ(EmitterVersion().size(), 64);
  EXPECT_NE(key.find(std::string(EmitterVersion())), std::string::npos);
}

}  // namespace
}  // namespace concord::spliced
