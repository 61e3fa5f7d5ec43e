// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By tiles of values. Where there are more pieces than values, one launch
// counts the values of the lower half, which the upper one mirrors, and says
// where in the spectrum each starts; a second one writes every element once.
// Where values are wide apart, half of the pieces are sorted by radix_sort.
//
// The method is our own, as that of the same name for the CPU.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/algorithms/cyclospectrum/cuda/count.cuh"
#include "concord/algorithms/cyclospectrum/cuda/expand.cuh"
#include "concord/algorithms/cyclospectrum/cuda/histogram.cuh"
#include "concord/algorithms/cyclospectrum/cuda/run.cuh"
#include "concord/algorithms/cyclospectrum/cuda/sorter.cuh"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/core/errors.h"

namespace concord::cyclospectrum {
namespace {

// A block with all threads that one can have, and a multiprocessor to itself:
// two narrower tiles in its place take a fifth longer where values are wide
// apart.
constexpr int kCountThreads = 1024;
constexpr int kCountBlocks = 1;

// Values of a tile: with fewer, the search for ends takes longer than the
// counting; with more, too little of the shared memory is left to serve as the
// first-level cache.
constexpr int64_t kFewestValues = 256;
constexpr int64_t kMostValues = int64_t{48} << 10;

// Values, and twice the masses, are numbered with 32 bits.
constexpr int64_t kMostTotal = std::numeric_limits<uint32_t>::max();
constexpr int64_t kMostMasses = int64_t{1} << 28;

// Steps of a warp that writes. More are slower for small spectra, one is slower
// for large ones: the search for the first value is paid for by all of them.
constexpr int kExpandSteps = 2;
constexpr int64_t kLineBytes = 128;

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
  // Where there are as many pieces as values, counting them takes as long as
  // sorting them (20,000 masses: 4.6 and 4.5 ms), with a third more of them 0.8
  // as long.
  template <typename T>
  static bool HasManyPiecesOfAValue(const DeviceCircle<T>& circle) {
    // Without any mass, no piece would be too heavy for a tile.
    return circle.total > 0 && circle.total <= kMostTotal &&
           circle.n <= kMostMasses && circle.half() <= circle.size() / 2;
  }

  // Where the values of the lower half start.
  int64_t* offsets() { return scratch().data<int64_t>(); }

  template <typename T>
  absl::Status Count(const DeviceCircle<T>& circle) {
    const int64_t values = circle.half();
    RETURN_IF_ERROR(scratch().Reserve<int64_t>(values + 1));
    // Tiles of equal width for all blocks that run at the same time, or for so
    // many times as many.
    const int64_t blocks = int64_t{kCountBlocks} * backend()->multiprocessors();
    const int64_t widest = std::min<int64_t>(
        kMostValues,
        backend()->max_shared_memory_per_block() / int64_t{sizeof(uint32_t)});
    const int64_t rounds = DivideUp(values, blocks * widest);
    const int64_t width =
        std::max(kFewestValues, DivideUp(values, rounds * blocks));
    const int64_t bytes = width * int64_t{sizeof(uint32_t)};
    // Each start adds less than n to a counter, and there is one element more.
    const int64_t rows = std::min<int64_t>(
        kMostMasses, (std::numeric_limits<uint32_t>::max() - 1) / circle.n);
    return Queue(CountTiles<kCountThreads, kCountBlocks, T>,
                 {DivideUp(values, width), kCountThreads, bytes}, circle,
                 values, static_cast<uint32_t>(width), static_cast<int>(rows),
                 offsets());
  }

  template <typename T>
  absl::Status Expand(const DeviceCircle<T>& circle, ArrayView out) {
    const ValueRuns runs = {offsets(), static_cast<int64_t>(circle.total),
                            static_cast<int64_t>(circle.total / 2),
                            circle.size()};
    T* const data = out.data<T>();
    const int64_t past_line = static_cast<int64_t>(
        reinterpret_cast<uintptr_t>(data) % kLineBytes / sizeof(T));
    const Span<T> span = ShiftedSpan(data, out.size(), past_line);
    constexpr int64_t kElements =
        int64_t{kExpandWarps} * kExpandSteps * kStepElements;
    return Queue(ExpandValueRuns<kExpandSteps, T>,
                 {DivideUp(span.end, kElements), kExpandThreads}, runs, span);
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
