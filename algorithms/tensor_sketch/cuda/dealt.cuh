// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_DEALT_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_DEALT_CUH_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "concord/algorithms/tensor_sketch/cuda/branches.cuh"
#include "concord/algorithms/tensor_sketch/cuda/cached.cuh"

namespace concord::tensor_sketch {

inline constexpr int kMostBlocksOfLaunch = 64;

// What the article's versions 12 and 13 have in common: a launch has a few
// blocks, one for each of as many rows, and the launches are dealt out to many
// streams.
class DealtLaunches : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  static std::vector<OptionSpec> Tuning() {
    return {OptionSpec::Number("blocks", "blocks of a launch",
                               /*default_value=*/4, /*least=*/1,
                               kMostBlocksOfLaunch),
            OptionSpec::Number("streams", "streams that have the launches",
                               kUsualStreams, /*least=*/1, kMostStreams)};
  }

  absl::Status Launch(const SketchProblem& problem) final {
    const int64_t rows = problem.rows.count;
    int64_t group = std::min(tuning("blocks"), rows);
    int64_t streams = std::min(tuning("streams"), DivideUp(rows, group));
    int64_t blocks = group * streams;
    absl::Status status = memory_.Place(problem, /*with_tables=*/true, &blocks);
    if (status.ok()) status = Prepare(problem, memory_.shared_bytes());
    if (!status.ok()) return status;
    group = std::min(group, blocks);
    streams = std::min(streams, blocks / group);
    return branches_.Deal(
        rows, group, streams, stream(), name(),
        [&](int64_t first, int64_t last, int64_t i, cudaStream_t stream) {
          return LaunchRows(problem, first, last, stream,
                            memory_.OfBlock(i * group));
        });
  }

 protected:
  // What comes before the launches of a call.
  virtual absl::Status Prepare(const SketchProblem& problem,
                               int shared_bytes) = 0;
  // One launch, by LaunchKernel.
  virtual cudaError_t LaunchRows(const SketchProblem& problem, int64_t first,
                                 int64_t last, cudaStream_t stream,
                                 uint64_t* device_levels) = 0;

  const CachedMemory& memory() const { return memory_; }

 private:
  CachedMemory memory_{backend()};
  Branches branches_;
};

inline Contract DealtContract(const char* notes) {
  return RecurrenceContract(notes).Boundaries({kLoad});
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_DEALT_CUH_
