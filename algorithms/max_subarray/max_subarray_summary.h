// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What has to be known of a stretch of elements to find the best run of any
// array that contains it, and the operator that joins two stretches. Every
// backend takes it from here.

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_SUMMARY_H_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_SUMMARY_H_

#include <cstdint>
#include <type_traits>

#include "concord/core/operators.h"

namespace concord::max_subarray {

// Of all non-empty prefixes with the largest sum, the shortest; of such
// suffixes, the longest; of such runs, the one that begins first, and of those
// the one that ends first. A place is where an element is: its index or, where
// that is enough, the index of the leaf that holds it. Ends are the places of
// the last elements, not past them.
template <typename Sum, typename Place>
struct Summary {
  Sum sum;
  Sum prefix;
  Sum suffix;
  Sum best;
  Place prefix_end;
  Place suffix_begin;
  Place best_begin;
  Place best_end;
};

// The summary of `left` followed by `right`.
//
// With exact sums each field of a summary is a function of the stretch's
// elements alone, and Combine computes that function: so it is associative,
// ties included. For `prefix` and `suffix` this is plain: a prefix of the whole
// is one of `left`, or all of it and a prefix of `right`; when equal, the
// shorter one is taken, and the longer suffix.
//
// The best run lies in `left`, across, or in `right`. Those across with the
// largest sum are a largest suffix of `left` and a largest prefix of `right`,
// of which ours begins and ends first. When equal, a run in `left` or across
// begins before one in `right`. And one in `left` never begins after one
// across: let [f, e) be the best run of `left` and the chosen suffix begin at
// g < f. Suffixes from g and f compare as the stretches from there to e do, and
// g was chosen, so [g, e) has at least the sum of [f, e) and begins before it:
// a contradiction. If both begin at the same place, the one in `left` ends
// first. So "the first of the three that has the largest sum" needs no
// comparison of places.
template <typename Sum, typename Place>
CONCORD_HOST_DEVICE inline Summary<Sum, Place> Combine(
    const Summary<Sum, Place>& left, const Summary<Sum, Place>& right) {
  Summary<Sum, Place> whole = left;
  const Add<Sum> add;
  whole.sum = add(left.sum, right.sum);

  const Sum through = add(left.sum, right.prefix);
  if (through > left.prefix) {
    whole.prefix = through;
    whole.prefix_end = right.prefix_end;
  }

  const Sum back = add(left.suffix, right.sum);
  const bool is_longer = back >= right.suffix;
  whole.suffix = is_longer ? back : right.suffix;
  whole.suffix_begin = is_longer ? left.suffix_begin : right.suffix_begin;

  const Sum across = add(left.suffix, right.prefix);
  if (across > whole.best) {
    whole.best = across;
    whole.best_begin = left.suffix_begin;
    whole.best_end = right.prefix_end;
  }
  if (right.best > whole.best) {
    whole.best = right.best;
    whole.best_begin = right.best_begin;
    whole.best_end = right.best_end;
  }
  return whole;
}

// The summary of the one element `x`.
template <typename Sum, typename Place>
CONCORD_HOST_DEVICE inline Summary<Sum, Place> SummaryOf(Sum x, Place place) {
  return {x, x, x, x, place, place, place, place};
}

// Comparing unsigned sums with 0 would be a warning.
template <typename Sum>
CONCORD_HOST_DEVICE constexpr bool IsNegative(Sum sum) {
  if constexpr (std::is_unsigned_v<Sum>) {
    return false;
  } else {
    return sum < Sum{0};
  }
}

// The step of Kadane's loop: takes in the element that follows. For integers it
// is Combine with SummaryOf(x, place).
template <typename Sum, typename Place>
CONCORD_HOST_DEVICE inline void Append(Summary<Sum, Place>& summary, Sum x,
                                       Place place) {
  const Add<Sum> add;
  summary.sum = add(summary.sum, x);
  if (summary.sum > summary.prefix) {
    summary.prefix = summary.sum;
    summary.prefix_end = place;
  }
  if (IsNegative(summary.suffix)) {
    summary.suffix = x;
    summary.suffix_begin = place;
  } else {
    summary.suffix = add(summary.suffix, x);
  }
  if (summary.suffix > summary.best) {
    summary.best = summary.suffix;
    summary.best_begin = summary.suffix_begin;
    summary.best_end = place;
  }
}

// The summary of the leaf [first, last), which is not empty, by elements.
template <typename Sum, typename T>
CONCORD_HOST_DEVICE inline Summary<Sum, std::int64_t> SummaryOfLeaf(
    const T* in, std::int64_t first, std::int64_t last) {
  Summary<Sum, std::int64_t> summary =
      SummaryOf(static_cast<Sum>(in[first]), first);
  for (std::int64_t i = first + 1; i < last; ++i) {
    Append(summary, static_cast<Sum>(in[i]), i);
  }
  return summary;
}

// Writes the results for an array of n elements of which this is the summary by
// elements.
template <typename Sum>
CONCORD_HOST_DEVICE inline void StoreResult(
    const Summary<Sum, std::int64_t>& summary, std::int64_t n, Sum* sum,
    std::int64_t* run) {
  *sum = summary.best;
  run[0] = summary.best_begin;
  run[1] = summary.best_end + 1;
  if constexpr (std::is_floating_point_v<Sum>) {
    // -0.0 + 0.0 is 0.0.
    *sum = summary.best + 0.0;
    // If no sum overflows, some sum on the way is NaN then, and only then: what
    // came of comparing means nothing.
    if (summary.sum != summary.sum) {
      *sum = CanonicalNan(summary.sum);
      run[0] = 0;
      run[1] = n;
    }
  }
}

template <typename Sum>
CONCORD_HOST_DEVICE inline void StoreEmptyResult(Sum* sum, std::int64_t* run) {
  *sum = operators_internal::kLowest<Sum>;
  run[0] = 0;
  run[1] = 0;
}

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_SUMMARY_H_
