// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The only file that knows MPI.

#include "concord/backends/mpi/mpi_team.h"

// Not the C++ interface, which MPI has given up.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "absl/strings/numbers.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

using Clock = std::chrono::steady_clock;

// MPI counts with 32 bits: larger parcels go in pieces.
constexpr std::int64_t kPiece = std::int64_t{1} << 30;

// How long a rank that ends with a failure waits for the others to end, too:
// they may be about to print.
constexpr double kFarewellSeconds = 10;

bool IsRunning() {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

// Whether all requests were done in that time.
bool WaitFor(std::vector<MPI_Request>& requests, double seconds) {
  const Clock::time_point start = Clock::now();
  while (true) {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                MPI_STATUSES_IGNORE);
    if (done != 0) return true;
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) {
      return false;
    }
    // There may be more ranks than CPUs.
    sched_yield();
  }
}

class MpiTeam : public Team {
 public:
  MpiTeam() {
    MPI_Comm_dup(MPI_COMM_WORLD, &calls_);
    MPI_Comm_dup(MPI_COMM_WORLD, &farewell_);
    MPI_Comm_rank(calls_, &rank_);
    MPI_Comm_size(calls_, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  using Team::AllGather;
  absl::Status AllGather(const void* mine, std::int64_t bytes,
                         void* all) override {
    RETURN_IF_ERROR(state_);
    std::vector<MPI_Request> requests(1);
    MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, all,
                   static_cast<int>(bytes), MPI_BYTE, calls_, requests.data());
    return Finish(requests);
  }

  absl::Status Exchange(absl::Span<const Parcel> parcels,
                        absl::Span<const Slot> slots) override {
    RETURN_IF_ERROR(state_);
    const auto self = static_cast<std::size_t>(rank_);
    if (slots[self].bytes > 0) {
      std::memcpy(slots[self].data, parcels[self].data,
                  static_cast<std::size_t>(slots[self].bytes));
    }
    std::vector<MPI_Request> requests;
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      const Slot& slot = slots[static_cast<std::size_t>(r)];
      for (std::int64_t at = 0; at < slot.bytes; at += kPiece) {
        requests.emplace_back();
        MPI_Irecv(static_cast<char*>(slot.data) + at,
                  static_cast<int>(std::min(kPiece, slot.bytes - at)), MPI_BYTE,
                  r, 0, calls_, &requests.back());
      }
    }
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      const Parcel& parcel = parcels[static_cast<std::size_t>(r)];
      for (std::int64_t at = 0; at < parcel.bytes; at += kPiece) {
        requests.emplace_back();
        MPI_Isend(static_cast<const char*>(parcel.data) + at,
                  static_cast<int>(std::min(kPiece, parcel.bytes - at)),
                  MPI_BYTE, r, 0, calls_, &requests.back());
      }
    }
    return Finish(requests);
  }

  // Whether all ranks have called it within the time of a farewell.
  bool SayFarewell() {
    std::vector<MPI_Request> requests(1);
    MPI_Ibarrier(farewell_, requests.data());
    return WaitFor(requests, kFarewellSeconds);
  }

  bool is_broken() const { return !state_.ok(); }

 private:
  absl::Status Finish(std::vector<MPI_Request>& requests) {
    if (WaitFor(requests, patience_)) return absl::OkStatus();
    state_ = absl::DeadlineExceededError(
        absl::StrCat("rank ", rank_, " of ", size_, " has waited ", patience_,
                     " seconds for another one (CONCORD_PATIENCE)"));
    return state_;
  }

  const double patience_ = TeamPatience();
  MPI_Comm calls_;
  MPI_Comm farewell_;
  int rank_ = 0;
  int size_ = 1;
  // Not ok once a member has not come: what was begun can never be finished.
  absl::Status state_;
};

MpiTeam* the_team = nullptr;

// When the program ends.
void EndMpi(int exit_status, void*) {
  if (!IsRunning()) return;
  std::cout.flush();
  std::fflush(stdout);
  if (exit_status == 0 && !the_team->is_broken()) {
    MPI_Finalize();
    return;
  }
  if (the_team->is_broken() || !the_team->SayFarewell()) {
    MPI_Abort(MPI_COMM_WORLD, std::max(exit_status, 1));
  }
  MPI_Finalize();
}

absl::Status StartMpi() {
  if (IsRunning()) return absl::OkStatus();
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) return FailedPreconditionError("MPI has been ended");
  int provided = 0;
  // One thread at a time calls MPI, and which one may change.
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  on_exit(EndMpi, nullptr);
  return absl::OkStatus();
}

std::optional<int> NumberIn(const char* variable) {
  const char* const text = std::getenv(variable);
  int number = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &number)) return std::nullopt;
  return number;
}

}  // namespace

std::optional<MpiRank> FindMpiRank() {
  if (IsRunning()) {
    MpiRank rank = {};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank.index);
    MPI_Comm_size(MPI_COMM_WORLD, &rank.count);
    return rank;
  }
  const std::optional<int> index = NumberIn("OMPI_COMM_WORLD_RANK");
  const std::optional<int> count = NumberIn("OMPI_COMM_WORLD_SIZE");
  if (!index.has_value() || !count.has_value()) return std::nullopt;
  return MpiRank{*index, *count};
}

std::string MpiLibrary() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  // "Open MPI v4.1.4, package: ..."
  return std::string(text, std::find(text, text + length, ','));
}

absl::StatusOr<std::shared_ptr<Team>> OpenMpiTeam() {
  static const auto* const team = new absl::StatusOr<std::shared_ptr<Team>>([] {
    const absl::Status started = StartMpi();
    if (!started.ok()) return absl::StatusOr<std::shared_ptr<Team>>(started);
    auto made = std::make_shared<MpiTeam>();
    the_team = made.get();
    return absl::StatusOr<std::shared_ptr<Team>>(std::move(made));
  }());
  return *team;
}

}  // namespace concord
