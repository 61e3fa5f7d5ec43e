// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/interpreter/loop_kernel.h"

namespace concord::interpreter {
namespace CONCORD_SIMD {

template <typename To>
struct CastTo {
  template <typename From>
  auto operator()(From x) const {
    return expression::meaning::Cast<To>(x);
  }
};

// Casts between integers bring in the sign of From or keep the low bits: To is
// unsigned, and From, too, where it is not smaller. A bool To is a byte.
template <int W, typename To, typename From>
StepFunction CastOf() {
  constexpr bool kFits = sizeof(To) <= W && sizeof(From) <= W;
  constexpr bool kIntegers = std::is_integral_v<To> && std::is_integral_v<From>;
  constexpr bool kOther =
      std::is_same_v<From, bool> ||
      (kIntegers && !std::is_same_v<To, bool> &&
       (std::is_signed_v<To> || sizeof(To) == sizeof(From) ||
        (std::is_signed_v<From> && sizeof(From) >= sizeof(To))));
  if constexpr (kFits && !kOther) {
    using Out = std::conditional_t<std::is_same_v<To, bool>, std::uint8_t, To>;
    return Erased(Execute<UnaryLoop<W, From, Out, CastTo<To>>>);
  } else {
    return nullptr;
  }
}

template <typename To>
StepFunction CastFrom(const StepForm& form) {
  return expression::Dispatch(form.type, [&](auto tag) {
    using From = typename decltype(tag)::type;
    return form.width == 8 ? CastOf<8, To, From>() : CastOf<4, To, From>();
  });
}

inline StepFunction CastStep(const StepForm& form) {
  return expression::Dispatch(form.to, [&](auto tag) {
    return CastFrom<typename decltype(tag)::type>(form);
  });
}

}  // namespace CONCORD_SIMD
}  // namespace concord::interpreter
