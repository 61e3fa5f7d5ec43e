// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_TBB_AVAILABLE_CPUS_H_
#define CONCORD_BACKENDS_TBB_AVAILABLE_CPUS_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace concord {

// How many CPUs this process may keep busy, at least 1: those of its affinity
// mask, and no more than the quota of its cgroups (version 2 or 1) amounts to.
int AvailableCpus();

// How many CPUs the quota of this process's cgroups amounts to, which all
// processes in them share; nothing where there is no quota.
std::optional<int> QuotaOfCpus();

// The parts of it that can be tested without a container. Each takes a file's
// content and gives the CPUs that it allows, rounded up; nothing when it sets
// no limit.
//   cgroup v2, cpu.max: "max 100000" or "150000 100000"
std::optional<int> CpusOfCpuMax(absl::string_view content);
//   cgroup v1: cpu.cfs_quota_us ("-1" is no limit) and cpu.cfs_period_us
std::optional<int> CpusOfCfsQuota(absl::string_view quota,
                                  absl::string_view period);

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_AVAILABLE_CPUS_H_
