// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// cuda/msd beside std::sort, on keys that crowd in one of the places where it
// expects them to be spread, and on sizes around each of its ways.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/radix_sort/kinds_of_keys.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/radix_sort/sampled.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"

namespace concord::radix_sort {
namespace {

using Order = RadixSort::Order;

// The fewest keys that the variant can be made to partition.
constexpr std::int64_t kLeast = 1 << 20;

class RadixSortMsd : public testing::Test {
 protected:
  void SetUp() override { backend_ = OpenOrSkip("cuda"); }

  template <typename T>
  void Check(const std::string& what, const HostArray& keys,
             Order order = Order::kAscending, std::int64_t first = 0,
             std::int64_t to = 0) {
    const auto sort = *Registry<RadixSort>::Get().Create(backend_, "msd");
    // It leaves few keys, and floats, to onesweep otherwise.
    ASSERT_TRUE(sort->Tune({{"least", absl::StrCat(kLeast)},
                            {"counted", absl::StrCat(least_counted_)}})
                    .ok());
    ExpectSorted<T>(what, *backend_, *sort, keys, order, first, to);
  }

  // From now on, buckets of keys of 4 bytes are counted.
  void CountBuckets() { least_counted_ = kLeast; }

 private:
  std::shared_ptr<Backend> backend_;
  std::int64_t least_counted_ = 0;
};

TEST_F(RadixSortMsd, SortsKeysOfEveryKind) {
  for (const Kind& kind : Kinds()) {
    for (const std::int64_t n : {(1 << 20) + 1, 5'000'011}) {
      Check<std::uint32_t>(kind.name, Keys<std::uint32_t>(kind, n));
    }
    Check<std::uint64_t>(kind.name, Keys<std::uint64_t>(kind, 4'200'017));
  }
}

TEST_F(RadixSortMsd, SortsEveryTypeInBothOrders) {
  constexpr std::int64_t kSize = 2'100'003;
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const HostArray keys = Keys<T>(Kinds()[0], kSize);
    Check<T>("uniform", keys);
    Check<T>("uniform", keys, Order::kDescending);
  };
  check(std::int8_t{});
  check(std::uint8_t{});
  check(std::int32_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
  check(float{});
  check(double{});
}

// Where another way begins, or another number of buckets.
TEST_F(RadixSortMsd, SortsSizesAroundItsThresholds) {
  for (const int bits : {20, 21, 22, 23, 24}) {
    for (const std::int64_t more : {-1, 0, 1}) {
      const std::int64_t n = (std::int64_t{1} << bits) + more;
      Check<std::uint32_t>("uniform", Keys<std::uint32_t>(Kinds()[0], n));
    }
  }
  for (const std::int64_t n : {(1 << 20) - 1, 1 << 20, (1 << 20) + 1}) {
    Check<double>("uniform", Keys<double>(Kinds()[0], n));
  }
}

TEST_F(RadixSortMsd, SortsKeysOfWhichTwoBytesAreLeft) {
  // The first two by half as many columns as the third.
  for (const std::int64_t n : {(1 << 26) + 3, (1 << 27) + 3, (17 << 23) + 3}) {
    Check<std::uint32_t>("uniform", Keys<std::uint32_t>(Kinds()[0], n),
                         Order::kDescending, 1, 2);
  }
}

// Too few for a sample, too many for a bucket: the other sort is told how many
// keys have each value of the upper digits.
TEST_F(RadixSortMsd, LeavesABucketThatNoSampleTells) {
  const std::int64_t n = (std::int64_t{1} << 26) + 1;
  Check<std::int32_t>("9000",
                      Keys<std::int32_t>(Crowded("a bucket of 9000", 9000), n));
}

// Evenly spread keys are not counted. These are, or nearly.
TEST_F(RadixSortMsd, SortsKeysThatAreEven) {
  const std::vector<Kind> kinds = {
      {"of nine tenths of all values",
       [](auto, auto, int width, auto random) {
         return (random & All(width)) / 10 * 9;
       }},
      {"every second bucket a tenth larger",
       [](auto i, auto, int width, auto random) {
         const bool moved = RandomBits(5, i) % 20 == 0;
         return moved ? random | std::uint64_t{1} << (width - 16) : random;
       }},
      Crowded("a bucket of 7000", 6000),
      {"one key in a higher bit than all others",
       [](auto i, auto n, int width, auto random) {
         return i == n / 3 ? random | std::uint64_t{1} << (width - 1)
                           : random & All(width - 1);
       }},
  };
  for (const Kind& kind : kinds) {
    Check<std::uint32_t>(kind.name, Keys<std::uint32_t>(kind, (1 << 26) + 5));
  }
  for (const std::int64_t shift : {1, 5}) {
    Check<std::int32_t>("shifted",
                        Keys<std::int32_t>(Kinds()[0], (1 << 26) + 6),
                        Order::kAscending, shift, shift + 2);
  }
}

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

// One of two tiles of a block, a whole one more, four, and more than a block
// sorts; by an odd number of digits, and by an even one.
TEST_F(RadixSortMsd, SortsBucketsThatSharedMemoryHasNoRoomFor) {
  constexpr std::int64_t kSize = (1 << 23) + 3;
  for (const std::uint64_t crowd : {5000, 12'288, 24'000, 31'000}) {
    const Kind kind = Crowded("a crowd", crowd);
    const Kind shorter = {"shorter", [&](auto i, auto n, int width, auto r) {
                            return kind.bits(i, n, width - 8,
                                             r & All(width - 8));
                          }};
    const std::string name = absl::StrCat("a crowd of ", crowd);
    Check<std::uint64_t>(name, Keys<std::uint64_t>(kind, kSize));
    Check<std::uint64_t>(name, Keys<std::uint64_t>(shorter, kSize),
                         Order::kDescending, 1, 1);
  }
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

// So that many find their columns full: half of the columns, as full as they
// are meant to be.
TEST_F(RadixSortMsd, SortsKeysThatRepeat) {
  constexpr std::int64_t kSize = std::int64_t{17} << 23;
  const Kind kind = {"twice in the mean", [](auto, auto n, int, auto random) {
                       return RandomBits(4, random % (n / 2));
                     }};
  Check<std::uint32_t>(kind.name, Keys<std::uint32_t>(kind, kSize));
}

// Those are left to onesweep, by what a sample tells of them alone.
TEST_F(RadixSortMsd, LeavesKeysThatRepeatOften) {
  const Kind kind = {"four times", [](auto, auto n, int, auto random) {
                       return RandomBits(4, random % (n / 4));
                     }};
  Check<std::uint32_t>(kind.name, Keys<std::uint32_t>(kind, kUncounted + 1));
}

TEST_F(RadixSortMsd, SortsArraysThatStartAnywhere) {
  for (const std::int64_t shift : {0, 1, 2, 3, 7}) {
    Check<std::uint32_t>("shifted", Keys<std::uint32_t>(Kinds()[0], 2'500'000),
                         Order::kAscending, shift, (shift + 1) % 8);
    Check<std::uint32_t>("shifted", Keys<std::uint32_t>(Kinds()[0], 9'000'001),
                         Order::kAscending, shift, (shift + 1) % 8);
    Check<std::uint64_t>("shifted", Keys<std::uint64_t>(Kinds()[0], 1'200'000),
                         Order::kAscending, shift % 2, (shift + 1) % 2);
  }
}

TEST_F(RadixSortMsd, CountsBuckets) {
  CountBuckets();
  for (const Kind& kind : Kinds()) {
    for (const std::int64_t n : {1 << 20, 5'000'011}) {
      Check<std::uint32_t>(kind.name, Keys<std::uint32_t>(kind, n));
    }
    Check<std::int32_t>(kind.name, Keys<std::int32_t>(kind, 2'000'003),
                        Order::kDescending, 1, 2);
  }
  for (const std::int64_t shift : {1, 2, 3}) {
    Check<std::uint32_t>("shifted", Keys<std::uint32_t>(Kinds()[0], 2'500'000),
                         Order::kAscending, shift, (shift + 1) % 4);
  }
}

// More keys in a bucket than are on their way to the output at a time.
TEST_F(RadixSortMsd, CountsALargeBucket) {
  CountBuckets();
  const std::int64_t n = std::int64_t{1} << 27;
  Check<std::uint32_t>(
      "30,000", Keys<std::uint32_t>(Crowded("a bucket of 30,000", 30'000), n));
}

TEST_F(RadixSortMsd, CountsBytes) {
  for (const std::int64_t n :
       {4096, 4097, 16'383, 16'384, 16'385, 30'000'001}) {
    for (const int kind : {0, 1, 2, 12}) {
      Check<std::uint8_t>(Kinds()[kind].name,
                          Keys<std::uint8_t>(Kinds()[kind], n));
    }
  }
  for (const std::int64_t shift : {1, 7, 15}) {
    Check<std::int8_t>("shifted", Keys<std::int8_t>(Kinds()[0], 100'000),
                       Order::kDescending, shift, 16 - shift);
  }
}

}  // namespace
}  // namespace concord::radix_sort
