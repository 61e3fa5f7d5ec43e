// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/available_cpus.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace concord {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

int CpusOfAffinity() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0) return CPU_COUNT(&cpus);
  // More CPUs than the fixed-size mask holds.
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::optional<int> Least(std::optional<int> a, std::optional<int> b) {
  if (!a) return b;
  return b ? std::min(*a, *b) : *a;
}

// The limits of a cgroup and of all groups around it: `read` looks at one.
template <typename F>
std::optional<int> LeastUpwards(std::string group, const F& read) {
  std::optional<int> least = read(group);
  while (!group.empty()) {
    const std::size_t slash = group.rfind('/');
    group.resize(slash == std::string::npos ? 0 : slash);
    least = Least(least, read(group));
  }
  return least;
}

}  // namespace

// /proc/self/cgroup has lines "hierarchy:controllers:/path".
std::optional<int> QuotaOfCpus() {
  std::optional<int> least;
  for (absl::string_view line :
       absl::StrSplit(Read("/proc/self/cgroup"), '\n', absl::SkipEmpty())) {
    const std::vector<std::string> fields =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    const std::vector<std::string> controllers = absl::StrSplit(fields[1], ',');
    if (fields[0] == "0") {
      least = Least(least, LeastUpwards(fields[2], [](const std::string& g) {
                      return CpusOfCpuMax(
                          Read(absl::StrCat("/sys/fs/cgroup", g, "/cpu.max")));
                    }));
    } else if (std::find(controllers.begin(), controllers.end(), "cpu") !=
               controllers.end()) {
      least = Least(least, LeastUpwards(fields[2], [](const std::string& g) {
                      const std::string folder =
                          absl::StrCat("/sys/fs/cgroup/cpu", g);
                      return CpusOfCfsQuota(
                          Read(absl::StrCat(folder, "/cpu.cfs_quota_us")),
                          Read(absl::StrCat(folder, "/cpu.cfs_period_us")));
                    }));
    }
  }
  return least;
}

std::optional<int> CpusOfCfsQuota(absl::string_view quota,
                                  absl::string_view period) {
  std::int64_t q;
  std::int64_t p;
  if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(quota), &q) ||
      !absl::SimpleAtoi(absl::StripAsciiWhitespace(period), &p) || q <= 0 ||
      p <= 0) {
    return std::nullopt;
  }
  return static_cast<int>((q + p - 1) / p);
}

std::optional<int> CpusOfCpuMax(absl::string_view content) {
  const std::pair<absl::string_view, absl::string_view> fields =
      absl::StrSplit(content, absl::MaxSplits(' ', 1));
  // "max" is no number, hence no limit.
  return CpusOfCfsQuota(fields.first, fields.second);
}

int AvailableCpus() {
  const int affinity = CpusOfAffinity();
  return std::max(1, std::min(affinity, QuotaOfCpus().value_or(affinity)));
}

}  // namespace concord
