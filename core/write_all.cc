// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/write_all.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace concord {
namespace {

// `write(bytes)` writes some of them, as write() does.
template <typename F>
bool WriteInParts(absl::string_view bytes, const F& write) {
  while (!bytes.empty()) {
    const ssize_t written = write(bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

bool WriteAll(int descriptor, absl::string_view bytes) {
  return WriteInParts(bytes, [&](absl::string_view left) {
    return write(descriptor, left.data(), left.size());
  });
}

bool WriteAllAt(int descriptor, std::int64_t place, absl::string_view bytes) {
  const auto end = place + static_cast<std::int64_t>(bytes.size());
  return WriteInParts(bytes, [&](absl::string_view left) {
    return pwrite(descriptor, left.data(), left.size(),
                  end - static_cast<std::int64_t>(left.size()));
  });
}

}  // namespace concord
