// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/tbb/dna_words.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "concord/backends/tbb/simd.h"

namespace concord::tensor_sketch {
namespace {

// What stands in place of a letter that is skipped.
constexpr int kDnaSkipped = 4;
// The row of zeros that fills up the last group of positions.
constexpr int kDnaZeroRow = kDnaBlock;

// Lane 4 b + a of a vector of counts belongs to the word ab.
template <typename Count>
struct alignas(16 * sizeof(Count)) DnaLanes {
  Count is_last[5][16];    // all ones where b is the letter
  Count one_first[5][16];  // one where a is the letter
};

// `one` is what a lane holds that has counted one letter.
template <typename Count>
constexpr DnaLanes<Count> MakeDnaLanes(Count one) {
  DnaLanes<Count> lanes{};
  for (int b = 0; b < 4; ++b) {
    for (int a = 0; a < 4; ++a) {
      lanes.is_last[b][4 * b + a] = static_cast<Count>(~Count{0});
      lanes.one_first[a][4 * b + a] = one;
    }
  }
  return lanes;
}

}  // namespace
}  // namespace concord::tensor_sketch

#define CONCORD_SIMD_ALSO_ICELAKE
#define CONCORD_SIMD_FILE \
  "concord/algorithms/tensor_sketch/tbb/dna_words_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::tensor_sketch {

DnaCounter FastestDnaCounter() {
  return *CONCORD_SIMD_CHOOSE_ICELAKE(kCountDna);
}

}  // namespace concord::tensor_sketch
