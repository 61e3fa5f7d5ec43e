// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/host.h"

#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/core/hash.h"

namespace concord {

std::uint64_t HashOfHost() {
  std::string text(256, '\0');
  gethostname(text.data(), text.size() - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return HashOf(absl::StrCat(text, boot));
}

}  // namespace concord
