// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_MPI_LIBRARY_H_
#define CONCORD_BACKENDS_MPI_MPI_LIBRARY_H_

// Not the C++ interface, which MPI has given up.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "absl/status/statusor.h"

namespace concord {

// What is used of Open MPI. It is loaded when it is first needed, because few
// runs of a program are by ranks and many machines do not have it.
//
// The constants of mpi.h are addresses in the library: they, too, are here
// instead. MPI_Comm_dup(MPI_COMM_WORLD, &c) becomes mpi.Comm_dup(mpi.world,
// &c).
struct MpiLibrary {
  decltype(&MPI_Abort) Abort;
  decltype(&MPI_Cancel) Cancel;
  decltype(&MPI_Comm_dup) Comm_dup;
  decltype(&MPI_Comm_rank) Comm_rank;
  decltype(&MPI_Comm_size) Comm_size;
  decltype(&MPI_Finalize) Finalize;
  decltype(&MPI_Finalized) Finalized;
  decltype(&MPI_Get_library_version) Get_library_version;
  decltype(&MPI_Iallgather) Iallgather;
  decltype(&MPI_Ibarrier) Ibarrier;
  decltype(&MPI_Init_thread) Init_thread;
  decltype(&MPI_Initialized) Initialized;
  decltype(&MPI_Irecv) Irecv;
  decltype(&MPI_Isend) Isend;
  decltype(&MPI_Testall) Testall;
  MPI_Comm world;
  MPI_Datatype byte;
};

// Loads it. Unavailable says why it cannot be had.
absl::StatusOr<const MpiLibrary*> LoadMpi();

// The same where the program has it already; null otherwise.
const MpiLibrary* FindLoadedMpi();

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_MPI_LIBRARY_H_
