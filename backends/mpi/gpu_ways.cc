// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/gpu_ways.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

constexpr GpuWay kWays[] = {GpuWay::kIpc, GpuWay::kNccl, GpuWay::kStaged};

void AddReason(std::string& reasons, GpuWay way, absl::string_view reason) {
  absl::StrAppend(&reasons, reasons.empty() ? "" : "; ", Name(way), ": ",
                  reason);
}

// Why members cannot go this way, as far as their offers tell; "" where they
// may try.
std::string WhyNotIpc(absl::Span<const GpuOffer> offers) {
  for (std::size_t r = 1; r < offers.size(); ++r) {
    if (offers[r].host != offers[0].host) {
      return absl::StrCat("ranks 0 and ", r, " are not on one host");
    }
  }
  return "";
}

std::string WhyNotNccl(absl::Span<const GpuOffer> offers) {
  for (std::size_t r = 0; r < offers.size(); ++r) {
    if (offers[r].no_nccl[0] != '\0') {
      return absl::StrCat("rank ", r, ": ", offers[r].no_nccl);
    }
  }
  for (std::size_t r = 0; r < offers.size(); ++r) {
    for (std::size_t q = 0; q < r; ++q) {
      if (std::memcmp(offers[q].gpu, offers[r].gpu, sizeof(offers[r].gpu)) ==
          0) {
        return absl::StrCat("ranks ", q, " and ", r,
                            " have the same GPU, and NCCL takes one rank each");
      }
    }
  }
  return "";
}

std::string WhyNot(GpuWay way, absl::Span<const GpuOffer> offers) {
  switch (way) {
    case GpuWay::kIpc:
      return WhyNotIpc(offers);
    case GpuWay::kNccl:
      return WhyNotNccl(offers);
    case GpuWay::kStaged:
      return "";
  }
  return "";
}

}  // namespace

absl::string_view Name(GpuWay way) {
  switch (way) {
    case GpuWay::kIpc:
      return "ipc";
    case GpuWay::kNccl:
      return "nccl";
    case GpuWay::kStaged:
      return "staged";
  }
  return "unknown";
}

std::optional<GpuWay> FindGpuWay(absl::string_view name) {
  for (const GpuWay way : kWays) {
    if (Name(way) == name) return way;
  }
  return std::nullopt;
}

absl::StatusOr<GpuPlan> PlanWays(absl::Span<const GpuOffer> offers,
                                 std::optional<GpuWay> forced) {
  GpuPlan plan;
  for (const GpuWay way : kWays) {
    if (forced.has_value() && way != *forced) continue;
    const std::string reason = WhyNot(way, offers);
    if (reason.empty()) {
      plan.ways.push_back(way);
    } else {
      AddReason(plan.reasons, way, reason);
    }
  }
  if (plan.ways.empty()) return UnavailableError(plan.reasons);
  return plan;
}

absl::StatusOr<GpuCarrier> FirstThatWorks(
    Team& team, const GpuPlan& plan,
    const std::function<absl::StatusOr<std::shared_ptr<Team>>(GpuWay)>& make) {
  std::string reasons = plan.reasons;
  for (const GpuWay way : plan.ways) {
    absl::StatusOr<std::shared_ptr<Team>> made = make(way);
    // By the one that was made, if there is one. It may have to end otherwise
    // where others do not come.
    const absl::Status all = (made.ok() ? **made : team).Agree(made.status());
    if (all.ok()) {
      return GpuCarrier{*std::move(made),
                        reasons.empty()
                            ? std::string(Name(way))
                            : absl::StrCat(Name(way), " (", reasons, ")")};
    }
    // Whoever has not come will not come to the next one either.
    if (absl::IsDeadlineExceeded(all)) return all;
    AddReason(reasons, way, all.message());
  }
  return UnavailableError(reasons);
}

}  // namespace concord
