// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of tiled_pairs.cc, compiled for each target of
// backends/tbb/simd.h.

#include "concord/backends/tbb/simd_vector.h"

namespace concord::similar_pairs {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// a * a + sum. One rounding or two: what becomes of these sums does not show in
// results.
inline Vector<float> AddSquare(Vector<float> a, Vector<float> sum) {
#if CONCORD_SIMD_BYTES == 64
  return (Vector<float>)_mm512_fmadd_ps((__m512)a, (__m512)a, (__m512)sum);
#else
  return a * a + sum;
#endif
}

// The bits of the lanes that are not above the limit.
inline std::uint32_t LanesWithin(Vector<float> sum, float limit) {
#if CONCORD_SIMD_BYTES == 64
  return _mm512_cmp_ps_mask((__m512)sum, _mm512_set1_ps(limit), _CMP_LE_OQ);
#elif CONCORD_SIMD_BYTES == 32
  return static_cast<std::uint32_t>(_mm256_movemask_ps(
      _mm256_cmp_ps((__m256)sum, _mm256_set1_ps(limit), _CMP_LE_OQ)));
#else
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < kLanes<float>; ++lane) {
    lanes |= static_cast<std::uint32_t>(sum[lane] <= limit) << lane;
  }
  return lanes;
#endif
}

// Sums of squared differences of kRows rows of panel `a`, from `row` on, and
// all rows of panel `b`. Sets bit j of near[i] where rows row + i and j may be
// within the limit. Every few places it looks whether any still are: sums only
// grow.
template <int kRows>
std::uint32_t NearRows(const float* a, const float* b, std::int64_t dim,
                       float limit, std::uint16_t* near) {
  constexpr int kVectors = kPanel / kLanes<float>;
  Vector<float> sums[kRows][kVectors] = {};
  std::int64_t k = 0;
  for (;;) {
    const std::int64_t stop = std::min(k + kPlacesBetweenLooks, dim);
    for (; k < stop; ++k) {
      Vector<float> of_b[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        of_b[v] = Load(b + k * kPanel + v * kLanes<float>);
      }
      for (int i = 0; i < kRows; ++i) {
        const Vector<float> of_a = Broadcast(a[k * kPanel + i]);
        for (int v = 0; v < kVectors; ++v) {
          sums[i][v] = AddSquare(of_a - of_b[v], sums[i][v]);
        }
      }
    }
    if (k == dim) break;
    Vector<float> least = sums[0][0];
    for (int i = 0; i < kRows; ++i) {
      for (int v = 0; v < kVectors; ++v) {
        least = least < sums[i][v] ? least : sums[i][v];
      }
    }
    if (LanesWithin(least, limit) == 0) return 0;
  }
  std::uint32_t any = 0;
  for (int i = 0; i < kRows; ++i) {
    std::uint32_t lanes = 0;
    for (int v = 0; v < kVectors; ++v) {
      lanes |= LanesWithin(sums[i][v], limit) << (v * kLanes<float>);
    }
    near[i] = static_cast<std::uint16_t>(lanes);
    any |= lanes;
  }
  return any;
}

// The same for all rows of panel `a`: whether there are any.
inline bool NearRowsOfPanels(const float* a, const float* b, std::int64_t dim,
                             float limit, std::uint16_t* near) {
  // As many sums as stay in registers.
  constexpr int kRows = CONCORD_SIMD_BYTES == 64   ? 16
                        : CONCORD_SIMD_BYTES == 32 ? 4
                                                   : 2;
  std::uint32_t any = 0;
  for (int row = 0; row < kPanel; row += kRows) {
    const std::uint32_t found =
        NearRows<kRows>(a + row, b, dim, limit, near + row);
    if (found == 0) std::fill_n(near + row, kRows, std::uint16_t{0});
    any |= found;
  }
  return any != 0;
}

}  // namespace CONCORD_SIMD
}  // namespace concord::similar_pairs
