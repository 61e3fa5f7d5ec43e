// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/tbb/words.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "concord/algorithms/tensor_sketch/tbb/dna_words.h"
#include "concord/backends/tbb/simd.h"

#define CONCORD_SIMD_FILE "concord/algorithms/tensor_sketch/tbb/words_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::tensor_sketch {
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

void CountWords(const WordShape& shape, absl::Span<const std::uint8_t> letters,
                std::uint64_t* counts) {
  CONCORD_SIMD_CHOOSE(CountIn<std::uint64_t>)(shape, letters, counts);
}
void CountWords(const WordShape& shape, absl::Span<const std::uint8_t> letters,
                double* counts) {
  CONCORD_SIMD_CHOOSE(CountIn<double>)(shape, letters, counts);
}

void AppendWords(const WordShape& shape, std::uint64_t* counts,
                 const std::uint64_t* next) {
  CONCORD_SIMD_CHOOSE(AppendIn<std::uint64_t>)(shape, counts, next);
}
void AppendWords(const WordShape& shape, double* counts, const double* next) {
  CONCORD_SIMD_CHOOSE(AppendIn<double>)(shape, counts, next);
}

void RemoveWords(const WordShape& shape, std::uint64_t* counts,
                 const std::uint64_t* first) {
  CONCORD_SIMD_CHOOSE(RemoveIn)(shape, counts, first);
}

double Binomial(double n, int t) {
  double product = 1;
  for (int i = 0; i < t; ++i) product = product * (n - i) / (i + 1);
  return product;
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

template <typename T>
void WordCounter::Count(absl::Span<const std::uint8_t> letters,
                        T* counts) const {
  if (dna_ == nullptr) return CountWords(shape_, letters, counts);
  const auto n = static_cast<std::int64_t>(letters.size());
  // The integers of a segment are far from wrapping.
  const auto count_segment = [&](std::int64_t first, T* to) {
    const std::int64_t size = std::min(n - first, kDnaSegment);
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      dna_(letters.data() + first, size, alphabet_size_, to);
    } else {
      std::uint64_t exact[kDnaCounts];
      dna_(letters.data() + first, size, alphabet_size_, exact);
      std::copy_n(exact, kDnaCounts, to);
    }
  };
  count_segment(0, counts);
  T next[kDnaCounts];
  for (std::int64_t i = kDnaSegment; i < n; i += kDnaSegment) {
    count_segment(i, next);
    AppendWords(shape_, counts, next);
  }
}

template void WordCounter::Count(absl::Span<const std::uint8_t>,
                                 std::uint64_t*) const;
template void WordCounter::Count(absl::Span<const std::uint8_t>, double*) const;

WordHasher::WordHasher(const WordShape& shape, int alphabet_size, int t,
                       int dim, const std::int32_t* hashes,
                       const std::int32_t* signs)
    : letters_(shape.alphabet_size()),
      t_(t),
      begin_(shape.begin(t)),
      dim_(dim),
      places_(shape.words(t), 0) {
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

template <typename T>
void WordHasher::SketchNormalized(const T* counts, double* out) const {
  std::vector<double> sums(2 * static_cast<std::size_t>(dim_), 0);
  const T* count = counts + begin_;
  for (const std::int32_t place : places_) {
    sums[place] += static_cast<double>(*count++);
  }
  double n = 0;
  for (int c = 0; c < letters_; ++c) n += static_cast<double>(counts[c]);
  const double all = n < t_ ? 1 : Binomial(n, t_);
  for (int l = 0; l < dim_; ++l) out[l] = (sums[l] - sums[dim_ + l]) / all;
}

template void WordHasher::SketchNormalized(const std::uint64_t*, double*) const;
template void WordHasher::SketchNormalized(const double*, double*) const;

}  // namespace concord::tensor_sketch
