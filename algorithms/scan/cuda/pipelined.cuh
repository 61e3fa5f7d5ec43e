// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan as a job of backends/cuda/pipeline.cuh.

#ifndef CONCORD_ALGORITHMS_SCAN_CUDA_PIPELINED_CUH_
#define CONCORD_ALGORITHMS_SCAN_CUDA_PIPELINED_CUH_

#include <cstdint>

#include "concord/algorithms/scan/cuda/vector.cuh"
#include "concord/backends/cuda/bulk_copy.cuh"
#include "concord/backends/cuda/copy_out.cuh"
#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::scan {

template <typename Op>
struct ScanShape : PipelineShape {
  // The bits of a float sum repeat where tiles are combined in the same order.
  static constexpr bool kDynamicTiles = !kOrderMatters<Op>;
};

// What becomes of a vector of results, of which `first` is the first, before it
// is written.
template <typename T>
struct AsScanned {
  __device__ static void Finish(Vector<T>&, int64_t /*first*/) {}
};

template <typename Op, typename ShapeOfJob = ScanShape<Op>,
          typename Results = AsScanned<typename Op::Element>>
struct ScanJob {
  using T = typename Op::Element;
  using Element = T;
  using Combine = TotalOp<Op>;
  using Aggregate = TotalOf<Op>;
  using Prefix = Aggregate;
  using Shape = ShapeOfJob;
  using L = PipelineLayout<ScanJob>;

  // Element i of both has the same number; `in` is aligned, `out` need not be.
  Span<const T> in;
  Span<T> out;
  bool inclusive;

  __device__ static Prefix Empty() { return ToTotal<Op>(Op::Empty()); }
  __device__ Prefix Lift(Aggregate total, uint32_t) const { return total; }
  __device__ static Prefix Join(Prefix a, Prefix b) { return Combine()(a, b); }
  __device__ static Prefix JoinLanes(Prefix prefix) {
    return WarpReduce<Combine>(prefix);
  }
  __device__ T Absent() const { return Op::Identity(); }
  __device__ void Finish(Prefix) const {}

  __device__ __forceinline__ Aggregate Reduce(const Segment<T>& segment) const {
    Aggregate total = Total<Op>(segment.vectors[LaneId()]);
#pragma unroll
    for (int i = 1; i < L::kVectors; ++i) {
      total = Combine()(total,
                        Total<Op>(segment.vectors[i * kWarpSize + LaneId()]));
    }
    return WarpReduce<Combine>(total);
  }

  // `Turn`: of this job or one that is made of it.
  template <typename Turn>
  __device__ __forceinline__ void Write(const Segment<T>& segment,
                                        Turn& turn) const {
    // A step is a vector of each lane: 512 bytes without a gap.
    Vector<T> vectors[L::kVectors];
    Aggregate step_prefixes[L::kVectors];
#pragma unroll
    for (int i = 0; i < L::kVectors; ++i) {
      vectors[i] = segment.vectors[i * kWarpSize + LaneId()];
      step_prefixes[i] = Total<Op>(vectors[i]);
    }
    ScanSteps<Combine>(step_prefixes);

    const Prefix prefix = turn.AwaitPrefix();
    const bool whole = out.HoldsVectors(segment.first, L::kSegmentElements);
    if (whole) turn.Release();
#pragma unroll
    for (int i = 0; i < L::kVectors; ++i) {
      vectors[i] = ScanVector<Op>(
          vectors[i], Combine()(prefix, step_prefixes[i]), inclusive);
      Results::Finish(vectors[i],
                      segment.first - in.begin +
                          (i * kWarpSize + LaneId()) * Vector<T>::kLanes);
    }
    // All at once, because the steps are neighbours in memory: with the
    // shuffles for the next step between two stores, 2^28 elements of 4 bytes
    // took 630 us instead of 526.
    if (whole) {
#pragma unroll
      for (int i = 0; i < L::kVectors; ++i) {
        StoreVector(
            out, segment.first + (i * kWarpSize + LaneId()) * Vector<T>::kLanes,
            vectors[i]);
      }
    } else {
      CopySegmentOut(segment, vectors);
      turn.Release();
    }
  }

  // For segments that are not whole, and outputs that are aligned otherwise
  // than `in`: a lane's results replace its own elements in shared memory, from
  // where they leave in the alignment of `out`.
  __device__ __forceinline__ void CopySegmentOut(
      const Segment<T>& segment,
      const Vector<T> (&vectors)[L::kVectors]) const {
#pragma unroll
    for (int i = 0; i < L::kVectors; ++i) {
      segment.vectors[i * kWarpSize + LaneId()] = vectors[i];
    }
    __syncwarp();
    const int64_t first = max(segment.first, out.begin);
    const int64_t end = min(segment.first + L::kSegmentElements, out.end);
    if (first < end) {
      const T* const results = reinterpret_cast<const T*>(segment.vectors);
      CopyOut(out.base + first, results + (first - segment.first),
              static_cast<int>(end - first));
    }
    FenceBeforeBulkCopy();
  }
};

}  // namespace concord::scan

#endif  // CONCORD_ALGORITHMS_SCAN_CUDA_PIPELINED_CUH_
