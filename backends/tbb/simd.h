// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Vector code that is compiled for several instruction sets and chosen at run
// time. A file of kernels, written once, is compiled in turn for AVX-512, for
// AVX2 and for the baseline of the architecture, each time in a namespace of
// its own. The kernels are function templates over vectors (simd_vector.h), or
// plain loops that the compiler vectorises.
//
// Example, scan/tbb/kernel.h, which has no include guard and includes nothing:
//
//   namespace concord {
//   namespace CONCORD_SIMD {
//   template <typename T> void Kernel(const T* in, T* out) { ... }
//   }  // namespace CONCORD_SIMD
//   }  // namespace concord
//
// and scan/tbb/one_pass.cc, after its other includes:
//
//   #define CONCORD_SIMD_FILE "concord/algorithms/scan/tbb/kernel.h"
//   #include "concord/backends/tbb/simd_for_each.h"
//
//   void (*kernel)(const float*, float*) = CONCORD_SIMD_CHOOSE(Kernel<float>);

#ifndef CONCORD_BACKENDS_TBB_SIMD_H_
#define CONCORD_BACKENDS_TBB_SIMD_H_

#include <string>

#include "concord/backends/host/host_backend.h"

namespace concord {

enum class SimdTarget { kBaseline, kAvx2, kAvx512 };

inline SimdTarget TargetOf(const std::string& vector_instructions) {
  if (vector_instructions == "avx512") return SimdTarget::kAvx512;
  if (vector_instructions == "avx2") return SimdTarget::kAvx2;
  return SimdTarget::kBaseline;
}

// The best target that this CPU and this program share. Found out when the
// program starts, so that a call on a handful of elements need not ask.
inline const SimdTarget kSimdTarget = TargetOf(VectorInstructions());

// The instance of a function that was compiled for the best target.
#if defined(__x86_64__) && !defined(__clang__)
#define CONCORD_SIMD_CHOOSE(...)                 \
  (::concord::kSimdTarget == SimdTarget::kAvx512 \
       ? &simd_avx512::__VA_ARGS__    \
   : ::concord::kSimdTarget == SimdTarget::kAvx2 \
       ? &simd_avx2::__VA_ARGS__      \
       : &simd_baseline::__VA_ARGS__)
#else
#define CONCORD_SIMD_CHOOSE(...) (&simd_baseline::__VA_ARGS__)
#endif

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_SIMD_H_
