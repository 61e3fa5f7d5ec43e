// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/mpi_library.h"

#include <dlfcn.h>

#include "concord/core/errors.h"

namespace concord {
namespace {

// That of Open MPI 3, 4 and 5, whose calls are the same for a program.
constexpr char kName[] = "libmpi.so.40";

template <typename T>
bool Find(void* opened, const char* name, T& found) {
  found = reinterpret_cast<T>(dlsym(opened, name));
  return found != nullptr;
}

// The first thing that the library lacks; null where all is there.
const char* FindAll(void* opened, MpiLibrary& mpi) {
#define CONCORD_FIND(function)                         \
  if (!Find(opened, "MPI_" #function, mpi.function)) { \
    return "MPI_" #function;                           \
  }
  CONCORD_FIND(Abort)
  CONCORD_FIND(Cancel)
  CONCORD_FIND(Comm_dup)
  CONCORD_FIND(Comm_rank)
  CONCORD_FIND(Comm_size)
  CONCORD_FIND(Finalize)
  CONCORD_FIND(Finalized)
  CONCORD_FIND(Get_library_version)
  CONCORD_FIND(Iallgather)
  CONCORD_FIND(Ibarrier)
  CONCORD_FIND(Init_thread)
  CONCORD_FIND(Initialized)
  CONCORD_FIND(Irecv)
  CONCORD_FIND(Isend)
  CONCORD_FIND(Testall)
#undef CONCORD_FIND
  // What MPI_COMM_WORLD and MPI_BYTE stand for in Open MPI's mpi.h.
  if (!Find(opened, "ompi_mpi_comm_world", mpi.world)) return "MPI_COMM_WORLD";
  if (!Find(opened, "ompi_mpi_byte", mpi.byte)) return "MPI_BYTE";
  return nullptr;
}

// With `flags` beside those that it needs: its plug-ins look for its symbols
// among those of the whole program.
absl::StatusOr<const MpiLibrary*> Open(int flags) {
  void* const opened = dlopen(kName, RTLD_LAZY | RTLD_GLOBAL | flags);
  if (opened == nullptr) {
    const char* const reason = dlerror();
    return UnavailableError("Open MPI cannot be loaded: ",
                            reason == nullptr ? kName : reason);
  }
  static auto* const mpi = new MpiLibrary();
  static const char* const lacks = FindAll(opened, *mpi);
  if (lacks == nullptr) return mpi;
  return UnavailableError(kName, " is not Open MPI's: it lacks ", lacks);
}

}  // namespace

absl::StatusOr<const MpiLibrary*> LoadMpi() {
  // It stays for as long as the program: MPI cannot be started twice.
  static const auto* const loaded =
      new absl::StatusOr<const MpiLibrary*>(Open(0));
  return *loaded;
}

const MpiLibrary* FindLoadedMpi() {
  const absl::StatusOr<const MpiLibrary*> mpi = Open(RTLD_NOLOAD);
  return mpi.ok() ? *mpi : nullptr;
}

}  // namespace concord
