// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SCAN_SCAN_H_
#define CONCORD_ALGORITHMS_SCAN_SCAN_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/element_type.h"
#include "concord/core/guarded.h"
#include "concord/core/implementation.h"
#include "concord/core/operators.h"

namespace concord {

// Prefix sums: at each position, what the elements up to there amount to.
//
//   sum = empty                        // 0, 1, or the end of the type's range
//   for i = 0, ..., n - 1:
//     exclusive:  out[i] = sum;  sum = sum op in[i]
//     inclusive:  sum = sum op in[i];  out[i] = sum
//
// `empty` is 0 for add, 1 for mul, the largest value for min and the smallest
// for max (infinities for floats).
//
// Integers wrap modulo 2^bits. Minimum and maximum of floats are those of IEEE
// 754-2019: from a NaN on, all results are NaN, and -0.0 < +0.0. All of these
// are the same bits on every backend. Sums and products of floats depend on the
// order of operations, which each implementation chooses; whatever it is, with
// u = 2^-24 or 2^-53 and m the number of elements that a result takes in,
//
//   |computed sum - sum|         <= ((1 + u)^m - 1) * sum |x|
//   |computed product - product| <= ((1 + u)^m - 1) * |product|
//
// as long as nothing on the way overflows, and no product becomes subnormal.
// The sign of a sum that is zero is not defined. A NaN result is the quiet NaN
// of std::numeric_limits.
//
// The contract of an implementation says whether its bits repeat. Those that
// are to be the same across backends follow one order, that of Blelloch's up-
// and downsweep, which knows neither tiles nor threads:
//
//   A node is 2^k elements, the first of them at a multiple of 2^k. It totals
//   its element, or for k > 0
//     total(node) = total(first half) op total(second half)
//   The first i elements are cut into as few nodes as there are, one for each
//   bit of i, the largest first. Then
//     exclusive:  out[i] = ((empty op total(node 1)) op total(node 2)) op ...
//     inclusive:  out[i] = (what the exclusive scan has there) op in[i]
//
// So an element goes through at most 2 log2(i) + 2 roundings.
//
// Sources: G. E. Blelloch, "Prefix sums and their applications" (1990); D.
// Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled
// look-back" (NVIDIA technical report NVR-2016-002).
class Scan : public Implementation {
 public:
  static constexpr char kName[] = "scan";

  enum class Kind { kExclusive, kInclusive };
  enum class Op { kAdd, kMul, kMin, kMax };

  struct Options {
    Kind kind = Kind::kExclusive;
    Op op = Op::kAdd;
  };

  // in: n elements. out: n elements of the same type; it may be exactly `in`,
  // but must not overlap it otherwise. Both live in the backend's memory. An
  // empty input is fine.
  //
  // InvalidArgument: types or sizes that differ, memory of another backend.
  absl::Status Run(ConstArrayView in, ArrayView out, const Options& options);

  static const Signature<Scan>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView in, ArrayView out,
                               const Options& options) = 0;
};

// --- For callers with host data ---

// Scans host data on `backend`, into host memory; `out` may be exactly `in`.
absl::Status ComputeScan(const std::shared_ptr<Backend>& backend,
                         ConstArrayView in, ArrayView out,
                         const Scan::Options& options,
                         absl::string_view variant = "");

// Example:
//   std::vector<int> values = {15, 10, 42, 24};
//   absl::StatusOr<std::vector<int>> offsets =
//       ComputeScan<int>(backend, values);  // {0, 15, 25, 67}
template <typename T>
absl::StatusOr<std::vector<T>> ComputeScan(
    const std::shared_ptr<Backend>& backend, absl::Span<const T> in,
    const Scan::Options& options = {}, absl::string_view variant = "") {
  return Guarded([&]() -> absl::StatusOr<std::vector<T>> {
    std::vector<T> out(in.size());
    absl::Status status =
        ComputeScan(backend, ConstArrayView(in), ArrayView(absl::MakeSpan(out)),
                    options, variant);
    if (!status.ok()) return status;
    return out;
  });
}

}  // namespace concord

// --- For implementations ---

namespace concord::scan {

// Calls f(Op<T>()), with an operator of core/operators.h, and returns its
// result. Op<T>::Element is T.
template <typename F>
decltype(auto) DispatchScan(Scan::Op op, ElementType type, F&& f) {
  return Dispatch(type, [&](auto tag) -> decltype(auto) {
    using T = typename decltype(tag)::type;
    if (op == Scan::Op::kMul) return f(Multiply<T>());
    if (op == Scan::Op::kMin) return f(Minimum<T>());
    if (op == Scan::Op::kMax) return f(Maximum<T>());
    return f(Add<T>());
  });
}

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_SCAN_H_
