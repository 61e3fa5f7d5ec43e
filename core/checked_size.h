// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_CHECKED_SIZE_H_
#define CONCORD_CORE_CHECKED_SIZE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/core/element_type.h"

namespace concord {

// No array is larger: half of what 64 bits with a sign can count. The other
// half is room for what is added to a size, such as guards and alignment.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;

// The bytes that an array of this shape takes. Every size that comes from
// outside goes through here before anything is computed from it.
//
// InvalidArgument: an extent is negative. ResourceExhausted: the bytes pass
// kMostBytes. Extents of 0 do not make up for large ones: whoever multiplies
// some of the extents alone, for the length of a row, need not check again.
absl::StatusOr<std::int64_t> CheckedBytes(absl::Span<const std::int64_t> shape,
                                          ElementType type);

}  // namespace concord

#endif  // CONCORD_CORE_CHECKED_SIZE_H_
