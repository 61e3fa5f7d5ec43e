// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/offsets.h"

#include <algorithm>
#include <functional>

#include "concord/core/errors.h"

namespace concord::tensor_sketch {

absl::Status CheckOffsets(absl::Span<const std::int64_t> offsets,
                          std::int64_t first, bool to_end,
                          std::int64_t letters) {
  if (first == 0 && !offsets.empty() && offsets.front() != 0) {
    return InvalidArgumentError("offsets[0] is ", offsets.front(), ", not 0");
  }
  const auto falls =
      std::adjacent_find(offsets.begin(), offsets.end(), std::greater<>());
  if (falls != offsets.end()) {
    const std::int64_t place = first + (falls - offsets.begin());
    return InvalidArgumentError("offsets decrease: [", place, "] is ", *falls,
                                ", [", place + 1, "] is ", *(falls + 1));
  }
  if (to_end && offsets.back() != letters) {
    return InvalidArgumentError("the last offset is ", offsets.back(),
                                ", but there are ", letters, " letters");
  }
  return absl::OkStatus();
}

}  // namespace concord::tensor_sketch
