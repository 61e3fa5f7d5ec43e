// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 5 of the article: one launch, with a block for each sequence.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "concord/algorithms/tensor_sketch/cuda/two_waits.cuh"

namespace concord::tensor_sketch {
namespace {

using Batched = BlockForEachRow<SketchWithTwoWaits, ThreadForEachCell>;

const bool kRegistered = RegisterOnCuda<Batched>(
    "batched", /*rank=*/-4, "the recurrence, one launch, a block a sequence",
    RecurrenceContract(
        "takes as long as the longest sequence; version 5 of the article"));

}  // namespace
}  // namespace concord::tensor_sketch
