// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The frame of filters on the pipeline (pipelined_filter.cuh) with functions
// that nvcc has compiled: as it is, and with what `compact` has in its place.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "concord/algorithms/compact/cuda/pipelined.cuh"
#include "concord/algorithms/sequence/spliced/compiled_functions.cuh"
#include "concord/algorithms/sequence/spliced/compiled_peers.h"
#include "concord/algorithms/sequence/spliced/pipelined_filter.cuh"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::sequence {

// Not of this file alone: code for GPUs before Hopper has no use for it.
struct KeepsOfSixMaps {
  __device__ __forceinline__ uint32_t operator()(Vector<uint32_t>& vector,
                                                 int64_t) const {
    uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < Vector<uint32_t>::kLanes; ++k) {
      const std::int32_t v =
          SixMaps()(static_cast<std::int32_t>(vector.lane(k)));
      vector.set_lane(k, static_cast<uint32_t>(v));
      bits |= KeepsThreeQuarters()(v) ? 1u << k : 0;
    }
    return bits;
  }
};

namespace {

template <typename Job, bool kReadsCount>
class Filter : public CompiledPeer {
 public:
  explicit Filter(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)), launcher_(backend_) {}

  absl::Status Run(const PeerArrays& arrays) override {
    const auto* const in = reinterpret_cast<const uint32_t*>(arrays.x);
    auto* const all = static_cast<std::int64_t*>(arrays.result);
    const Job job{AlignedSpan(in, arrays.n),
                  reinterpret_cast<uint32_t*>(arrays.out), all};
    absl::Status status = launcher_.Launch(job, "a filter");
    if (!status.ok() || !kReadsCount) return status;
    std::int64_t count[1];
    return backend_->Copy(ConstArrayView(all, 1, backend_->memory()),
                          ArrayView(absl::MakeSpan(count)));
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
  PipelineLauncher launcher_;
};

struct TwoGatherers : PipelineShape {
  static constexpr int kGatherers = 2;
};

using AsItIs = FilterJobOf<KeepsOfSixMaps>;
using WithTwoGatherers = FilterJobOf<KeepsOfSixMaps, TwoGatherers>;
using AsCompact =
    FilterJobOf<KeepsOfSixMaps, compact::CompactShape<uint32_t, false>,
                compact::kPipelinedBatch>;

template <typename Job, bool kReadsCount = false>
bool RegisterFilter(const char* library) {
  return RegisterPeer<Filter<Job, kReadsCount>>(
      "filter of six operations, one result", library, /*architecture=*/90);
}

const bool kRegistered =
    RegisterFilter<AsItIs>(kSameFrame) &&
    RegisterFilter<AsItIs, true>("nvcc, same frame, and the count read") &&
    RegisterFilter<WithTwoGatherers>("nvcc, two gatherers") &&
    RegisterFilter<AsCompact>("nvcc, shape and batch of compact");

}  // namespace
}  // namespace concord::sequence
