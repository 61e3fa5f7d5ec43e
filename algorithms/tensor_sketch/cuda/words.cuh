// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// One warp counts the words of one to four letters, of an alphabet of four,
// that are subsequences of a run of letters, on the matrix units.
//
// Take a block of 256 letters s, of which m_d are letters d. Let q_a(j) be the
// number of letters a before position j, E_ab(j) = [s_j = b] q_a(j) the number
// of words ab that end at j, and P_ab(j) the sum of E_ab before j. Then
//     n(ab)   = sum over j of E_ab(j)
//     n(abc)  = (m_c - [b = c]) n(ab)  - sum over j of E_ab(j) q_c(j)
//     n(abcd) = (m_d - [c = d]) n(abc) - sum over j of P_ab(j) E_dc(j)
// since q_d(j) counts the letters d that do not come after j. Both sums are
// products of matrices with one column for each letter of the block. Their
// entries are bytes, for no letter has more than 255 others before it, except
// P, which needs two bytes. So the 340 additions that the recurrence makes for
// a letter become a sixth of a matrix instruction, and what remains is to write
// down E and P.
//
// Blocks are joined by Chen's identity, n(w; xy) = sum over w = uv of
// n(u; x) n(v; y), modulo 2^64 or in doubles.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_WORDS_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_WORDS_CUH_

#include <cstdint>

#include "concord/algorithms/tensor_sketch/cuda/letters.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::tensor_sketch {

// The words that a lane counts: [k] stands for the first letter a or a + 2, [i]
// for the second b or b + 1, c is the third, [r] the fourth d or d + 2. It is
// the layout in which the matrix instruction leaves its results.
struct Lane {
  __device__ explicit Lane(int index)
      : index(index),
        stretch(index % 4),
        a(index / 2 % 2),
        b(index % 2 * 2),
        c(index / 4 % 4),
        d(index / 16) {}
  __device__ int A(int k) const { return a + 2 * k; }
  __device__ int B(int i) const { return b + i; }
  __device__ int D(int r) const { return d + 2 * r; }

  int index, stretch, a, b, c, d;
};

// Those words' counts: integers modulo 2^64, or doubles for normalized
// sketches. Words of one, two and three letters are counted by several lanes.
template <typename Count>
struct Counts {
  Count n1[2];        // of a: [k]
  Count n2[2][2];     // of ab: [k][i]
  Count n3[2][2];     // of abc: [k][i]
  Count n4[2][2][2];  // of abcd: [k][r][i]
};

// The counts of the short words, for lanes that do not have them.
template <typename Count>
struct ShortWords {
  Count n1[4];
  Count n2[4][4];
  Count n3[4][4][4];
};

// What the lanes of one warp share.
template <typename Count>
struct alignas(16) WarpScratch {
  BlockLetters block;
  LoadedLetters loaded;
  union {
    ShortWords<uint32_t> of_block;
    ShortWords<Count> of_part;
  };
};

// sums += rows * columns: 16 rows, 8 columns, 32 bytes along the sum. A lane
// has parts of two rows, [0] and [1], and of one column.
__device__ inline void MultiplyAdd(const uint32_t (&rows)[2][2],
                                   const uint32_t (&columns)[2],
                                   uint32_t (&sums)[2][2]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0][0]), "+r"(sums[0][1]), "+r"(sums[1][0]), "+r"(sums[1][1])
      : "r"(rows[0][0]), "r"(rows[1][0]), "r"(rows[0][1]), "r"(rows[1][1]),
        "r"(columns[0]), "r"(columns[1]));
#else
  for (int r = 0; r < 2; ++r) {
    for (int half = 0; half < 2; ++half) {
      asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 "
          "{%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+r"(sums[r][0]), "+r"(sums[r][1])
          : "r"(rows[r][half]), "r"(columns[half]));
    }
  }
#endif
}

// total = total joined with the part that follows it, whose short words all
// lanes see.
template <typename PartCount, typename Count>
__device__ inline void Join(const ShortWords<PartCount>& part,
                            const PartCount (&n4)[2][2][2], const Lane& lane,
                            Counts<Count>* total) {
  const int c = lane.c;
  for (int k = 0; k < 2; ++k) {
    const int a = lane.A(k);
    for (int i = 0; i < 2; ++i) {
      const int b = lane.B(i);
      for (int r = 0; r < 2; ++r) {
        const int d = lane.D(r);
        total->n4[k][r][i] += n4[k][r][i] + total->n3[k][i] * part.n1[d] +
                              total->n2[k][i] * part.n2[c][d] +
                              total->n1[k] * part.n3[b][c][d];
      }
      total->n3[k][i] += part.n3[a][b][c] + total->n2[k][i] * part.n1[c] +
                         total->n1[k] * part.n2[b][c];
      total->n2[k][i] += part.n2[a][b] + total->n1[k] * part.n1[b];
    }
    total->n1[k] += part.n1[a];
  }
}

// total = total joined with the block that was spread.
template <typename Count>
__device__ inline void AppendBlock(const Lane& lane,
                                   WarpScratch<Count>* scratch,
                                   Counts<Count>* total) {
  const auto load = [&](const Plane& plane, int word) {
    return *reinterpret_cast<const uint4*>(&plane[lane.stretch][word]);
  };
  // Products of E_dc with the low and the high bytes of P_ab, [k][r][i], and
  // of E with q.
  uint32_t low[2][2][2] = {}, high[2][2][2] = {}, with_q[2][2] = {};
  uint32_t pairs[2] = {};  // P_dc, of this stretch alone
#pragma unroll
  for (int at = 0; at < kStretchLetters / 4; at += 4) {
    const uint4 befores[2] = {load(scratch->block.before[lane.D(0)], at),
                              load(scratch->block.before[lane.D(1)], at)};
    const uint4 is_c = load(scratch->block.is_letter[lane.c], at);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto pick = [half](const uint4& v, int word) {
        return half == 0 ? (word == 0 ? v.x : v.y) : (word == 0 ? v.z : v.w);
      };
      uint32_t ends[2][2], p_low[2][2], p_high[2][2], q[2];
#pragma unroll
      for (int word = 0; word < 2; ++word) {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const uint32_t e = pick(befores[r], word) & pick(is_c, word);
          const uint32_t third = __dp4a(e, 0x00000101u, pairs[r]);
          const uint32_t even = __byte_perm(pairs[r], third, 0x5410);
          const uint32_t odd = even + (e & 0x00FF00FF);
          pairs[r] = __dp4a(e, 0x01010101u, pairs[r]);
          p_low[r][word] = __byte_perm(even, odd, 0x6240);
          p_high[r][word] = __byte_perm(even, odd, 0x7351);
          ends[r][word] = e;
        }
        // Every letter of the alphabet comes by in two of the eight columns.
        q[word] = pick(lane.c % 2 == 0 ? befores[0] : befores[1], word);
      }
      MultiplyAdd(ends, q, with_q);
      for (int k = 0; k < 2; ++k) {
        MultiplyAdd(ends, p_low[k], low[k]);
        MultiplyAdd(ends, p_high[k], high[k]);
      }
    }
  }

  // The pairs that end in the stretches before this one belong to P as well.
  const uint32_t own = pairs[0] | pairs[1] << 16;
  uint32_t sum = own;
#pragma unroll
  for (int distance = 1; distance < kStretches; distance *= 2) {
    const uint32_t left = __shfl_up_sync(kWholeWarp, sum, distance, kStretches);
    if (lane.stretch >= distance) sum += left;
  }
  const uint32_t all = __shfl_sync(kWholeWarp, sum, kStretches - 1, kStretches);
  uint32_t top[2][2][2] = {};
  for (int k = 0; k < 2; ++k) {
    const uint32_t p = (sum - own) >> (16 * k) & 0xFFFF;
    MultiplyAdd({{pairs[0] & 0xFF, 0}, {pairs[1] & 0xFF, 0}}, {p & 0xFF, 0},
                low[k]);
    MultiplyAdd({{pairs[0], 0}, {pairs[1], 0}}, {__byte_perm(p, 0, 0x4401), 0},
                high[k]);
    MultiplyAdd({{pairs[0] >> 8, 0}, {pairs[1] >> 8, 0}}, {p >> 8, 0}, top[k]);
  }

  // The words dc and E with q under other names: dc is a word ab, q is of c.
  ShortWords<uint32_t>& part = scratch->of_block;
  for (int r = 0; r < 2; ++r) {
    const uint32_t n2 = all >> (16 * r) & 0xFFFF;
    if (lane.stretch == 0) part.n2[lane.D(r)][lane.c] = n2;
    for (int i = 0; i < 2; ++i) {
      const int third = lane.A(i);
      const uint32_t others = part.n1[third] - (lane.c == third);
      if (lane.b == 0) {
        part.n3[lane.D(r)][lane.c][third] = others * n2 - with_q[r][i];
      }
    }
  }
  __syncwarp();
  uint32_t n4[2][2][2];
  for (int r = 0; r < 2; ++r) {
    const uint32_t others = part.n1[lane.D(r)] - (lane.c == lane.D(r));
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < 2; ++i) {
        n4[k][r][i] = others * part.n3[lane.A(k)][lane.B(i)][lane.c] -
                      low[k][r][i] - (high[k][r][i] << 8) -
                      (top[k][r][i] << 16);
      }
    }
  }
  Join(part, n4, lane, total);
}

// total = total joined with the part that follows it.
template <typename Count>
__device__ inline void AppendPart(const Counts<Count>& part, const Lane& lane,
                                  WarpScratch<Count>* scratch,
                                  Counts<Count>* total) {
  ShortWords<Count>& words = scratch->of_part;
  __syncwarp();
  for (int k = 0; k < 2; ++k) {
    const int a = lane.A(k);
    if (lane.d == 0 && lane.c == 0 && lane.b == 0) words.n1[a] = part.n1[k];
    for (int i = 0; i < 2; ++i) {
      const int b = lane.B(i);
      if (lane.d == 0 && lane.c == 0) words.n2[a][b] = part.n2[k][i];
      if (lane.d == 0) words.n3[a][b][lane.c] = part.n3[k][i];
    }
  }
  __syncwarp();
  Join(words, part.n4, lane, total);
}

// The counts of the letters in [begin, end).
template <typename Count>
__device__ inline Counts<Count> CountLetters(const uint8_t* begin,
                                             const uint8_t* end,
                                             const Lane& lane,
                                             WarpScratch<Count>* scratch) {
  Counts<Count> total = {};
  if (begin == end) return total;
  // A lane loads eight letters at once, from where eight may be.
  const uint8_t* first =
      begin - reinterpret_cast<uintptr_t>(begin) % kLaneLetters;
  for (; first < end; first += kLoadBlocks * kBlockLetters) {
    LoadBlocks(first, begin, end, lane.index, &scratch->loaded);
    for (int i = 0; i < kLoadBlocks && first + i * kBlockLetters < end; ++i) {
      __syncwarp();
      SpreadLetters(scratch->loaded[i][lane.index], lane.index, &scratch->block,
                    scratch->of_block.n1);
      __syncwarp();
      AppendBlock(lane, scratch, &total);
    }
  }
  return total;
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_WORDS_CUH_
