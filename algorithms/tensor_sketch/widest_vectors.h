// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_WIDEST_VECTORS_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_WIDEST_VECTORS_H_

// Before a function: it is compiled for several instruction sets, and the
// loader chooses. Not under ThreadSanitizer, which would run before it is ready
// for that: in the functions that choose.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CONCORD_WIDEST_VECTORS \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CONCORD_WIDEST_VECTORS
#endif

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_WIDEST_VECTORS_H_
