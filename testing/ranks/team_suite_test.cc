// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The edge catalogue of every implementation for ranks, by threads that are
// members of a team; and faults that only several members can have, which the
// catalogue has to notice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/backends/mpi/elsewhere.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/backends/mpi/thread_team.h"
#include "concord/core/registry.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/expectations.h"
#include "concord/testing/engine/recipe.h"
#include "concord/testing/engine/staging.h"
#include "concord/testing/ranks/faulty_team.h"

namespace concord {
namespace {

// Cases of this size and more are for processes of their own: every member of a
// thread team has each of them in full.
constexpr std::int64_t kMostElements = 300000;

// A case with all that members share of it.
struct Prepared {
  Trial trial;
  std::vector<OutputSpec> outputs;
  Expectations expected;
};

// An implementation under test.
struct Candidate {
  const AlgorithmSpec* spec;
  ImplementationInfo info;
};

std::vector<Candidate> Subjects() {
  std::vector<Candidate> subjects;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ImplementationInfo& info : spec->implementations()) {
      if (info.backend == "mpi") subjects.push_back({spec, info});
    }
  }
  return subjects;
}

std::vector<Prepared> CasesOf(const Candidate& subject) {
  std::vector<Prepared> cases;
  for (const Recipe& recipe :
       EdgeCatalogue({subject.spec, subject.info, {"mpi"}}, /*seed=*/1)) {
    if (recipe.request.size > kMostElements) continue;
    absl::StatusOr<Trial> trial = CarryOut(recipe, *subject.spec);
    EXPECT_TRUE(trial.ok()) << trial.status();
    absl::StatusOr<std::vector<OutputSpec>> outputs =
        subject.spec->OutputsOf(trial->test_case);
    absl::StatusOr<Expectations> expected =
        subject.spec->Expected(trial->test_case);
    EXPECT_TRUE(outputs.ok() && expected.ok());
    cases.push_back(
        {*std::move(trial), *std::move(outputs), *std::move(expected)});
  }
  return cases;
}

// Moves the elements that the last member has of the first input around by one,
// forwards or back.
void ShiftStretch(TeamBackend& backend, const Inputs& inputs, bool back) {
  const ConstArrayView input = inputs.begin()->second;
  const auto stretches = backend.Stretches(input);
  if (!stretches.ok() || backend.team().rank() != backend.team().size() - 1) {
    return;
  }
  const ConstArrayView mine = backend.Here(input, backend.Mine(*stretches));
  if (mine.size() < 2) return;
  char* const first = const_cast<char*>(mine.data<char>());
  char* const last = first + mine.bytes();
  const std::int64_t width = SizeOf(mine.type());
  std::rotate(first, back ? last - width : first + width, last);
}

// What is wrong of one case on one member; "" when nothing is.
std::string RunCase(TeamBackend& backend, FaultyTeam& team, Runner& runner,
                    const Candidate& subject, const Prepared& prepared,
                    TeamFault fault) {
  absl::StatusOr<Staging> staging =
      Staging::Create(backend, prepared.trial.test_case, prepared.outputs,
                      *FindPlacement(prepared.trial.placement));
  if (!staging.ok()) return std::string(staging.status().message());
  const bool is_off = fault == TeamFault::kIsOffByOne &&
                      !absl::StartsWith(prepared.trial.placement, "in_place");
  if (is_off) ShiftStretch(backend, staging->inputs(), /*back=*/false);
  team.set_armed(true);
  absl::Status status = staging->Run(runner);
  team.set_armed(false);
  if (is_off) ShiftStretch(backend, staging->inputs(), /*back=*/true);
  status = team.Agree(status);
  if (!status.ok()) return std::string(status.message());
  const absl::StatusOr<Staging::Damage> damage = staging->FindDamage();
  if (!damage.ok()) return std::string(damage.status().message());
  if (!damage->to_guards.empty()) return damage->to_guards;
  if (!damage->to_inputs.empty()) return damage->to_inputs;
  const std::optional<Failure> failure = CompareOutputs(
      *staging, prepared.expected,
      subject.info.contract.determinism == Determinism::kBitwiseAcrossBackends,
      FailureKind::kValue, "");
  return failure.has_value() ? failure->message : "";
}

// `local` is what each member computes on, as TeamBackend::Open takes it, or
// where its stretches lie, as OpenElsewhere does.
constexpr absl::string_view kElsewhere = "elsewhere@uneven";

absl::StatusOr<std::shared_ptr<TeamBackend>> OpenTeam(
    std::shared_ptr<Team> team, absl::string_view local) {
  return local == kElsewhere ? OpenElsewhere(std::move(team), Layout::kUneven)
                             : TeamBackend::Open(std::move(team), local);
}

// How many of the cases are wrong on a team of so many members.
int CountWrong(int members, absl::string_view local, const Candidate& subject,
               const std::vector<Prepared>& cases, TeamFault fault) {
  std::atomic<int> wrong{0};
  RunThreadTeam(members, [&](const std::shared_ptr<Team>& plain) {
    const auto team = std::make_shared<FaultyTeam>(plain, fault);
    const auto backend = OpenTeam(team, local);
    ASSERT_TRUE(backend.ok()) << backend.status();
    const auto runner = subject.spec->NewRunner(*backend, subject.info.variant);
    ASSERT_TRUE(runner.ok()) << runner.status();
    for (const Prepared& prepared : cases) {
      const std::string what =
          RunCase(**backend, *team, **runner, subject, prepared, fault);
      // All members see the same results, and so find the same.
      if (what.empty()) continue;
      if (team->rank() == 0) ++wrong;
      // A fault is caught by one case.
      if (fault != TeamFault::kNone) break;
      if (team->rank() == 0) {
        ADD_FAILURE() << Describe(prepared.trial) << ": " << what;
      }
    }
  });
  return wrong;
}

TEST(TeamSuite, ThereAreImplementations) { EXPECT_GE(Subjects().size(), 2u); }

TEST(TeamSuite, SevenMembersPassTheEdgeCatalogue) {
  for (const Candidate& subject : Subjects()) {
    SCOPED_TRACE(subject.info.name());
    const std::vector<Prepared> cases = CasesOf(subject);
    EXPECT_EQ(CountWrong(7, "serial@uneven", subject, cases, TeamFault::kNone),
              0);
    EXPECT_EQ(CountWrong(2, "tbb:2", subject, cases, TeamFault::kNone), 0);
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
    EXPECT_EQ(CountWrong(3, kElsewhere, subject, cases, TeamFault::kNone), 0);
    EXPECT_EQ(CountWrong(2, kElsewhere, subject, cases, TeamFault::kNone), 0);
  }
}

TEST(TeamSuite, FaultsOfDistributionAreCaught) {
  // A fault may be seen by some of the members alone, and leave the others
  // waiting for them.
  setenv("CONCORD_PATIENCE", "5", 1);
  for (const Candidate& subject : Subjects()) {
    const std::vector<Prepared> cases = CasesOf(subject);
    for (const TeamFault fault :
         {TeamFault::kForgetsTheFirst, TeamFault::kKeepsItsParcels,
          TeamFault::kIsOffByOne}) {
      for (const int members : {2, 3}) {
        SCOPED_TRACE(absl::StrCat(subject.info.name(), ", fault ",
                                  static_cast<int>(fault), ", ", members,
                                  " members"));
        EXPECT_EQ(CountWrong(members, "serial@uneven", subject, cases, fault),
                  1);
      }
    }
  }
  unsetenv("CONCORD_PATIENCE");
}

// An option that only says of which type an output is makes no other call.
bool AreAlike(const std::vector<OutputSpec>& some,
              const std::vector<OutputSpec>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const OutputSpec& a, const OutputSpec& b) {
                      return a.type == b.type && a.shape == b.shape;
                    });
}

// What an implementation is called with: neither settings for tuning, which are
// each rank's own affair, nor those that only say which arrays a caller brings.
OptionMap WithoutTheCallers(const Candidate& subject,
                            const OptionMap& options) {
  OptionMap called = WithoutTuning(options, subject.spec->implementations());
  if (subject.spec->name() == "run_length_decode") {
    called.erase("limit");
    called.erase("length-type");
  }
  return called;
}

// Another setting of the options than the case has, for arrays of the same
// sizes.
std::optional<OptionMap> OtherOptions(const Candidate& subject,
                                      const Prepared& prepared) {
  const Case& test_case = prepared.trial.test_case;
  std::vector<OptionMap> settings =
      subject.spec->OptionCombinations(test_case.type);
  // A window that no sequence fills leaves all sizes as they are.
  settings.push_back(test_case.options);
  const auto window = settings.back().find("window");
  if (window != settings.back().end()) {
    window->second = absl::StrCat(kMostElements);
  }
  const OptionMap wanted = WithoutTheCallers(subject, test_case.options);
  for (const OptionMap& options : settings) {
    Case other = test_case;
    other.options = options;
    const auto outputs = subject.spec->OutputsOf(other);
    if (WithoutTheCallers(subject, options) != wanted && outputs.ok() &&
        AreAlike(*outputs, prepared.outputs)) {
      return options;
    }
  }
  return std::nullopt;
}

// What two ranks are about to do, by arrays of the same bytes.
struct Disagreement {
  const Prepared* one = nullptr;
  const Prepared* other = nullptr;
  OptionMap other_options;
};

bool HaveEqualBytes(const Prepared& one, const Prepared& other) {
  const auto& a = one.trial.test_case.inputs;
  const auto& b = other.trial.test_case.inputs;
  const auto bytes_of = [](const OutputSpec& output) {
    return Capacity(output) * SizeOf(output.type);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) {
                      return x.second.view().bytes() == y.second.view().bytes();
                    }) &&
         std::equal(one.outputs.begin(), one.outputs.end(),
                    other.outputs.begin(), other.outputs.end(),
                    [&](const OutputSpec& x, const OutputSpec& y) {
                      return bytes_of(x) == bytes_of(y);
                    });
}

// About the options if there are any, otherwise about the type of elements.
Disagreement FindDisagreement(const Candidate& subject,
                              const std::vector<Prepared>& cases) {
  for (auto found = cases.rbegin(); found != cases.rend(); ++found) {
    const std::optional<OptionMap> options = OtherOptions(subject, *found);
    if (options.has_value()) return {&*found, &*found, *options};
  }
  for (const Prepared& one : cases) {
    for (const Prepared& other : cases) {
      const Case& a = one.trial.test_case;
      const Case& b = other.trial.test_case;
      if (a.type != b.type && HaveEqualBytes(one, other)) {
        return {&one, &other, b.options};
      }
    }
  }
  return {};
}

TEST(TeamSuite, ARankThatDecidesDifferentlyIsNamedToAll) {
  for (const Candidate& subject : Subjects()) {
    SCOPED_TRACE(subject.info.name());
    const std::vector<Prepared> cases = CasesOf(subject);
    const Disagreement found = FindDisagreement(subject, cases);
    ASSERT_NE(found.one, nullptr);
    RunThreadTeam(3, [&](const std::shared_ptr<Team>& team) {
      const auto backend = TeamBackend::Open(team, "serial");
      ASSERT_TRUE(backend.ok());
      const auto runner =
          subject.spec->NewRunner(*backend, subject.info.variant);
      ASSERT_TRUE(runner.ok());
      const bool is_other = team->rank() == 2;
      const Prepared& mine = is_other ? *found.other : *found.one;
      const auto staging = Staging::Create(**backend, mine.trial.test_case,
                                           mine.outputs, Placements().front());
      ASSERT_TRUE(staging.ok());
      ASSERT_TRUE((*runner)
                      ->Configure(is_other ? found.other_options
                                           : mine.trial.test_case.options)
                      .ok());
      const absl::Status status =
          (*runner)->Run(staging->inputs(), staging->outputs());
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(status.message()),
                  testing::StartsWith("rank 2 of 3 calls "));
      // And they go on.
      EXPECT_TRUE(team->Agree(absl::OkStatus()).ok());
    });
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
