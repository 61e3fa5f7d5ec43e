// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "algorithms/tensor_sketch/word_counts.h"

#include <algorithm>
#include <cstddef>

#include "algorithms/tensor_sketch/dna_word_counts.h"

#if defined(__x86_64__)
#define CONCORD_WIDEST_VECTORS \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CONCORD_WIDEST_VECTORS
#endif

namespace concord {
namespace {

// 32,768 counts of 64 bits with those of the shorter words: at most 512 KiB.
constexpr std::int64_t kMostWords = 1 << 15;

double Additions(const WordShape& shape) {
  double additions = 1;
  for (int k = 1; k < shape.t(); ++k) {
    additions += static_cast<double>(shape.words(k));
  }
  return additions;
}

// sum[v][u] += x[u] * y[v]; kLength is that of x when it is known.
template <int kLength>
inline void AddProducts(const std::uint64_t* x, std::int64_t length,
                        const std::uint64_t* y, std::int64_t rows,
                        std::uint64_t* sum) {
  if (kLength != 0) length = kLength;
  for (std::int64_t v = 0; v < rows; ++v) {
    for (std::int64_t u = 0; u < length; ++u)
      sum[v * length + u] += x[u] * y[v];
  }
}

// In the time that one letter takes on the fast path, the general one makes
// this many additions: 400 million letters a second against 64 million with 85
// additions each (Sapphire Rapids); with AVX2 alone 280 million.
constexpr double kDnaAdditions = 16;

}  // namespace

WordShape::WordShape(int alphabet_size, int t)
    : alphabet_size_(alphabet_size), t_(t), words_{1}, begin_{0} {
  for (int k = 1; k <= t; ++k) {
    words_.push_back(words_[k - 1] * alphabet_size);
    begin_.push_back(k == 1 ? 0 : begin_[k - 1] + words_[k - 1]);
  }
}

CONCORD_WIDEST_VECTORS
void CountWords(const WordShape& shape, absl::Span<const std::uint8_t> letters,
                std::uint64_t* counts) {
  std::fill_n(counts, shape.size(), 0);
  for (const std::uint8_t c : letters) {
    if (c >= shape.alphabet_size()) continue;
    for (int k = shape.t(); k > 1; --k) {
      const std::int64_t words = shape.words(k - 1);
      const std::uint64_t* shorter = counts + shape.begin(k - 1);
      std::uint64_t* longer = counts + shape.begin(k) + c * words;
      for (std::int64_t u = 0; u < words; ++u) longer[u] += shorter[u];
    }
    ++counts[c];
  }
}

CONCORD_WIDEST_VECTORS
void AppendWords(const WordShape& shape, std::uint64_t* counts,
                 const std::uint64_t* next) {
  // Long words first: they need the short ones as they were.
  for (int k = shape.t(); k >= 1; --k) {
    std::uint64_t* sum = counts + shape.begin(k);
    for (int first = k - 1; first >= 1; --first) {
      const std::int64_t beginnings = shape.words(first);
      const std::int64_t ends = shape.words(k - first);
      const std::uint64_t* x = counts + shape.begin(first);
      const std::uint64_t* y = next + shape.begin(k - first);
      if (beginnings == 4) {
        // Single letters of DNA, the most frequent case: short loops of known
        // length take half the time.
        AddProducts<4>(x, 4, y, ends, sum);
      } else {
        AddProducts<0>(x, beginnings, y, ends, sum);
      }
    }
    const std::uint64_t* y = next + shape.begin(k);
    for (std::int64_t w = 0; w < shape.words(k); ++w) sum[w] += y[w];
  }
}

bool WordCounter::Fits(int alphabet_size, int t) {
  std::int64_t words = 1;
  for (int k = 0; k < t; ++k) {
    words *= alphabet_size;
    if (words > kMostWords) return false;
  }
  return true;
}

WordCounter::WordCounter(int alphabet_size, int t)
    : alphabet_size_(alphabet_size),
      dna_(alphabet_size <= kDnaLetters && t <= kDnaWordLength
               ? FastestDnaCounter()
               : nullptr),
      shape_(dna_ == nullptr ? WordShape(alphabet_size, t)
                             : WordShape(kDnaLetters, kDnaWordLength)),
      additions_per_letter_(dna_ == nullptr ? Additions(shape_)
                                            : kDnaAdditions) {}

void WordCounter::Count(absl::Span<const std::uint8_t> letters,
                        std::uint64_t* counts) const {
  if (dna_ == nullptr) return CountWords(shape_, letters, counts);
  const auto n = static_cast<std::int64_t>(letters.size());
  dna_(letters.data(), std::min(n, kDnaSegment), alphabet_size_, counts);
  std::uint64_t next[kDnaCounts];
  for (std::int64_t i = kDnaSegment; i < n; i += kDnaSegment) {
    dna_(letters.data() + i, std::min(n - i, kDnaSegment), alphabet_size_,
         next);
    AppendWords(shape_, counts, next);
  }
}

WordHasher::WordHasher(const WordShape& shape, int alphabet_size, int t,
                       int dim, const std::int32_t* hashes,
                       const std::int32_t* signs)
    : begin_(shape.begin(t)), dim_(dim), places_(shape.words(t), 0) {
  // From the words of k letters to those of k + 1. The letter 0 comes last,
  // because its words take the places of those that they are made from.
  std::int64_t words = 1;
  for (int k = 0; k < t; ++k) {
    for (int c = shape.alphabet_size() - 1; c >= 0; --c) {
      for (std::int64_t u = 0; u < words; ++u) {
        // Letters beyond the alphabet never occur, their words count nothing.
        const std::int32_t hash = c < alphabet_size ? hashes[c * t + k] : 0;
        const bool flip = c < alphabet_size && signs[c * t + k] < 0;
        const bool negative = places_[u] >= dim;
        std::int32_t place = (negative ? places_[u] - dim : places_[u]) + hash;
        if (place >= dim) place -= dim;
        places_[c * words + u] = negative != flip ? dim + place : place;
      }
    }
    words *= shape.alphabet_size();
  }
}

void WordHasher::Sketch(const std::uint64_t* counts, std::int64_t* out) const {
  std::vector<std::uint64_t> sums(2 * static_cast<std::size_t>(dim_), 0);
  const std::uint64_t* count = counts + begin_;
  for (const std::int32_t place : places_) sums[place] += *count++;
  for (int l = 0; l < dim_; ++l) {
    out[l] = static_cast<std::int64_t>(sums[l] - sums[dim_ + l]);
  }
}

}  // namespace concord
