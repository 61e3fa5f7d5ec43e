// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Minimum and Maximum of core/operators.h as GPUs do them fastest, where that
// is not by comparing twice: floats have one instruction for them from compute
// capability 8.0 on, doubles go by integers in the same order.

#ifndef CONCORD_BACKENDS_CUDA_NATIVE_MINIMUM_CUH_
#define CONCORD_BACKENDS_CUDA_NATIVE_MINIMUM_CUH_

#include <cstdint>
#include <type_traits>

#include "concord/core/operators.h"

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

// Stand for Minimum and Maximum of doubles in kernels that convert every
// element by `OrderedKey` and combine the keys, as integers.
template <typename T>
struct KeyMinimum : Minimum<T> {
  using Combine = Minimum<int64_t>;
  static constexpr int64_t kNanKey = INT64_MIN;
};
template <typename T>
struct KeyMaximum : Maximum<T> {
  using Combine = Maximum<int64_t>;
  static constexpr int64_t kNanKey = INT64_MAX;
};

template <typename Op>
inline constexpr bool kGoesByKeys = std::is_same_v<Op, KeyMinimum<double>> ||
                                    std::is_same_v<Op, KeyMaximum<double>>;

// Keys have the order of the numbers, with -0.0 before +0.0. Any NaN is the
// least for a minimum and the greatest for a maximum.
template <typename Op>
__device__ __forceinline__ int64_t OrderedKey(double value) {
  const int64_t bits = __double_as_longlong(value);
  return value == value ? bits ^ (bits >> 63 & INT64_MAX) : Op::kNanKey;
}

// A NaN from the key of one.
__device__ __forceinline__ double ValueOfKey(int64_t key) {
  return __longlong_as_double(key ^ (key >> 63 & INT64_MAX));
}

namespace native_minimum_internal {

template <typename Op>
struct ChooseNative {
  using type = Op;
};
template <>
struct ChooseNative<Minimum<float>> {
  using type = NativeMinimum<float>;
};
template <>
struct ChooseNative<Maximum<float>> {
  using type = NativeMaximum<float>;
};
template <>
struct ChooseNative<Minimum<double>> {
  using type = KeyMinimum<double>;
};
template <>
struct ChooseNative<Maximum<double>> {
  using type = KeyMaximum<double>;
};

}  // namespace native_minimum_internal

// The operator for `Op` among those above, otherwise `Op`.
template <typename Op>
using Native = typename native_minimum_internal::ChooseNative<Op>::type;

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_NATIVE_MINIMUM_CUH_
