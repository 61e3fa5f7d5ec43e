// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/available_memory.h"

#include <fstream>
#include <limits>

#include "absl/strings/str_format.h"

namespace concord {

std::int64_t AvailableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string field;
  while (file >> field) {
    std::int64_t kibibytes;
    if (field == "MemAvailable:" && file >> kibibytes) return kibibytes << 10;
  }
  // Where nobody says, nothing is refused.
  return std::numeric_limits<std::int64_t>::max();
}

std::string MemorySize(double bytes) {
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB",
                               "TiB",   "PiB", "EiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 6) {
    bytes /= 1024;
    ++unit;
  }
  return absl::StrFormat("%.3g %s", bytes, units[unit]);
}

}  // namespace concord
