// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 5 of the article: one launch, with a block for each sequence.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "concord/algorithms/tensor_sketch/cuda/two_waits.cuh"

namespace concord::tensor_sketch {
namespace {

using sketch_recurrence::BlockForEachRow;
using sketch_recurrence::SketchWithTwoWaits;
using sketch_recurrence::ThreadForEachCell;

class Batched : public BlockForEachRow {
 public:
  explicit Batched(std::shared_ptr<CudaBackend> backend)
      : BlockForEachRow(std::move(backend), "batched", SketchWithTwoWaits,
                        ThreadForEachCell) {}
};

const bool kRegistered = RegisterOnGpu<Batched>(
    "batched", /*rank=*/-4, "the recurrence, one launch, a block a sequence",
    sketch_recurrence::RecurrenceContract(
        "takes as long as the longest sequence; version 5 of the article"));

}  // namespace
}  // namespace concord::tensor_sketch
