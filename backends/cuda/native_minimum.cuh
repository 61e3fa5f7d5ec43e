// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Minimum and Maximum of core/operators.h by the one instruction that floats
// have for them from compute capability 8.0 on.

#ifndef CONCORD_BACKENDS_CUDA_NATIVE_MINIMUM_CUH_
#define CONCORD_BACKENDS_CUDA_NATIVE_MINIMUM_CUH_

#include <type_traits>

#include "core/operators.h"

namespace concord {

template <typename T>
struct NativeMinimum : Minimum<T> {
  static_assert(std::is_same_v<T, float>);
  __device__ __forceinline__ T operator()(T a, T b) const {
#if __CUDA_ARCH__ >= 800
    T result;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
#else
    return Minimum<T>::operator()(a, b);
#endif
  }
};

template <typename T>
struct NativeMaximum : Maximum<T> {
  static_assert(std::is_same_v<T, float>);
  __device__ __forceinline__ T operator()(T a, T b) const {
#if __CUDA_ARCH__ >= 800
    T result;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
#else
    return Maximum<T>::operator()(a, b);
#endif
  }
};

// The native operator for `Op` where there is one, otherwise `Op`.
template <typename Op>
using Native =
    std::conditional_t<std::is_same_v<Op, Minimum<float>>, NativeMinimum<float>,
                       std::conditional_t<std::is_same_v<Op, Maximum<float>>,
                                          NativeMaximum<float>, Op>>;

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_NATIVE_MINIMUM_CUH_
