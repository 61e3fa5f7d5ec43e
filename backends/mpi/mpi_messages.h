// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_MPI_MESSAGES_H_
#define CONCORD_BACKENDS_MPI_MPI_MESSAGES_H_

#include <cstddef>
#include <vector>

#include "concord/backends/mpi/mpi_library.h"
#include "concord/backends/mpi/team.h"

namespace concord {

// Whether all requests were done in that time.
bool WaitFor(const MpiLibrary& mpi, std::vector<MPI_Request>& requests,
             double seconds);

// Messages between this rank and others that are under way together.
class MpiMessages {
 public:
  MpiMessages(const MpiLibrary& mpi, MPI_Comm ranks)
      : mpi_(mpi), ranks_(ranks) {}

  // All receives before all sends.
  void Receive(const Slot& slot, int from);
  void Send(const Parcel& parcel, int to);

  bool Wait(double seconds) { return WaitFor(mpi_, requests_, seconds); }

  // Gives up. False: another rank can still read or write the memory of some of
  // them, whenever this one calls MPI. What nobody has begun to send can be
  // taken back; not so what is on its way, and nothing that is sent from here.
  bool TakeBack(double seconds);

 private:
  const MpiLibrary& mpi_;
  const MPI_Comm ranks_;
  std::vector<MPI_Request> requests_;
  std::size_t receives_ = 0;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_MPI_MESSAGES_H_
