// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/mpi_messages.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>

#include "concord/backends/mpi/time_left.h"

namespace concord {
namespace {

// MPI counts with 32 bits: larger parcels go in pieces.
constexpr std::int64_t kPiece = std::int64_t{1} << 30;

}  // namespace

bool WaitFor(const MpiLibrary& mpi, std::vector<MPI_Request>& requests,
             double seconds) {
  TimeLeft left(seconds);
  while (true) {
    int done = 0;
    mpi.Testall(static_cast<int>(requests.size()), requests.data(), &done,
                MPI_STATUSES_IGNORE);
    if (done != 0) return true;
    if (left.IsOver()) return false;
    // There may be more ranks than CPUs.
    sched_yield();
  }
}

void MpiMessages::Receive(const Slot& slot, int from) {
  for (std::int64_t at = 0; at < slot.bytes; at += kPiece) {
    requests_.emplace_back();
    mpi_.Irecv(static_cast<char*>(slot.data) + at,
               static_cast<int>(std::min(kPiece, slot.bytes - at)), mpi_.byte,
               from, 0, ranks_, &requests_.back());
  }
  receives_ = requests_.size();
}

void MpiMessages::Send(const Parcel& parcel, int to) {
  for (std::int64_t at = 0; at < parcel.bytes; at += kPiece) {
    requests_.emplace_back();
    mpi_.Isend(static_cast<const char*>(parcel.data) + at,
               static_cast<int>(std::min(kPiece, parcel.bytes - at)), mpi_.byte,
               to, 0, ranks_, &requests_.back());
  }
}

bool MpiMessages::TakeBack(double seconds) {
  for (std::size_t i = 0; i < receives_; ++i) mpi_.Cancel(&requests_[i]);
  return Wait(seconds);
}

}  // namespace concord
