// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/thread_team.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "concord/core/errors.h"

namespace concord {
namespace {

// What the members have in common.
struct Shared {
  Shared(int size, double patience)
      : size(size), patience(patience), parcels(size) {}

  const int size;
  const std::chrono::duration<double> patience;
  std::mutex mutex;
  std::condition_variable all_are_here;
  int arrived = 0;
  int round = 0;
  bool broken = false;
  // What each member gives to each.
  std::vector<std::vector<Parcel>> parcels;
};

class ThreadTeam : public Team {
 public:
  ThreadTeam(Shared& shared, int rank) : shared_(shared), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return shared_.size; }

  using Team::AllGather;
  absl::Status AllGather(const void* mine, std::int64_t bytes,
                         void* all) override {
    const std::vector<Parcel> parcels(size(), Parcel{mine, bytes});
    std::vector<Slot> slots;
    for (int r = 0; r < size(); ++r) {
      slots.push_back({static_cast<char*>(all) + r * bytes, bytes});
    }
    return Exchange(parcels, slots);
  }

  absl::Status Exchange(absl::Span<const Parcel> parcels,
                        absl::Span<const Slot> slots) override {
    shared_.parcels[rank_].assign(parcels.begin(), parcels.end());
    RETURN_IF_ERROR(Wait());
    bool sizes_agree = true;
    for (int r = 0; r < size(); ++r) {
      const Parcel& parcel = shared_.parcels[r][rank_];
      sizes_agree &= parcel.bytes == slots[r].bytes;
      if (!sizes_agree || parcel.bytes == 0) continue;
      std::memcpy(slots[r].data, parcel.data,
                  static_cast<std::size_t>(parcel.bytes));
    }
    RETURN_IF_ERROR(Wait());
    if (sizes_agree) return absl::OkStatus();
    return InternalError("rank ", rank_, " expects other sizes than are sent");
  }

 private:
  absl::Status Wait() {
    std::unique_lock<std::mutex> lock(shared_.mutex);
    const int round = shared_.round;
    if (!shared_.broken && ++shared_.arrived == shared_.size) {
      shared_.arrived = 0;
      ++shared_.round;
      shared_.all_are_here.notify_all();
    }
    shared_.all_are_here.wait_for(lock, shared_.patience, [&] {
      return shared_.round != round || shared_.broken;
    });
    if (shared_.round != round) return absl::OkStatus();
    shared_.broken = true;
    shared_.all_are_here.notify_all();
    return absl::DeadlineExceededError(absl::StrCat(
        "rank ", rank_, " of ", size(), " waited for another one in vain"));
  }

  Shared& shared_;
  const int rank_;
};

}  // namespace

void RunThreadTeam(
    int size, const std::function<void(const std::shared_ptr<Team>&)>& member,
    double patience) {
  Shared shared(size, patience);
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r) {
    threads.emplace_back(
        [&, r] { member(std::make_shared<ThreadTeam>(shared, r)); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace concord
