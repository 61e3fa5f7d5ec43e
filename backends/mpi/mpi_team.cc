// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/mpi_team.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <thread>

#include "absl/strings/numbers.h"
#include "concord/backends/mpi/mpi_library.h"
#include "concord/backends/mpi/mpi_messages.h"
#include "concord/backends/mpi/mpi_waits.h"
#include "concord/backends/mpi/watchdog.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

bool IsRunning(const MpiLibrary& mpi) {
  int started = 0;
  int ended = 0;
  mpi.Initialized(&started);
  mpi.Finalized(&ended);
  return started != 0 && ended == 0;
}

class MpiTeam : public Team {
 public:
  MpiTeam(const MpiLibrary& mpi, Watchdog& watchdog, const WaitLimit* of_failed)
      : mpi_(mpi), watchdog_(watchdog) {
    WaitWithin(watchdog_,
               of_failed != nullptr ? *of_failed : LimitOf("Comm_dup"), [&] {
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
    // The team's own memory, into which others may still send once this rank
    // has given them up.
    const auto each = static_cast<std::size_t>(bytes);
    room_.resize((static_cast<std::size_t>(size_) + 1) * each);
    std::memcpy(room_.data(), mine, each);
    std::vector<MPI_Request> requests(1);
    mpi_.Iallgather(room_.data(), static_cast<int>(bytes), mpi_.byte,
                    room_.data() + each, static_cast<int>(bytes), mpi_.byte,
                    calls_, requests.data());
    if (!WaitFor(mpi_, requests, patience_)) return Break();
    std::memcpy(all, room_.data() + each, room_.size() - each);
    return absl::OkStatus();
  }

  absl::Status Exchange(absl::Span<const Parcel> parcels,
                        absl::Span<const Slot> slots) override {
    RETURN_IF_ERROR(state_);
    const auto self = static_cast<std::size_t>(rank_);
    if (slots[self].bytes > 0) {
      std::memcpy(slots[self].data, parcels[self].data,
                  static_cast<std::size_t>(slots[self].bytes));
    }
    MpiMessages messages(mpi_, calls_);
    for (int r = 0; r < size_; ++r) {
      if (r != rank_) messages.Receive(slots[static_cast<std::size_t>(r)], r);
    }
    for (int r = 0; r < size_; ++r) {
      if (r != rank_) messages.Send(parcels[static_cast<std::size_t>(r)], r);
    }
    if (messages.Wait(patience_)) return absl::OkStatus();
    // The caller frees what lies there.
    is_silent_ = !messages.TakeBack(kShortFarewellSeconds);
    return Break();
  }

  // As RanksThatEndWith.
  std::vector<int> WhoEndsWith(const std::string& words) {
    // One program gives the same text the same number everywhere.
    my_words_ = std::hash<std::string>()(words);
    last_words_.assign(static_cast<std::size_t>(size_), my_words_);
    if (is_silent_) {
      std::this_thread::sleep_for(std::chrono::duration<double>(Ahead(rank_)));
      return {rank_};
    }
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
    if (is_silent_) return false;
    std::vector<MPI_Request> requests(1);
    mpi_.Ibarrier(farewell_, requests.data());
    return WaitFor(mpi_, requests,
                   is_broken() || is_left_alone_ ? kShortFarewellSeconds
                                                 : kFarewellSeconds);
  }

  // Ends MPI. The outputs of a rank that ends well are complete. If another one
  // does not come all the same, its job has not ended well.
  void Finalize(int exit_status) {
    WaitWithin(watchdog_, LimitOf("Finalize", std::max(exit_status, kFailed)),
               [&] { mpi_.Finalize(); });
  }

  bool is_broken() const { return !state_.ok(); }
  const MpiLibrary& mpi() const { return mpi_; }

 private:
  absl::Status Break() {
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
  // It then calls MPI no more where that would go on with messages whose memory
  // may be gone.
  bool is_silent_ = false;
  // Of AllGather.
  std::vector<char> room_;
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
absl::StatusOr<bool> StartMpi(const MpiLibrary& mpi, Watchdog& watchdog,
                              const WaitLimit* of_failed) {
  if (IsRunning(mpi)) return false;
  int ended = 0;
  mpi.Finalized(&ended);
  if (ended != 0) return FailedPreconditionError("MPI has been ended");
  int provided = 0;
  // One thread at a time calls MPI, and which one may change.
  WaitWithin(watchdog,
             of_failed != nullptr ? *of_failed : LimitOf("Init_thread"), [&] {
               mpi.Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED,
                               &provided);
             });
  return true;
}

absl::StatusOr<std::shared_ptr<Team>> MakeMpiTeam(const WaitLimit* of_failed) {
  ASSIGN_OR_RETURN(const MpiLibrary* const mpi, LoadMpi());
  ASSIGN_OR_RETURN(Watchdog* const watchdog, Watchdog::Start());
  ASSIGN_OR_RETURN(const bool is_ours, StartMpi(*mpi, *watchdog, of_failed));
  auto made = std::make_shared<MpiTeam>(*mpi, *watchdog, of_failed);
  the_team = made.get();
  if (is_ours) on_exit(EndMpi, nullptr);
  return std::shared_ptr<Team>(std::move(made));
}

// `of_failed`: where the first call comes from a rank that has failed, or null.
absl::StatusOr<std::shared_ptr<Team>> TheTeam(const WaitLimit* of_failed) {
  static const auto* const team =
      new absl::StatusOr<std::shared_ptr<Team>>(MakeMpiTeam(of_failed));
  return *team;
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

absl::StatusOr<std::shared_ptr<Team>> OpenMpiTeam() { return TheTeam(nullptr); }

absl::StatusOr<std::vector<int>> RanksThatEndWith(const std::string& words,
                                                  int exit_status) {
  const WaitLimit limit = LimitOfFailed(words, exit_status);
  RETURN_IF_ERROR(TheTeam(&limit).status());
  return the_team->WhoEndsWith(words);
}

}  // namespace concord
