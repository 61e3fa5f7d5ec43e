// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// For tests of one variant: keys that crowd in one of the places where a sort
// from the highest digit expects them to be spread, and how they are sorted,
// alone or with values.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_KINDS_OF_KEYS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_KINDS_OF_KEYS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/array.h"
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

// An output before it is written.
template <typename T>
HostArray Untouched(std::int64_t n) {
  HostArray array(ElementTypeOf<T>(), {n});
  std::memset(array.data<T>(), 0x5a, sizeof(T) * n);
  return array;
}

// The array in the backend's memory.
inline Array Placed(const HostArray& array, Backend& backend) {
  Array there = *backend.Allocate(array.type(), array.size());
  EXPECT_TRUE(backend.Copy(array.view(), there.view()).ok());
  return there;
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
  HostArray out = Untouched<T>(n + to + 1);
  const Array in_place = Placed(keys, backend);
  const Array out_place = Placed(out, backend);
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

// --- Keys with values ---

enum class Values { kGiven, kPositions };

// A sort by comparisons of more takes too long.
inline constexpr std::int64_t kMostPlain = 1 << 23;

// The positions of keys[0, n) in order, by a plain sort; of many, by that of
// all cores, whose suite holds it against the plain one.
template <typename Key>
std::vector<std::uint32_t> SortedPositions(const Key* keys, std::int64_t n,
                                           RadixSort::Order order) {
  std::vector<std::uint32_t> positions(n);
  if (n > kMostPlain) {
    std::vector<Key> sorted(n);
    RadixSort::Options options;
    options.order = order;
    options.argsort = true;
    const absl::Status status = ComputeRadixSort(
        *OpenBackend("tbb"), ConstArrayView(absl::MakeConstSpan(keys, n)),
        NoValues(), ArrayView(absl::MakeSpan(sorted)),
        ArrayView(absl::MakeSpan(positions)), options);
    EXPECT_TRUE(status.ok()) << status;
    return positions;
  }
  std::iota(positions.begin(), positions.end(), 0u);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return order == RadixSort::Order::kAscending
                                ? ComesBefore(keys[a], keys[b])
                                : ComesBefore(keys[b], keys[a]);
                   });
  return positions;
}

// Sorts keys [first, n) with values, or to positions, to arrays, from their
// element `to` on, twice, and compares with std::stable_sort.
template <typename Key, typename Value>
void ExpectPairsSorted(const std::string& name, Backend& backend,
                       RadixSort& sort, const HostArray& keys, Values values,
                       RadixSort::Order order = RadixSort::Order::kAscending,
                       std::int64_t first = 0, std::int64_t to = 0) {
  const std::int64_t n = keys.size() - first;
  const std::int64_t size = n + to + 1;
  HostArray given(ElementTypeOf<Value>(), {keys.size()});
  for (std::int64_t i = 0; i < keys.size(); ++i) {
    given.data<Value>()[i] = static_cast<Value>(RandomBits(7, i));
  }
  HostArray wanted_keys = Untouched<Key>(size);
  HostArray wanted_values = Untouched<Value>(size);
  const Key* const of_key = keys.data<Key>() + first;
  const std::vector<std::uint32_t> positions =
      SortedPositions(of_key, n, order);
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
  const auto equal = [](const HostArray& a, const HostArray& b,
                        std::size_t width) {
    return std::memcmp(a.data<char>(), b.data<char>(), width * a.size()) == 0;
  };
  const Array in = Placed(keys, backend);
  const Array in_values = Placed(given, backend);
  // The second call finds what the first one left.
  for (int call = 0; call < 2; ++call) {
    HostArray out = Untouched<Key>(size);
    HostArray out_values = Untouched<Value>(size);
    const Array there = Placed(out, backend);
    const Array there_values = Placed(out_values, backend);
    const absl::Status status = sort.Run(
        in.view().Slice(first, n),
        options.argsort ? ConstArrayView(NoValues())
                        : ConstArrayView(in_values.view().Slice(first, n)),
        there.view().Slice(to, n), there_values.view().Slice(to, n), options);
    ASSERT_TRUE(status.ok()) << name << ": " << status;
    ASSERT_TRUE(backend.Copy(there.view(), out.view()).ok());
    ASSERT_TRUE(backend.Copy(there_values.view(), out_values.view()).ok());
    const std::string what = absl::StrCat(
        name, ", ", Name(keys.type()), ", ", Name(out_values.type()),
        options.argsort ? " positions" : "", ", n=", n, ", call ", call);
    EXPECT_TRUE(equal(out, wanted_keys, sizeof(Key))) << what << ", keys";
    EXPECT_TRUE(equal(out_values, wanted_values, sizeof(Value)))
        << what << ", values";
  }
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_KINDS_OF_KEYS_H_
