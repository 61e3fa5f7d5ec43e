// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_H_
#define CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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
#include "concord/core/number.h"

namespace concord {

// Applies one operation to each element:
//
//   for i in [0, n): out[i] = op(in[i])
//
//   affine      x * scale + offset
//   abs         |x|
//   square      x * x
//   less, less_equal, equal, not_equal, greater_equal, greater
//               x against a constant: 1 where it holds, otherwise 0
//   cast        x as an element of another type
//
// Results of integers wrap modulo 2^bits, so that abs of the smallest signed
// integer is that integer. Floats are multiplied and then added, with a
// rounding each; abs of a float clears its sign bit, and nothing else. A
// comparison with a NaN fails, except not_equal.
//
// A cast
//   from integer to integer  keeps the low bits, or extends the value;
//   from integer to float    and from float to float rounds to nearest, ties to
//                            even, and past the largest float to infinity;
//   from float to integer    rounds towards zero; what is too small or too
//                            large becomes the smallest or largest integer, a
//                            NaN becomes 0;
//   to the same type         copies bits.
//
// A NaN that affine, square, or a cast between float types yields is the quiet
// NaN of std::numeric_limits. So all results are the same bits everywhere.
class Transform : public Implementation {
 public:
  static constexpr char kName[] = "transform";

  enum class Op {
    kAffine,
    kAbs,
    kSquare,
    kLess,
    kLessEqual,
    kEqual,
    kNotEqual,
    kGreaterEqual,
    kGreater,
    kCast,
  };

  struct Options {
    Op op = Op::kAffine;
    // affine: must fit the element type. Others refuse any but these.
    Number scale = 1;
    Number offset = 0;
    // Comparisons: must fit the element type. Others refuse any but this.
    Number constant = 0;
    // cast: the type of the results; by default that of the elements.
    std::optional<ElementType> to = std::nullopt;
  };

  // in: any number of elements, also none. out: as many, of ResultType. Both
  // live in the backend's memory. `out` may start where `in` does if their
  // elements have the same size; otherwise they must not overlap.
  //
  // InvalidArgument: an `out` of another type or size, memory of another
  // backend, a number that does not fit, or `to` without cast.
  absl::Status Run(ConstArrayView in, ArrayView out, const Options& options);

  static const Signature<Transform>& GetSignature();

 protected:
  // Run, when the arguments have been checked.
  virtual absl::Status Compute(ConstArrayView in, ArrayView out,
                               const Options& options) = 0;
};

// --- For callers with host data ---

// Transforms host data on `backend`, into host memory.
absl::Status ComputeTransform(const std::shared_ptr<Backend>& backend,
                              ConstArrayView in, ArrayView out,
                              const Transform::Options& options,
                              absl::string_view variant = "");

// Example:
//   std::vector<int> values = {3, -1, 4};
//   Transform::Options options;
//   options.op = Transform::Op::kCast;
//   options.to = ElementType::kFloat64;
//   absl::StatusOr<std::vector<double>> wide =
//       ComputeTransform<double, int>(backend, values, options);
template <typename Out, typename In>
absl::StatusOr<std::vector<Out>> ComputeTransform(
    const std::shared_ptr<Backend>& backend, absl::Span<const In> in,
    const Transform::Options& options, absl::string_view variant = "") {
  return Guarded([&]() -> absl::StatusOr<std::vector<Out>> {
    std::vector<Out> out(in.size());
    absl::Status status =
        ComputeTransform(backend, ConstArrayView(in),
                         ArrayView(absl::Span<Out>(out)), options, variant);
    if (!status.ok()) return status;
    return out;
  });
}

}  // namespace concord

// --- For implementations and descriptions ---

namespace concord::transform {

bool IsComparison(Transform::Op op);

// The type of the results: uint8 for comparisons, `to` for casts, otherwise
// that of the elements.
ElementType ResultType(ElementType type, const Transform::Options& options);

}  // namespace concord::transform

#endif  // CONCORD_ALGORITHMS_TRANSFORM_TRANSFORM_H_
