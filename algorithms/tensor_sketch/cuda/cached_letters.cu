// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 10 of the article: besides the levels, the letters stand in shared
// memory, to which a block copies some of them at a time.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "concord/algorithms/tensor_sketch/cuda/cached.cuh"

namespace concord::tensor_sketch {
namespace {

using CachedLetters = CachedBlockForEachRow</*kWithTables=*/false>;

const bool kRegistered = RegisterOnCuda<CachedLetters>(
    "cached_letters", /*rank=*/-1,
    "the recurrence with letters in shared memory",
    CachedContract(
        "takes as long as the longest sequence; version 10 of the article"));

}  // namespace
}  // namespace concord::tensor_sketch
