// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How whole sequences are shared out by a GPU, as cuts.h does it on the host.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_GPUS_SEQUENCE_CUTS_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_GPUS_SEQUENCE_CUTS_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/tensor_sketch/cuts.h"
#include "concord/backends/gpus/group_spec.h"

namespace concord::tensor_sketch {

// Where a part of the sequences begins.
struct SequenceCut {
  int64_t sequence;
  int64_t letter;
};

// What the sequences before each cut are to cost.
struct CutCosts {
  int64_t of[kMostMembers];
  int cuts;
};

// A thread for each cut, by a binary search: what SequenceCosts::Find does,
// where nothing but the cuts has to go to the host.
template <typename = void>
__global__ void FindCuts(const int64_t* offsets, int64_t sequences,
                         const __grid_constant__ CutCosts costs,
                         SequenceCut* cuts) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= costs.cuts) return;
  int64_t low = 0;
  int64_t high = sequences;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (offsets[middle] + middle * kCostOfRow < costs.of[i]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  cuts[i] = {low, offsets[low]};
}

inline constexpr int kRebaseThreads = 256;

// Offsets of a part, counted from its first letter on.
template <typename = void>
__global__ void __launch_bounds__(kRebaseThreads)
    Rebase(const int64_t* offsets, int64_t count, int64_t first_letter,
           int64_t* to) {
  const int64_t i = int64_t{blockIdx.x} * kRebaseThreads + threadIdx.x;
  if (i < count) to[i] = offsets[i] - first_letter;
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_GPUS_SEQUENCE_CUTS_CUH_
