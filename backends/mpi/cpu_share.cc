// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/cpu_share.h"

#include <algorithm>

#include "concord/backends/tbb/available_cpus.h"
#include "concord/core/host.h"

namespace concord {

CpusOfRank CpusHere() {
  CpusOfRank here = {};
  here.host = HashOfHost();
  if (sched_getaffinity(0, sizeof(here.mask), &here.mask) != 0) {
    CPU_ZERO(&here.mask);
    here.without_mask = AvailableCpus();
  }
  here.quota = QuotaOfCpus().value_or(0);
  return here;
}

int ShareOfCpus(const std::vector<CpusOfRank>& ranks, std::size_t self) {
  const CpusOfRank& mine = ranks[self];
  int on_host = 0;
  std::vector<int> users(CPU_SETSIZE);
  for (const CpusOfRank& rank : ranks) {
    if (rank.host != mine.host) continue;
    ++on_host;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      users[cpu] += CPU_ISSET(cpu, &rank.mask) ? 1 : 0;
    }
  }
  double share = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mine.mask)) share += 1.0 / users[cpu];
  }
  if (CPU_COUNT(&mine.mask) == 0) {
    share = static_cast<double>(mine.without_mask) / on_host;
  }
  if (mine.quota > 0) {
    share = std::min(share, static_cast<double>(mine.quota) / on_host);
  }
  // Three thirds are one.
  constexpr double kRounding = 1e-6;
  return std::max(1, static_cast<int>(share + kRounding));
}

int LeastShareOfCpus(const std::vector<CpusOfRank>& ranks) {
  int least = ShareOfCpus(ranks, 0);
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    least = std::min(least, ShareOfCpus(ranks, r));
  }
  return least;
}

}  // namespace concord
