// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_WRITE_ALL_H_
#define CONCORD_CORE_WRITE_ALL_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace concord {

// Whether all bytes could be written; otherwise errno says why not.
bool WriteAll(int descriptor, absl::string_view bytes);
// The same from byte `place` of the file on.
bool WriteAllAt(int descriptor, std::int64_t place, absl::string_view bytes);

}  // namespace concord

#endif  // CONCORD_CORE_WRITE_ALL_H_
