// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/gpu_carriers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "concord/backends/mpi/thread_team.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {
namespace {

constexpr int kMembers = 3;
constexpr std::int64_t kPiece = 16;

// Its memory is not the host's, as that of a GPU. Notes the largest copy, and
// fails after so many.
class Elsewhere : public PlainBackend {
 public:
  Elsewhere() : PlainBackend("serial", Memory("elsewhere")) {}

  std::int64_t most = 0;
  int good_copies = std::numeric_limits<int>::max();

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override {
    if (good_copies-- <= 0) return absl::InternalError("a copy has failed");
    most = std::max(most, from.bytes());
    return PlainBackend::CopyChecked(from, to);
  }
};

using Member = std::function<void(Team& carrier, Elsewhere& local)>;

// Calls it as each member, once for each way.
void OnEachMember(const Member& member) {
  for (const bool staged : {true, false}) {
    SCOPED_TRACE(staged ? "staged" : "windows");
    Windows windows = {kPiece, {}};
    for (int r = 0; r < kMembers; ++r) {
      windows.of_members.emplace_back(new char[kPiece * kMembers],
                                      std::default_delete<char[]>());
    }
    RunThreadTeam(
        kMembers,
        [&](const std::shared_ptr<Team>& team) {
          const auto local = std::make_shared<Elsewhere>();
          const std::shared_ptr<Team> carrier =
              staged ? MakeStagedTeam(team, local, kPiece)
                     : MakeWindowTeam(team, local, windows);
          member(*carrier, *local);
        },
        /*patience=*/20);
  }
}

// Bytes that member r has for member q.
std::string BytesFor(int r, int q, std::int64_t bytes) {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::iota(text.begin(), text.end(), static_cast<char>(17 * r + 5 * q));
  return text;
}

// Exchanges bytes(r, q) from each to each; what has come, by member.
absl::StatusOr<std::vector<std::string>> Exchanged(
    Team& carrier, const std::function<std::int64_t(int, int)>& bytes) {
  std::vector<std::string> sent;
  std::vector<std::string> got;
  for (int r = 0; r < carrier.size(); ++r) {
    sent.push_back(BytesFor(carrier.rank(), r, bytes(carrier.rank(), r)));
    got.emplace_back(static_cast<std::size_t>(bytes(r, carrier.rank())), '?');
  }
  std::vector<Parcel> parcels;
  std::vector<Slot> slots;
  for (int r = 0; r < carrier.size(); ++r) {
    parcels.push_back({sent[r].data(), bytes(carrier.rank(), r)});
    slots.push_back({got[r].data(), bytes(r, carrier.rank())});
  }
  const absl::Status status = carrier.Exchange(parcels, slots);
  if (!status.ok()) return status;
  return got;
}

TEST(GpuCarriers, BytesArriveWhereTheyBelong) {
  OnEachMember([](Team& carrier, Elsewhere& local) {
    const std::vector<std::function<std::int64_t(int, int)>> sizes = {
        [](int, int) { return 0; },
        [](int, int) { return 1; },
        [](int, int) { return kPiece; },
        [](int, int) { return kPiece + 1; },
        // Some have nothing to send, or to get.
        [](int r, int q) { return r == 1 ? 3 * kPiece + q : 0; },
        [](int r, int q) { return q == 2 ? 5 * kPiece - r : 0; },
        [](int r, int q) { return 40 * r + 7 * q; },
        // Only to oneself.
        [](int r, int q) { return r == q ? 9 : 0; },
    };
    // Twice: the second time buffers are there.
    for (std::size_t i = 0; i < 2 * sizes.size(); ++i) {
      const auto& bytes = sizes[i % sizes.size()];
      local.most = 0;
      const auto got = Exchanged(carrier, bytes);
      ASSERT_TRUE(got.ok()) << got.status();
      for (int r = 0; r < kMembers; ++r) {
        EXPECT_EQ((*got)[r],
                  BytesFor(r, carrier.rank(), bytes(r, carrier.rank())))
            << "sizes " << i << ", from " << r << " to " << carrier.rank();
      }
      // What it has for itself goes as a whole.
      EXPECT_LE(local.most,
                std::max(kPiece, bytes(carrier.rank(), carrier.rank())));
    }
  });
}

TEST(GpuCarriers, AFailedCopyOfOneMemberIsToldToAll) {
  OnEachMember([](Team& carrier, Elsewhere& local) {
    const auto some = [](int, int) { return 2 * kPiece; };
    // The first, the last, or any other.
    constexpr int kCopies = 2 * 2 * (kMembers - 1) + 1;
    for (int good = 0; good < kCopies; ++good) {
      if (carrier.rank() == 1) local.good_copies = good;
      EXPECT_EQ(Exchanged(carrier, some).status(),
                absl::InternalError("rank 1 of 3: a copy has failed"))
          << good << " copies";
    }
    // And they go on.
    if (carrier.rank() == 1) local.good_copies = kCopies;
    const auto got = Exchanged(carrier, some);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)[1], BytesFor(1, carrier.rank(), 2 * kPiece));
  });
}

TEST(GpuCarriers, AFailedCopyIsToldToAllWhereNothingGoesToOthers) {
  OnEachMember([](Team& carrier, Elsewhere& local) {
    const auto to_oneself = [](int r, int q) { return r == q ? 9 : 0; };
    if (carrier.rank() == 1) local.good_copies = 0;
    EXPECT_EQ(Exchanged(carrier, to_oneself).status(),
              absl::InternalError("rank 1 of 3: a copy has failed"));
    // And they go on.
    if (carrier.rank() == 1) local.good_copies = 1;
    EXPECT_TRUE(Exchanged(carrier, to_oneself).ok());
  });
}

TEST(GpuCarriers, WhatMembersTellEachOtherIsInHostMemory) {
  OnEachMember([](Team& carrier, Elsewhere& local) {
    local.good_copies = 0;
    const auto all = carrier.AllGather(carrier.rank());
    ASSERT_TRUE(all.ok());
    EXPECT_THAT(*all, testing::ElementsAre(0, 1, 2));
  });
}

TEST(GpuCarriers, PiecesAreLargeButNotForManyMembers) {
  EXPECT_EQ(UsualPiece(2), std::int64_t{32} << 20);
  EXPECT_EQ(UsualPiece(1000), std::int64_t{1} << 20);
}

}  // namespace
}  // namespace concord
