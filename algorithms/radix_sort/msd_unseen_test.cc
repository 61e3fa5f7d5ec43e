// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// cuda/msd beside std::sort, on keys that are not as its sample has them.

#include <gtest/gtest.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/radix_sort/kinds_of_keys.h"
#include "concord/algorithms/radix_sort/msd_fixture.h"
#include "concord/algorithms/radix_sort/sampled.h"
#include "concord/core/host_array.h"
#include "concord/core/random.h"

namespace concord::radix_sort {
namespace {

// As many keys as are not counted, by the rule that the tests set. Of each
// stretch of vectors a sample looks at one.
constexpr std::int64_t kUncounted = std::int64_t{1} << 26;

bool IsUnseen(std::uint64_t i, int bits_of_sample,
              std::int64_t keys = kUncounted, std::int64_t of_vector = 4) {
  const std::int64_t step = keys / of_vector >> bits_of_sample;
  const std::int64_t vector = static_cast<std::int64_t>(i) / of_vector;
  return vector % step != SampledOf(vector / step, step);
}

// Of no sample.
bool IsUnseen(std::uint64_t i) { return IsUnseen(i, 13) && IsUnseen(i, 17); }

// The same where all are counted: of keys of 8 bytes, and of fewer keys.
constexpr std::int64_t kLong = std::int64_t{1} << 22;
bool IsUnseenLong(std::uint64_t i) { return IsUnseen(i, 11, kLong, 2); }
constexpr std::int64_t kFewer = std::int64_t{1} << 24;
bool IsUnseenFewer(std::uint64_t i) { return IsUnseen(i, 12, kFewer); }

// Keys that are even where the sample looks, and nowhere else.
TEST_F(RadixSortMsd, NoticesWhatNoSampleShows) {
  // Of the unseen keys, one in so many is changed.
  const auto kind = [&](const char* name, std::uint64_t one_in, int bits) {
    return Kind{name,
                [=](std::uint64_t i, std::uint64_t, int width,
                    std::uint64_t random) -> std::uint64_t {
                  if (!IsUnseen(i, 17) || RandomBits(6, i) % one_in != 0)
                    return random;
                  return (random & All(width - bits)) |
                         (std::uint64_t{0x5a5a} >> (16 - bits))
                             << (width - bits);
                }};
  };
  for (const Kind& of_rooms : {kind("a digit of a quarter", 4, 8),
                               kind("a digit of a hundredth more", 100, 8),
                               kind("a bucket of a quarter", 4, 16),
                               kind("a bucket of 6000", 16'000, 16)}) {
    Check<std::uint32_t>(of_rooms.name,
                         Keys<std::uint32_t>(of_rooms, kUncounted + 1));
  }
}

// So many keys of n that are above and below all that a sample shows, in turn,
// each in a stretch of its own.
Kind Outliers(std::uint64_t outliers, std::uint64_t n,
              bool (*is_unseen)(std::uint64_t)) {
  const std::uint64_t step = n / outliers;
  std::uint64_t left = outliers;
  return {"outliers",
          [=](std::uint64_t i, std::uint64_t, int width,
              std::uint64_t random) mutable -> std::uint64_t {
            const std::uint64_t inside =
                (random & All(width - 2)) | std::uint64_t{1} << (width - 2);
            // Nor is it the one in the middle, with which all are compared.
            if (left == 0 || !is_unseen(i) || i == n / 2) return inside;
            if (i / step != outliers - left) return inside;
            --left;
            return left % 2 == 0 ? random | std::uint64_t{1} << (width - 1)
                                 : random & All(width - 2);
          }};
}

// Few of them, as many as are set aside, one more, and every tenth.
TEST_F(RadixSortMsd, SortsOutliersThatNoSampleShows) {
  const auto check = [&](auto zero, std::int64_t n, auto is_unseen,
                         std::uint64_t every_tenth) {
    using T = decltype(zero);
    for (const std::uint64_t outliers :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{700},
          std::uint64_t{8192}, std::uint64_t{8193}, every_tenth}) {
      Check<T>(absl::StrCat(outliers, " outliers"),
               Keys<T>(Outliers(outliers, n, is_unseen), n),
               outliers % 2 == 0 ? Order::kDescending : Order::kAscending);
    }
  };
  bool (*const unseen)(std::uint64_t) = IsUnseen;
  check(std::uint32_t{}, kUncounted + 1, unseen, 6'000'000);
  check(std::uint32_t{}, kFewer + 1, IsUnseenFewer, 1'500'000);
  check(std::uint64_t{}, kLong + 1, IsUnseenLong, 400'000);
  check(std::int64_t{}, kLong + 1, IsUnseenLong, 400'000);
}

// In the first and the last tile, which are not whole.
TEST_F(RadixSortMsd, SortsOutliersAtBothEnds) {
  const Kind kind = {
      "at both ends", [](auto i, auto n, int width, auto random) {
        const std::uint64_t top = std::uint64_t{1} << (width - 1);
        return i < 30 || i + 30 > n ? random | top : random & All(width - 2);
      }};
  const HostArray keys = Keys<std::uint32_t>(kind, kUncounted + 77);
  Check<std::uint32_t>(kind.name, keys);
  Check<std::uint32_t>(kind.name, keys, Order::kDescending, 3, 1);
  const HostArray longer = Keys<std::uint64_t>(kind, kLong + 77);
  Check<std::uint64_t>(kind.name, longer);
  Check<std::uint64_t>(kind.name, longer, Order::kDescending, 1, 1);
}

// Too few for a sample, too many for a bucket: the other sort is told how many
// keys have each value of the upper digits.
TEST_F(RadixSortMsd, LeavesABucketThatNoSampleTells) {
  const std::int64_t n = (std::int64_t{1} << 26) + 1;
  Check<std::int32_t>("9000",
                      Keys<std::int32_t>(Crowded("a bucket of 9000", 9000), n));
}

}  // namespace
}  // namespace concord::radix_sort
