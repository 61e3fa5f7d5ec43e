// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compiles CONCORD_SIMD_FILE once for each target; simd.h explains. May be
// included again in the same source, for another file.
//
// Function templates keep the instruction set of the place where they are
// defined, wherever they are instantiated; that is what makes this work.

#ifndef CONCORD_SIMD_FILE
#error "Define CONCORD_SIMD_FILE before including simd_for_each.h."
#endif

namespace concord {
// What files of kernels share; they stand in namespaces of their own.
namespace simd_baseline {}
namespace simd_avx2 {}
namespace simd_avx512 {}
namespace simd_icelake {}
}  // namespace concord

// Between these two, functions are compiled for the instructions named.
#define CONCORD_SIMD_PRAGMA(...) _Pragma(#__VA_ARGS__)
#if defined(__clang__)
#define CONCORD_SIMD_PUSH(instructions)     \
  CONCORD_SIMD_PRAGMA(clang attribute push( \
      __attribute__((target(instructions))), apply_to = function))
#define CONCORD_SIMD_POP CONCORD_SIMD_PRAGMA(clang attribute pop)
#define CONCORD_SIMD_AVX512 "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt"
#else
#define CONCORD_SIMD_PUSH(instructions) \
  CONCORD_SIMD_PRAGMA(GCC push_options) \
  CONCORD_SIMD_PRAGMA(GCC target(instructions))
#define CONCORD_SIMD_POP CONCORD_SIMD_PRAGMA(GCC pop_options)
#define CONCORD_SIMD_AVX512 \
  "avx512f,avx512bw,avx512dq,avx512vl,bmi2,prefer-vector-width=512"
#endif

#pragma GCC diagnostic push
// Vectors wider than the baseline's have no settled calling convention. They
// never cross the border of a source file here.
#pragma GCC diagnostic ignored "-Wpsabi"
#ifndef __clang__
// GCC 12 takes the deliberately undefined operands of its own intrinsics for a
// mistake of their caller (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define CONCORD_SIMD simd_baseline
#define CONCORD_SIMD_BYTES 16
#define CONCORD_SIMD_ICELAKE 0
#include CONCORD_SIMD_FILE
#undef CONCORD_SIMD
#undef CONCORD_SIMD_BYTES

#if defined(__x86_64__)

CONCORD_SIMD_PUSH("avx2,bmi2,popcnt")
#define CONCORD_SIMD simd_avx2
#define CONCORD_SIMD_BYTES 32
#include CONCORD_SIMD_FILE
#undef CONCORD_SIMD
#undef CONCORD_SIMD_BYTES
CONCORD_SIMD_POP

CONCORD_SIMD_PUSH(CONCORD_SIMD_AVX512)
#define CONCORD_SIMD simd_avx512
#define CONCORD_SIMD_BYTES 64
#include CONCORD_SIMD_FILE
#undef CONCORD_SIMD
CONCORD_SIMD_POP

#ifdef CONCORD_SIMD_ALSO_ICELAKE
CONCORD_SIMD_PUSH(CONCORD_SIMD_AVX512
                  ",avx512ifma,avx512vbmi,avx512vbmi2,avx512vnni")
#define CONCORD_SIMD simd_icelake
#undef CONCORD_SIMD_ICELAKE
#define CONCORD_SIMD_ICELAKE 1
#include CONCORD_SIMD_FILE
#undef CONCORD_SIMD
CONCORD_SIMD_POP
#undef CONCORD_SIMD_ALSO_ICELAKE
#endif

#undef CONCORD_SIMD_BYTES

#endif

#undef CONCORD_SIMD_ICELAKE
#pragma GCC diagnostic pop
#undef CONCORD_SIMD_FILE
#undef CONCORD_SIMD_PRAGMA
#undef CONCORD_SIMD_PUSH
#undef CONCORD_SIMD_POP
#undef CONCORD_SIMD_AVX512
