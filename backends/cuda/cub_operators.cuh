// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The operators of core/operators.h as CUB wants them: by the types for which
// it has tuned its kernels, where those mean the same.

#ifndef CONCORD_BACKENDS_CUDA_CUB_OPERATORS_CUH_
#define CONCORD_BACKENDS_CUDA_CUB_OPERATORS_CUH_

#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/functional>
#include <cuda/std/functional>
#include <type_traits>

#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/core/element_type.h"

namespace concord {

// CUB's minimum and maximum of floats pass over NaN and the sign of zero.
template <typename Op>
auto ChooseCubOperator() {
  using T = typename Op::Element;
  if constexpr (kIsAdd<Op>) {
    return TypeTag<::cuda::std::plus<T>>();
  } else if constexpr (std::is_integral_v<T> && kIsMinimum<Op>) {
    return TypeTag<::cuda::minimum<T>>();
  } else if constexpr (std::is_integral_v<T> && kIsMaximum<Op>) {
    return TypeTag<::cuda::maximum<T>>();
  } else {
    return TypeTag<Op>();
  }
}
template <typename Op>
using CubOperator = typename decltype(ChooseCubOperator<Op>())::type;

template <typename T>
struct ToCanonicalNan {
  __device__ T operator()(T value) const { return CanonicalNan(value); }
};

// Where CUB is to write: the device's own arithmetic gives other NaN bits.
template <typename T>
auto CubOutput(T* out) {
  if constexpr (std::is_floating_point_v<T>) {
    return thrust::make_transform_output_iterator(out, ToCanonicalNan<T>());
  } else {
    return out;
  }
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CUB_OPERATORS_CUH_
