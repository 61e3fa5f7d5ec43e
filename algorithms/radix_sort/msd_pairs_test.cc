// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// cuda/msd with values beside std::stable_sort, on keys that crowd in one of
// the places where it expects them to be spread.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/algorithms/radix_sort/kinds_of_keys.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/random.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/program.h"

namespace concord::radix_sort {
namespace {

using Order = RadixSort::Order;

// The fewest keys that the variant can be made to sort by buckets.
constexpr std::int64_t kLeast = 1 << 20;
// Of outputs, elements before and after them.
constexpr std::int64_t kMargin = 4;

// A sort by comparisons of more takes too long.
constexpr std::int64_t kMostPlain = 1 << 23;

enum class Values { kGiven, kPositions };

template <typename T>
HostArray Filled(std::int64_t n) {
  HostArray array(ElementTypeOf<T>(), {n});
  std::memset(array.data<T>(), 0x5a, sizeof(T) * n);
  return array;
}

class RadixSortMsdPairs : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::shared_ptr<Backend>> cuda = OpenBackend("cuda");
    if (!cuda.ok()) return SkipOrFail("cuda", cuda.status().message());
    backend_ = *cuda;
  }

  bool there() const { return backend_ != nullptr; }

  // Sorts keys [first, n) and their values twice, to outputs that start `to`
  // elements behind an aligned address.
  template <typename Key, typename Value>
  void Check(const std::string& name, const HostArray& keys, Values values,
             Order order = Order::kAscending, std::int64_t first = 0,
             std::int64_t to = 0) {
    const std::int64_t n = keys.size() - first;
    HostArray given(ElementTypeOf<Value>(), {keys.size()});
    for (std::int64_t i = 0; i < keys.size(); ++i) {
      given.data<Value>()[i] = static_cast<Value>(RandomBits(7, i));
    }
    HostArray wanted_keys = Filled<Key>(n + to + kMargin);
    HostArray wanted_values = Filled<Value>(n + to + kMargin);
    const Key* const of_key = keys.data<Key>() + first;
    const std::vector<std::uint32_t> positions = Sorted(of_key, n, order);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t from = positions[i];
      wanted_keys.data<Key>()[to + i] = of_key[from];
      wanted_values.data<Value>()[to + i] =
          values == Values::kPositions ? static_cast<Value>(from)
                                       : given.data<Value>()[first + from];
    }
    RadixSort::Options options;
    options.order = order;
    options.argsort = values == Values::kPositions;
    const auto sort = *Registry<RadixSort>::Get().Create(backend_, "msd");
    ASSERT_TRUE(sort->Tune({{"least", absl::StrCat(kLeast)}}).ok());
    const Array in = OnDevice(keys);
    const Array in_values = OnDevice(given);
    // The second call finds what the first one left.
    for (int call = 0; call < 2; ++call) {
      HostArray out = Filled<Key>(n + to + kMargin);
      HostArray out_values = Filled<Value>(n + to + kMargin);
      const Array there = OnDevice(out);
      const Array there_values = OnDevice(out_values);
      const absl::Status status = sort->Run(
          in.view().Slice(first, n),
          options.argsort ? ConstArrayView(NoValues())
                          : ConstArrayView(in_values.view().Slice(first, n)),
          there.view().Slice(to, n), there_values.view().Slice(to, n), options);
      ASSERT_TRUE(status.ok()) << name << ": " << status;
      ASSERT_TRUE(backend_->Copy(there.view(), out.view()).ok());
      ASSERT_TRUE(backend_->Copy(there_values.view(), out_values.view()).ok());
      const std::string what = absl::StrCat(
          name, ", ", Name(keys.type()), ", ", Name(out_values.type()),
          options.argsort ? " positions" : "", ", n=", n, ", call ", call);
      EXPECT_EQ(FirstDifference<Key>(out, wanted_keys), -1) << what;
      EXPECT_EQ(FirstDifference<Value>(out_values, wanted_values), -1) << what;
    }
  }

 private:
  template <typename Key>
  static std::vector<std::uint32_t> Sorted(const Key* keys, std::int64_t n,
                                           Order order) {
    std::vector<std::uint32_t> positions(n);
    if (n > kMostPlain) return SortedOnCpu(keys, order, std::move(positions));
    std::iota(positions.begin(), positions.end(), 0u);
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return order == Order::kAscending
                                  ? ComesBefore(keys[a], keys[b])
                                  : ComesBefore(keys[b], keys[a]);
                     });
    return positions;
  }

  // By the sort of all cores, whose suite holds it against the plain one.
  template <typename Key>
  static std::vector<std::uint32_t> SortedOnCpu(
      const Key* keys, Order order, std::vector<std::uint32_t> positions) {
    std::vector<Key> sorted(positions.size());
    RadixSort::Options options;
    options.order = order;
    options.argsort = true;
    const absl::Status status = ComputeRadixSort(
        *OpenBackend("tbb"),
        ConstArrayView(absl::MakeConstSpan(keys, positions.size())), NoValues(),
        ArrayView(absl::MakeSpan(sorted)), ArrayView(absl::MakeSpan(positions)),
        options);
    EXPECT_TRUE(status.ok()) << status;
    return positions;
  }

  template <typename T>
  static std::int64_t FirstDifference(const HostArray& a, const HostArray& b) {
    for (std::int64_t i = 0; i < a.size(); ++i) {
      if (std::memcmp(a.data<T>() + i, b.data<T>() + i, sizeof(T)) != 0) {
        return i;
      }
    }
    return -1;
  }

  Array OnDevice(const HostArray& array) {
    Array there = *backend_->Allocate(array.type(), array.size());
    EXPECT_TRUE(backend_->Copy(array.view(), there.view()).ok());
    return there;
  }

  std::shared_ptr<Backend> backend_;
};

TEST_F(RadixSortMsdPairs, SortsKeysOfEveryKind) {
  if (!there()) return;
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
  if (!there()) return;
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
  if (!there()) return;
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
  if (!there()) return;
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
  if (!there()) return;
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
  if (!there()) return;
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
  if (!there()) return;
  Check<std::uint32_t, std::uint32_t>(
      "uniform", Keys<std::uint32_t>(Kinds()[0], (17 << 23) + 3),
      Values::kGiven);
}

}  // namespace
}  // namespace concord::radix_sort
