// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 12 of the article: the kernel of version 11 for a few sequences at a
// time, as many launches as that takes, on many streams. The article found four
// sequences best and supposed that the scheduler deals out blocks of unequal
// lengths better so.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "concord/algorithms/tensor_sketch/cuda/dealt.cuh"
#include "concord/backends/cuda/launch.cuh"

namespace concord::tensor_sketch {
namespace {

class FewBlocks : public DealtLaunches {
 public:
  using DealtLaunches::DealtLaunches;

 private:
  absl::Status Prepare(const SketchProblem& problem,
                       int shared_bytes) override {
    return PrepareLaunch(SketchCached<uint64_t>,
                         {1, WarpForEachLevel(problem), shared_bytes}, name());
  }

  cudaError_t LaunchRows(const SketchProblem& problem, int64_t first,
                         int64_t last, cudaStream_t stream,
                         uint64_t* device_levels) override {
    return LaunchKernel(
        stream, SketchCached<uint64_t>,
        {last - first, WarpForEachLevel(problem), memory().shared_bytes()},
        problem, first, last, device_levels, memory().tables_at());
  }
};

const bool kRegistered = RegisterOnCuda<FewBlocks>(
    "few_blocks", /*rank=*/1,
    "cached, in launches of a few sequences on many streams",
    DealtContract(
        "takes as long as the longest sequence, and the host as long as the "
        "launches; version 12 of the article"),
    /*requirement=*/{}, DealtLaunches::Tuning());

}  // namespace
}  // namespace concord::tensor_sketch
