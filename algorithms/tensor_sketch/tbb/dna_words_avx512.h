// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// DNA words (dna_words.h) with the AVX-512 of Ice Lake, for dna_words_kernel.h.

namespace concord::tensor_sketch {
namespace CONCORD_SIMD {

// A lane of 32 bits holds its 16-bit count twice, so that the counts at two
// positions become the pairs that the dot product takes by a blend.
constexpr DnaLanes<std::uint32_t> kLanes =
    MakeDnaLanes<std::uint32_t>(0x00010001);

// One block while it is counted. Its rows stay in the first-level cache.
struct alignas(64) Block {
  // At each position: the words of two letters before it, and the letters up to
  // and including it.
  std::uint32_t two[kDnaBlock + 1][16];
  std::uint32_t one[kDnaBlock + 1][4];
  std::uint8_t letters[256];
  // The positions of each letter; vectors of 64 are stored, of which the last
  // may be empty.
  std::uint8_t positions[4][256 + 64];
  // Counts of words of 1 .. 4 letters: at most binomial(255, 4) < 2^28.
  // The longest first, so that all but the last start on a vector's border.
  std::uint32_t n4[256];
  std::uint32_t n3[64];
  std::uint32_t n2[16];
  std::uint32_t n1[4];
};

// Sorts the positions of the block by letter.
inline void FindPositions(const std::uint8_t* letters, int n, int alphabet_size,
                          Block& block) {
  alignas(64) std::uint8_t first_positions[64];
  for (int i = 0; i < 64; ++i) first_positions[i] = i;
  __m512i positions = _mm512_load_si512(first_positions);
  std::fill_n(block.n1, 4, 0);
  for (int i = 0; i < n; i += 64) {
    const __mmask64 there =
        n - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (n - i)) - 1;
    __m512i some = _mm512_maskz_loadu_epi8(there, letters + i);
    const __mmask64 valid = _mm512_mask_cmplt_epu8_mask(
        there, some, _mm512_set1_epi8(alphabet_size));
    some = _mm512_mask_mov_epi8(_mm512_set1_epi8(kDnaSkipped), valid, some);
    _mm512_store_si512(block.letters + i, some);
    for (int c = 0; c < 4; ++c) {
      const __mmask64 here = _mm512_cmpeq_epi8_mask(some, _mm512_set1_epi8(c));
      // Compressed in a register and stored whole: compressing straight to
      // memory is microcode on Zen 4.
      _mm512_storeu_si512(block.positions[c] + block.n1[c],
                          _mm512_maskz_compress_epi8(here, positions));
      block.n1[c] += __builtin_popcountll(here);
    }
    positions = _mm512_add_epi8(positions, _mm512_set1_epi8(64));
  }
}

// Fills the rows: the counts of one and two letters, position by position.
inline void CountPairs(int n, Block& block) {
  __m512i one = _mm512_setzero_si512();
  __m512i two = _mm512_setzero_si512();
  for (int i = 0; i < n; ++i) {
    const int c = block.letters[i];
    _mm512_store_si512(block.two[i], two);
    two = _mm512_add_epi16(
        two, _mm512_and_si512(one, _mm512_load_si512(kLanes.is_last[c])));
    one = _mm512_add_epi16(one, _mm512_load_si512(kLanes.one_first[c]));
    _mm_store_si128(reinterpret_cast<__m128i*>(block.one[i]),
                    _mm512_castsi512_si128(one));
  }
  _mm512_store_si512(block.n2,
                     _mm512_and_si512(two, _mm512_set1_epi32(0xffff)));
}

// The rows of two positions: those of i in the low halves of the lanes, those
// of j in the high ones.
inline __m512i PairTwo(const Block& block, int i, int j) {
  return _mm512_mask_loadu_epi16(_mm512_load_si512(block.two[i]), 0xaaaaaaaa,
                                 block.two[j]);
}

inline __m512i PairOne(const Block& block, int i, int j) {
  const auto* one_i = reinterpret_cast<const __m128i*>(block.one[i]);
  const auto* one_j = reinterpret_cast<const __m128i*>(block.one[j]);
  return _mm512_broadcast_i32x4(
      _mm_blend_epi16(_mm_load_si128(one_i), _mm_load_si128(one_j), 0xaa));
}

// sums[d] += two * one(d), the sum for all words abcd with one c.
inline void AddProducts(__m512i two, __m512i one, __m512i sums[4]) {
  // A lane of 128 bits of `one` holds all four letters: d to all of them.
  sums[0] = _mm512_dpwssd_epi32(sums[0], two,
                                _mm512_shuffle_epi32(one, _MM_PERM_AAAA));
  sums[1] = _mm512_dpwssd_epi32(sums[1], two,
                                _mm512_shuffle_epi32(one, _MM_PERM_BBBB));
  sums[2] = _mm512_dpwssd_epi32(sums[2], two,
                                _mm512_shuffle_epi32(one, _MM_PERM_CCCC));
  sums[3] = _mm512_dpwssd_epi32(sums[3], two,
                                _mm512_shuffle_epi32(one, _MM_PERM_DDDD));
}

// Counts the words abc and abcd with this c.
inline void CountAround(int c, Block& block) {
  const int n = block.n1[c];
  std::uint8_t* position = block.positions[c];
  std::memset(position + n, kDnaZeroRow, 4);
  const __m512i once = _mm512_set1_epi32(0x00010001);
  // Two sets of sums, because one would wait for its own last addition.
  __m512i even3 = _mm512_setzero_si512();
  __m512i odd3 = even3;
  __m512i even4[4] = {even3, even3, even3, even3};
  __m512i odd4[4] = {even3, even3, even3, even3};
  for (int k = 0; k < n; k += 4, position += 4) {
    const __m512i even = PairTwo(block, position[0], position[1]);
    AddProducts(even, PairOne(block, position[0], position[1]), even4);
    even3 = _mm512_dpwssd_epi32(even3, even, once);
    const __m512i odd = PairTwo(block, position[2], position[3]);
    AddProducts(odd, PairOne(block, position[2], position[3]), odd4);
    odd3 = _mm512_dpwssd_epi32(odd3, odd, once);
  }
  const __m512i n3 = _mm512_add_epi32(even3, odd3);
  _mm512_store_si512(block.n3 + 16 * c, n3);
  for (int d = 0; d < 4; ++d) {
    // The letters after a position are all of them less those up to it.
    const __m512i all = _mm512_mullo_epi32(n3, _mm512_set1_epi32(block.n1[d]));
    _mm512_store_si512(
        block.n4 + 64 * d + 16 * c,
        _mm512_sub_epi32(all, _mm512_add_epi32(even4[d], odd4[d])));
  }
}

// Eight counts of the block, or four of them each repeated, as 64-bit integers.
inline __m512i Widen(const std::uint32_t* counts) {
  return _mm512_cvtepu32_epi64(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts)));
}
inline __m512i WidenPair(const std::uint32_t* counts) {
  return _mm512_inserti64x4(_mm512_set1_epi64(counts[0]),
                            _mm256_set1_epi64x(counts[1]), 1);
}
inline __m512i Widen(std::uint32_t count) { return _mm512_set1_epi64(count); }

// counts := counts followed by the block, by Chen's identity. Eight words at a
// time, those with the first letters a = 0 .. 3 and two second letters.
inline void Append(const Block& block, std::uint64_t* counts) {
  std::uint64_t* n2 = counts + 4;
  std::uint64_t* n3 = counts + 20;
  std::uint64_t* n4 = counts + 84;
  const __m512i one = _mm512_broadcast_i64x4(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts)));
  for (int half = 0; half < 2; ++half) {
    const int b = 2 * half;
    const __m512i two = _mm512_loadu_si512(n2 + 4 * b);
    for (int c = 0; c < 4; ++c) {
      const __m512i three = _mm512_loadu_si512(n3 + 16 * c + 4 * b);
      for (int d = 0; d < 4; ++d) {
        const int dc = 4 * d + c;
        std::uint64_t* to = n4 + 16 * dc + 4 * b;
        __m512i sum = _mm512_add_epi64(_mm512_loadu_si512(to),
                                       Widen(block.n4 + 16 * dc + 4 * b));
        sum = _mm512_madd52lo_epu64(sum, three, Widen(block.n1[d]));
        sum = _mm512_madd52lo_epu64(sum, two, Widen(block.n2[dc]));
        sum = _mm512_madd52lo_epu64(sum, one, WidenPair(block.n3 + 4 * dc + b));
        _mm512_storeu_si512(to, sum);
      }
      __m512i sum = _mm512_add_epi64(three, Widen(block.n3 + 16 * c + 4 * b));
      sum = _mm512_madd52lo_epu64(sum, two, Widen(block.n1[c]));
      sum = _mm512_madd52lo_epu64(sum, one, WidenPair(block.n2 + 4 * c + b));
      _mm512_storeu_si512(n3 + 16 * c + 4 * b, sum);
    }
    const __m512i sum = _mm512_add_epi64(two, Widen(block.n2 + 4 * b));
    _mm512_storeu_si512(
        n2 + 4 * b, _mm512_madd52lo_epu64(sum, one, WidenPair(block.n1 + b)));
  }
  for (int a = 0; a < 4; ++a) counts[a] += block.n1[a];
}

inline void CountBlock(const std::uint8_t* letters, int n, int alphabet_size,
                       Block& block) {
  FindPositions(letters, n, alphabet_size, block);
  CountPairs(n, block);
  for (int c = 0; c < kDnaLetters; ++c) CountAround(c, block);
}

}  // namespace CONCORD_SIMD
}  // namespace concord::tensor_sketch
