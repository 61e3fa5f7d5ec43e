// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By tiles of values. Where there are more pieces than values, one launch
// counts the values of the lower half, which the upper one mirrors, and says
// where in the spectrum each starts; another one writes every element once.
// Where there are many more, transforms count values faster. Where values are
// wide apart, half of the pieces are sorted by radix_sort.
//
// The method is our own, as that of the same name for the CPU.

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/algorithms/cyclospectrum/cuda/count.cuh"
#include "concord/algorithms/cyclospectrum/cuda/expand.cuh"
#include "concord/algorithms/cyclospectrum/cuda/expand_long.cuh"
#include "concord/algorithms/cyclospectrum/cuda/histogram.cuh"
#include "concord/algorithms/cyclospectrum/cuda/lag_counter.cuh"
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
    if (lag_counter_.CanCount(circle) &&
        IsChosen(tuning("transforms"), LagCounter::IsFaster(circle))) {
      return lag_counter_.Count(circle, offsets());
    }
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
    if (IsChosen(tuning("lines"), HasLongRuns(circle))) {
      return ExpandLong(circle, span);
    }
    return Queue(ExpandValueRuns<kExpandSteps, T>,
                 {DivideUp(span.end, kExpandElements), kExpandThreads},
                 RunsOf(circle, offsets()), span);
  }

  template <typename T>
  absl::Status ExpandLong(const DeviceCircle<T>& circle, const Span<T>& span) {
    const int64_t blocks = DivideUp(span.end, kLongElements);
    RETURN_IF_ERROR(lines_.Reserve<BlockRuns>(blocks));
    auto* const lines = lines_.data<BlockRuns>();
    const ValueRuns runs = RunsOf(circle, offsets());
    RETURN_IF_ERROR(
        launcher_.Queue(name(), FindBlockRuns,
                        {DivideUp(blocks, kLinesOfBlock), kExpandThreads}, runs,
                        span.begin, int64_t{0}, blocks, lines));
    return launcher_.Queue(name(), ExpandFromLines<T>, {blocks, kLongThreads},
                           runs, span, lines);
  }

  SpectrumSorter sorter_{backend()};
  LagCounter lag_counter_{backend()};
  Scratch lines_{backend()};
  DependentLauncher launcher_{backend()};
  HistogramWriter histogram_{backend()};
};

const bool kRegistered = RegisterOnCuda<CyclospectrumValueTiles>(
    "value_tiles", /*rank=*/10,
    "values counted tile by tile in shared memory and written out as runs; the "
    "upper half mirrors the lower",
    Contract()
        .Types({ElementType::kInt32, ElementType::kInt64})
        .Boundaries({kStepElements, (kStepElements * kExpandSteps),
                     kLongElements,
                     (kStepElements * kExpandSteps * kExpandWarps),
                     int64_t{kCountThreads} * kCountThreads})
        .Keeps(absl::StrCat(
            "the sums of the masses; 8 bytes for each value up to half of the "
            "total; up to 136 MB where values are counted by transforms; for "
            "histograms ",
            kKeepsTileWords))
        .Notes("counts where pieces are many for their masses, by transforms "
               "where they are very many; sorts half of them where they are "
               "few"),
    /*requirement=*/{}, ValueTilesTuning());

}  // namespace
}  // namespace concord::cyclospectrum
