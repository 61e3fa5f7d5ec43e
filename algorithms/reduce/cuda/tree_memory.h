// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_REDUCE_CUDA_TREE_MEMORY_H_
#define CONCORD_ALGORITHMS_REDUCE_CUDA_TREE_MEMORY_H_

#include <cstdint>

namespace concord::reduce {

// The device memory of a tree in one launch (tree.cuh), in bytes: a counter
// of blocks, words in which up to kMostTold blocks tell their results, and
// behind these the results of chunks, where they are more. The counter and the
// words are zero before the first launch, and each launch leaves them so.
struct TreeMemory {
  static constexpr std::int64_t kMostTold = 512;
  // Of a result of up to 8 bytes with its flag.
  static constexpr std::int64_t kToldBytes = 16;
  // The counter has a line of the cache to itself.
  static constexpr std::int64_t kToldAt = 128;
  static constexpr std::int64_t kResultsAt = kToldAt + kMostTold * kToldBytes;

  // With room for so many results of `result_bytes` each.
  static constexpr std::int64_t Bytes(std::int64_t results,
                                      std::int64_t result_bytes) {
    return kResultsAt + results * result_bytes;
  }
};

}  // namespace concord::reduce

#endif  // CONCORD_ALGORITHMS_REDUCE_CUDA_TREE_MEMORY_H_
