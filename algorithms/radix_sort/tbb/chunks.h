// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Distributing elements by one digit without having counted them: what
// chunk_sort_kernel.h works on.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNKS_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNKS_H_

#include <cstdint>
#include <vector>

#include "concord/algorithms/radix_sort/tbb/buckets.h"
#include "concord/algorithms/radix_sort/tbb/elements.h"

namespace concord::radix_sort {

// How many elements before they are needed a thread asks for them: about as
// many as it moves while memory answers, which is further than a CPU looks by
// itself.
inline constexpr std::int64_t kElementsAhead = 512;

// The digit of an element: some bits of its key, or what a table has for them.
struct BitsDigit {
  int shift;
  std::uint32_t mask;
  template <typename Element>
  std::uint32_t operator()(const Element& element) const {
    return static_cast<std::uint32_t>(KeyBits(element) >> shift) & mask;
  }
};
struct TableDigit {
  BitsDigit bits;
  const std::uint16_t* table;
  template <typename Element>
  std::uint32_t operator()(const Element& element) const {
    return table[bits(element)];
  }
};

// The elements to distribute. `make` gives n of them from `first` on: where
// they stand, or in `room`. While a thread moves kTurn elements, it asks for
// the cache lines that it needs kElementsAhead elements later; each of them is
// as far behind the one before as the array's elements are wide.
template <typename Element>
struct Feed {
  static constexpr std::int64_t kTurn = 16;
  static constexpr int kLines = kTurn * sizeof(Element) / 64;

  const void* source;
  const Element* (*make)(const void* source, std::int64_t first, std::int64_t n,
                         Element* room);
  const char* lines[kLines];
  std::int64_t bytes[kLines];
};

// 512 bytes of elements with the same digit. A CPU cannot foresee when a chunk
// is full, and with so many elements that does not matter.
template <typename Element>
struct alignas(64) Chunk {
  static constexpr std::int64_t kLine = 64 / sizeof(Element);
  static constexpr std::int64_t kElements = 8 * kLine;
  Element elements[kElements];
};

// What one thread distributes its elements to. For each value of the digit
// there is a chunk that is being filled. Full ones leave, in the order in which
// they become full, to the next place in memory, whatever their digit: so
// memory is written from front to back, and nobody needs to know beforehand how
// many elements have which digit.
template <typename Element>
struct DistributedElements {
  using ChunkOf = Chunk<Element>;

  // What is being filled takes no more than a second-level cache.
  static constexpr int kMostBits = 11;
  static constexpr int kMostDigits = 1 << kMostBits;

  // The first chunk of digit `d` is filled from here on. Were all of them
  // filled from the start, they would be at the same place in their chunks most
  // of the time, and such lines share few sets of the first-level cache.
  static constexpr std::int64_t Start(std::int64_t d) {
    return d * ChunkOf::kLine % ChunkOf::kElements;
  }

  // The most chunks that `elements` elements fill.
  static constexpr std::int64_t MostFull(std::int64_t elements,
                                         std::int64_t digits) {
    return elements / ChunkOf::kElements + digits;
  }

  std::int64_t Count(std::int64_t d) const {
    return (begin[d + 1] - begin[d]) * ChunkOf::kElements + InOpen(d) -
           Start(d);
  }

  // Adds the pieces that hold the elements with digit `d`, in the order in
  // which they came.
  void AddPieces(std::int64_t d, std::vector<Piece<Element>>& pieces) const {
    std::int64_t start = Start(d);
    const auto add = [&](const ChunkOf& chunk, std::int64_t end) {
      if (end > start) pieces.push_back({chunk.elements + start, end - start});
      start = 0;
    };
    for (std::int64_t i = begin[d]; i < begin[d + 1]; ++i) {
      add(full[order[i]], ChunkOf::kElements);
    }
    add(open[d], InOpen(d));
  }

  std::int64_t InOpen(std::int64_t d) const {
    return next[d] - d * ChunkOf::kElements;
  }

  // Given: room for the full chunks, for the digit of each, and for their
  // numbers in the order of their digits.
  ChunkOf* full;
  std::uint32_t* digits;
  std::uint32_t* order;

  // Chunks order[begin[d]] to order[begin[d + 1] - 1] have digit d.
  std::int64_t begin[kMostDigits + 1];
  // The place of the next element among those of `open`.
  std::uint32_t next[kMostDigits];
  // Bits of keys in which some element differs from another one.
  std::uint64_t varying;
  ChunkOf open[kMostDigits];
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_CHUNKS_H_
