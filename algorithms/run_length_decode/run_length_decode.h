// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_RUN_LENGTH_DECODE_H_
#define CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_RUN_LENGTH_DECODE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/guarded.h"
#include "concord/core/implementation.h"

namespace concord {

// The inverse of run_length_encode: each value as often as its length says.
//
//   size = 0
//   for k in [0, runs):
//     repeat lengths[k] times, not at all if that is negative:
//       if size < capacity: out[size] = values[k]
//       size = size + 1
//
// Lengths of 0, and neighbours with the same value, are allowed. Values are
// copied bit for bit.
class RunLengthDecode : public Implementation {
 public:
  static constexpr char kName[] = "run_length_decode";

  struct Options {
    static constexpr std::int64_t kAll =
        std::numeric_limits<std::int64_t>::max();

    // The most results for which a run makes room itself. Who brings an array
    // for them sets the limit by its size.
    std::int64_t limit = kAll;
    // The type of lengths that are not from a file, but made.
    ElementType length_type = ElementType::kInt64;
  };

  struct Runs {
    // Any number, also none.
    ConstArrayView values;
    // int32 or int64, as many. Their sum, negative ones left out, must be less
    // than 2^63.
    ConstArrayView lengths;
  };

  // What Run writes. Neither may overlap the other, nor the runs.
  struct Outputs {
    // Of the type of the values. Its size, the capacity, may be any: what does
    // not fit is left out. Elements behind the results may become anything.
    ArrayView out;
    // One int64: the sum of the lengths, whether or not all fits. A caller who
    // does not know the sum can offer the room that it is likely to take, look
    // at `size`, and offer more if that was too little.
    ArrayView size;
  };

  // All arrays live in the backend's memory.
  //
  // InvalidArgument: types or sizes other than these, or memory of another
  // backend; on the CPU, lengths whose sum is 2^63 or more, and then `out` may
  // have become anything. A GPU has not seen the lengths yet when Run returns:
  // it writes the results that fit all the same, and 2^63 - 1 as `size`.
  // Whatever the lengths say, nothing outside `out` and `size` is written.
  absl::Status Run(const Runs& runs, const Outputs& out);

  static const Signature<RunLengthDecode>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(const Runs& runs, const Outputs& out) = 0;
};

// --- For callers with host data ---

// Decodes host data on `backend`, into host memory.
absl::Status ComputeRunLengthDecode(const std::shared_ptr<Backend>& backend,
                                    const RunLengthDecode::Runs& runs,
                                    const RunLengthDecode::Outputs& out,
                                    absl::string_view variant = "");

// The sum of lengths in host memory, of a type that has been checked, without
// negative ones. InvalidArgument where it is 2^63 or more.
absl::StatusOr<std::int64_t> SumOfLengths(ConstArrayView lengths);

// Example:
//   std::vector<int> values = {7, 0, 7};
//   std::vector<std::int64_t> lengths = {3, 1, 1};
//   absl::StatusOr<std::vector<int>> pixels =
//       ComputeRunLengthDecode<int>(backend, values, lengths);
//   // 7, 7, 7, 0, 7
template <typename T>
absl::StatusOr<std::vector<T>> ComputeRunLengthDecode(
    const std::shared_ptr<Backend>& backend, absl::Span<const T> values,
    absl::Span<const std::int64_t> lengths, absl::string_view variant = "") {
  return Guarded([&]() -> absl::StatusOr<std::vector<T>> {
    absl::StatusOr<std::int64_t> sum = SumOfLengths(lengths);
    if (!sum.ok()) return sum.status();
    std::vector<T> out(static_cast<std::size_t>(*sum));
    std::int64_t size = 0;
    absl::Status status = ComputeRunLengthDecode(
        backend, {ConstArrayView(values), ConstArrayView(lengths)},
        {ArrayView(absl::MakeSpan(out)),
         ArrayView(absl::Span<std::int64_t>(&size, 1))},
        variant);
    if (!status.ok()) return status;
    return out;
  });
}

}  // namespace concord

// --- For implementations and descriptions ---

namespace concord::run_length_decode {

// What Run and SumOfLengths say where int64 does not hold the sum.
absl::Status LengthsTooLarge();

}  // namespace concord::run_length_decode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_RUN_LENGTH_DECODE_H_
