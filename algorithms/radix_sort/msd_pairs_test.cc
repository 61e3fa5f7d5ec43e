// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// cuda/msd with values beside std::stable_sort, on keys that crowd in one of
// the places where it expects them to be spread.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/radix_sort/kinds_of_keys.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/implementation.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"

namespace concord::radix_sort {
namespace {

using Order = RadixSort::Order;

// The fewest keys that the variant can be made to sort by buckets.
constexpr std::int64_t kLeast = 1 << 20;
class RadixSortMsdPairs : public testing::Test {
 protected:
  void SetUp() override { backend_ = OpenOrSkip("cuda"); }

  template <typename Key, typename Value>
  void Check(const std::string& name, const HostArray& keys, Values values,
             Order order = Order::kAscending, std::int64_t first = 0,
             std::int64_t to = 0) {
    const auto sort = *Registry<RadixSort>::Get().Create(backend_, "msd");
    ASSERT_TRUE(sort->Tune({{"least", absl::StrCat(kLeast)}}).ok());
    ExpectPairsSorted<Key, Value>(name, *backend_, *sort, keys, values, order,
                                  first, to);
  }

 private:
  std::shared_ptr<Backend> backend_;
};

TEST_F(RadixSortMsdPairs, SortsKeysOfEveryKind) {
  for (const Kind& kind : Kinds()) {
    const HostArray keys32 = Keys<std::uint32_t>(kind, (1 << 22) + 1);
    Check<std::uint32_t, std::uint32_t>(kind.name, keys32, Values::kGiven);
    Check<std::uint32_t, std::uint32_t>(kind.name, keys32, Values::kPositions);
    const HostArray keys64 = Keys<std::uint64_t>(kind, 4'300'017);
    Check<std::uint64_t, std::uint32_t>(kind.name, keys64, Values::kGiven);
    Check<std::uint64_t, std::int64_t>(kind.name, keys64, Values::kPositions);
  }
}

// Buckets of some hundred elements above, of some thousand here.
TEST_F(RadixSortMsdPairs, SortsLargeBucketsOfEveryKind) {
  constexpr std::int64_t kSize = 33'000'019;
  for (const Kind& kind : Kinds()) {
    Check<std::uint32_t, std::uint32_t>(
        kind.name, Keys<std::uint32_t>(kind, kSize), Values::kGiven);
  }
  Check<std::uint32_t, std::uint64_t>(
      "uniform", Keys<std::uint32_t>(Kinds()[0], kSize), Values::kGiven);
  Check<std::uint64_t, std::uint64_t>(
      "uniform", Keys<std::uint64_t>(Kinds()[0], kSize), Values::kGiven);
}

TEST_F(RadixSortMsdPairs, SortsEveryTypeInBothOrders) {
  const auto check = [&](auto zero) {
    using Key = decltype(zero);
    const HostArray keys = Keys<Key>(Kinds()[0], 1'300'003);
    for (const Order order : {Order::kAscending, Order::kDescending}) {
      Check<Key, float>("uniform", keys, Values::kGiven, order);
      Check<Key, double>("uniform", keys, Values::kGiven, order);
      Check<Key, std::int64_t>("uniform", keys, Values::kPositions, order);
    }
  };
  check(std::int32_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
  check(float{});
  check(double{});
}

TEST_F(RadixSortMsdPairs, SortsArraysThatStartAnywhere) {
  for (const std::int64_t shift : {0, 1, 2, 3}) {
    const std::int64_t to = (shift + 1) % 4;
    Check<std::uint32_t, std::uint32_t>(
        "shifted", Keys<std::uint32_t>(Kinds()[0], 1'200'000), Values::kGiven,
        Order::kAscending, shift, to);
    Check<std::uint64_t, std::uint32_t>(
        "shifted", Keys<std::uint64_t>(Kinds()[0], 1'200'000), Values::kGiven,
        Order::kDescending, shift, to);
    Check<std::uint32_t, std::int64_t>(
        "shifted", Keys<std::uint32_t>(Kinds()[0], 1'200'000),
        Values::kPositions, Order::kAscending, shift, to);
  }
}

// As few as passes have large tiles for; fewer have small ones.
TEST_F(RadixSortMsdPairs, SortsByTilesOfEveryWidth) {
  for (const std::int64_t n : {(1 << 20) + 5, (1 << 22) + 5}) {
    const HostArray keys32 = Keys<std::uint32_t>(Kinds()[0], n);
    const HostArray keys64 = Keys<std::uint64_t>(Kinds()[0], n);
    Check<std::uint32_t, float>("uniform", keys32, Values::kGiven);
    Check<std::uint32_t, double>("uniform", keys32, Values::kGiven);
    Check<std::uint64_t, float>("uniform", keys64, Values::kGiven);
    Check<std::uint64_t, double>("uniform", keys64, Values::kGiven);
  }
}

// Where another number of buckets begins.
TEST_F(RadixSortMsdPairs, SortsSizesAroundItsThresholds) {
  for (const int bits : {20, 25, 26}) {
    for (const std::int64_t more : {-1, 0, 1}) {
      const std::int64_t n = (std::int64_t{1} << bits) + more;
      Check<std::uint32_t, std::uint32_t>(
          "uniform", Keys<std::uint32_t>(Kinds()[0], n), Values::kPositions);
    }
  }
}

// Nearly the most elements, so that prefixes have 16 bits.
TEST_F(RadixSortMsdPairs, SortsBucketsOfTheLongestPrefix) {
  Check<std::uint32_t, std::uint32_t>(
      "uniform", Keys<std::uint32_t>(Kinds()[0], (17 << 23) + 3),
      Values::kGiven);
}

// Keys that crowd and differ in three digits: after two passes the elements are
// in scratch memory, which has to stay as it is, whatever fails meanwhile.
TEST_F(RadixSortMsdPairs, SortsWhileOtherCallsFail) {
  const Kind kind = {
      "eight values of three bytes",
      [](auto, auto, int, auto random) { return random % 8 * 0x10101; }};
  std::atomic<bool> done = false;
  std::thread failing([&] {
    while (!done) FailedCalls::Count();
  });
  Check<std::uint32_t, std::uint32_t>(
      kind.name, Keys<std::uint32_t>(kind, kLeast + 5), Values::kGiven);
  done = true;
  failing.join();
}

}  // namespace
}  // namespace concord::radix_sort
