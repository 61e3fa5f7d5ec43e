// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_HASH_H_
#define CONCORD_CORE_HASH_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace concord {

// FNV-1a, the same on every machine. It finds damage and differences, and does
// not withstand an attack.
inline std::uint64_t HashOf(absl::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace concord

#endif  // CONCORD_CORE_HASH_H_
