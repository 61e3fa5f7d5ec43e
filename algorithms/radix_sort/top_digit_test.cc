// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// gpus/top_digit beside std::sort, on one GPU as several members, with digits
// that it is told to partition by: by itself it does so with many keys only.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/radix_sort/gpus/top_digit_plan.h"
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

class RadixSortTopDigit : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam()); }

  template <typename T>
  void Check(const std::string& what, int bits, const HostArray& keys,
             Order order = Order::kAscending, std::int64_t first = 0,
             std::int64_t to = 0) {
    const auto sort = *Registry<RadixSort>::Get().Create(backend_, "top_digit");
    ASSERT_TRUE(sort->Tune({{"digit", absl::StrCat(bits)}}).ok());
    ExpectSorted<T>(absl::StrCat(what, ", ", bits, " bits"), *backend_, *sort,
                    keys, order, first, to);
  }

 private:
  std::shared_ptr<Backend> backend_;
};

INSTANTIATE_TEST_SUITE_P(Members, RadixSortTopDigit,
                         testing::Values("gpus:0+0", "gpus:0+0+0",
                                         "gpus:0+0+0+0"),
                         [](const auto& members) {
                           std::string name = members.param;
                           for (char& c : name)
                             c = c == ':' || c == '+' ? '_' : c;
                           return name;
                         });

// Some of them are sampled, others counted.
TEST_P(RadixSortTopDigit, SortsKeysOfEveryKind) {
  for (const Kind& kind : Kinds()) {
    for (const std::int64_t n : {100'003, 3'000'017}) {
      const HostArray keys = Keys<std::uint32_t>(kind, n);
      for (const int bits : {3, 6}) {
        Check<std::uint32_t>(kind.name, bits, keys);
      }
    }
  }
}

TEST_P(RadixSortTopDigit, SortsByDigitsOfAllWidths) {
  for (const std::int64_t n : {1'000, 200'001, 1'000'003}) {
    const HostArray keys = Keys<std::uint32_t>(Kinds()[0], n);
    for (int bits = 1; bits <= kMostTopBits; ++bits) {
      Check<std::uint32_t>("uniform", bits, keys);
    }
  }
}

TEST_P(RadixSortTopDigit, SortsEveryTypeOfFourBytesInBothOrders) {
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const HostArray keys = Keys<T>(Kinds()[0], 2'100'003);
    Check<T>("uniform", 4, keys);
    Check<T>("uniform", 4, keys, Order::kDescending);
  };
  check(std::int32_t{});
  check(std::uint32_t{});
  check(float{});
}

TEST_P(RadixSortTopDigit, SortsArraysThatStartAnywhere) {
  const HostArray keys = Keys<std::uint32_t>(Kinds()[0], 1'500'000);
  for (const std::int64_t shift : {1, 2, 3, 1000}) {
    Check<std::uint32_t>("shifted", 4, keys, Order::kAscending, shift,
                         (shift + 1) % 4);
  }
}

// All keys but those of the sample have one digit, for which there is no room.
TEST_P(RadixSortTopDigit, NoticesKeysThatAreNotAsTheirSample) {
  const std::string members = GetParam();
  const auto stretch =
      (1 << 22) / (1 + std::count(members.begin(), members.end(), '+'));
  const Kind kind = {
      "not as sampled", [stretch](auto i, auto, int, auto random) {
        const std::int64_t step = SampleStepFor(stretch);
        const std::int64_t vector = static_cast<std::int64_t>(i) % stretch / 4;
        const bool is_sampled = vector % step == SampledOf(vector / step, step);
        return is_sampled ? random : random & 0xffffffu;
      }};
  Check<std::uint32_t>(kind.name, 4, Keys<std::uint32_t>(kind, 1 << 22));
}

}  // namespace
}  // namespace concord::radix_sort
