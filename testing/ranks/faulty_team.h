// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_RANKS_FAULTY_TEAM_H_
#define CONCORD_TESTING_RANKS_FAULTY_TEAM_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "concord/backends/mpi/team.h"

namespace concord {

// What goes wrong among members while an implementation runs.
enum class TeamFault {
  kNone,
  // The last member takes what the first one tells for nothing: it loses a
  // carry.
  kForgetsTheFirst,
  // What members send to others arrives as zeros.
  kKeepsItsParcels,
  // The last member's stretch is off by one element. This fault is not one of
  // what members tell: whoever runs the member moves its elements.
  kIsOffByOne,
  // The last member comes to no call, so that the others wait in vain. Nothing
  // that they compute is wrong: nobody can catch it.
  kDoesNotCome,
};

// A member's view of its team, with a fault while it is armed.
class FaultyTeam : public Team {
 public:
  FaultyTeam(std::shared_ptr<Team> team, TeamFault fault)
      : team_(std::move(team)), fault_(fault) {}

  void set_armed(bool armed) { armed_ = armed; }

  int rank() const override { return team_->rank(); }
  int size() const override { return team_->size(); }

  using Team::AllGather;
  absl::Status AllGather(const void* mine, std::int64_t bytes,
                         void* all) override {
    if (Is(TeamFault::kDoesNotCome)) return NotCome();
    absl::Status status = team_->AllGather(mine, bytes, all);
    // What members agree on before they start is not what an implementation
    // tells.
    constexpr std::int64_t kAgreement = sizeof(Announcement);
    if (Is(TeamFault::kForgetsTheFirst) && bytes != kAgreement) {
      std::memset(all, 0, static_cast<std::size_t>(bytes));
    }
    return status;
  }

  absl::Status Exchange(absl::Span<const Parcel> parcels,
                        absl::Span<const Slot> slots) override {
    if (Is(TeamFault::kDoesNotCome)) return NotCome();
    const bool keeps = armed_ && fault_ == TeamFault::kKeepsItsParcels;
    if (!Is(TeamFault::kForgetsTheFirst) && !keeps) {
      return team_->Exchange(parcels, slots);
    }
    // Zeros of the right sizes, so that nobody waits.
    std::vector<std::vector<char>> zeros;
    std::vector<Parcel> sent(parcels.begin(), parcels.end());
    for (std::size_t r = 0; r < sent.size(); ++r) {
      zeros.emplace_back(static_cast<std::size_t>(sent[r].bytes));
      if (keeps && r != static_cast<std::size_t>(rank())) {
        sent[r].data = zeros.back().data();
      }
    }
    absl::Status status = team_->Exchange(sent, slots);
    if (Is(TeamFault::kForgetsTheFirst) && slots[0].bytes > 0) {
      std::memset(slots[0].data, 0, static_cast<std::size_t>(slots[0].bytes));
    }
    return status;
  }

 private:
  static absl::Status NotCome() {
    return absl::DeadlineExceededError("it does not come");
  }

  // Of the last member, which alone has it.
  bool Is(TeamFault fault) const {
    return armed_ && fault_ == fault && rank() == size() - 1;
  }

  const std::shared_ptr<Team> team_;
  const TeamFault fault_;
  bool armed_ = false;
};

}  // namespace concord

#endif  // CONCORD_TESTING_RANKS_FAULTY_TEAM_H_
