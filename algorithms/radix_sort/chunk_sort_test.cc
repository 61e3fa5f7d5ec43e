// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// tbb/write_combined beside std::sort and std::stable_sort, on as many keys as
// it distributes to chunks, of every kind: where they are spread it sorts by
// networks, otherwise digit by digit. Run with each width of vectors.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "concord/algorithms/radix_sort/kinds_of_keys.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/registry.h"

namespace concord::radix_sort {
namespace {

using Order = RadixSort::Order;

// More than a thread sorts by itself, in parts of two sizes.
constexpr std::int64_t kFew = 300'007;
constexpr std::int64_t kMany = 1'500'003;

class ChunkSort : public testing::Test {
 protected:
  template <typename Key>
  void CheckKeys(const Kind& kind) {
    for (const std::int64_t n : {kFew, kMany}) {
      ExpectSorted<Key>(kind.name, *backend_, *sort_, Keys<Key>(kind, n));
    }
  }

  template <typename Key>
  void CheckPairs(const Kind& kind, std::int64_t n = kFew) {
    const HostArray keys = Keys<Key>(kind, n);
    const auto check = [&](auto value, Values values) {
      ExpectPairsSorted<Key, decltype(value)>(kind.name, *backend_, *sort_,
                                              keys, values, Order::kDescending);
    };
    check(std::uint32_t{}, Values::kGiven);
    check(double{}, Values::kGiven);
    check(std::uint32_t{}, Values::kPositions);
    check(std::int64_t{}, Values::kPositions);
  }

 private:
  const std::shared_ptr<Backend> backend_ = *OpenBackend("tbb:3");
  const std::unique_ptr<RadixSort> sort_ =
      *Registry<RadixSort>::Get().Create(backend_, "write_combined");
};

TEST_F(ChunkSort, SortsKeysOfEveryKind) {
  for (const Kind& kind : Kinds()) {
    CheckKeys<std::uint32_t>(kind);
    CheckKeys<std::uint64_t>(kind);
  }
}

TEST_F(ChunkSort, SortsPairsOfEveryKind) {
  for (const Kind& kind : Kinds()) {
    CheckPairs<std::uint32_t>(kind);
    CheckPairs<std::uint64_t>(kind);
  }
  CheckPairs<std::uint32_t>(Kinds()[0], kMany);
  CheckPairs<std::uint64_t>(Kinds()[0], kMany);
}

TEST_F(ChunkSort, SortsOtherTypes) {
  const auto check = [&](auto key) {
    CheckKeys<decltype(key)>(Kinds()[0]);
    CheckPairs<decltype(key)>(Kinds()[0]);
  };
  check(std::int32_t{});
  check(std::int64_t{});
  check(float{});
  check(double{});
}

}  // namespace
}  // namespace concord::radix_sort
