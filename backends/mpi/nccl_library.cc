// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/nccl_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "concord/backends/mpi/time_left.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

// The first that sends and receives.
constexpr int kOldest = 2700;

template <typename T>
bool Find(void* opened, const char* name, T& found) {
  found = reinterpret_cast<T>(dlsym(opened, name));
  return found != nullptr;
}

// The first thing that the library lacks; null where all is there.
const char* FindAll(void* opened, NcclLibrary& nccl) {
#define CONCORD_FIND(function)                          \
  if (!Find(opened, "nccl" #function, nccl.function)) { \
    return "nccl" #function;                            \
  }
  CONCORD_FIND(GetVersion)
  CONCORD_FIND(GetErrorString)
  CONCORD_FIND(GetUniqueId)
  CONCORD_FIND(CommInitRank)
  CONCORD_FIND(CommInitAll)
  CONCORD_FIND(CommDestroy)
  CONCORD_FIND(CommAbort)
  CONCORD_FIND(CommGetAsyncError)
  CONCORD_FIND(GroupStart)
  CONCORD_FIND(GroupEnd)
  CONCORD_FIND(Send)
  CONCORD_FIND(Recv)
  CONCORD_FIND(AllReduce)
  CONCORD_FIND(AllGather)
#undef CONCORD_FIND
  return nullptr;
}

}  // namespace

absl::StatusOr<const NcclLibrary*> LoadNccl() {
  static const NcclLibrary* loaded = nullptr;
  if (loaded != nullptr) return loaded;
  const char* const named = std::getenv("CONCORD_NCCL");
  const char* const name = named == nullptr ? "libnccl.so.2" : named;
  void* const opened = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* const reason = dlerror();
    return UnavailableError("NCCL cannot be loaded: ",
                            reason == nullptr ? name : reason);
  }
  NcclLibrary nccl;
  const char* const lacks = FindAll(opened, nccl);
  if (lacks != nullptr) {
    dlclose(opened);
    return UnavailableError(name, " is not NCCL of 2.7 or later: it lacks ",
                            lacks);
  }
  int version = 0;
  nccl.GetVersion(&version);
  if (version < kOldest) {
    dlclose(opened);
    return UnavailableError(name, " is NCCL of version code ", version,
                            "; from ", kOldest, " on it sends and receives");
  }
  loaded = new NcclLibrary(nccl);
  return loaded;
}

absl::Status NcclStatus(const NcclLibrary& nccl, NcclResult result,
                        absl::string_view what) {
  if (result == 0) return absl::OkStatus();
  return absl::AbortedError(
      absl::StrCat(what, " by NCCL: ", nccl.GetErrorString(result)));
}

absl::Status WaitedInVain(double patience, absl::string_view awaited) {
  return absl::DeadlineExceededError(absl::StrCat(
      "waited ", patience, " seconds for ", awaited, " (CONCORD_PATIENCE)"));
}

absl::Status WaitWithin(double patience, absl::string_view awaited,
                        std::function<absl::Status()> call) {
  std::promise<absl::Status> told;
  std::future<absl::Status> done = told.get_future();
  // The thread's alone once nobody waits for it.
  auto task = [call = std::move(call), told = std::move(told)]() mutable {
    absl::Status status = Guarded(call);
    // What it holds, such as a backend, has ended before anybody goes on.
    call = nullptr;
    told.set_value(std::move(status));
  };
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error& error) {
    return ResourceExhaustedError("no thread can be started: ", error.what());
  }
  TimeLeft left(patience);
  while (done.wait_for(std::min<TimeLeft::Clock::duration>(
             left.Look(), TimeLeft::kBetweenLooks)) !=
         std::future_status::ready) {
    if (left.IsOver()) return WaitedInVain(patience, awaited);
  }
  return done.get();
}

absl::StatusOr<NcclComm> StartNccl(const NcclLibrary& nccl, int size,
                                   const NcclId& id, int rank,
                                   std::function<absl::Status()> activate,
                                   double patience) {
  const auto comm = std::make_shared<NcclComm>();
  RETURN_IF_ERROR(WaitWithin(
      patience, "a communicator of NCCL's",
      [nccl, size, id, rank, activate = std::move(activate), comm] {
        RETURN_IF_ERROR(activate());
        return NcclStatus(nccl, nccl.CommInitRank(comm.get(), size, id, rank),
                          "a communicator");
      }));
  return *comm;
}

}  // namespace concord
