// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// DNA words (dna_words.h) with AVX2, for dna_words_kernel.h.

namespace concord::tensor_sketch {
namespace CONCORD_SIMD {

// The bits of a counter of positions; five such counters share one integer.
constexpr int kCounterBits = 12;
constexpr int kCounterMask = (1 << kCounterBits) - 1;

constexpr DnaLanes<std::uint16_t> kLanes = MakeDnaLanes<std::uint16_t>(1);

// One block while it is counted.
struct alignas(32) Block {
  // At each position: the words of two letters before it, and the letters up to
  // and including it.
  std::uint16_t two[kDnaBlock + 1][16];
  std::uint16_t one[kDnaBlock + 1][4];
  // The positions of each letter, and of those that are skipped.
  std::uint8_t positions[5][kDnaBlock + 1];
  // Counts of words of 1 .. 4 letters: at most binomial(255, 4) < 2^28.
  std::uint32_t n1[4];
  std::uint32_t n2[16];
  std::uint32_t n3[64];
  std::uint32_t n4[256];
};

template <typename T>
inline __m256i Load(const T* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
template <typename T>
inline void Store(T* to, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}

// Fills the rows, and sorts the positions by letter.
inline void CountPairs(const std::uint8_t* letters, int n, int alphabet_size,
                       Block& block) {
  __m256i one = _mm256_setzero_si256();
  __m256i two = _mm256_setzero_si256();
  // In a register: counters in memory would wait for their own last store.
  std::uint64_t counters = 0;
  for (int i = 0; i < n; ++i) {
    const int c = letters[i] < alphabet_size ? letters[i] : kDnaSkipped;
    const int place = (counters >> (kCounterBits * c)) & kCounterMask;
    block.positions[c][place] = static_cast<std::uint8_t>(i);
    counters += std::uint64_t{1} << (kCounterBits * c);
    Store(block.two[i], two);
    two = _mm256_add_epi16(two, _mm256_and_si256(one, Load(kLanes.is_last[c])));
    one = _mm256_add_epi16(one, Load(kLanes.one_first[c]));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(block.one[i]),
                     _mm256_castsi256_si128(one));
  }
  for (int c = 0; c < 4; ++c) {
    block.n1[c] = (counters >> (kCounterBits * c)) & kCounterMask;
  }
  Store(block.n2, _mm256_cvtepu16_epi32(_mm256_castsi256_si128(two)));
  Store(block.n2 + 8, _mm256_cvtepu16_epi32(_mm256_extracti128_si256(two, 1)));
}

// sum += the products of 16-bit numbers, in pairs.
inline void AddProducts(__m256i& sum, __m256i x, __m256i y) {
  sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
}

// The four letters of the row to every 64-bit lane.
inline __m256i LoadOne(const Block& block, int row) {
  return _mm256_broadcastq_epi64(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(block.one[row])));
}

// Counts the words abc and abcd with this c.
inline void CountAround(int c, Block& block) {
  const int n = block.n1[c];
  std::uint8_t* position = block.positions[c];
  position[n] = kDnaZeroRow;
  const __m256i once = _mm256_set1_epi16(1);
  // Unpacking leaves the words with b = 0 and 2 in one vector (even), those
  // with b = 1 and 3 in the other.
  __m256i even3 = _mm256_setzero_si256();
  __m256i odd3 = even3;
  __m256i even4[4] = {even3, even3, even3, even3};
  __m256i odd4[4] = {even3, even3, even3, even3};
  for (int k = 0; k < n; k += 2, position += 2) {
    const __m256i row = Load(block.two[position[0]]);
    const __m256i next = Load(block.two[position[1]]);
    const __m256i even = _mm256_unpacklo_epi16(row, next);
    const __m256i odd = _mm256_unpackhi_epi16(row, next);
    const __m256i one = _mm256_unpacklo_epi16(LoadOne(block, position[0]),
                                              LoadOne(block, position[1]));
    const __m256i one0 = _mm256_shuffle_epi32(one, 0x00);
    AddProducts(even4[0], even, one0);
    AddProducts(odd4[0], odd, one0);
    const __m256i one1 = _mm256_shuffle_epi32(one, 0x55);
    AddProducts(even4[1], even, one1);
    AddProducts(odd4[1], odd, one1);
    const __m256i one2 = _mm256_shuffle_epi32(one, 0xaa);
    AddProducts(even4[2], even, one2);
    AddProducts(odd4[2], odd, one2);
    const __m256i one3 = _mm256_shuffle_epi32(one, 0xff);
    AddProducts(even4[3], even, one3);
    AddProducts(odd4[3], odd, one3);
    AddProducts(even3, even, once);
    AddProducts(odd3, odd, once);
  }
  const __m256i low3 = _mm256_permute2x128_si256(even3, odd3, 0x20);
  const __m256i high3 = _mm256_permute2x128_si256(even3, odd3, 0x31);
  Store(block.n3 + 16 * c, low3);
  Store(block.n3 + 16 * c + 8, high3);
  for (int d = 0; d < 4; ++d) {
    // The letters after a position are all of them less those up to it.
    const __m256i letters = _mm256_set1_epi32(block.n1[d]);
    const __m256i low = _mm256_permute2x128_si256(even4[d], odd4[d], 0x20);
    const __m256i high = _mm256_permute2x128_si256(even4[d], odd4[d], 0x31);
    std::uint32_t* n4 = block.n4 + 64 * d + 16 * c;
    Store(n4, _mm256_sub_epi32(_mm256_mullo_epi32(low3, letters), low));
    Store(n4 + 8, _mm256_sub_epi32(_mm256_mullo_epi32(high3, letters), high));
  }
}

// Four counts of the block as 64-bit integers, or one four times.
inline __m256i Widen(const std::uint32_t* counts) {
  return _mm256_cvtepu32_epi64(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(counts)));
}
inline __m256i Widen(std::uint32_t count) { return _mm256_set1_epi64x(count); }

// sum + x * y for x and y below 2^32.
inline __m256i MultiplyAdd(__m256i sum, __m256i x, __m256i y) {
  return _mm256_add_epi64(sum, _mm256_mul_epu32(x, y));
}

// counts := counts followed by the block, by Chen's identity. Four words at a
// time, those that differ in the first letter.
inline void Append(const Block& block, std::uint64_t* counts) {
  std::uint64_t* n2 = counts + 4;
  std::uint64_t* n3 = counts + 20;
  std::uint64_t* n4 = counts + 84;
  const __m256i one = Load(counts);
  for (int b = 0; b < 4; ++b) {
    const __m256i two = Load(n2 + 4 * b);
    for (int c = 0; c < 4; ++c) {
      const __m256i three = Load(n3 + 16 * c + 4 * b);
      const __m256i three_high = _mm256_srli_epi64(three, 32);
      for (int d = 0; d < 4; ++d) {
        const int dc = 4 * d + c;
        const __m256i last = Widen(block.n1[d]);
        std::uint64_t* to = n4 + 16 * dc + 4 * b;
        __m256i sum = Load(to);
        sum = _mm256_add_epi64(sum, Widen(block.n4 + 16 * dc + 4 * b));
        sum = MultiplyAdd(sum, one, Widen(block.n3[4 * dc + b]));
        sum = MultiplyAdd(sum, two, Widen(block.n2[dc]));
        sum = MultiplyAdd(sum, three, last);
        const __m256i high = _mm256_mul_epu32(three_high, last);
        Store(to, _mm256_add_epi64(sum, _mm256_slli_epi64(high, 32)));
      }
      __m256i sum = _mm256_add_epi64(three, Widen(block.n3 + 16 * c + 4 * b));
      sum = MultiplyAdd(sum, one, Widen(block.n2[4 * c + b]));
      sum = MultiplyAdd(sum, two, Widen(block.n1[c]));
      Store(n3 + 16 * c + 4 * b, sum);
    }
    const __m256i sum = _mm256_add_epi64(two, Widen(block.n2 + 4 * b));
    Store(n2 + 4 * b, MultiplyAdd(sum, one, Widen(block.n1[b])));
  }
  for (int a = 0; a < 4; ++a) counts[a] += block.n1[a];
}

inline void CountBlock(const std::uint8_t* letters, int n, int alphabet_size,
                       Block& block) {
  CountPairs(letters, n, alphabet_size, block);
  for (int c = 0; c < kDnaLetters; ++c) CountAround(c, block);
}

}  // namespace CONCORD_SIMD
}  // namespace concord::tensor_sketch
