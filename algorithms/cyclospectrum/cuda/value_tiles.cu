// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By tiles of values. Where there are more pieces than values, one launch
// counts the values of the lower half, which the upper one mirrors, and says
// where in the spectrum each starts; a second one writes every element once.
// Where values are wide apart, half of the pieces are sorted by radix_sort.
//
// The method is our own, as that of the same name for the CPU.

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/algorithms/cyclospectrum/cuda/count.cuh"
#include "concord/algorithms/cyclospectrum/cuda/expand.cuh"
#include "concord/algorithms/cyclospectrum/cuda/histogram.cuh"
#include "concord/algorithms/cyclospectrum/cuda/run.cuh"
#include "concord/algorithms/cyclospectrum/cuda/sorter.cuh"
#include "concord/algorithms/cyclospectrum/cuda/value_tiles.cuh"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/core/errors.h"

namespace concord::cyclospectrum {
namespace {

class CyclospectrumValueTiles
    : public CyclospectrumOnCuda<CyclospectrumValueTiles> {
 public:
  using CyclospectrumOnCuda::CyclospectrumOnCuda;

  template <typename T>
  absl::Status Write(const DeviceCircle<T>& circle, const T* /*masses*/,
                     const SpectrumOutputs& to) {
    if (!HasManyPiecesOfAValue(circle)) {
      return sorter_.WriteFromHalf(circle, to);
    }
    RETURN_IF_ERROR(Count(circle));
    if (to.as == As::kSpectrum) return Expand(circle, to.out);
    return histogram_.Write(circle, CountedHalf<T>{offsets()}, circle.half(),
                            to);
  }

 private:
  // Where the values of the lower half start.
  int64_t* offsets() { return scratch().data<int64_t>(); }

  template <typename T>
  absl::Status Count(const DeviceCircle<T>& circle) {
    RETURN_IF_ERROR(scratch().Reserve<int64_t>(circle.half() + 1));
    const TilePlan plan = TilePlan::Of(
        circle, int64_t{kCountBlocks} * backend()->multiprocessors(),
        backend()->max_shared_memory_per_block());
    return Queue(CountTiles<kCountThreads, kCountBlocks, T>,
                 {plan.tiles, kCountThreads, plan.shared_bytes()}, circle,
                 circle.half(), int64_t{0}, static_cast<uint32_t>(plan.width),
                 static_cast<int>(plan.rows), offsets());
  }

  template <typename T>
  absl::Status Expand(const DeviceCircle<T>& circle, ArrayView out) {
    const Span<T> span = SpanFromLine<T>(out);
    return Queue(ExpandValueRuns<kExpandSteps, T>,
                 {DivideUp(span.end, kExpandElements), kExpandThreads},
                 RunsOf(circle, offsets()), span);
  }

  SpectrumSorter sorter_{backend()};
  HistogramWriter histogram_{backend()};
};

const bool kRegistered = RegisterOnCuda<CyclospectrumValueTiles>(
    "value_tiles", /*rank=*/10,
    "values counted tile by tile in shared memory and written out as runs; the "
    "upper half mirrors the lower",
    Contract()
        .Types({ElementType::kInt32, ElementType::kInt64})
        .Boundaries({kStepElements, (kStepElements * kExpandSteps),
                     (kStepElements * kExpandSteps * kExpandWarps),
                     int64_t{kCountThreads} * kCountThreads})
        .Keeps(kKeepsTileWords)
        .Notes("counts where pieces are many for their masses, sorts half of "
               "them where they are few"));

}  // namespace
}  // namespace concord::cyclospectrum
