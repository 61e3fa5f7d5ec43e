// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/host.h"

#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace concord {

std::uint64_t HashOfHost() {
  std::string text(256, '\0');
  gethostname(text.data(), text.size() - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : absl::StrCat(text, boot)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace concord
