// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compiled for each target of backends/tbb/simd.h.

#include "concord/backends/tbb/simd_fold.h"

namespace concord {
namespace CONCORD_SIMD {

// Four streams of `rows` rows each.
inline std::uint8_t ReadRows(const std::uint8_t* data, std::int64_t rows) {
  std::uint8_t results[4];
  FoldStreams<std::uint8_t, Xor<std::uint8_t>, 4>(data, rows, results);
  return results[0] ^ results[1] ^ results[2] ^ results[3];
}

}  // namespace CONCORD_SIMD
}  // namespace concord
