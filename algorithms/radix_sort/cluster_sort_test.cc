// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// cuda/onesweep beside std::sort, on arrays that one cluster sorts: few blocks
// and many, tiles that are full and not, digits in which all keys agree.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "concord/algorithms/radix_sort/kinds_of_keys.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"

namespace concord::radix_sort {
namespace {

using Order = RadixSort::Order;

class ClusterSort : public testing::Test {
 protected:
  void SetUp() override {
    backend_ = OpenOrSkip("cuda");
    if (backend_ == nullptr) return;
    sort_ = *Registry<RadixSort>::Get().Create(backend_, "onesweep");
  }

  template <typename T>
  void Check(const Kind& kind, std::int64_t n,
             Order order = Order::kAscending) {
    ExpectSorted<T>(kind.name, *backend_, *sort_, Keys<T>(kind, n), order,
                    /*first=*/1, /*to=*/2);
  }
  template <typename Key, typename Value>
  void CheckPairs(const Kind& kind, std::int64_t n, Values values,
                  Order order = Order::kAscending) {
    ExpectPairsSorted<Key, Value>(kind.name, *backend_, *sort_,
                                  Keys<Key>(kind, n), values, order,
                                  /*first=*/1, /*to=*/2);
  }

 private:
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<RadixSort> sort_;
};

// With less than a row for each block; whole blocks without a key; the last
// block whole, and with one key.
constexpr std::int64_t kSizes[] = {3074,   4097,   4098,   8192,   20'000,
                                   32'769, 32'770, 49'153, 49'154, 65'537,
                                   65'538, 98'305, 98'306, 131'073};

TEST_F(ClusterSort, SortsKeysOfEveryKind) {
  for (const Kind& kind : Kinds()) {
    for (const std::int64_t n : kSizes) {
      Check<std::uint32_t>(kind, n);
      Check<std::int64_t>(kind, n, Order::kDescending);
    }
  }
}

TEST_F(ClusterSort, SortsValuesAndPositionsWithKeysOfEveryKind) {
  for (const Kind& kind : Kinds()) {
    for (const std::int64_t n : kSizes) {
      CheckPairs<std::uint32_t, std::uint32_t>(kind, n, Values::kGiven);
      CheckPairs<std::uint64_t, std::int64_t>(kind, n, Values::kGiven,
                                              Order::kDescending);
      CheckPairs<float, std::int64_t>(kind, n, Values::kPositions);
    }
  }
}

TEST_F(ClusterSort, SortsBytes) {
  for (const std::uint64_t values : {1, 2, 3, 256}) {
    const Kind kind = {"bytes", [values](auto, auto, int, auto random) {
                         return 254 + random % values;
                       }};
    for (const std::int64_t n : kSizes) {
      Check<std::uint8_t>(kind, n);
      CheckPairs<std::int8_t, std::uint32_t>(kind, n, Values::kGiven);
      CheckPairs<std::uint8_t, std::uint64_t>(kind, n, Values::kGiven,
                                              Order::kDescending);
      CheckPairs<std::uint8_t, std::int64_t>(kind, n, Values::kPositions);
    }
  }
}

// A call finds what another one has left, of other types and sizes.
TEST_F(ClusterSort, SortsWhateverCameBefore) {
  for (int round = 0; round < 200; ++round) {
    Check<std::uint32_t>(Kinds()[0], 3074 + 641 * round);
    Check<double>(Kinds()[0], 131'073 - 601 * round);
  }
}

}  // namespace
}  // namespace concord::radix_sort
