// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_WORDS_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_WORDS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace concord::tensor_sketch {

// Instead of rolling sketches, count how often each word is a subsequence, for
// all words of 1 .. t letters, and hash the counts of the longest words once at
// the end. A letter c then turns every word u that was there into one more uc:
//
//   for k = t, ..., 2: n_k[u c] += n_{k-1}[u] for every u; n_1[c] += 1
//
// which adds contiguous arrays when the last letter of a word is the most
// significant digit of its index. And two neighbouring parts of a sequence can
// be counted apart (Chen's identity): a word of the whole begins in the first
// part and ends in the second,
//
//   n_k(w; x y) = sum over the splittings w = u v of n(u; x) * n(v; y),
//
// so that one long sequence can be cut in pieces for many threads. All of it is
// exact modulo 2^64.

// Where the counts of each length stand in one array.
class WordShape {
 public:
  WordShape(int alphabet_size, int t);

  int alphabet_size() const { return alphabet_size_; }
  int t() const { return t_; }
  // Words of k letters, and where their counts begin.
  std::int64_t words(int k) const { return words_[k]; }
  std::int64_t begin(int k) const { return begin_[k]; }
  // Counts altogether.
  std::int64_t size() const { return begin_[t_] + words_[t_]; }

 private:
  int alphabet_size_;
  int t_;
  std::vector<std::int64_t> words_;
  std::vector<std::int64_t> begin_;
};

// All of it also in doubles, which do not wrap: sums and products of numbers
// that are not negative, so that a relative error of 2^-53 for each operation
// on the way is all there is. They hold binomial(n, t) up to this t for every n
// that a computer can count.
inline constexpr int kLongestWordInDoubles = 16;

// counts := the counts of `letters`, without those >= alphabet_size, for any
// shape and on any CPU.
void CountWords(const WordShape& shape, absl::Span<const std::uint8_t> letters,
                std::uint64_t* counts);
void CountWords(const WordShape& shape, absl::Span<const std::uint8_t> letters,
                double* counts);

// counts := the counts of two parts, one after the other; `counts` are those of
// the first, `next` those of the second.
void AppendWords(const WordShape& shape, std::uint64_t* counts,
                 const std::uint64_t* next);
void AppendWords(const WordShape& shape, double* counts, const double* next);

// The inverse: counts := the counts of the second of two parts; `counts` are
// those of both, `first` those of the first. Exact modulo 2^64; doubles would
// lose their digits.
void RemoveWords(const WordShape& shape, std::uint64_t* counts,
                 const std::uint64_t* first);

// binomial(n, t), rounded a few times.
double Binomial(double n, int t);

// Counts words in the fastest way that this CPU has for a shape.
class WordCounter {
 public:
  // Whether the counts of a thread stay in its second-level cache.
  static bool Fits(int alphabet_size, int t);

  WordCounter(int alphabet_size, int t);

  // Letters 0 .. 3 and words of 1 .. 4 letters have a shape in common.
  const WordShape& shape() const { return shape_; }
  // What a letter costs, in additions of 64-bit integers.
  double additions_per_letter() const { return additions_per_letter_; }

  // T is std::uint64_t or double.
  template <typename T>
  void Count(absl::Span<const std::uint8_t> letters, T* counts) const;

 private:
  using SegmentCounter = void (*)(const std::uint8_t* letters, std::int64_t n,
                                  int alphabet_size, std::uint64_t* counts);

  int alphabet_size_;
  // Null where the general way is the fastest.
  SegmentCounter dna_;
  WordShape shape_;
  double additions_per_letter_;
};

// Where each word of t letters goes in a sketch, and with which sign.
class WordHasher {
 public:
  // `shape` may have more letters and longer words than the tables.
  WordHasher(const WordShape& shape, int alphabet_size, int t, int dim,
             const std::int32_t* hashes, const std::int32_t* signs);

  // out[0 .. dim) := the sketch of a sequence with these counts.
  void Sketch(const std::uint64_t* counts, std::int64_t* out) const;
  // The same divided by binomial(n, t), n being the number of letters. Integers
  // must not have wrapped.
  template <typename T>
  void SketchNormalized(const T* counts, double* out) const;

 private:
  const int letters_, t_;
  std::int64_t begin_;
  int dim_;
  // For words with sign +1 the place, for others dim + the place.
  std::vector<std::int32_t> places_;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_WORDS_H_
