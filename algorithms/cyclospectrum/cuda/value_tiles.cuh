// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How a spectrum is cut in tiles of values, and its elements in stretches.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_VALUE_TILES_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_VALUE_TILES_CUH_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/algorithms/cyclospectrum/cuda/count.cuh"
#include "concord/algorithms/cyclospectrum/cuda/expand.cuh"
#include "concord/algorithms/cyclospectrum/cuda/expand_long.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/options.h"

namespace concord::cyclospectrum {

// A block with all threads that one can have, and a multiprocessor to itself:
// two narrower tiles in its place take a fifth longer where values are wide
// apart.
inline constexpr int kCountThreads = 1024;
inline constexpr int kCountBlocks = 1;

// Values of a tile: with fewer, the search for ends takes longer than the
// counting; with more, too little of the shared memory is left to serve as the
// first-level cache.
inline constexpr int64_t kFewestValues = 256;
inline constexpr int64_t kMostValues = int64_t{48} << 10;

// Values, and twice the masses, are numbered with 32 bits.
inline constexpr int64_t kMostTotal = std::numeric_limits<uint32_t>::max();
inline constexpr int64_t kMostMasses = int64_t{1} << 28;

// Steps of a warp that writes. More are slower for small spectra, one is slower
// for large ones: the search for the first value is paid for by all of them.
inline constexpr int kExpandSteps = 2;
inline constexpr int64_t kLineBytes = 128;
// What a block writes.
inline constexpr int64_t kExpandElements =
    int64_t{kExpandWarps} * kExpandSteps * kStepElements;

// What an option for tuning says of a way that there is.
inline constexpr int64_t kOwnChoice = 0;
inline constexpr int64_t kNever = 1;
inline constexpr int64_t kAlways = 2;

inline bool IsChosen(int64_t option, bool is_faster) {
  return option == kOwnChoice ? is_faster : option != kNever;
}

inline std::vector<OptionSpec> ValueTilesTuning() {
  const auto way = [](const char* name, const char* help) {
    return OptionSpec::Number(name, help, kOwnChoice, kOwnChoice, kAlways);
  };
  return {way("transforms",
              "counts values by transforms: 0 where that is faster, 1 nowhere, "
              "2 wherever it can"),
          way("lines",
              "collects what blocks have to know in lines before they write: "
              "0 where that is faster, 1 nowhere, 2 everywhere")};
}

// Where there are as many pieces as values, counting them takes as long as
// sorting them (20,000 masses: 4.6 and 4.5 ms), with a third more of them 0.8
// as long.
template <typename T>
bool HasManyPiecesOfAValue(const DeviceCircle<T>& circle) {
  // Without any mass, no piece would be too heavy for a tile.
  return circle.total > 0 && circle.total <= kMostTotal &&
         circle.n <= kMostMasses && circle.half() <= circle.size() / 2;
}

// With fewer elements, one launch more takes longer than loads that wait.
inline constexpr int64_t kLeastLong = int64_t{1} << 26;

// Whether the line of a block of ExpandFromLines has room for what starts in
// it, if all values occur about equally often.
template <typename T>
bool HasLongRuns(const DeviceCircle<T>& circle) {
  constexpr int64_t kMostOnAverage = 50;
  return circle.size() >= kLeastLong &&
         static_cast<int64_t>(circle.total) <=
             circle.size() / kLongElements * kMostOnAverage;
}

// The tiles of the lower half's values.
struct TilePlan {
  int64_t width;  // of a tile, but for the last one
  int64_t tiles;
  int64_t rows;  // starts that a counter of a tile holds

  int64_t shared_bytes() const { return width * int64_t{sizeof(uint32_t)}; }

  // For so many blocks that run at the same time. Tiles of equal width for all
  // of them, or for so many times as many.
  template <typename T>
  static TilePlan Of(const DeviceCircle<T>& circle, int64_t blocks,
                     int64_t shared_bytes_of_block) {
    // What kernels declare themselves, at the most.
    constexpr int64_t kOwnBytes = 1024;
    const int64_t values = circle.half();
    const int64_t widest =
        std::min<int64_t>(kMostValues, (shared_bytes_of_block - kOwnBytes) /
                                           int64_t{sizeof(uint32_t)});
    const int64_t rounds = DivideUp(values, blocks * widest);
    const int64_t width =
        std::max(kFewestValues, DivideUp(values, rounds * blocks));
    // Each start adds less than n to a counter, and there is one element more.
    const int64_t rows = std::min<int64_t>(
        kMostMasses, (std::numeric_limits<uint32_t>::max() - 1) / circle.n);
    return {width, DivideUp(values, width), rows};
  }
};

template <typename T>
ValueRuns RunsOf(const DeviceCircle<T>& circle, const int64_t* offsets) {
  return {offsets, static_cast<int64_t>(circle.total),
          static_cast<int64_t>(circle.total / 2), circle.size()};
}

// The output, from where a line of the cache begins.
template <typename T>
Span<T> SpanFromLine(const ArrayView& out) {
  T* const data = out.data<T>();
  const auto past_line = static_cast<int64_t>(
      reinterpret_cast<uintptr_t>(data) % kLineBytes / sizeof(T));
  return ShiftedSpan(data, out.size(), past_line);
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_VALUE_TILES_CUH_
