// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the CUDA implementations share: arrays by the width of their elements.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ARRAYS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ARRAYS_CUH_

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/core/array.h"

namespace concord::radix_sort {

// In place of the type of values, for keys alone.
struct NoValue {};

template <typename Value>
inline constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;

template <typename Bits, typename Value>
inline constexpr int kBytesOfElement = sizeof(Bits) +
                                       (kHasValues<Value> ? sizeof(Value) : 0);

// Keys as unsigned integers, and values of the same width as the caller's.
template <typename Bits, typename Value>
struct Elements {
  Bits* keys;
  Value* values;  // null: none, or the positions
};

// The arrays of a sort from end to end. Where values leave wider than they
// travel, those of `out` have room for it.
template <typename Bits, typename Value>
struct SortArrays {
  const Bits* keys_in;
  const Value* values_in;  // null: the positions, where there are values
  Elements<Bits, Value> spare;
  Elements<Bits, Value> out;
  KeyMap<Bits> map;  // of the keys in the caller's arrays
  int64_t size;
};

inline constexpr int64_t kMostNarrowPositions = int64_t{1} << 32;

// Calls f(Value()) with the type of the values, by their width.
template <typename F>
decltype(auto) DispatchValueWidth(const ConstArrayView& values_out, F&& f) {
  if (values_out.empty()) return f(NoValue());
  if (SizeOf(values_out.type()) == 4) return f(uint32_t{});
  return f(uint64_t{});
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ARRAYS_CUH_
