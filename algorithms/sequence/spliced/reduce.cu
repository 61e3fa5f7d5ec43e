// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// All elements combined by a built-in operator, in the tree of
// algorithms/reduce/reduce.h. The function of the columns takes the place of
// loads.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/reduce/cuda/tree.cuh"
#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/vector.cuh"

namespace concord {
namespace sequence {

struct SplicedOperator {
  using Element = StateWord;

  __device__ __forceinline__ static StateWord Identity() {
    return Beginning().word[0];
  }
  __device__ __forceinline__ StateWord operator()(StateWord a,
                                                  StateWord b) const {
    return Combined({{a}}, {{b}}).word[0];
  }
};

}  // namespace sequence

// Sums of floats are among them.
template <>
inline constexpr bool kOrderMatters<sequence::SplicedOperator> = true;

namespace sequence {

// The driver compiles each of them when the program runs.
struct FewCopies {
  static constexpr int kBatches = 1;
  static constexpr int kLoadsAtEnd = 4;
  static constexpr int kRowsOfElements = 1;
};

// Results of the prologue as elements.
struct ColumnSource {
  using Unrolling = FewCopies;

  const spliced::Arguments& arguments;

  // No segment begins before it, which the compiler can tell.
  __device__ static constexpr int64_t begin() { return INT64_MIN; }
  __device__ int64_t end() const { return arguments.end; }
  __device__ bool aligned() const { return arguments.aligned != 0; }

  __device__ __forceinline__ Vector<StateWord> Load(int64_t first) const {
    Vector<StateWord> vector{};
#if CONCORD_WORD_BITS == 32
    asm volatile("//CONCORD load %0, %1, %2, %3, %4"
                 : "=&r"(vector.word[0]), "=&r"(vector.word[1]),
                   "=&r"(vector.word[2]), "=&r"(vector.word[3])
                 : "l"(first));
#else
    uint64_t a;
    uint64_t b;
    asm volatile("//CONCORD load %0, %1, %2" : "=&l"(a), "=&l"(b) : "l"(first));
    vector.set_lane(0, a);
    vector.set_lane(1, b);
#endif
    return vector;
  }

  __device__ __forceinline__ Vector<StateWord> LoadElements(
      int64_t first, StateWord absent) const {
    Vector<StateWord> vector{};
#pragma unroll
    for (int k = 0; k < Vector<StateWord>::kLanes; ++k) {
      StateWord word = absent;
      if (first + k < end()) {
        asm volatile("//CONCORD load %0, %1"
                     : CONCORD_OUT(word)
                     : "l"(first + k));
      }
      vector.set_lane(k, word);
    }
    return vector;
  }
};

// What the tree calls here in place of its own. nvcc must not know what sum
// `first` is: rows are then constants behind it, which the driver's compiler
// puts into the loads. Given the chance, nvcc adds them to a part of 32 bits,
// and each row has an address of its own, 40 instructions for eight of them.
template <int kLoads, typename T, typename A>
__device__ __forceinline__ void AddRows(const ColumnSource& in, int64_t first,
                                        int count, Vector<T> absent,
                                        A& accumulator) {
  asm("" : "+l"(first));
  reduce::AddRows<kLoads>(in, first, count, absent, accumulator);
}

extern "C" __global__ void __launch_bounds__(
    reduce::kTreeThreads, reduce::kTreeBlocksPerMultiprocessor)
    concord_reduce(const __grid_constant__ spliced::Arguments arguments,
                   reduce::TreeCut<StateWord> cut, char* memory) {
  StateWord result;
  if (reduce::ReduceTree<SplicedOperator>(ColumnSource{arguments}, cut, memory,
                                          result) &&
      threadIdx.x == 0) {
    StoreResults({{result}});
  }
}

}  // namespace sequence
}  // namespace concord
