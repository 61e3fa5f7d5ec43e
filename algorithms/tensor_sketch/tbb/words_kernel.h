// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The loops of words.cc, compiled for each target of backends/tbb/simd.h.

#if CONCORD_SIMD_BYTES == 64 && !defined(__clang__)
// What AVX-512DQ has to multiply 64-bit integers is slow on Intel's CPUs: it
// made AppendWords take up to twice as long as three multiplications of halves.
#pragma GCC target("no-avx512dq")
#endif

namespace concord::tensor_sketch {
namespace CONCORD_SIMD {

// sum[v][u] += x[u] * y[v], or -= where kSign is -1; kLength is that of x when
// it is known.
template <int kSign, int kLength, typename T>
inline void AddProducts(const T* x, std::int64_t length, const T* y,
                        std::int64_t rows, T* sum) {
  if (kLength != 0) length = kLength;
  for (std::int64_t v = 0; v < rows; ++v) {
    for (std::int64_t u = 0; u < length; ++u) {
      const T product = x[u] * y[v];
      T& to = sum[v * length + u];
      to = kSign > 0 ? to + product : to - product;
    }
  }
}

// For all words of k letters that begin in one part and end in the other.
template <int kSign, typename T>
inline void AddSplitWords(const WordShape& shape, int k, const T* x, const T* y,
                          T* sum) {
  for (int first = k - 1; first >= 1; --first) {
    const std::int64_t beginnings = shape.words(first);
    const std::int64_t ends = shape.words(k - first);
    const T* begins = x + shape.begin(first);
    const T* rest = y + shape.begin(k - first);
    if (beginnings == 4) {
      // Single letters of DNA, the most frequent case: short loops of known
      // length take half the time.
      AddProducts<kSign, 4>(begins, 4, rest, ends, sum);
    } else {
      AddProducts<kSign, 0>(begins, beginnings, rest, ends, sum);
    }
  }
}

template <typename T>
void CountIn(const WordShape& shape, absl::Span<const std::uint8_t> letters,
             T* counts) {
  std::fill_n(counts, shape.size(), T{0});
  for (const std::uint8_t c : letters) {
    if (c >= shape.alphabet_size()) continue;
    for (int k = shape.t(); k > 1; --k) {
      const std::int64_t words = shape.words(k - 1);
      const T* shorter = counts + shape.begin(k - 1);
      T* longer = counts + shape.begin(k) + c * words;
      for (std::int64_t u = 0; u < words; ++u) longer[u] += shorter[u];
    }
    ++counts[c];
  }
}

template <typename T>
void AppendIn(const WordShape& shape, T* counts, const T* next) {
  // Long words first: they need the short ones as they were.
  for (int k = shape.t(); k >= 1; --k) {
    T* sum = counts + shape.begin(k);
    AddSplitWords<1>(shape, k, counts, next, sum);
    const T* y = next + shape.begin(k);
    for (std::int64_t w = 0; w < shape.words(k); ++w) sum[w] += y[w];
  }
}

inline void RemoveIn(const WordShape& shape, std::uint64_t* counts,
                     const std::uint64_t* first) {
  // Short words first: the long ones need those of the second part.
  for (int k = 1; k <= shape.t(); ++k) {
    std::uint64_t* sum = counts + shape.begin(k);
    AddSplitWords<-1>(shape, k, first, counts, sum);
    const std::uint64_t* x = first + shape.begin(k);
    for (std::int64_t w = 0; w < shape.words(k); ++w) sum[w] -= x[w];
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord::tensor_sketch
