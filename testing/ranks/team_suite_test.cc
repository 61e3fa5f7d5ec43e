// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The edge catalogue of every implementation for ranks, by threads that are
// members of a team.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/backends/mpi/thread_team.h"
#include "concord/core/registry.h"
#include "concord/core/spec.h"
#include "concord/testing/ranks/team_cases.h"

namespace concord {
namespace {

TEST(TeamSuite, ThereAreImplementations) { EXPECT_GE(Subjects().size(), 2u); }

TEST(TeamSuite, SevenMembersPassTheEdgeCatalogue) {
  for (const Candidate& subject : Subjects()) {
    SCOPED_TRACE(subject.info.name());
    const std::vector<Prepared> cases = CasesOf(subject);
    ExpectRight(7, "serial@uneven", subject, cases);
    ExpectRight(2, "tbb:2", subject, cases);
  }
}

// What can run on ranks' GPUs, which host memory by another name stands for.
std::vector<Candidate> SubjectsElsewhere() {
  std::vector<Candidate> subjects;
  RunThreadTeam(1, [&](const std::shared_ptr<Team>& team) {
    const auto backend = OpenTeam(team, kElsewhere);
    ASSERT_TRUE(backend.ok()) << backend.status();
    for (const Candidate& subject : Subjects()) {
      const std::string refusal = subject.info.RefusalOn(**backend);
      if (refusal.empty()) {
        subjects.push_back(subject);
      } else {
        EXPECT_EQ(refusal, absl::StrCat("it needs ranks that compute on CPUs; "
                                        "on mpi:cuda there are ",
                                        kOnGpusOfRanks));
      }
    }
  });
  return subjects;
}

TEST(TeamSuite, WhatRunsOnGpusOfRanksIsWhatIsSaid) {
  EXPECT_EQ(absl::StrJoin(SubjectsElsewhere(), ", ",
                          [](std::string* out, const Candidate& subject) {
                            out->append(subject.spec->name());
                          }),
            kOnGpusOfRanks);
}

TEST(TeamSuite, MembersElsewherePassTheEdgeCatalogue) {
  for (const Candidate& subject : SubjectsElsewhere()) {
    SCOPED_TRACE(subject.info.name());
    const std::vector<Prepared> cases = CasesOf(subject);
    ExpectRight(3, kElsewhere, subject, cases);
    ExpectRight(2, kElsewhere, subject, cases);
  }
}

// Notes the most bytes that a member sends to others at a time.
class MeasuredTeam : public Team {
 public:
  explicit MeasuredTeam(std::shared_ptr<Team> team) : team_(std::move(team)) {}

  int rank() const override { return team_->rank(); }
  int size() const override { return team_->size(); }

  using Team::AllGather;
  absl::Status AllGather(const void* mine, std::int64_t bytes,
                         void* all) override {
    return team_->AllGather(mine, bytes, all);
  }
  absl::Status Exchange(absl::Span<const Parcel> parcels,
                        absl::Span<const Slot> slots) override {
    std::int64_t sent = 0;
    for (std::size_t r = 0; r < parcels.size(); ++r) {
      if (static_cast<int>(r) != rank()) sent += parcels[r].bytes;
    }
    most_ = std::max(most_, sent);
    return team_->Exchange(parcels, slots);
  }

  std::int64_t TakeMost() { return std::exchange(most_, 0); }

 private:
  const std::shared_ptr<Team> team_;
  std::int64_t most_ = 0;
};

// The last member has all digits that grow. If it kept them, it would have the
// whole result, and send two thirds of it.
TEST(LookAndSayTeam, NoMemberKeepsMuchMoreThanItsShare) {
  std::vector<std::uint8_t> digits(3000, 6);
  for (std::size_t i = 2000; i < digits.size(); ++i) digits[i] = i % 10;
  const LookAndSay::Options options = {/*steps=*/12};
  const absl::StatusOr<LookAndSayOutput> output =
      OutputOfLookAndSay(digits, options);
  ASSERT_TRUE(output.ok());
  RunThreadTeam(3, [&](const std::shared_ptr<Team>& plain) {
    const auto team = std::make_shared<MeasuredTeam>(plain);
    const std::shared_ptr<Backend> backend = *TeamBackend::Open(team, "serial");
    const auto look_and_say = Registry<LookAndSay>::Get().Create(backend);
    const ConstArrayView from{absl::MakeConstSpan(digits)};
    const auto in = backend->Allocate(from.type(), from.size());
    const auto out = backend->Allocate(output->type, output->size);
    ASSERT_TRUE(look_and_say.ok() && in.ok() && out.ok());
    ASSERT_TRUE(backend->Copy(from, in->view()).ok());
    team->TakeMost();
    ASSERT_TRUE((*look_and_say)->Run(in->view(), out->view(), options).ok());
    EXPECT_LT(team->TakeMost(), output->size / 3);
  });
}

// A table of atoms that has digits of an earlier call does not take so many
// more, and a new one does.
TEST(LookAndSayTeam, MembersWithDifferentTablesGoTheSameWay) {
  constexpr std::int64_t kSize = 34'000'000;
  LookAndSay::Options options = {/*steps=*/20};
  options.length_only = true;
  const auto run = [&](TeamBackend& backend, LookAndSay& look_and_say,
                       std::uint8_t digit) {
    const std::vector<std::uint8_t> digits(kSize, digit);
    const ConstArrayView from{absl::MakeConstSpan(digits)};
    const auto output = OutputOfLookAndSay(digits, options);
    const auto in = backend.Allocate(from.type(), from.size());
    const auto out = backend.Allocate(output->type, output->size);
    ASSERT_TRUE(in.ok() && out.ok());
    ASSERT_TRUE(backend.Copy(from, in->view()).ok());
    const absl::Status status =
        look_and_say.Run(in->view(), out->view(), options);
    EXPECT_TRUE(status.ok()) << status;
  };
  RunThreadTeam(
      2,
      [&](const std::shared_ptr<Team>& team) {
        const std::shared_ptr<TeamBackend> backend =
            *TeamBackend::Open(team, "serial");
        auto look_and_say = Registry<LookAndSay>::Get().Create(backend);
        ASSERT_TRUE(look_and_say.ok());
        run(*backend, **look_and_say, 6);
        // As after a lack of memory.
        if (team->rank() == 1) {
          look_and_say = Registry<LookAndSay>::Get().Create(backend);
        }
        run(*backend, **look_and_say, 7);
      },
      /*patience=*/30);
}

// Each stretch by itself has a sum that int64 holds.
TEST(RunLengthDecodeTeam, ASumThatIsTooLargeIsRefusedByAll) {
  RunThreadTeam(3, [&](const std::shared_ptr<Team>& team) {
    const auto backend = TeamBackend::Open(team, "serial");
    ASSERT_TRUE(backend.ok());
    const std::vector<std::int64_t> lengths(3, std::int64_t{1} << 62);
    std::int64_t size = 0;
    std::vector<std::int64_t> out(5);
    EXPECT_EQ(
        ComputeRunLengthDecode(*backend,
                               {ConstArrayView(absl::MakeConstSpan(lengths)),
                                ConstArrayView(absl::MakeConstSpan(lengths))},
                               {ArrayView(absl::MakeSpan(out)),
                                ArrayView(absl::Span<std::int64_t>(&size, 1))}),
        run_length_decode::LengthsTooLarge());
    // And they go on.
    EXPECT_TRUE(team->Agree(absl::OkStatus()).ok());
  });
}

}  // namespace
}  // namespace concord
