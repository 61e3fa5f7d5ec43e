// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Rows that are shared out: whatever the parts are, their sketches are those of
// all sequences at once.

#include "concord/algorithms/tensor_sketch/cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "concord/core/backend.h"
#include "concord/core/random.h"

namespace concord::tensor_sketch {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> SketchesOf(absl::Span<const std::uint8_t> letters,
                                     absl::Span<const std::int64_t> offsets,
                                     const TensorSketch::Options& options) {
  const auto sketches =
      ComputeTensorSketch(*OpenBackend("serial"), letters, offsets,
                          *RandomSketchTables(options, 1), options);
  EXPECT_TRUE(sketches.ok()) << sketches.status();
  return sketches.ok() ? *sketches : std::vector<std::int64_t>();
}

// The sketches of the parts, one after the other.
std::vector<std::int64_t> SketchesOfParts(
    const std::vector<std::uint8_t>& letters,
    const std::vector<std::int64_t>& offsets,
    const TensorSketch::Options& options, int parts) {
  std::vector<std::int64_t> all;
  std::int64_t row = 0;
  for (const RowPart& part : ShareRows(offsets, options, parts)) {
    EXPECT_EQ(part.first_row, row);
    row += part.rows;
    if (part.rows == 0) {
      EXPECT_THAT(part.offsets, ElementsAre(0));
      continue;
    }
    EXPECT_EQ(part.offsets.back(), part.letters.size());
    const auto own =
        SketchesOf(absl::MakeConstSpan(letters).subspan(
                       static_cast<std::size_t>(part.letters.begin),
                       static_cast<std::size_t>(part.letters.size())),
                   part.offsets, options);
    EXPECT_EQ(static_cast<std::int64_t>(own.size()), part.rows * options.dim);
    all.insert(all.end(), own.begin(), own.end());
  }
  EXPECT_EQ(row, CountSketchRows(offsets, options));
  return all;
}

struct DrawnSequences {
  std::vector<std::uint8_t> letters;
  std::vector<std::int64_t> offsets = {0};
};

// Sequences of up to so many letters; every third one may be empty.
DrawnSequences Draw(int sequences, std::uint64_t longest, std::uint64_t seed) {
  Random random(seed);
  DrawnSequences drawn;
  for (int s = 0; s < sequences; ++s) {
    const auto length = s % 3 == 1 && random.Below(2) == 0
                            ? std::uint64_t{0}
                            : random.Below(longest + 1);
    for (std::uint64_t i = 0; i < length; ++i) {
      drawn.letters.push_back(static_cast<std::uint8_t>(random.Below(5)));
    }
    drawn.offsets.push_back(static_cast<std::int64_t>(drawn.letters.size()));
  }
  return drawn;
}

TEST(ShareRows, PartsHaveTheSketchesOfAllSequences) {
  TensorSketch::Options options;
  options.t = 3;
  options.dim = 5;
  for (const int sequences : {0, 1, 2, 3, 7, 20}) {
    for (const std::uint64_t longest : {0, 1, 40, 900}) {
      const DrawnSequences drawn =
          Draw(sequences, longest, 100 * sequences + longest);
      for (const auto& [window, stride] :
           std::vector<std::pair<std::int64_t, std::int64_t>>{
               {0, 1}, {1, 1}, {30, 7}, {20, 50}, {2000, 3}}) {
        options.window = window;
        options.stride = stride;
        const auto wanted = SketchesOf(drawn.letters, drawn.offsets, options);
        for (const int parts : {1, 2, 3, 8}) {
          EXPECT_EQ(
              SketchesOfParts(drawn.letters, drawn.offsets, options, parts),
              wanted)
              << sequences << " sequences of up to " << longest
              << " letters, window " << window << " stride " << stride << ", "
              << parts << " parts";
        }
      }
    }
  }
}

// A part costs no more than its share and one row.
TEST(ShareRows, PartsCostEquallyMuch) {
  const DrawnSequences drawn = Draw(200, 1000, 1);
  for (const std::int64_t window : {0, 50}) {
    TensorSketch::Options options;
    options.window = window;
    options.stride = window == 0 ? 1 : 10;
    const auto cost = [&](const RowPart& part) {
      return part.letters.size() + part.rows * kCostOfRow;
    };
    for (const int parts : {2, 3, 4, 8}) {
      const auto shared = ShareRows(drawn.offsets, options, parts);
      std::int64_t all = 0;
      for (const RowPart& part : shared) all += cost(part);
      for (const RowPart& part : shared) {
        EXPECT_LE(cost(part), all / parts + 1000 + 2 * kCostOfRow);
      }
    }
  }
}

// Whatever is said of a stride that no sequence has two windows for.
TEST(ShareRows, AStrideMayBeLongerThanAllLetters) {
  TensorSketch::Options options;
  options.window = 4;
  options.stride = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> offsets = {0, 10, 20, 30, 40};
  std::vector<std::int64_t> rows;
  for (const RowPart& part : ShareRows(offsets, options, 2)) {
    rows.push_back(part.rows);
  }
  EXPECT_THAT(rows, ElementsAre(2, 2));
}

}  // namespace
}  // namespace concord::tensor_sketch
