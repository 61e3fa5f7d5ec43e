// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_H_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_H_

#include <cstdint>
#include <memory>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/element_type.h"
#include "concord/core/implementation.h"

namespace concord {

// The maximum contiguous subsequence sum: the largest sum of a non-empty run of
// neighbouring elements, and which run that is.
//
//   sum = -infinity                              // Kadane's loop
//   for i = 0, ..., n - 1:
//     if i == 0 or ending < 0:  ending = in[i];  begin = i
//     else:                     ending = ending + in[i]
//     if ending > sum:  sum = ending;  run = [begin, i + 1)
//
// Of several runs with that sum it is the one that begins first, and of those
// the one that ends first; so the run is the same on every backend, too.
//
// Sums of signed integers are int64, of unsigned ones uint64, of floats
// float64. Elements of 8 and 32 bits cannot leave these (below 2^31 elements;
// int32 below 2^32). With 64-bit elements the sum of every run must fit; where
// one does not, the results are unspecified, though in range.
//
// Sums of floats depend on the order of additions, so the order is part of the
// definition, and every backend gives the same bits and the same run:
//
//   A leaf is 512 bytes of elements: 128 float32 or 64 float64; the last may be
//   shorter. Of each leaf, Kadane's loop keeps the sum, the largest sum of a
//   prefix, of a suffix and of a run, in float64. The leaves are combined in a
//   binary tree: neighbours in pairs, then neighbouring pairs, and so on; what
//   has no neighbour goes up as it is. max_subarray_summary.h has the step and
//   the operator.
//
// The sum is then off by no more than ((1 + 2^-53)^(127 + 2 log2 n) - 1) times
// the sum of the run's absolute values. A NaN, or infinities of both signs,
// anywhere: the sum is the quiet NaN of std::numeric_limits, the run all of the
// input, whose sum it is.
//
// Sources: J. Bentley, "Programming pearls: algorithm design techniques" (CACM
// 27(9), 1984), for Kadane's loop; the combination of halves is his divide and
// conquer with prefixes and suffixes kept, so that it takes constant time.
class MaxSubarray : public Implementation {
 public:
  static constexpr char kName[] = "max_subarray";

  static constexpr int kLeafBytes = 512;

  struct Options {};

  // in: n elements of any type. sum: one int64, uint64 or float64, as said
  // above. run: two int64, the index of the run's first element and the index
  // past its last. No array shares memory with another; all live in the
  // backend's memory.
  //
  // An empty input has no run: the sum is the lowest value of its type
  // (-infinity; 0 for uint64), the run [0, 0).
  //
  // InvalidArgument: other types or sizes, memory of another backend.
  absl::Status Run(ConstArrayView in, ArrayView sum, ArrayView run,
                   const Options& options);

  static const Signature<MaxSubarray>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView in, ArrayView sum, ArrayView run,
                               const Options& options) = 0;
};

// The type of sums of T.
template <typename T>
using SumOf = std::conditional_t<
    std::is_floating_point_v<T>, double,
    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

// --- For callers with host data ---

template <typename Sum>
struct MaxRun {
  Sum sum;
  std::int64_t first;
  std::int64_t last;  // past the end
};

absl::Status ComputeMaxSubarray(const std::shared_ptr<Backend>& backend,
                                ConstArrayView in, ArrayView sum, ArrayView run,
                                absl::string_view variant = "");

// Example:
//   std::vector<int> values = {-2, 1, -3, 4, -1, 2, 1, -5, 4};
//   absl::StatusOr<MaxRun<std::int64_t>> best =
//       ComputeMaxSubarray<int>(backend, values);  // {6, 3, 7}
template <typename T>
absl::StatusOr<MaxRun<SumOf<T>>> ComputeMaxSubarray(
    const std::shared_ptr<Backend>& backend, absl::Span<const T> in,
    absl::string_view variant = "") {
  SumOf<T> sum;
  std::int64_t run[2];
  absl::Status status = ComputeMaxSubarray(
      backend, ConstArrayView(in), ArrayView(absl::Span<SumOf<T>>(&sum, 1)),
      ArrayView(absl::Span<std::int64_t>(run, 2)), variant);
  if (!status.ok()) return status;
  return MaxRun<SumOf<T>>{sum, run[0], run[1]};
}

}  // namespace concord

// --- For implementations and descriptions ---

namespace concord::max_subarray {

// SumOf, as an ElementType.
ElementType SumTypeOf(ElementType type);

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_H_
