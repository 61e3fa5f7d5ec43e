// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_COPY_OUT_CUH_
#define CONCORD_BACKENDS_CUDA_COPY_OUT_CUH_

#include <cstdint>

#include "concord/backends/cuda/warp.cuh"

namespace concord {

namespace copy_out_internal {

using Word = uint32_t;
inline constexpr int kWordBytes = sizeof(Word);

// The first word of a lane whose step of 32 words fills one line of 128 bytes
// from the second step on; negative in the lanes that sit out the first.
__device__ __forceinline__ int FirstWord(const Word* to) {
  const auto place = reinterpret_cast<uintptr_t>(to) / kWordBytes;
  return LaneId() - static_cast<int>(place % kWarpSize);
}

// Gives the lanes of a warp, for i from their first one on in steps of 32, the
// words to[i] = word(i) with begin <= i < end. Many are read before the first
// is written, so that what is written together arrives together.
template <int kBatch, typename F>
__device__ __forceinline__ void WriteWords(Word* to, int begin, int end,
                                           const F& word) {
#pragma unroll 1
  for (int first = FirstWord(to); first < end; first += kBatch * kWarpSize) {
    Word batch[kBatch];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const int i = first + k * kWarpSize;
      if (i >= begin && i < end) batch[k] = word(i);
    }
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const int i = first + k * kWarpSize;
      if (i >= begin && i < end) to[i] = batch[k];
    }
  }
}

template <int kBatch>
__device__ __forceinline__ void CopyWords(Word* to, const Word* from,
                                          int count) {
  WriteWords<kBatch>(to, 0, count, [&](int i) { return from[i]; });
}

template <int kBatch>
__device__ __forceinline__ void CopyBytes(unsigned char* to,
                                          const unsigned char* from,
                                          int count) {
  // `to` and `from` move to word boundaries: word i of `to` takes the bytes
  // from[4 * i - before, ...), which lie in up to two words.
  const int before =
      static_cast<int>(reinterpret_cast<uintptr_t>(to) % kWordBytes);
  const unsigned char* const source = from - before;
  const int within =
      static_cast<int>(reinterpret_cast<uintptr_t>(source) % kWordBytes);
  const auto* const low = reinterpret_cast<const Word*>(source - within);
  const Word* const high = within == 0 ? low : low + 1;
  auto* const words = reinterpret_cast<Word*>(to - before);
  const int end = (before + count) / kWordBytes;
  WriteWords<kBatch>(words, before == 0 ? 0 : 1, end, [&](int i) {
    return __funnelshift_r(low[i], high[i], 8 * within);
  });

  // Up to three bytes at each end.
  const int head = min(count, (kWordBytes - before) % kWordBytes);
  const int tail = max(head, kWordBytes * end - before);
  if (LaneId() < head) to[LaneId()] = from[LaneId()];
  if (LaneId() < count - tail) to[tail + LaneId()] = from[tail + LaneId()];
}

}  // namespace copy_out_internal

// Copies `count` elements from shared to global memory; a whole warp calls it.
// Neither address need be aligned to more than an element, so this goes by
// words of 4 bytes: with those, a step that fills a line is still one access.
//
// kBatch lines are on their way at once. By default those that 2 KiB lie in, a
// segment of the pipeline; a smaller number is better where counts vary, for
// what is left of the last batch costs as much as if it were used.
template <int kBatch = 17, typename T>
__device__ __forceinline__ void CopyOut(T* to, const T* from, int count) {
  namespace internal = copy_out_internal;
  if constexpr (sizeof(T) % internal::kWordBytes == 0) {
    internal::CopyWords<kBatch>(
        reinterpret_cast<internal::Word*>(to),
        reinterpret_cast<const internal::Word*>(from),
        count * static_cast<int>(sizeof(T)) / internal::kWordBytes);
  } else {
    internal::CopyBytes<kBatch>(reinterpret_cast<unsigned char*>(to),
                                reinterpret_cast<const unsigned char*>(from),
                                count * static_cast<int>(sizeof(T)));
  }
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_COPY_OUT_CUH_
