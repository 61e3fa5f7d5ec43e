// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_WORD_WORKER_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_WORD_WORKER_CUH_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "concord/algorithms/tensor_sketch/cuda/places.cuh"
#include "concord/algorithms/tensor_sketch/cuda/words.cuh"
#include "concord/core/operators.h"

namespace concord::tensor_sketch {

// What the matrix products are made for: words of at most four letters of at
// most four. A smaller alphabet's words are some of them.
inline constexpr int kLetters = 4;
inline constexpr int kLongestWord = 4;
inline constexpr int kWords = 256;

// Sixteen warps on a multiprocessor, for a thread needs 128 registers. More
// warps with fewer registers were slower.
inline constexpr int kWordWarps = 8;
inline constexpr int kWordThreads = kWordWarps * kWarpSize;
inline constexpr int kWordBlocks = 2;
// Spans are not cut shorter than this: to join two costs as much as to count a
// few blocks of letters.
inline constexpr int64_t kLeastWordSpan = 1024;

// Whether the words are those that are counted here.
inline bool AreWordsOfDna(int alphabet_size, int t) {
  return alphabet_size <= kLetters && t <= kLongestWord;
}

// The places of all words, by the threads of a block.
__device__ inline void FindPlaces(const Tables& tables, Place* places) {
  for (int word = threadIdx.x; word < 1 << (2 * tables.t);
       word += kWordThreads) {
    places[word] = PlaceOf(word, kLetters, tables);
  }
}

inline constexpr int kCountsPerLane =
    sizeof(Counts<uint64_t>) / sizeof(uint64_t);
inline constexpr int64_t kSlotSize = kCountsPerLane * kWarpSize;

// A warp that counts the letters of pieces and hashes the counts of rows.
template <typename Count>
class WordWorker {
 public:
  __device__ WordWorker(WarpScratch<Count>* scratch, uint64_t* slots)
      : lane_(LaneId()), scratch_(scratch), slots_(slots) {}

  __device__ void CountPiece(const uint8_t* begin, const uint8_t* end) {
    counts_ = CountLetters<Count>(begin, end, lane_, scratch_);
  }

  __device__ void Store(int64_t slot) {
    uint64_t values[kCountsPerLane];
    memcpy(values, &counts_, sizeof(values));
#pragma unroll
    for (int i = 0; i < kCountsPerLane; ++i) __stcg(At(slot, i), values[i]);
  }
  __device__ void Load(int64_t slot) {
    uint64_t values[kCountsPerLane];
#pragma unroll
    for (int i = 0; i < kCountsPerLane; ++i) values[i] = __ldcg(At(slot, i));
    memcpy(&other_, values, sizeof(values));
  }
  __device__ unsigned Arrive(unsigned* counter) {
    __threadfence();
    __syncwarp();
    unsigned before = 0;
    if (lane_.index == 0) {
      before = atomicAdd(counter, 1);
      if (before != 0) *counter = 0;
    }
    before = ShuffleFrom(before, 0);
    __threadfence();
    return before;
  }
  __device__ void Append() { AppendPart(other_, lane_, scratch_, &counts_); }
  __device__ void Prepend() {
    AppendPart(counts_, lane_, scratch_, &other_);
    counts_ = other_;
  }

  __device__ void Hash(const Place* places, int t, void* out,
                       int64_t at) const {
    if constexpr (std::is_same_v<Count, double>) {
      // All words of the alphabet together: binomial(n, t).
      double all = 0;
      ForEachWord(t, [&](int word, double count) {
        if (places[word].sign != 0) all += count;
      });
      all = WarpReduce<Add<double>>(all);
      if (all == 0) return;  // too few letters
      ForEachWord(t, [&](int word, double count) {
        AddAt(places[word], count / all, static_cast<double*>(out) + at);
      });
    } else {
      ForEachWord(t, [&](int word, uint64_t count) {
        AddAt(places[word], count, static_cast<uint64_t*>(out) + at);
      });
    }
  }

 private:
  // Calls `f` with the number and the count of every word of t letters; of the
  // lanes that have the count, one does.
  template <typename F>
  __device__ void ForEachWord(int t, const F& f) const {
    for (int k = 0; k < 2; ++k) {
      const int a = lane_.A(k);
      if (t == 1 && lane_.b == 0 && lane_.c == 0 && lane_.d == 0) {
        f(a, counts_.n1[k]);
      }
      for (int i = 0; i < 2; ++i) {
        const int ab = kLetters * a + lane_.B(i);
        const int abc = kLetters * ab + lane_.c;
        if (t == 2 && lane_.c == 0 && lane_.d == 0) f(ab, counts_.n2[k][i]);
        if (t == 3 && lane_.d == 0) f(abc, counts_.n3[k][i]);
        for (int r = 0; r < 2 && t == kLongestWord; ++r) {
          f(kLetters * abc + lane_.D(r), counts_.n4[k][r][i]);
        }
      }
    }
  }

  __device__ uint64_t* At(int64_t slot, int i) const {
    return slots_ + slot * kSlotSize + i * kWarpSize + lane_.index;
  }

  const Lane lane_;
  WarpScratch<Count>* const scratch_;
  uint64_t* const slots_;
  Counts<Count> counts_, other_;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_WORD_WORKER_CUH_
