// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/row_pieces.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/core/random.h"

namespace concord::spliced {
namespace {

using expression::Type;

// Copies move 16 bytes from and to multiples of 16.
TEST(RowPieces, AreWholeVectorsOfEachColumn) {
  const std::vector<Type> all = expression::AllTypes();
  for (int seed = 0; seed < 500; ++seed) {
    Random random(seed);
    std::vector<Type> columns(seed % 17);
    for (Type& type : columns) type = all[random.Below(all.size())];
    const RowPieces pieces = RowPieces::Of(columns);
    ASSERT_EQ(kFoldRow % pieces.elements, 0) << seed;
    ASSERT_EQ(pieces.elements % kFoldGroup, 0) << seed;
    ASSERT_EQ(pieces.offsets.size(), columns.size());
    int end = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const int bytes = pieces.elements * BytesOf(columns[k]);
      EXPECT_EQ(bytes % 16, 0) << seed;
      EXPECT_LE(bytes / 16, 32) << seed;
      EXPECT_EQ(pieces.offsets[k], end) << seed;
      end += bytes;
    }
    EXPECT_EQ(pieces.stride_bytes / 16 % 2, 1) << seed;
    EXPECT_GE(pieces.stride_bytes, end) << seed;
  }
}

TEST(RowPieces, AreAsLongAsWasMeasuredBest) {
  const RowPieces pieces = RowPieces::Of({Type::kInt32});
  EXPECT_EQ(pieces.elements, 64);
  EXPECT_EQ(pieces.stride_bytes, 272);
}

TEST(RowPieces, FitUnlessBytesStandBesideManyWords) {
  std::vector<Type> columns(16, Type::kInt64);
  EXPECT_TRUE(RowPieces::Of(columns).fit());
  columns.back() = Type::kBool;
  EXPECT_FALSE(RowPieces::Of(columns).fit());
  EXPECT_TRUE(RowPieces::Of(std::vector<Type>(16, Type::kInt8)).fit());
  EXPECT_TRUE(RowPieces::Of({}).fit());
}

}  // namespace
}  // namespace concord::spliced
