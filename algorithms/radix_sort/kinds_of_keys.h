// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// For tests of one variant: keys that crowd in one of the places where a sort
// from the highest digit expects them to be spread, and how they are sorted.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_KINDS_OF_KEYS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_KINDS_OF_KEYS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/random.h"

namespace concord::radix_sort {

// Bits of key i of n, from bits that are random for each of them. `width` is
// that of the key; what is above it is cut off.
struct Kind {
  const char* name;
  std::function<std::uint64_t(std::uint64_t i, std::uint64_t n, int width,
                              std::uint64_t random)>
      bits;
};

inline std::uint64_t All(int width) {
  return std::numeric_limits<std::uint64_t>::max() >> (64 - width);
}

// `size` keys agree in their upper 16 bits, the others are spread.
inline Kind Crowded(const char* name, std::uint64_t size) {
  return {name, [size](auto i, auto n, int width, auto random) {
            const std::uint64_t step = std::max<std::uint64_t>(1, n / size);
            const bool chosen = i % step == 0 && i / step < size;
            return chosen
                       ? (random & All(width - 16)) | 0x5a5aull << (width - 16)
                       : random;
          }};
}

inline const std::vector<Kind>& Kinds() {
  static const auto* const kinds = new std::vector<Kind>{
      {"uniform", [](auto, auto, int, auto random) { return random; }},
      {"equal", [](auto, auto, int, auto) { return 0x123456789abcdefull; }},
      {"two values",
       [](auto, auto, int, auto random) {
         return random % 2 == 0 ? 0x123456789abcdefull : ~0x3456789abcdefull;
       }},
      {"ascending",
       [](auto i, auto n, int width, auto) { return i * (All(width) / n); }},
      {"descending", [](auto i, auto n, int width,
                        auto) { return (n - 1 - i) * (All(width) / n); }},
      {"ascending but for the lower half",
       [](auto i, auto n, int width, auto random) {
         return i * (All(width) / n) ^ (random & All(width / 2));
       }},
      Crowded("a bucket of 5000", 1500),
      Crowded("a bucket of nearly 8192", 3900),
      Crowded("a bucket of over 8192", 5000),
      Crowded("a bucket of 100,000", 100'000),
      Crowded("a bucket of 10^7", 10'000'000),
      {"Zipf",
       [](auto, auto, int width, auto random) {
         return All(width) / (random % (1 << 30) + 1);
       }},
      {"bits that are mostly 0",
       [](auto i, auto, int, auto random) {
         return random & RandomBits(2, i) & RandomBits(3, i);
       }},
      {"2^17 values",
       [](auto, auto, int, auto random) {
         return RandomBits(4, random % (1 << 17));
       }},
      {"as few bits as can be",
       [](auto, auto, int, auto random) { return random % (1 << 24); }},
      {"one key in a higher bit than all others",
       [](auto i, auto n, int width, auto random) {
         return i == n / 3 ? random | std::uint64_t{1} << (width - 1)
                           : random & All(width - 2);
       }},
      {"a key 1000 times",
       [](auto i, auto n, int, auto random) {
         return i % (n / 1000) == 0 ? 0x123456789abcdefull : random;
       }},
      {"full columns",
       [](auto, auto, int width, auto random) {
         return random & ~(All(16) << (width - 25));
       }},
  };
  return *kinds;
}

// The order that the algorithm promises, told from the bits.
template <typename T>
bool ComesBefore(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Signed =
        std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    Signed of_a;
    Signed of_b;
    std::memcpy(&of_a, &a, sizeof(T));
    std::memcpy(&of_b, &b, sizeof(T));
    if ((of_a < 0) != (of_b < 0)) return of_a < 0;
    return of_a < 0 ? of_b < of_a : of_a < of_b;
  } else {
    return a < b;
  }
}

template <typename T>
HostArray Keys(const Kind& kind, std::int64_t n) {
  HostArray keys(ElementTypeOf<T>(), {n});
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    const std::uint64_t bits = kind.bits(at, static_cast<std::uint64_t>(n),
                                         8 * sizeof(T), RandomBits(1, at));
    std::memcpy(keys.data<T>() + i, &bits, sizeof(T));
  }
  return keys;
}

// Sorts keys [first, n) to an array, from its element `to` on, twice, by a
// variant with options of its own, and compares with std::sort.
template <typename T>
void ExpectSorted(const std::string& what, Backend& backend, RadixSort& sort,
                  const HostArray& keys,
                  RadixSort::Order order = RadixSort::Order::kAscending,
                  std::int64_t first = 0, std::int64_t to = 0) {
  const std::int64_t n = keys.size() - first;
  std::vector<T> wanted(keys.data<T>() + first, keys.data<T>() + keys.size());
  std::sort(wanted.begin(), wanted.end(), [&](T a, T b) {
    return order == RadixSort::Order::kAscending ? ComesBefore(a, b)
                                                 : ComesBefore(b, a);
  });
  HostArray out(keys.type(), {n + to + 1});
  std::memset(out.data<T>(), 0x5a, sizeof(T) * (n + to + 1));
  const Array in_place = *backend.Allocate(keys.type(), keys.size());
  const Array out_place = *backend.Allocate(keys.type(), out.size());
  ASSERT_TRUE(backend.Copy(keys.view(), in_place.view()).ok());
  ASSERT_TRUE(backend.Copy(out.view(), out_place.view()).ok());
  RadixSort::Options options;
  options.order = order;
  // The second call finds what the first one left.
  for (int call = 0; call < 2; ++call) {
    const absl::Status status =
        sort.Run(in_place.view().Slice(first, n), NoValues(),
                 out_place.view().Slice(to, n), NoValues(), options);
    ASSERT_TRUE(status.ok()) << what << ": " << status;
    ASSERT_TRUE(backend.Copy(out_place.view(), out.view()).ok());
    EXPECT_EQ(std::memcmp(out.data<T>() + to, wanted.data(), sizeof(T) * n), 0)
        << what << ", " << Name(keys.type()) << ", n=" << n << ", call "
        << call;
  }
  // Nothing before or after the output was written to.
  const T* const all = out.data<T>();
  T untouched;
  std::memset(&untouched, 0x5a, sizeof(T));
  for (std::int64_t i = 0; i < to; ++i) {
    EXPECT_EQ(std::memcmp(all + i, &untouched, sizeof(T)), 0) << what;
  }
  EXPECT_EQ(std::memcmp(all + to + n, &untouched, sizeof(T)), 0) << what;
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_KINDS_OF_KEYS_H_
