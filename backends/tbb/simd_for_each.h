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
}  // namespace concord

// Vectors wider than the baseline's have no settled calling convention. They
// never cross the border of a source file here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

#define CONCORD_SIMD simd_baseline
#define CONCORD_SIMD_BYTES 16
#include CONCORD_SIMD_FILE
#undef CONCORD_SIMD
#undef CONCORD_SIMD_BYTES

#if defined(__x86_64__) && !defined(__clang__)

#pragma GCC push_options
#pragma GCC target("avx2")
#define CONCORD_SIMD simd_avx2
#define CONCORD_SIMD_BYTES 32
#include CONCORD_SIMD_FILE
#undef CONCORD_SIMD
#undef CONCORD_SIMD_BYTES
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#define CONCORD_SIMD simd_avx512
#define CONCORD_SIMD_BYTES 64
#include CONCORD_SIMD_FILE
#undef CONCORD_SIMD
#undef CONCORD_SIMD_BYTES
#pragma GCC pop_options

#endif

#pragma GCC diagnostic pop
#undef CONCORD_SIMD_FILE
