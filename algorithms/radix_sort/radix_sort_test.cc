// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/radix_sort/radix_sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/core/backend.h"
#include "concord/core/distributions.h"
#include "concord/core/registry.h"
#include "concord/core/signature.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord::radix_sort {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Order = RadixSort::Order;

const bool kDifferential = AddDifferentialSuite("radix_sort");

RadixSort::Options Descending() {
  RadixSort::Options options;
  options.order = Order::kDescending;
  return options;
}

RadixSort::Options Bits(int first, int end) {
  RadixSort::Options options;
  options.first_bit = first;
  options.end_bit = end;
  return options;
}

class RadixSortOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  std::vector<T> Sorted(const std::vector<T>& keys,
                        const RadixSort::Options& options = {}) {
    return ValueOf(ComputeRadixSort<T>(Open(GetParam()), keys, options));
  }

  template <typename Index, typename T>
  std::vector<Index> Positions(const std::vector<T>& keys,
                               RadixSort::Options options = {}) {
    options.argsort = true;
    std::vector<T> sorted(keys.size());
    std::vector<Index> positions(keys.size());
    absl::Status status = ComputeRadixSort(
        Open(GetParam()), ConstArrayView(absl::Span<const T>(keys)), NoValues(),
        ArrayView(absl::MakeSpan(sorted)), ArrayView(absl::MakeSpan(positions)),
        options);
    EXPECT_TRUE(status.ok()) << status;
    return positions;
  }

  // Where the keys stood, as learned from values that fall with the positions.
  template <typename Value, typename T>
  std::vector<std::int64_t> ValuesBeside(const std::vector<T>& keys) {
    std::vector<Value> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      values[i] = static_cast<Value>(~i);
    }
    std::vector<T> keys_out(keys.size());
    std::vector<Value> values_out(keys.size());
    const absl::Status status = ComputeRadixSort(
        Open(GetParam()), ConstArrayView(absl::Span<const T>(keys)),
        ConstArrayView(absl::Span<const Value>(values)),
        ArrayView(absl::MakeSpan(keys_out)),
        ArrayView(absl::MakeSpan(values_out)), {});
    EXPECT_TRUE(status.ok()) << status;
    std::vector<std::int64_t> places(keys.size());
    bool together = true;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto place = static_cast<Value>(~values_out[i]);
      together &= place < keys.size() && keys_out[i] == keys[place];
      places[i] = static_cast<std::int64_t>(place);
    }
    EXPECT_TRUE(together);
    return places;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, RadixSortOn, CpuBackends(), NameOfParameter);

TEST_P(RadixSortOn, SignedKeys) {
  const std::vector<std::int32_t> keys = {3, -1, 0, -7, 3, 2};
  EXPECT_THAT(Sorted(keys), ElementsAre(-7, -1, 0, 2, 3, 3));
  EXPECT_THAT(Sorted(keys, Descending()), ElementsAre(3, 3, 2, 0, -1, -7));
  EXPECT_THAT(Sorted<std::int8_t>({1, -128, 127, -1}),
              ElementsAre(-128, -1, 1, 127));
}

TEST_P(RadixSortOn, UnsignedKeysOfAllBits) {
  EXPECT_THAT(Sorted<std::uint64_t>({~0ull, 0, 1ull << 63, 255, 256}),
              ElementsAre(0, 255, 256, 1ull << 63, ~0ull));
}

TEST_P(RadixSortOn, EmptyInputIsFine) {
  EXPECT_THAT(Sorted<double>({}), IsEmpty());
  EXPECT_THAT(Positions<std::int64_t>(std::vector<float>()), IsEmpty());
}

TEST_P(RadixSortOn, FloatsAreInTotalOrderAndKeepTheirBits) {
  // In order: NaNs of the sign bit by falling payload, then numbers, then NaNs
  // by rising payload.
  const std::vector<std::uint32_t> ordered = {
      0xffffffff, 0xffc00000, 0xff800001, 0xff800000, 0xc0000000,
      0x80000001, 0x80000000, 0x00000000, 0x00000001, 0x40000000,
      0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff};
  std::vector<std::uint32_t> shuffled = ordered;
  std::rotate(shuffled.begin(), shuffled.begin() + 5, shuffled.end());
  std::reverse(shuffled.begin() + 3, shuffled.end());
  std::vector<float> keys(shuffled.size());
  std::memcpy(keys.data(), shuffled.data(), 4 * keys.size());
  std::vector<float> sorted = Sorted(keys);
  EXPECT_EQ(std::memcmp(sorted.data(), ordered.data(), 4 * ordered.size()), 0);
  sorted = Sorted(keys, Descending());
  std::reverse(sorted.begin(), sorted.end());
  EXPECT_EQ(std::memcmp(sorted.data(), ordered.data(), 4 * ordered.size()), 0);
}

TEST_P(RadixSortOn, EqualKeysKeepTheirOrder) {
  const std::vector<std::uint8_t> keys = {2, 1, 2, 0, 1, 2};
  EXPECT_THAT(Positions<std::int64_t>(keys), ElementsAre(3, 1, 4, 0, 2, 5));
  EXPECT_THAT(Positions<std::uint32_t>(keys), ElementsAre(3, 1, 4, 0, 2, 5));
  EXPECT_THAT(Positions<std::int64_t>(keys, Descending()),
              ElementsAre(0, 2, 5, 1, 4, 3));
}

TEST_P(RadixSortOn, PositionsAreEqualInEitherType) {
  for (const std::int64_t n : {100, 5000, 200'000}) {
    const HostArray drawn = *Draw("small", ElementType::kFloat64, n, n);
    const std::vector<double> keys(drawn.span<double>().begin(),
                                   drawn.span<double>().end());
    const std::vector<std::int64_t> wide = Positions<std::int64_t>(keys);
    const std::vector<std::uint32_t> narrow = Positions<std::uint32_t>(keys);
    EXPECT_TRUE(std::equal(wide.begin(), wide.end(), narrow.begin())) << n;
  }
}

TEST_P(RadixSortOn, OnlyTheBitsOfTheRangeCount) {
  EXPECT_THAT(Sorted<std::uint32_t>({0x21, 0x13, 0x32, 0x11}, Bits(0, 4)),
              ElementsAre(0x21, 0x11, 0x32, 0x13));
  EXPECT_THAT(Sorted<std::uint32_t>({0x21, 0x13, 0x32, 0x11}, Bits(4, 8)),
              ElementsAre(0x13, 0x11, 0x21, 0x32));
  EXPECT_THAT(Sorted<std::uint32_t>({3, 1, 2}, Bits(7, 7)),
              ElementsAre(3, 1, 2));
  // Of signed keys, bit 31 is set where they are not negative.
  EXPECT_THAT(Sorted<std::int32_t>({5, -3, 4, -9}, Bits(31, 32)),
              ElementsAre(-3, -9, 5, 4));
}

TEST_P(RadixSortOn, ValuesGoWithTheirKeys) {
  const std::vector<double> keys = {2.5, -1, 2.5, 0};
  const std::vector<float> values = {1, 2, 3, 4};
  std::vector<double> keys_out(4);
  std::vector<float> values_out(4);
  ASSERT_TRUE(ComputeRadixSort(Open(GetParam()),
                               ConstArrayView(absl::Span<const double>(keys)),
                               ConstArrayView(absl::Span<const float>(values)),
                               ArrayView(absl::MakeSpan(keys_out)),
                               ArrayView(absl::MakeSpan(values_out)), {})
                  .ok());
  EXPECT_THAT(keys_out, ElementsAre(-1, 0, 2.5, 2.5));
  EXPECT_THAT(values_out, ElementsAre(2, 4, 1, 3));
}

// Elements are distributed as a sample of their keys suggests, those that crowd
// by a table, and then sorted in buckets of 16. There are ways back from all of
// it. Calls check(what, keys) with keys for each of them.
template <typename F>
void ForMisleadingKeys(std::int64_t n, const F& check) {
  const std::int64_t step = n / std::min<std::int64_t>(n / 64, 8192);
  const HostArray uniform = *Draw("uniform", ElementType::kUInt32, n, 1);
  const auto changed = [&](const char* what, const auto& change) {
    std::vector<std::uint32_t> keys(n);
    for (std::int64_t i = 0; i < n; ++i) {
      keys[i] = change(i, uniform.span<std::uint32_t>()[i]);
    }
    check(what, std::move(keys));
  };
  changed("spread", [](auto, auto key) { return key; });
  changed("of fewer bits", [](auto, auto key) { return key >> 9 | 5u << 29; });
  changed("a high bit not in the sample",
          [](auto i, auto key) { return i == 1 ? ~key : key >> 12; });
  changed("crowded beside the sample",
          [&](auto i, auto key) { return i % step == 0 ? key : 7; });
  changed("full buckets",
          [](auto i, auto key) { return i % 999 < 20 ? i / 999 << 23 : key; });
  changed("crowded buckets", [](auto, auto key) { return key >> 20 << 20; });
  changed("parts with a key or none",
          [](auto i, auto key) { return i % 9 ? key % 7 << 28 : key >> 4; });
  changed("more and more crowded",
          [](auto i, auto key) { return key >> i % 16; });
  changed("so in the sample alone", [&](auto i, auto key) {
    return i % step == 0 ? key >> i / step % 16 : 7;
  });
  changed("in one place of the table",
          [](auto i, auto key) { return i % 2 ? key : key >> 20; });
}

TEST_P(RadixSortOn, KeysNeedNotBeAsTheirSample) {
  for (const std::int64_t n : {300'000, 1'200'000}) {
    ForMisleadingKeys(n,
                      [&](const char* what, std::vector<std::uint32_t> keys) {
                        const std::vector<std::uint32_t> sorted = Sorted(keys);
                        std::sort(keys.begin(), keys.end());
                        EXPECT_TRUE(sorted == keys) << n << " " << what;
                      });
  }
}

TEST_P(RadixSortOn, WiderElementsNeedNotBeAsTheirSample) {
  constexpr std::int64_t n = 300'000;
  ForMisleadingKeys(
      n, [&](const char* what, const std::vector<std::uint32_t>& keys) {
        std::vector<std::int64_t> places(n);
        std::iota(places.begin(), places.end(), 0);
        std::stable_sort(places.begin(), places.end(),
                         [&](auto a, auto b) { return keys[a] < keys[b]; });
        // All bits of a key of 8 bytes vary if those of its halves do.
        std::vector<std::uint64_t> wide(keys.begin(), keys.end());
        for (std::uint64_t& key : wide) key |= key << 32;
        std::vector<std::uint64_t> sorted(n);
        for (std::int64_t i = 0; i < n; ++i) sorted[i] = wide[places[i]];
        EXPECT_TRUE(Sorted(wide) == sorted) << what;

        EXPECT_TRUE(Positions<std::int64_t>(keys) == places) << what;
        EXPECT_TRUE(Positions<std::int64_t>(wide) == places) << what;
        EXPECT_TRUE(ValuesBeside<std::uint32_t>(keys) == places) << what;
        EXPECT_TRUE(ValuesBeside<std::uint32_t>(wide) == places) << what;
        EXPECT_TRUE(ValuesBeside<std::uint64_t>(keys) == places) << what;
        EXPECT_TRUE(ValuesBeside<std::uint64_t>(wide) == places) << what;
      });
}

TEST_P(RadixSortOn, OutputMayStartAnywhere) {
  // Large enough to be streamed past the caches, which wants whole lines.
  const std::int64_t n = 8'500'000;
  const HostArray in = *Draw("uniform", ElementType::kUInt32, n + 16, 1);
  HostArray out(ElementType::kUInt32, {n + 16});
  for (const std::int64_t shift : {0, 1, 15}) {
    const auto from = in.span<std::uint32_t>().subspan(shift, n);
    std::vector<std::uint32_t> wanted(from.begin(), from.end());
    std::sort(wanted.begin(), wanted.end());
    ASSERT_TRUE(ComputeRadixSort(
                    Open(GetParam()), in.view().Slice(shift, n), NoValues(),
                    out.view().Slice((shift + 1) % 16, n), NoValues(), {})
                    .ok());
    EXPECT_EQ(std::memcmp(out.data<std::uint32_t>() + (shift + 1) % 16,
                          wanted.data(), n * sizeof(std::uint32_t)),
              0)
        << shift;
  }
}

TEST_P(RadixSortOn, RefusesWhatItsInterfaceSays) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  const std::unique_ptr<RadixSort> sort =
      *Registry<RadixSort>::Get().Create(backend);
  const std::vector<std::int32_t> in = {1, 2};
  std::vector<std::int32_t> out(2);
  std::vector<float> floats(3);
  const ConstArrayView keys{absl::Span<const std::int32_t>(in)};
  const ArrayView keys_out{absl::MakeSpan(out)};
  const ArrayView three{absl::MakeSpan(floats)};
  std::vector<std::uint32_t> numbers(2);
  const ArrayView positions{absl::MakeSpan(numbers)};
  const auto message = [&](ConstArrayView values_in, ArrayView sorted,
                           ArrayView values_out,
                           const RadixSort::Options& options) {
    const absl::Status status =
        sort->Run(keys, values_in, sorted, values_out, options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  RadixSort::Options argsort;
  argsort.argsort = true;

  EXPECT_THAT(message(NoValues(), keys_out, positions, {}),
              HasSubstr("'values' must have 0 elements, not 2"));
  EXPECT_THAT(message(keys, keys_out, keys_out, argsort),
              HasSubstr("the values are given, or with argsort the positions"));
  EXPECT_THAT(message(NoValues(), keys_out, three, argsort),
              HasSubstr("'values' must have"));
  EXPECT_THAT(message(NoValues(), keys_out, NoValues(), Bits(3, 33)),
              HasSubstr("bits 3,33 are not a range in 0,32"));
}

TEST(RadixSort, KeyMapKeepsTheOrderAndComesBack) {
  const std::vector<double> ordered = {-std::numeric_limits<double>::infinity(),
                                       -1e300,
                                       -1,
                                       -5e-324,
                                       -0.0,
                                       0.0,
                                       5e-324,
                                       1,
                                       std::numeric_limits<double>::infinity()};
  for (const bool descending : {false, true}) {
    const KeyMap<std::uint64_t> map =
        KeyMapOf<std::uint64_t>(ElementType::kFloat64, descending);
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      std::uint64_t bits;
      std::memcpy(&bits, &ordered[i], 8);
      EXPECT_EQ(map.Unmap(map.Map(bits)), bits);
      if (i == 0) continue;
      std::uint64_t before;
      std::memcpy(&before, &ordered[i - 1], 8);
      EXPECT_EQ(map.Map(before) < map.Map(bits), !descending) << i;
    }
  }
}

TEST(RadixSort, RefusesOptionsThatThereAreNot) {
  const Signature<RadixSort>& signature = RadixSort::GetSignature();
  EXPECT_EQ(signature.Parse({{"order", "descending"}})->order,
            Order::kDescending);
  const RadixSort::Options options = *signature.Parse({{"bits", "3,17"}});
  EXPECT_EQ(options.first_bit, 3);
  EXPECT_EQ(options.end_bit, 17);
  for (const char* wrong : {"3", "3,", "a,b", "5,4", "-1,4", "1,2,3"}) {
    EXPECT_THAT(signature.Parse({{"bits", wrong}}).status().message(),
                HasSubstr("--bits takes FROM,TO"))
        << wrong;
  }
}

}  // namespace
}  // namespace concord::radix_sort
