// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_RADIX_SORT_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_RADIX_SORT_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/contract.h"
#include "concord/core/element_type.h"
#include "concord/core/guarded.h"
#include "concord/core/implementation.h"

namespace concord {

// Sorts keys, and values along with them, digit by digit and stably: elements
// with equal keys stay in the order in which they came.
//
//   for each digit of the keys, from the lowest to the highest:
//     count how often each value of the digit occurs
//     sum these counts up: where the elements with that value are to start
//     for each element, in order: put it at the next place of its digit's value
//
// Floats are in the total order of IEEE 754:
//
//   -NaN < -infinity < ... < -0.0 < +0.0 < ... < +infinity < +NaN
//
// NaNs of the same sign are ordered by their payload; the larger payload comes
// last, or first where the sign is set. No key is changed: a NaN keeps its
// bits. Descending order is stable too, so it is not the ascending order read
// backwards.
//
// A sort may look at some bits of the keys only. They are those of the unsigned
// integer that a key is mapped to (radix_sort_keys.h): for unsigned integers
// the key itself, for others the integer that has the same rank in the order.
// Keys that differ in other bits alone count as equal.
//
// The result is the same, bit for bit, on every backend.
//
// Sources: H. H. Seward, "Information sorting in the application of electronic
// digital computers to business operations" (MIT, 1954), for the method; D. E.
// Knuth, "The Art of Computer Programming", volume 3, section 5.2.5.
class RadixSort : public Implementation {
 public:
  static constexpr char kName[] = "radix_sort";

  enum class Order { kAscending, kDescending };

  struct Options {
    Order order = Order::kAscending;
    // The values are the positions 0, ..., n - 1 instead of given ones, so that
    // values_out says where each key stood: NumPy's argsort(kind="stable").
    bool argsort = false;
    // The bits [first_bit, end_bit) of the mapped keys, 0 being the lowest.
    // A negative end_bit stands for all that there are.
    int first_bit = 0;
    int end_bit = -1;
    // Whether the values are asked for at all, where a run makes room for them
    // itself. Who brings an array for them has them in any case.
    bool values = false;
  };

  // keys_in: n elements of any type. keys_out: n elements of the same type.
  // values_in: n elements of any type of 4 or 8 bytes, or none, to sort only
  // keys. values_out: as values_in. With options.argsort there is no values_in,
  // and values_out has n elements of type int64, or uint32 if n <= 2^32.
  //
  // Inputs are not changed. No output may overlap an input or the other output.
  // All live in the backend's memory. Empty input is fine.
  //
  // InvalidArgument: types, sizes or bits that do not fit the above, memory of
  // another backend.
  absl::Status Run(ConstArrayView keys_in, ConstArrayView values_in,
                   ArrayView keys_out, ArrayView values_out,
                   const Options& options);

  static const Signature<RadixSort>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView keys_in, ConstArrayView values_in,
                               ArrayView keys_out, ArrayView values_out,
                               const Options& options) = 0;
};

// Stands for values when only keys are sorted.
inline ArrayView NoValues() { return ArrayView(); }

// --- For callers with host data ---

// Sorts host data on `backend`, into host memory.
absl::Status ComputeRadixSort(const std::shared_ptr<Backend>& backend,
                              ConstArrayView keys_in, ConstArrayView values_in,
                              ArrayView keys_out, ArrayView values_out,
                              const RadixSort::Options& options,
                              absl::string_view variant = "");

// The keys alone. InvalidArgument where `options` ask for values or positions:
// there is no array for them here, and ComputeRadixSort above takes one.
//
// Example:
//   std::vector<float> keys = {2.5f, -1.0f, 0.0f};
//   absl::StatusOr<std::vector<float>> sorted =
//       ComputeRadixSort<float>(backend, keys);  // {-1, 0, 2.5}
template <typename T>
absl::StatusOr<std::vector<T>> ComputeRadixSort(
    const std::shared_ptr<Backend>& backend, absl::Span<const T> keys,
    const RadixSort::Options& options = {}, absl::string_view variant = "") {
  return Guarded([&]() -> absl::StatusOr<std::vector<T>> {
    std::vector<T> sorted(keys.size());
    absl::Status status = ComputeRadixSort(
        backend, ConstArrayView(keys), NoValues(),
        ArrayView(absl::MakeSpan(sorted)), NoValues(), options, variant);
    if (!status.ok()) return status;
    return sorted;
  });
}

}  // namespace concord

// --- For implementations ---

namespace concord::radix_sort {

// What every implementation promises, to be completed.
Contract RadixSortContract();

// Of arguments that have been checked.
struct RadixSortBits {
  int first;
  int end;
};
inline RadixSortBits RadixSortBitsOf(const RadixSort::Options& options,
                                     ElementType key_type) {
  const int width = 8 * static_cast<int>(SizeOf(key_type));
  return {options.first_bit, options.end_bit < 0 ? width : options.end_bit};
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_RADIX_SORT_H_
