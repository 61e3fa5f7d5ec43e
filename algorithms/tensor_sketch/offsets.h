// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_OFFSETS_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_OFFSETS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace concord::tensor_sketch {

// Of the offsets from place `first` on: 0 at the beginning, no smaller than the
// one before, and, where they are there `to_end`, all letters at the end.
absl::Status CheckOffsets(absl::Span<const std::int64_t> offsets,
                          std::int64_t first, bool to_end,
                          std::int64_t letters);

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_OFFSETS_H_
