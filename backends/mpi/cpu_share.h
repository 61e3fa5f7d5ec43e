// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How many threads each rank gets: ranks of a host share its CPUs, which mpirun
// may have dealt out to them already.

#ifndef CONCORD_BACKENDS_MPI_CPU_SHARE_H_
#define CONCORD_BACKENDS_MPI_CPU_SHARE_H_

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace concord {

// What ranks tell each other of the CPUs that they may use.
struct CpusOfRank {
  std::uint64_t host;  // HashOfHost()
  // The affinity mask; empty where there are more CPUs than it can hold.
  cpu_set_t mask;
  // AvailableCpus(), where the mask is empty.
  int without_mask;
  // QuotaOfCpus(); 0: none.
  int quota;
};

CpusOfRank CpusHere();

// A rank's part of the CPUs in its mask, at least 1: each of them counts as one
// by as many as there are ranks that may use it, too. A quota of cgroups is
// that of all ranks of the host.
int ShareOfCpus(const std::vector<CpusOfRank>& ranks, std::size_t self);

// The least of all ranks' shares, for what has to be the same on all of them.
int LeastShareOfCpus(const std::vector<CpusOfRank>& ranks);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_CPU_SHARE_H_
