// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Distributing keys of 4 bytes by one digit without having counted them: what
// chunk_sort_kernel.h works on.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNKS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNKS_H_

#include <cstdint>
#include <vector>

#include "concord/algorithms/radix_sort/tbb/buckets.h"

namespace concord::radix_sort {

// How many keys before they are needed a thread asks for them: about as many as
// it moves while memory answers, which is further than a CPU looks by itself.
inline constexpr std::int64_t kKeysAhead = 512;

// The digit of a key: some of its bits, or what a table has for them.
struct BitsDigit {
  int shift;
  std::uint32_t mask;
  std::uint32_t operator()(std::uint32_t key) const {
    return key >> shift & mask;
  }
};
struct TableDigit {
  BitsDigit bits;
  const std::uint16_t* table;
  std::uint32_t operator()(std::uint32_t key) const { return table[bits(key)]; }
};

// 512 bytes of keys with the same digit. A CPU cannot foresee when a chunk is
// full, and with so many keys that does not matter.
struct alignas(64) KeyChunk {
  static constexpr std::int64_t kKeys = 128;
  std::uint32_t keys[kKeys];
};

// What one thread distributes its keys to. For each value of the digit there is
// a chunk that is being filled. Full ones leave, in the order in which they
// become full, to the next place in memory, whatever their digit: so memory is
// written from front to back, and nobody needs to know beforehand how many keys
// have which digit.
struct DistributedKeys {
  // What is being filled takes no more than a second-level cache.
  static constexpr int kMostBits = 11;
  static constexpr int kMostDigits = 1 << kMostBits;

  // The first chunk of digit `d` is filled from here on. Were all of them
  // filled from the start, they would be at the same place in their chunks most
  // of the time, and such lines share few sets of the first-level cache.
  static constexpr std::int64_t Start(std::int64_t d) {
    return d * 16 % KeyChunk::kKeys;
  }

  // The most chunks that `keys` keys fill.
  static constexpr std::int64_t MostFull(std::int64_t keys,
                                         std::int64_t digits) {
    return keys / KeyChunk::kKeys + digits;
  }

  std::int64_t Count(std::int64_t d) const {
    return (begin[d + 1] - begin[d]) * KeyChunk::kKeys + InOpen(d) - Start(d);
  }

  // Adds the pieces that hold the keys with digit `d`, in the order in which
  // the keys came.
  void AddPieces(std::int64_t d, std::vector<KeyPiece>& pieces) const {
    std::int64_t start = Start(d);
    const auto add = [&](const KeyChunk& chunk, std::int64_t end) {
      if (end > start) pieces.push_back({chunk.keys + start, end - start});
      start = 0;
    };
    for (std::int64_t i = begin[d]; i < begin[d + 1]; ++i) {
      add(full[order[i]], KeyChunk::kKeys);
    }
    add(open[d], InOpen(d));
  }

  std::int64_t InOpen(std::int64_t d) const {
    return next[d] - d * KeyChunk::kKeys;
  }

  // Given: room for the full chunks, for the digit of each, and for their
  // numbers in the order of their digits.
  KeyChunk* full;
  std::uint32_t* digits;
  std::uint32_t* order;

  // Chunks order[begin[d]] to order[begin[d + 1] - 1] have digit d.
  std::int64_t begin[kMostDigits + 1];
  // The place of the next key among those of `open`.
  std::uint32_t next[kMostDigits];
  // Bits in which some key differs from another one.
  std::uint32_t varying;
  KeyChunk open[kMostDigits];
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNKS_H_
