// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_NPY_H_
#define CONCORD_CORE_NPY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/host_array.h"

namespace concord {

// NumPy's array format (https://numpy.org/neps/nep-0001-npy-format.html): six
// bytes of magic, two of version, the length of the header, the header (a
// Python dictionary as text), then the elements.

// The content starts like a .npy file, whole or cut off.
bool LooksLikeNpy(absl::string_view content);

// Versions 1 to 3, little endian, C order, one or two dimensions, one of our
// element types. InvalidArgument begins with `source` and says what is wrong.
absl::StatusOr<HostArray> ParseNpy(absl::string_view content,
                                   const std::string& source);

// What stands before the elements of such an array.
struct NpyLayout {
  ElementType type;
  std::vector<std::int64_t> shape;
  // Where the elements begin.
  std::int64_t offset = 0;
};

// The layout of a file of `size` bytes that starts with `head`, where the whole
// header is. Errors as ParseNpy.
absl::StatusOr<NpyLayout> ParseNpyHeader(absl::string_view head,
                                         std::int64_t size,
                                         const std::string& source);

// Everything that stands before the elements of such an array, version 1; at
// least so many bytes.
std::string NpyHeader(ElementType type, const std::vector<std::int64_t>& shape,
                      std::int64_t least = 0);

}  // namespace concord

#endif  // CONCORD_CORE_NPY_H_
