// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/stream_backend.h"
#include "concord/backends/gpus/gpus_backend.h"
#include "concord/backends/gpus/group.h"
#include "concord/backends/gpus/group_memory.h"
#include "concord/backends/gpus/group_spec.h"
#include "concord/backends/patience.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

// The first pair of devices of which one cannot reach the other's memory, in
// words; "" where all can.
std::string UnreachablePair(const std::vector<int>& devices) {
  for (const int from : devices) {
    for (const int to : devices) {
      int can = 1;
      if (from != to) cudaDeviceCanAccessPeer(&can, from, to);
      if (can == 0) {
        return absl::StrCat("cuda:", from,
                            " cannot reach the memory of cuda:", to);
      }
    }
  }
  return "";
}

absl::Status CheckGroup(const GroupSpec& spec) {
  for (const int device : spec.devices) RETURN_IF_ERROR(UseCudaDevice(device));
  const std::string missing = MissingMemoryCalls();
  if (!missing.empty()) {
    return UnavailableError(spec.name(), " is not available (",
                            Name(BackendStage::kDriverTooOld),
                            ": the driver has no ", missing, ")");
  }
  const std::string pair = UnreachablePair(spec.devices);
  if (pair.empty()) return absl::OkStatus();
  return UnavailableError(spec.name(), " is not available (",
                          Name(BackendStage::kNoPeerAccess), ": ", pair, ")");
}

int CountDevices() {
  int count = 0;
  TryCuda(cudaGetDeviceCount(&count));
  return count;
}

BackendStatus Probe() {
  BackendStatus status = ProbeCuda();
  status.name = "gpus";
  if (!status.available()) return status;
  const absl::StatusOr<GroupSpec> all = ParseGroupSpec("all", CountDevices());
  if (!all.ok()) return status;
  const std::string missing = MissingMemoryCalls();
  if (!missing.empty()) {
    status.stage = BackendStage::kDriverTooOld;
    status.reason = absl::StrCat("the driver has no ", missing);
  } else if (std::string pair = UnreachablePair(all->devices); !pair.empty()) {
    status.stage = BackendStage::kNoPeerAccess;
    status.reason = std::move(pair);
  }
  if (!status.available()) {
    status.devices.clear();
    return status;
  }
  // One row for all of them together; `cuda` lists them one by one.
  Facts facts = {{"members", absl::StrCat(all->devices.size())}};
  facts.insert(facts.end(), status.devices[0].facts.begin(),
               status.devices[0].facts.end());
  status.devices = {{all->name(), std::move(facts)}};
  status.variations = {"gpus:0+0", "gpus:0+0+0@striped"};
  if (all->devices.size() > 1) status.variations.push_back("gpus:all@striped");
  return status;
}

absl::StatusOr<std::shared_ptr<Backend>> Open(absl::string_view argument) {
  RETURN_IF_ERROR(CheckPatience());
  const OnDevice callers;
  ASSIGN_OR_RETURN(const GroupSpec spec,
                   ParseGroupSpec(argument, CountDevices()));
  RETURN_IF_ERROR(CheckGroup(spec));
  return MakeGroup(spec);
}

// Below every other: `auto` never takes it, because the GPUs may be others' and
// small arrays lose by it.
const bool kRegistered = RegisterBackend({"gpus", /*rank=*/-10, Probe, Open});

}  // namespace
}  // namespace concord
