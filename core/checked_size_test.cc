// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/checked_size.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace concord {
namespace {

TEST(CheckedBytes, IsTheProductOfTheExtentsAndOfTheElement) {
  EXPECT_EQ(CheckedBytes({}, ElementType::kInt32).value(), 4);
  EXPECT_EQ(CheckedBytes({3, 5}, ElementType::kInt32).value(), 60);
  EXPECT_EQ(CheckedBytes({0, 5}, ElementType::kInt32).value(), 0);
  EXPECT_EQ(CheckedBytes({kMostBytes}, ElementType::kUInt8).value(),
            kMostBytes);
}

TEST(CheckedBytes, NegativeExtentsAreNoSizes) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{-1}, {-1, -1}, {0, -1}, {kMostBytes, -4}}) {
    EXPECT_EQ(CheckedBytes(shape, ElementType::kInt64).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(CheckedBytes({2, -7}, ElementType::kInt64).status().message(),
            "the shape (2, -7) is negative");
}

TEST(CheckedBytes, SizesThatNoMemoryHoldsAreRefused) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{kMostBytes / 8 + 1},
        {std::numeric_limits<std::int64_t>::max()},
        // What these would wrap to is 0, 16 and less than 0.
        {kMostBytes, 4},
        {(std::int64_t{1} << 61) + 2},
        {kMostBytes / 4, 1},
        // A row or a part of it is too large, although there is none.
        {0, kMostBytes, kMostBytes},
        {kMostBytes, kMostBytes, 0}}) {
    EXPECT_EQ(CheckedBytes(shape, ElementType::kInt64).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(
      CheckedBytes({kMostBytes, 4}, ElementType::kInt64).status().message(),
      "the shape (4611686018427387904, 4) of int64 is larger than any "
      "memory");
}

}  // namespace
}  // namespace concord
