// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The nodes of an upsweep and a downsweep (algorithms/scan/scan.h) over states:
// those of the elements of a lane, and those of the lanes of a warp. Nothing is
// combined with an identity, for an operator need not have one.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_NODES_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_NODES_CUH_

#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::sequence {

__device__ __forceinline__ State StateOfLane(const State& state, int lane) {
  State of_lane;
#pragma unroll
  for (int w = 0; w < CONCORD_WORDS; ++w) {
    of_lane.word[w] = ShuffleFrom(state.word[w], lane);
  }
  return of_lane;
}

// What precedes a node, if anything does.
struct Before {
  State state;
  bool any;

  // What precedes the next node, if this one comes first.
  __device__ __forceinline__ void Append(const State& node) {
    const State both = Combined(state, node);
    state = any ? both : node;
    any = true;
  }
};

constexpr int LevelsOf(int elements) {
  return elements == 1 ? 1 : 1 + LevelsOf(elements / 2);
}

// The elements of a lane, in registers: all loops are unrolled, those over
// nodes with as many turns at every level, or nvcc would not.
template <int kElements>
class LaneNodes {
 public:
  __device__ __forceinline__ void SetElement(int k, const State& element) {
    nodes_[0][k] = element;
  }

  // What they amount to.
  __device__ __forceinline__ State Up() {
#pragma unroll
    for (int level = 1; level < kLevels; ++level) {
#pragma unroll
      for (int i = 0; i < kElements / 2; ++i) {
        if (i >= kElements >> level) continue;
        nodes_[level][i] =
            Combined(nodes_[level - 1][2 * i], nodes_[level - 1][2 * i + 1]);
      }
    }
    return nodes_[kLevels - 1][0];
  }

  // Puts results in place of the elements, after Up: with the element, or
  // `exclusive`, without it. `before`: what precedes the first.
  __device__ __forceinline__ void Down(const Before& before, bool exclusive) {
    State before_element[kElements];
    before_element[0] = before.state;
#pragma unroll
    for (int level = kLevels - 2; level >= 0; --level) {
#pragma unroll
      for (int i = 0; i < kElements; ++i) {
        if (i % (2 << level) != 0) continue;
        State& right = before_element[i + (1 << level)];
        const State& left = nodes_[level][i >> level];
        right = Combined(before_element[i], left);
        if (i == 0 && !before.any) right = left;
      }
    }
    if (exclusive) {
      if (!before.any) before_element[0] = Beginning();
#pragma unroll
      for (int i = 0; i < kElements; ++i) nodes_[0][i] = before_element[i];
      return;
    }
#pragma unroll
    for (int i = 0; i < kElements; ++i) {
      const State both = Combined(before_element[i], nodes_[0][i]);
      if (i > 0 || before.any) nodes_[0][i] = both;
    }
  }
  __device__ __forceinline__ const State& result(int k) const {
    return nodes_[0][k];
  }

 private:
  static constexpr int kLevels = LevelsOf(kElements);
  static_assert(1 << (kLevels - 1) == kElements);

  // Node i of 2^level elements at [level][i].
  State nodes_[kLevels][kElements];
};

// A node for each lane of a warp, all of which call these; or for each of its
// first lanes, a power of two of them.
template <int kNodes = kWarpSize>
class LaneSweep {
 public:
  // `total`: of the lane's node. Returns, in the last lane that has one, that
  // of all nodes together. (In others, that of a node that ends with the lane,
  // and of what may be no node.)
  __device__ __forceinline__ State Up(State total) {
#pragma unroll
    for (int level = 0; level < kLevels; ++level) {
      // The last lane of the half before the one that this lane is in.
      const int left = (LaneId() >> level << level) - 1;
      const bool is_right = IsRight(level);
      lefts_[level] = StateOfLane(total, is_right ? left : LaneId());
      const State both = Combined(lefts_[level], total);
      if (is_right) total = both;
    }
    return total;
  }

  // `before`: what precedes the first lane's node. It becomes what precedes
  // this lane's.
  __device__ __forceinline__ void Down(Before& before) const {
#pragma unroll
    for (int level = kLevels - 1; level >= 0; --level) {
      Before after = before;
      after.Append(lefts_[level]);
      if (IsRight(level)) before = after;
    }
  }

 private:
  static constexpr int kLevels = LevelsOf(kNodes) - 1;
  static_assert(1 << kLevels == kNodes);

  __device__ static bool IsRight(int level) {
    return (LaneId() >> level & 1) != 0;
  }

  // By level: the total of the left half of the node, for lanes in its right
  // one.
  State lefts_[kLevels];
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_NODES_CUH_
