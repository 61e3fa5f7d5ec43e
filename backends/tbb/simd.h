// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Vector code that is compiled for several instruction sets and chosen at run
// time. A file of kernels, written once, is compiled in turn for each target,
// each time in a namespace of its own. The kernels are function templates over
// vectors (simd_vector.h), plain loops that the compiler vectorises, or
// intrinsics behind #if CONCORD_SIMD_BYTES == 64.
//
// Example, scan/tbb/kernel.h, which has no include guard and includes nothing:
//
//   namespace concord::scan {
//   namespace CONCORD_SIMD {
//   template <typename T> void Kernel(const T* in, T* out) { ... }
//   }  // namespace CONCORD_SIMD
//   }  // namespace concord::scan
//
// and scan/tbb/one_pass.cc, after its other includes:
//
//   #define CONCORD_SIMD_FILE "concord/algorithms/scan/tbb/kernel.h"
//   #include "concord/backends/tbb/simd_for_each.h"
//
//   void (*kernel)(const float*, float*) = CONCORD_SIMD_CHOOSE(Kernel<float>);
//
// Few kernels gain from what Ice Lake added to AVX-512. Their files ask for
// that target too, by CONCORD_SIMD_ALSO_ICELAKE, and the instance is chosen by
// CONCORD_SIMD_CHOOSE_ICELAKE; in that turn CONCORD_SIMD_ICELAKE is 1.

#ifndef CONCORD_BACKENDS_TBB_SIMD_H_
#define CONCORD_BACKENDS_TBB_SIMD_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace concord {

// Each can do what those before it can.
enum class SimdTarget { kBaseline, kAvx2, kAvx512, kIcelake };

// "baseline", "avx2", "avx512", "icelake".
absl::string_view Name(SimdTarget target);

// The best target that this CPU and this program share, but none beyond the
// one that $CONCORD_VECTOR_INSTRUCTIONS names, so that tests and comparisons
// reach all of them.
SimdTarget BestSimdTarget();

// InvalidArgument: $CONCORD_VECTOR_INSTRUCTIONS names none of them.
absl::Status CheckNamedSimdTarget();

// Found out when the program starts, so that a call on a handful of elements
// need not ask.
inline const SimdTarget kSimdTarget = BestSimdTarget();

// The bits of a mask of 8 or 16 lanes, in a general register. Without that, GCC
// 12 may spill the mask as so many bits and read 32 back from there: so it did
// in `run_length_decode` with -fsanitize=thread.
inline std::uint32_t MaskBits(std::uint32_t mask) {
#if defined(__x86_64__)
  asm("" : "+r"(mask));
#endif
  return mask;
}

// The instance of a function (or constant) for the best target, as a pointer.
#if defined(__x86_64__)
#define CONCORD_SIMD_CHOOSE(...)                            \
  (::concord::kSimdTarget >= ::concord::SimdTarget::kAvx512 \
       ? &simd_avx512::__VA_ARGS__                          \
   : ::concord::kSimdTarget == ::concord::SimdTarget::kAvx2 \
       ? &simd_avx2::__VA_ARGS__                            \
       : &simd_baseline::__VA_ARGS__)
#define CONCORD_SIMD_CHOOSE_ICELAKE(...)                     \
  (::concord::kSimdTarget == ::concord::SimdTarget::kIcelake \
       ? &simd_icelake::__VA_ARGS__                          \
       : CONCORD_SIMD_CHOOSE(__VA_ARGS__))
#else
#define CONCORD_SIMD_CHOOSE(...) (&simd_baseline::__VA_ARGS__)
#define CONCORD_SIMD_CHOOSE_ICELAKE(...) (&simd_baseline::__VA_ARGS__)
#endif

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_SIMD_H_
