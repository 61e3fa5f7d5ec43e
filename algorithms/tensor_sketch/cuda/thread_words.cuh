// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts the words of any alphabet: a block counts a piece of a sequence, and
// each thread the words that begin with its own t - 1 letters. A thread keeps
// the counts of the beginnings of its word in registers, so that no thread
// waits for another from one letter to the next.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_THREAD_WORDS_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_THREAD_WORDS_CUH_

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/tensor_sketch/cuda/places.cuh"

namespace concord::tensor_sketch {

// Letters that a block loads at a time.
inline constexpr int kLoadedLetters = 512;

// How many words there are. As numbers, they have the letters for digits, the
// first letter foremost.
struct Words {
  int prefixes;  // of t - 1 letters
  int whole;     // of t letters
  int all;       // of 1 to t letters
};

// A block that counts pieces, of words of up to kLevels + 1 letters. The counts
// of whole words stand in shared memory, by their last letters and then by
// threads; those of a piece that waits for its neighbour stand in its slot,
// level by level.
template <int kLevels, typename Count>
class ThreadWorker {
 public:
  __device__ ThreadWorker(const Words& words, const Tables& tables,
                          uint64_t* last, uint64_t* slots)
      : words_(words),
        tables_(tables),
        last_(reinterpret_cast<Count*>(last)),
        slots_(reinterpret_cast<Count*>(slots)) {
    // The letters of this thread's word at the end; no letter is like those
    // before them, nor like those of threads without a word.
    int word = threadIdx.x;
    for (int k = kLevels; k >= 0; --k) {
      const bool has = k > kLevels - (tables_.t - 1) &&
                       threadIdx.x < static_cast<unsigned>(words_.prefixes);
      letter_[k] = has ? word % tables_.alphabet_size : -1;
      word /= tables_.alphabet_size;
    }
  }

  __device__ void CountPiece(const uint8_t* begin, const uint8_t* end) {
    __shared__ uint8_t loaded[kLoadedLetters];
    slot_ = -1;
#pragma unroll
    for (int k = 0; k <= kLevels; ++k) {
      count_[k] = k == kLevels - (tables_.t - 1);  // the empty word
    }
    const bool counts = threadIdx.x < static_cast<unsigned>(words_.prefixes);
    __syncthreads();
    for (int i = threadIdx.x; i < words_.whole; i += blockDim.x) last_[i] = 0;
    for (; begin < end; begin += kLoadedLetters) {
      const int size =
          min(int64_t{kLoadedLetters}, static_cast<int64_t>(end - begin));
      __syncthreads();
      for (int i = threadIdx.x; i < size; i += blockDim.x) loaded[i] = begin[i];
      __syncthreads();
      for (int i = 0; i < size; ++i) {
        const int letter = loaded[i];
        if (letter >= tables_.alphabet_size) continue;
        if (counts) {
          last_[letter * words_.prefixes + threadIdx.x] += count_[kLevels];
        }
#pragma unroll
        for (int k = kLevels; k > 0; --k) {
          if (letter_[k] == letter) count_[k] += count_[k - 1];
        }
      }
    }
    __syncthreads();
  }

  __device__ void Store(int64_t slot) {
    if (slot_ == slot) return;  // joined there
    slot_ = slot;
    int64_t level_at = 0;
    int64_t size = tables_.alphabet_size;
    int tails = words_.prefixes;  // words of t - 1 letters with one beginning
#pragma unroll
    for (int k = 1; k <= kLevels; ++k) {
      if (k <= kLevels - (tables_.t - 1)) continue;
      tails /= tables_.alphabet_size;
      if (threadIdx.x < static_cast<unsigned>(words_.prefixes) &&
          threadIdx.x % tails == 0) {
        __stcg(At(slot) + level_at + threadIdx.x / tails, count_[k]);
      }
      level_at += size;
      size *= tables_.alphabet_size;
    }
    for (int word = threadIdx.x; word < words_.whole; word += blockDim.x) {
      __stcg(At(slot) + level_at + word, Last(word));
    }
  }
  __device__ void Load(int64_t slot) { other_ = slot; }
  __device__ unsigned Arrive(unsigned* counter) {
    __shared__ unsigned before;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      before = atomicAdd(counter, 1);
      if (before != 0) *counter = 0;
    }
    __syncthreads();
    __threadfence();
    return before;
  }
  __device__ void Append() { Join(slot_, other_); }
  __device__ void Prepend() {
    Join(other_, slot_);
    slot_ = other_;
  }

  __device__ void Hash(void* out, int64_t at) const {
    if constexpr (std::is_same_v<Count, double>) {
      // All words together: binomial(n, t).
      __shared__ double all;
      if (threadIdx.x == 0) all = 0;
      __syncthreads();
      double own = 0;
      for (int word = threadIdx.x; word < words_.whole; word += blockDim.x) {
        own += CountOf(word);
      }
      atomicAdd(&all, own);
      __syncthreads();
      AddWords(static_cast<double*>(out) + at,
               [&](double count) { return count / all; });
      // Nobody sets it for the next row before all have read it.
      __syncthreads();
    } else {
      AddWords(static_cast<uint64_t*>(out) + at,
               [](uint64_t count) { return count; });
    }
  }

 private:
  __device__ Count* At(int64_t slot) const {
    return slots_ + slot * words_.all;
  }
  __device__ Count CountOf(int word) const {
    return slot_ < 0 ? Last(word)
                     : __ldcg(At(slot_) + words_.all - words_.whole + word);
  }
  template <typename F>
  __device__ void AddWords(Count* sketch, const F& f) const {
    for (int word = threadIdx.x; word < words_.whole; word += blockDim.x) {
      const Count count = CountOf(word);
      // A place is looked for only where there is something to put.
      if (count == 0) continue;
      AddAt(PlaceOf(word, tables_.alphabet_size, tables_), f(count), sketch);
    }
  }
  __device__ Count Last(int word) const {
    return last_[word % tables_.alphabet_size * words_.prefixes +
                 word / tables_.alphabet_size];
  }

  // left = left joined with right by Chen's identity. Long words first, for
  // they need the counts of the short ones as they were.
  __device__ void Join(int64_t left, int64_t right) {
    Count* const x = At(left);
    const Count* const y = At(right);
    int size = words_.whole;
    int level_at = words_.all - words_.whole;
    for (int level = tables_.t; level > 0; --level) {
      __syncthreads();
      for (int word = threadIdx.x; word < size; word += blockDim.x) {
        Count sum = __ldcg(x + level_at + word) + __ldcg(y + level_at + word);
        int head_size = size / tables_.alphabet_size;
        int head_at = level_at - head_size;
        int tail_size = tables_.alphabet_size;
        int tail_at = 0;
        for (int head = level - 1; head > 0; --head) {
          sum += __ldcg(x + head_at + word / tail_size) *
                 __ldcg(y + tail_at + word % tail_size);
          head_size /= tables_.alphabet_size;
          head_at -= head_size;
          tail_at += tail_size;
          tail_size *= tables_.alphabet_size;
        }
        __stcg(x + level_at + word, sum);
      }
      size /= tables_.alphabet_size;
      level_at -= size;
    }
    __syncthreads();
  }

  const Words words_;
  const Tables tables_;
  Count* const last_;
  Count* const slots_;
  int64_t slot_, other_;
  int letter_[kLevels + 1];
  Count count_[kLevels + 1];  // of the word up to that letter
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_THREAD_WORDS_CUH_
