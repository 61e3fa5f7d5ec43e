// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_REDUCE_REDUCE_H_
#define CONCORD_ALGORITHMS_REDUCE_REDUCE_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/element_type.h"
#include "concord/core/implementation.h"
#include "concord/core/operators.h"

namespace concord {

// Combines all elements of an array with one operator:
//
//   result = identity
//   for x in in: result = result op x
//
// Integers wrap modulo 2^bits. Minimum and maximum of floats are those of IEEE
// 754-2019: a NaN anywhere gives NaN, and -0.0 < +0.0. All of these come out
// the same in any order. Sums and products of floats do not, so for them the
// order is part of the definition, and every backend gives the same bits:
//
//   A row is 512 bytes of elements: L = 128 float32 or 64 float64. A segment is
//   32 rows (16 KiB), a chunk 16 segments (256 KiB); the last of each may be
//   shorter. Elements that are not there count as the identity, which changes
//   nothing.
//
//   segment   lane j combines its elements row by row,
//               a[j] = ((x[j] op x[j + L]) op x[j + 2L]) op ...
//             and the lanes are then combined by halving,
//               a[j] = a[j] op a[j + h],  j < h,  for h = L/2, L/4, ..., 1
//   chunk     its 16 segment results, combined by halving in the same way
//   array     the result of its chunk if it has only one; otherwise the chunk
//             results in order are an array that is reduced by these rules
//
// The tree depends on element indices alone, never on addresses, threads or
// instruction sets. In a sum a value takes part in at most 42 roundings for
// each level of chunks, instead of n - 1 in the loop above. With u = 2^-24 or
// 2^-53 and d = 42 * levels,
//
//   |computed sum - sum|         <= ((1 + u)^d - 1) * sum |x|
//   |computed product - product| <= ((1 + u)^(n - 1) - 1) * |product|
//
// as long as nothing on the way overflows, and no product becomes subnormal.
// (A product suffers all n - 1 roundings in any order.)
//
// A NaN result is the quiet NaN of std::numeric_limits.
class Reduce : public Implementation {
 public:
  static constexpr char kName[] = "reduce";

  static constexpr int kRowBytes = 512;
  static constexpr int kRowsPerSegment = 32;
  static constexpr int kSegmentsPerChunk = 16;
  static constexpr int kSegmentBytes = kRowBytes * kRowsPerSegment;
  static constexpr int kChunkBytes = kSegmentBytes * kSegmentsPerChunk;

  // kAnd, kOr and kXor are for integers only.
  enum class Op { kAdd, kMul, kMin, kMax, kAnd, kOr, kXor };

  struct Options {
    Op op = Op::kAdd;
  };

  // in: any number of elements. out: one element of the same type, not in the
  // memory of `in`. Both live in the backend's memory.
  //
  // An empty input gives 0 for add, or and xor, 1 for mul, all bits set for
  // and, and for min and max the largest and smallest value of the type
  // (infinities for floats).
  //
  // InvalidArgument: types that differ, an output that is not of size 1, memory
  // of another backend, or an operator that floats do not have.
  absl::Status Run(ConstArrayView in, ArrayView out, const Options& options);

  static const Signature<Reduce>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView in, ArrayView out,
                               const Options& options) = 0;
};

// --- For callers with host data ---

// Reduces host data on `backend`, into one element of host memory.
absl::Status ComputeReduce(const std::shared_ptr<Backend>& backend,
                           ConstArrayView in, ArrayView out,
                           const Reduce::Options& options,
                           absl::string_view variant = "");

// Example:
//   std::vector<int> values = {3, 1, 4, 1, 5};
//   absl::StatusOr<int> sum = ComputeReduce<int>(backend, values);     // 14
//   absl::StatusOr<int> largest =
//       ComputeReduce<int>(backend, values, {Reduce::Op::kMax});       // 5
template <typename T>
absl::StatusOr<T> ComputeReduce(const std::shared_ptr<Backend>& backend,
                                absl::Span<const T> in,
                                const Reduce::Options& options = {},
                                absl::string_view variant = "") {
  T result;
  absl::Status status =
      ComputeReduce(backend, ConstArrayView(in),
                    ArrayView(absl::Span<T>(&result, 1)), options, variant);
  if (!status.ok()) return status;
  return result;
}

// Whether elements of this type have the operator.
bool HasReduceOp(ElementType type, Reduce::Op op);

}  // namespace concord

// --- For implementations ---

namespace concord::reduce {

// Calls f(Op<T>()), with an operator of core/operators.h, for arguments that
// have been checked, and returns its result. Op<T>::Element is T.
template <typename F>
decltype(auto) DispatchReduce(Reduce::Op op, ElementType type, F&& f) {
  return Dispatch(type, [&](auto tag) -> decltype(auto) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      if (op == Reduce::Op::kAnd) return f(And<T>());
      if (op == Reduce::Op::kOr) return f(Or<T>());
      if (op == Reduce::Op::kXor) return f(Xor<T>());
    }
    if (op == Reduce::Op::kMul) return f(Multiply<T>());
    if (op == Reduce::Op::kMin) return f(Minimum<T>());
    if (op == Reduce::Op::kMax) return f(Maximum<T>());
    return f(Add<T>());
  });
}

}  // namespace concord::reduce

#endif  // CONCORD_ALGORITHMS_REDUCE_REDUCE_H_
