// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 11 of the article: besides the levels and the letters, the tables of
// hashes and signs stand in shared memory. Here it also does what the word
// counts leave.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "concord/algorithms/tensor_sketch/cuda/cached.cuh"

namespace concord::tensor_sketch {
namespace {

using Cached = CachedBlockForEachRow</*kWithTables=*/true>;

const bool kRegistered = RegisterOnCuda<Cached>(
    "cached", /*rank=*/0,
    "the recurrence with letters, hashes and signs in shared memory",
    CachedContract(
        "takes as long as the longest sequence; version 11 of the article; "
        "what shared memory cannot hold stands in the device's memory"));

}  // namespace
}  // namespace concord::tensor_sketch
