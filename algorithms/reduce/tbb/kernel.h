// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of fixed_tree.cc, compiled for each target of
// backends/tbb/simd.h.

#include "concord/backends/tbb/simd_fold.h"

namespace concord::reduce {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

static_assert(kFoldLanes<float> * sizeof(float) == Reduce::kRowBytes);

// For integers, whose order does not matter.
template <typename T, typename Op>
inline T ReduceLoop(const T* x, std::int64_t n) {
  T result = Op::Empty();
  for (std::int64_t i = 0; i < n; ++i) result = Op()(result, x[i]);
  return result;
}

// One chunk of the tree of reduce.h, of 1 element to a whole chunk.
template <typename T, typename Op>
T ReduceChunk(const T* x, std::int64_t n) {
  constexpr std::int64_t kSegment = Reduce::kSegmentBytes / sizeof(T);
  constexpr int kStreams = 4;
  if (n <= kSegment) return Fold<T, Op>(x, n);
  T segments[Reduce::kSegmentsPerChunk];
  std::fill(std::begin(segments), std::end(segments), Op::Identity());
  T* segment = segments;
  std::int64_t i = 0;
  for (; i + kStreams * kSegment <= n; i += kStreams * kSegment) {
    FoldStreams<T, Op, kStreams>(x + i, Reduce::kRowsPerSegment, segment);
    segment += kStreams;
  }
  for (; i < n; i += kSegment) {
    *segment++ = Fold<T, Op>(x + i, std::min(n - i, kSegment));
  }
  return Halve<Reduce::kSegmentsPerChunk / 2, T, Op>(segments);
}

}  // namespace CONCORD_SIMD
}  // namespace concord::reduce
