// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/mpi_team.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>

#include "absl/strings/numbers.h"
#include "concord/backends/mpi/mpi_library.h"
#include "concord/backends/mpi/watchdog.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

using Clock = std::chrono::steady_clock;

// MPI counts with 32 bits: larger parcels go in pieces.
constexpr std::int64_t kPiece = std::int64_t{1} << 30;

// How long a rank that ends with a failure waits for the others to end, too:
// they may be about to print.
constexpr double kFarewellSeconds = 10;

// The same of a rank that has waited long enough for some of them: those that
// have waited with it may still be about to print.
constexpr double kShortFarewellSeconds = 1;

// The exit status of a job whose ranks wait in vain where MPI starts: what the
// command line has for a failure that is not the user's.
constexpr int kFailed = 1;

// Calls of MPI that wait for the other ranks and cannot be polled end together
// in all of them. The lower ranks are ahead by so much, and the job ends before
// the others have said the same.
constexpr double kSecondsAhead = 2;
constexpr int kMostAhead = 10;

bool IsRunning(const MpiLibrary& mpi) {
  int started = 0;
  int ended = 0;
  mpi.Initialized(&started);
  mpi.Finalized(&ended);
  return started != 0 && ended == 0;
}

// Whether all requests were done in that time.
bool WaitFor(const MpiLibrary& mpi, std::vector<MPI_Request>& requests,
             double seconds) {
  const Clock::time_point start = Clock::now();
  while (true) {
    int done = 0;
    mpi.Testall(static_cast<int>(requests.size()), requests.data(), &done,
                MPI_STATUSES_IGNORE);
    if (done != 0) return true;
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) {
      return false;
    }
    // There may be more ranks than CPUs.
    sched_yield();
  }
}

std::string NotComeFor(double seconds) {
  return absl::StrCat("another rank has not come for ", seconds,
                      " seconds (CONCORD_PATIENCE)");
}

// A call of MPI, which is named, that waits for the other ranks without an end.
// If they do not come, the job ends with that status.
template <typename F>
void CallWithLimit(Watchdog& watchdog, absl::string_view name, int exit_status,
                   const F& call) {
  const double patience = TeamPatience();
  // Before MPI starts it is what mpirun says.
  const MpiRank self = FindMpiRank().value_or(MpiRank{0, 1});
  watchdog.Limit(patience + kSecondsAhead * std::min(self.index, kMostAhead),
                 {absl::StrCat("rank ", self.index, " of ", self.count, ": ",
                               NotComeFor(patience), ", in MPI_", name),
                  exit_status},
                 call);
}

class MpiTeam : public Team {
 public:
  MpiTeam(const MpiLibrary& mpi, Watchdog& watchdog)
      : mpi_(mpi), watchdog_(watchdog) {
    CallWithLimit(watchdog_, "Comm_dup", kFailed, [&] {
      mpi_.Comm_dup(mpi_.world, &calls_);
      mpi_.Comm_dup(mpi_.world, &farewell_);
    });
    mpi_.Comm_rank(calls_, &rank_);
    mpi_.Comm_size(calls_, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  using Team::AllGather;
  absl::Status AllGather(const void* mine, std::int64_t bytes,
                         void* all) override {
    RETURN_IF_ERROR(state_);
    std::vector<MPI_Request> requests(1);
    mpi_.Iallgather(mine, static_cast<int>(bytes), mpi_.byte, all,
                    static_cast<int>(bytes), mpi_.byte, calls_,
                    requests.data());
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
        mpi_.Irecv(static_cast<char*>(slot.data) + at,
                   static_cast<int>(std::min(kPiece, slot.bytes - at)),
                   mpi_.byte, r, 0, calls_, &requests.back());
      }
    }
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      const Parcel& parcel = parcels[static_cast<std::size_t>(r)];
      for (std::int64_t at = 0; at < parcel.bytes; at += kPiece) {
        requests.emplace_back();
        mpi_.Isend(static_cast<const char*>(parcel.data) + at,
                   static_cast<int>(std::min(kPiece, parcel.bytes - at)),
                   mpi_.byte, r, 0, calls_, &requests.back());
      }
    }
    return Finish(requests);
  }

  // As RanksThatEndWith.
  std::vector<int> WhoEndsWith(const std::string& words) {
    // One program gives the same text the same number everywhere.
    my_words_ = std::hash<std::string>()(words);
    last_words_.assign(static_cast<std::size_t>(size_), my_words_);
    std::vector<MPI_Request> received;
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      received.emplace_back();
      mpi_.Irecv(&last_words_[static_cast<std::size_t>(r)], sizeof(my_words_),
                 mpi_.byte, r, 0, farewell_, &received.back());
      // So few bytes leave at once.
      MPI_Request sent;
      mpi_.Isend(&my_words_, sizeof(my_words_), mpi_.byte, r, 0, farewell_,
                 &sent);
    }
    is_left_alone_ = !WaitFor(mpi_, received, kFarewellSeconds);
    std::vector<int> same;
    for (int r = 0, next = 0; r < size_; ++r) {
      int has_come = 1;
      if (r != rank_) {
        mpi_.Testall(1, &received[static_cast<std::size_t>(next++)], &has_come,
                     MPI_STATUSES_IGNORE);
      }
      if (has_come != 0 &&
          last_words_[static_cast<std::size_t>(r)] == my_words_) {
        same.push_back(r);
      }
    }
    return same;
  }

  // Whether all ranks have called it within the time of a farewell.
  bool SayFarewell() {
    std::vector<MPI_Request> requests(1);
    mpi_.Ibarrier(farewell_, requests.data());
    return WaitFor(mpi_, requests,
                   is_broken() || is_left_alone_ ? kShortFarewellSeconds
                                                 : kFarewellSeconds);
  }

  // Ends MPI. The outputs of a rank that ends well are complete. If another one
  // does not come all the same, its job has not ended well.
  void Finalize(int exit_status) {
    CallWithLimit(watchdog_, "Finalize", std::max(exit_status, kFailed),
                  [&] { mpi_.Finalize(); });
  }

  bool is_broken() const { return !state_.ok(); }
  const MpiLibrary& mpi() const { return mpi_; }

 private:
  absl::Status Finish(std::vector<MPI_Request>& requests) {
    if (WaitFor(mpi_, requests, patience_)) return absl::OkStatus();
    state_ = absl::DeadlineExceededError(NotComeFor(patience_));
    return state_;
  }

  const MpiLibrary& mpi_;
  Watchdog& watchdog_;
  const double patience_ = TeamPatience();
  MPI_Comm calls_;
  MPI_Comm farewell_;
  int rank_ = 0;
  int size_ = 1;
  // Not ok once a member has not come: what was begun can never be finished.
  absl::Status state_;
  // Here, because a rank that is left alone still waits for some of them.
  std::size_t my_words_ = 0;
  std::vector<std::size_t> last_words_;
  bool is_left_alone_ = false;
};

MpiTeam* the_team = nullptr;

// When the program ends.
void EndMpi(int exit_status, void*) {
  const MpiLibrary& mpi = the_team->mpi();
  if (!IsRunning(mpi)) return;
  std::cout.flush();
  std::fflush(stdout);
  if (exit_status == 0 && !the_team->is_broken()) {
    the_team->Finalize(exit_status);
    return;
  }
  const bool all_end = the_team->SayFarewell();
  if (!all_end || the_team->is_broken()) {
    mpi.Abort(mpi.world, std::max(exit_status, kFailed));
  }
  the_team->Finalize(exit_status);
}

// Whether it was started here, and is to be ended.
absl::StatusOr<bool> StartMpi(const MpiLibrary& mpi, Watchdog& watchdog) {
  if (IsRunning(mpi)) return false;
  int ended = 0;
  mpi.Finalized(&ended);
  if (ended != 0) return FailedPreconditionError("MPI has been ended");
  int provided = 0;
  // One thread at a time calls MPI, and which one may change.
  CallWithLimit(watchdog, "Init_thread", kFailed, [&] {
    mpi.Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  });
  return true;
}

absl::StatusOr<std::shared_ptr<Team>> MakeMpiTeam() {
  ASSIGN_OR_RETURN(const MpiLibrary* const mpi, LoadMpi());
  ASSIGN_OR_RETURN(Watchdog* const watchdog, Watchdog::Start());
  ASSIGN_OR_RETURN(const bool is_ours, StartMpi(*mpi, *watchdog));
  auto made = std::make_shared<MpiTeam>(*mpi, *watchdog);
  the_team = made.get();
  if (is_ours) on_exit(EndMpi, nullptr);
  return std::shared_ptr<Team>(std::move(made));
}

std::optional<int> NumberIn(const char* variable) {
  const char* const text = std::getenv(variable);
  int number = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &number)) return std::nullopt;
  return number;
}

}  // namespace

std::optional<MpiRank> FindMpiRank() {
  const MpiLibrary* const mpi = FindLoadedMpi();
  if (mpi != nullptr && IsRunning(*mpi)) {
    MpiRank rank = {};
    mpi->Comm_rank(mpi->world, &rank.index);
    mpi->Comm_size(mpi->world, &rank.count);
    return rank;
  }
  const std::optional<int> index = NumberIn("OMPI_COMM_WORLD_RANK");
  const std::optional<int> count = NumberIn("OMPI_COMM_WORLD_SIZE");
  if (!index.has_value() || !count.has_value()) return std::nullopt;
  return MpiRank{*index, *count};
}

std::string BuiltForMpi() {
  return absl::StrCat("Open MPI v", OMPI_MAJOR_VERSION, ".", OMPI_MINOR_VERSION,
                      ".", OMPI_RELEASE_VERSION);
}

absl::StatusOr<std::string> LoadedMpi() {
  ASSIGN_OR_RETURN(const MpiLibrary* const mpi, LoadMpi());
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  mpi->Get_library_version(text, &length);
  // "Open MPI v4.1.4, package: ..."
  return std::string(text, std::find(text, text + length, ','));
}

absl::StatusOr<std::shared_ptr<Team>> OpenMpiTeam() {
  static const auto* const team =
      new absl::StatusOr<std::shared_ptr<Team>>(MakeMpiTeam());
  return *team;
}

absl::StatusOr<std::vector<int>> RanksThatEndWith(const std::string& words) {
  RETURN_IF_ERROR(OpenMpiTeam().status());
  return the_team->WhoEndsWith(words);
}

}  // namespace concord
