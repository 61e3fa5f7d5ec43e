// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The frame of filters on the pipeline (pipelined_filter.cu) with functions
// that nvcc has compiled: as it is, and with what `compact` has in its place.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "concord/algorithms/compact/cuda/pipelined.cuh"
#include "concord/algorithms/compact/cuda/segment.cuh"
#include "concord/algorithms/sequence/spliced/compiled_functions.cuh"
#include "concord/algorithms/sequence/spliced/compiled_peers.h"
#include "concord/backends/cuda/bulk_copy.cuh"
#include "concord/backends/cuda/copy_out.cuh"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::sequence {
namespace {

// `kBatch`: lines that CopyOut has on their way.
template <typename ShapeOfJob, int kBatch>
struct FrameFilterJob {
  using Element = uint32_t;
  using Aggregate = uint32_t;
  using Combine = concord::Add<uint32_t>;
  using Prefix = int64_t;
  using Shape = ShapeOfJob;
  static constexpr int kVectors = Shape::kVectors;

  Span<const uint32_t> in;
  uint32_t* kept;
  int64_t* all;

  __device__ static int64_t Empty() { return 0; }
  __device__ int64_t Lift(uint32_t count, uint32_t) const { return count; }
  __device__ static int64_t Join(int64_t a, int64_t b) { return a + b; }
  __device__ static int64_t JoinLanes(int64_t count) {
    return WarpReduce<concord::Add<int64_t>>(count);
  }
  __device__ uint32_t Absent() const { return 0; }
  __device__ void Finish(int64_t count) const { *all = count; }

  __device__ __forceinline__ uint32_t
  Reduce(const Segment<uint32_t>& segment) const {
    Vector<uint32_t> vectors[kVectors];
    uint32_t bits[kVectors];
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      vectors[i] = segment.vectors[i * kWarpSize + LaneId()];
    }
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      bits[i] = 0;
#pragma unroll
      for (int k = 0; k < Vector<uint32_t>::kLanes; ++k) {
        const std::int32_t v =
            SixMaps()(static_cast<std::int32_t>(vectors[i].lane(k)));
        vectors[i].set_lane(k, static_cast<uint32_t>(v));
        bits[i] |= KeepsThreeQuarters()(v) ? 1u << k : 0;
      }
    }
    const auto part = compact::SegmentPart::Of(in, segment.first);
    if (!part.IsWhole<uint32_t>()) {
#pragma unroll
      for (int i = 0; i < kVectors; ++i) {
        bits[i] &= part.PresentBits<uint32_t>(i * kWarpSize + LaneId());
      }
    }
    const auto counts = compact::StepCounts::Of(bits);
    __syncwarp();
    compact::StoreMarked(vectors, bits, counts,
                         reinterpret_cast<uint32_t*>(segment.vectors));
    __syncwarp();
    FenceBeforeBulkCopy();
    return counts.total();
  }

  __device__ __forceinline__ void Write(
      const Segment<uint32_t>& segment,
      PipelineTurn<FrameFilterJob>& turn) const {
    const int count = static_cast<int>(turn.total());
    const int64_t before = turn.AwaitPrefix();
    CopyOut<kBatch>(kept + before,
                    reinterpret_cast<const uint32_t*>(segment.vectors), count);
    turn.Release();
  }
};

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

using AsItIs = FrameFilterJob<PipelineShape, compact::kSegmentBatch>;
using WithTwoGatherers = FrameFilterJob<TwoGatherers, compact::kSegmentBatch>;
using AsCompact = FrameFilterJob<compact::CompactShape<uint32_t, false>,
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
