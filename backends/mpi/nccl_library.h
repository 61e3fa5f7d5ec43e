// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What is used of NCCL, which is loaded when members of a team want it. It
// moves bytes and, for the peers of the benchmarks, adds them up, so a few
// functions suffice, declared here: the build needs neither its headers nor its
// library.

#ifndef CONCORD_BACKENDS_MPI_NCCL_LIBRARY_H_
#define CONCORD_BACKENDS_MPI_NCCL_LIBRARY_H_

#include <cstddef>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

typedef struct CUstream_st* cudaStream_t;

namespace concord {

struct NcclId {
  char bytes[128];
};

// Opaque.
using NcclComm = void*;

// 0 is success; 7, from 2.14 on, is work that is under way.
using NcclResult = int;

inline constexpr int kNcclBytes = 1;  // ncclUint8

struct NcclLibrary {
  NcclResult (*GetVersion)(int* version);
  const char* (*GetErrorString)(NcclResult);
  NcclResult (*GetUniqueId)(NcclId*);
  NcclResult (*CommInitRank)(NcclComm*, int size, NcclId, int rank);
  // Of this process alone: one for each device.
  NcclResult (*CommInitAll)(NcclComm*, int size, const int* devices);
  NcclResult (*CommDestroy)(NcclComm);
  NcclResult (*CommAbort)(NcclComm);
  NcclResult (*CommGetAsyncError)(NcclComm, NcclResult*);
  NcclResult (*GroupStart)();
  NcclResult (*GroupEnd)();
  NcclResult (*Send)(const void*, std::size_t count, int type, int to, NcclComm,
                     cudaStream_t);
  NcclResult (*Recv)(void*, std::size_t count, int type, int from, NcclComm,
                     cudaStream_t);
  NcclResult (*AllReduce)(const void*, void*, std::size_t count, int type,
                          int op, NcclComm, cudaStream_t);
  NcclResult (*AllGather)(const void*, void*, std::size_t count, int type,
                          NcclComm, cudaStream_t);
};

// Loads libnccl.so.2, or what $CONCORD_NCCL names. Unavailable says why it
// cannot be had. What was found once stays.
absl::StatusOr<const NcclLibrary*> LoadNccl();

// What `call` returns. In it NCCL waits for other members without a limit, so a
// thread of its own does. DeadlineExceeded: it took longer than `patience`
// seconds; that thread then goes on waiting. Time in which the process itself
// stood still counts little. ResourceExhausted: there is no thread, and nothing
// was called.
absl::Status WaitWithin(double patience, absl::string_view awaited,
                        std::function<absl::Status()> call);

// DeadlineExceeded: so long for `awaited`. Who has waited is said by the team.
absl::Status WaitedInVain(double patience, absl::string_view awaited);

// Member `rank` of `size` that have the same `id`, all of which are waited for
// with that patience. `activate` gives a thread the right device.
absl::StatusOr<NcclComm> StartNccl(const NcclLibrary& nccl, int size,
                                   const NcclId& id, int rank,
                                   std::function<absl::Status()> activate,
                                   double patience);

// What the library says, Aborted where it failed.
absl::Status NcclStatus(const NcclLibrary& nccl, NcclResult result,
                        absl::string_view what);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_NCCL_LIBRARY_H_
