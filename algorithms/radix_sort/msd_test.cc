// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// cuda/msd beside std::sort, on keys that crowd in one of the places where it
// expects them to be spread, and on sizes around each of its ways.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/radix_sort/kinds_of_keys.h"
#include "concord/algorithms/radix_sort/msd_fixture.h"
#include "concord/core/host_array.h"
#include "concord/core/random.h"

namespace concord::radix_sort {
namespace {

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
  Check<std::uint32_t>(kind.name, Keys<std::uint32_t>(kind, (1 << 26) + 1));
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
