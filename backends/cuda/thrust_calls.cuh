// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the peers that call Thrust have in common.

#ifndef CONCORD_BACKENDS_CUDA_THRUST_CALLS_CUH_
#define CONCORD_BACKENDS_CUDA_THRUST_CALLS_CUH_

#include <exception>
#include <new>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/core/element_type.h"
#include "concord/core/errors.h"

namespace concord {

// The element types for which the peers are compiled. All of them would take
// minutes and tell nothing that CUB does not.
inline bool IsThrustType(ElementType type) {
  return type == ElementType::kInt32 || type == ElementType::kFloat32;
}

inline std::vector<ElementType> ThrustTypes() {
  return {ElementType::kInt32, ElementType::kFloat32};
}

// Whether SignFree of some operator on one of these types is `Op`.
template <typename Op, typename T = typename Op::Element>
inline constexpr bool kIsCompiledForThrust =
    sizeof(T) == 4 &&
    (std::is_floating_point_v<T> ||
     std::is_signed_v<T> == (kIsMinimum<Op> || kIsMaximum<Op>));

inline absl::Status NotForThrust(absl::string_view what, ElementType type) {
  return InvalidArgumentError(what, " is not for elements of type ",
                              Name(type));
}

// Calls f(), which calls Thrust. Thrust reports failures as exceptions, which
// go no further than this.
template <typename F>
absl::Status ThrustStatus(absl::string_view what, F&& f) {
  ForgetOlderError();
  try {
    f();
    return absl::OkStatus();
  } catch (const std::bad_alloc& error) {
    return ResourceExhaustedError(what, ": ", error.what());
  } catch (const std::exception& error) {
    return InternalError(what, ": ", error.what());
  }
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_THRUST_CALLS_CUH_
