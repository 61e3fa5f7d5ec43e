// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The definition of transform.h, one loop for each operation.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "concord/algorithms/transform/transform.h"
#include "concord/core/operators.h"
#include "concord/core/registry.h"

namespace concord::transform {
namespace {

using Op = Transform::Op;

template <typename Out, typename In>
Out Cast(In x) {
  using Limits = std::numeric_limits<Out>;
  if constexpr (std::is_same_v<In, Out>) {
    return x;
  } else if constexpr (std::is_floating_point_v<In> &&
                       std::is_integral_v<Out>) {
    if (std::isnan(x)) return 0;
    // The first number past the largest integer is a power of two, which every
    // float type has; so is the smallest signed integer.
    if (x >= std::ldexp(In{1}, Limits::digits)) return Limits::max();
    if (x < static_cast<In>(Limits::min())) return Limits::min();
    return static_cast<Out>(x);
  } else {
    return CanonicalNan(static_cast<Out>(x));
  }
}

template <typename T>
T Absolute(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(x);
  } else if constexpr (std::is_signed_v<T>) {
    return x < 0 ? static_cast<T>(-static_cast<std::make_unsigned_t<T>>(x)) : x;
  } else {
    return x;
  }
}

class TransformSerial : public Transform {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      RunTyped(in.data<T>(), in.size(), out, options);
    });
    return absl::OkStatus();
  }

 private:
  template <typename T>
  static void RunTyped(const T* in, std::int64_t n, ArrayView out,
                       const Options& options) {
    const auto loop = [&](auto* results, const auto& operation) {
      for (std::int64_t i = 0; i < n; ++i) results[i] = operation(in[i]);
    };
    const T c = IsComparison(options.op) ? options.constant.As<T>() : T{0};
    switch (options.op) {
      case Op::kAffine: {
        const T scale = options.scale.As<T>();
        const T offset = options.offset.As<T>();
        return loop(out.data<T>(), [=](T x) {
          return CanonicalNan(Add<T>()(Multiply<T>()(x, scale), offset));
        });
      }
      case Op::kAbs:
        return loop(out.data<T>(), Absolute<T>);
      case Op::kSquare:
        return loop(out.data<T>(),
                    [](T x) { return CanonicalNan(Multiply<T>()(x, x)); });
      case Op::kLess:
        return loop(out.data<std::uint8_t>(), [=](T x) { return x < c; });
      case Op::kLessEqual:
        return loop(out.data<std::uint8_t>(), [=](T x) { return x <= c; });
      case Op::kEqual:
        return loop(out.data<std::uint8_t>(), [=](T x) { return x == c; });
      case Op::kNotEqual:
        return loop(out.data<std::uint8_t>(), [=](T x) { return x != c; });
      case Op::kGreaterEqual:
        return loop(out.data<std::uint8_t>(), [=](T x) { return x >= c; });
      case Op::kGreater:
        return loop(out.data<std::uint8_t>(), [=](T x) { return x > c; });
      case Op::kCast:
        return Dispatch(out.type(), [&](auto tag) {
          using Out = typename decltype(tag)::type;
          loop(out.data<Out>(), Cast<Out, T>);
        });
    }
  }
};

const bool kRegistered = Registry<Transform>::Get().Add<TransformSerial>(
    "serial", "reference", /*rank=*/10, "a loop",
    Contract().InPlace().SpecialValues(
        "IEEE 754; casts to integers saturate, NaN becomes 0; a NaN result is "
        "the quiet NaN, but abs only clears the sign bit"));

}  // namespace
}  // namespace concord::transform
