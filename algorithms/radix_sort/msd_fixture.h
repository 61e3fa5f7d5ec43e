// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// For tests of cuda/msd on keys alone.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_MSD_FIXTURE_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_MSD_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/radix_sort/kinds_of_keys.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"

namespace concord::radix_sort {

class RadixSortMsd : public testing::Test {
 protected:
  using Order = RadixSort::Order;

  // The fewest keys that the variant can be made to partition.
  static constexpr std::int64_t kLeast = 1 << 20;

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

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_MSD_FIXTURE_H_
