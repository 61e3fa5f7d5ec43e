// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Cases whose results follow from a part of their inputs: the bytes that every
// implementation must read are no more than that part.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "concord/core/host_array.h"
#include "concord/core/spec.h"

namespace concord {
namespace {

constexpr std::int64_t kMany = 100'000;

std::int64_t BytesToRead(const std::string& algorithm, const Case& test_case) {
  return (**FindSpec(algorithm)).FloorOf(test_case).bytes_read;
}

// Of a program on one column of int32.
std::int64_t BytesToReadFor(const std::string& program) {
  Case test_case;
  test_case.options = {{"program", program}};
  test_case.inputs["x"] = HostArray(ElementType::kInt32, {kMany});
  return BytesToRead("sequence", test_case);
}

TEST(Floor, OfProgramsThatReadAPartOfAColumn) {
  EXPECT_EQ(BytesToReadFor("map x + 1"), 4 * kMany);
  EXPECT_EQ(BytesToReadFor("reduce a + b"), 4 * kMany);
  EXPECT_LE(BytesToReadFor("take 3"), 12);
  EXPECT_LE(BytesToReadFor("slice 5, 3 |> reduce a + b"), 12);
  EXPECT_LE(BytesToReadFor("last"), 4);
  EXPECT_EQ(BytesToReadFor("count"), 0);
}

std::int64_t BytesToReadOf(std::string text) {
  text.resize(kMany, ' ');
  Case test_case;
  test_case.type = ElementType::kUInt8;
  test_case.options = {{"kinds", "()[]"}};
  test_case.inputs["in"] = HostArray::Of<std::uint8_t>(
      std::vector<std::uint8_t>(text.begin(), text.end()));
  return BytesToRead("match_parens", test_case);
}

TEST(Floor, OfBracketsThatAreWrong) {
  EXPECT_EQ(BytesToReadOf(")"), 1);
  EXPECT_EQ(BytesToReadOf("  (]"), 4);
  // That it is never closed, the end tells.
  EXPECT_EQ(BytesToReadOf("("), kMany);
  EXPECT_EQ(BytesToReadOf("()"), kMany);
}

}  // namespace
}  // namespace concord
