// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What kernels want to know about an operator of core/operators.h.

#ifndef CONCORD_BACKENDS_CUDA_OPERATOR_TRAITS_CUH_
#define CONCORD_BACKENDS_CUDA_OPERATOR_TRAITS_CUH_

#include <cstdint>
#include <type_traits>

#include "concord/core/operators.h"

namespace concord {

template <typename Op>
inline constexpr bool kIsAdd = std::is_same_v<Op, Add<typename Op::Element>>;
template <typename Op>
inline constexpr bool kIsMultiply =
    std::is_same_v<Op, Multiply<typename Op::Element>>;
template <typename Op>
inline constexpr bool kIsMinimum =
    std::is_same_v<Op, Minimum<typename Op::Element>>;
template <typename Op>
inline constexpr bool kIsMaximum =
    std::is_same_v<Op, Maximum<typename Op::Element>>;

template <typename Op>
inline constexpr bool kIsOnBytes = sizeof(typename Op::Element) == 1;

// What to flip in a word so that a minimum or maximum of its bytes, signed or
// not, becomes the minimum of unsigned bytes.
template <typename Op>
inline constexpr uint32_t kFlipBytesToMinimum =
    (kIsMaximum<Op> ? 0xffffffffu : 0u) ^
    (std::is_signed_v<typename Op::Element> ? 0x80808080u : 0u);

// Whether the result depends on the order of operations.
template <typename Op>
inline constexpr bool kOrderMatters =
    std::is_floating_point_v<typename Op::Element> &&
    (kIsAdd<Op> || kIsMultiply<Op>);

// The operator on the unsigned type of the same size where that gives the same
// bits, so that one kernel serves both: on integers, all but minimum and
// maximum.
template <template <typename> class Op, typename T>
auto WithoutSign(Op<T>) {
  if constexpr (std::is_integral_v<T> && !kIsMinimum<Op<T>> &&
                !kIsMaximum<Op<T>>) {
    return Op<std::make_unsigned_t<T>>();
  } else {
    return Op<T>();
  }
}
template <typename Op>
using SignFree = decltype(WithoutSign(Op()));

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_OPERATOR_TRAITS_CUH_
