// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Several GPUs as one, or one of them as several: which groups there are, what
// their stand-in runs, and what happens where a member has no memory left or
// does not answer. That results are right is for the differential suites.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/gpus/gpus_backend.h"
#include "concord/core/backend.h"
#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/counterexample.h"
#include "concord/testing/engine/examiner.h"
#include "concord/testing/engine/planted_faults.h"
#include "concord/testing/engine/recipe.h"
#include "concord/testing/gpus_faults.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/program.h"

namespace concord {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Streams of one GPU share a few queues of the hardware, in which the work of
// one may stand behind that of another. Here all share one, so whatever a
// member waits for has to come before what it must not wait for. The driver
// reads it when it is first used.
const bool kOneQueue = setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1) == 0;

// Several stripes, and a part of one.
constexpr std::int64_t kElements = 3'000'017;

class Gpus : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kOneQueue);
    for (const BackendStatus& status : ListBackends()) {
      if (status.name != "gpus" || status.available()) continue;
      SkipOrFail("gpus", status.reason);
    }
  }
};

TEST_F(Gpus, GroupsSayWhatTheyAreMadeOf) {
  const auto group = Open("gpus:0+0+0@striped");
  EXPECT_EQ(group->info().spec, "gpus:0+0+0@striped");
  EXPECT_EQ(group->memory().name(), "gpus:0+0+0@striped");
  EXPECT_EQ(AsGpus(group)->members(), 3);
  EXPECT_EQ(group->info().facts[0],
            std::make_pair(std::string("members"), std::string("3")));
  EXPECT_EQ(group->info().facts[1],
            std::make_pair(std::string("layout"), std::string("striped")));
  EXPECT_EQ(AsGpus(Open("gpus:0"))->members(), 1);
}

TEST_F(Gpus, WhatIsNoGroupIsRefused) {
  const absl::Status absent = OpenBackend("gpus:0+63").status();
  EXPECT_EQ(absent.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(absent.message()),
              HasSubstr("cuda:63 is not available (no_device"));
  const absl::Status comma = OpenBackend("gpus:0,1").status();
  EXPECT_EQ(comma.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(comma.message()), HasSubstr("joined by +"));
}

TEST_F(Gpus, TheStandInSaysWhereItRuns) {
  const auto group = Open("gpus:0+0");
  const std::shared_ptr<Backend> stand_in = group->stand_in();
  EXPECT_EQ(stand_in->memory(), group->memory());
  EXPECT_EQ(stand_in->info().name, "cuda");
  EXPECT_EQ(stand_in->info().chosen_because,
            "on one member, cuda:0, of gpus:0+0");
}

// The implementations for one GPU on a group's arrays: by default those of
// algorithms that no group has any for.
TEST_F(Gpus, TheStandInRunsWhatIsNotDistributed) {
  int algorithms = 0;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    std::vector<ImplementationInfo> on_cuda;
    bool distributed = false;
    for (const ImplementationInfo& info : spec->implementations()) {
      distributed = distributed || info.backend == "gpus";
      if (info.backend == "cuda" && info.RefusalOn("cuda").empty()) {
        on_cuda.push_back(info);
      }
    }
    if (distributed || on_cuda.empty()) continue;
    ++algorithms;
    const Ingredients ingredients = {
        spec, on_cuda.front(), {"gpus:0+0", "gpus:0+0+0@striped"}};
    Examiner examiner(Subject{spec, on_cuda.front()});
    const Round round = Go(examiner, RandomCases(ingredients, 1));
    EXPECT_GT(round.executed, 0);
    CountExecuted("gpus", round.executed);
    if (round.failure.has_value()) {
      ADD_FAILURE()
          << Investigate(examiner, *round.failing, *round.failure).Report();
    }
  }
  EXPECT_GT(algorithms, 0);
}

TEST_F(Gpus, AMemberWithoutMemoryIsNamedAndTheGroupGoesOn) {
  const auto group = Open("gpus:0+0@striped");
  const absl::Status refused =
      group->Allocate(ElementType::kInt64, std::int64_t{1} << 40).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              AllOf(StartsWith("out of cuda:0 memory: 8192.00 GiB wanted there "
                               "(8192.00 GiB in gpus:0+0@striped), "),
                    HasSubstr(" GiB free")));
  EXPECT_TRUE(group->Allocate(ElementType::kInt64, 1 << 20).ok());
}

// --- What goes wrong between members ---

// Whether the results are for the array as a whole, and not one for each of its
// elements.
bool IsOfTheWhole(const FaultyRun& run) {
  return run.outputs.begin()->second.size() != run.inputs.at("in").size();
}

// The second member starts as if nothing preceded it; what it tells of the
// whole is left out.
absl::Status DropACarry(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  if (IsOfTheWhole(run)) {
    return run.runner.Run({{"in", in.Slice(0, cut)}}, run.outputs);
  }
  const ArrayView out = run.outputs.at("out");
  RETURN_IF_ERROR(
      run.runner.Run({{"in", in.Slice(0, cut)}}, {{"out", out.Slice(0, cut)}}));
  return run.runner.Run({{"in", in.Slice(cut, in.size() - cut)}},
                        {{"out", out.Slice(cut, in.size() - cut)}});
}

// The second member reads its stretch from one element before.
absl::Status ReadOneBefore(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const ArrayView out = run.outputs.at("out");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size() || in.data() == out.data()) {
    return run.runner.Run(run.inputs, run.outputs);
  }
  RETURN_IF_ERROR(
      run.runner.Run({{"in", in.Slice(0, cut)}}, {{"out", out.Slice(0, cut)}}));
  return run.runner.Run({{"in", in.Slice(cut - 1, in.size() - cut)}},
                        {{"out", out.Slice(cut, in.size() - cut)}});
}

// The second member counts, and places what it keeps, as if nothing preceded
// it.
absl::Status ForgetWhatIsKept(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  for (const ConstArrayView& part :
       {in.Slice(0, cut), in.Slice(cut, in.size() - cut)}) {
    Outputs outputs = run.outputs;
    for (auto& [name, output] : outputs) {
      if (output.size() == in.size()) output = output.Slice(0, part.size());
    }
    RETURN_IF_ERROR(run.runner.Run({{"in", part}}, outputs));
  }
  return absl::OkStatus();
}

// Runs on these parts of the input in place of it: as many elements.
absl::Status RunOnParts(const FaultyRun& run,
                        const std::vector<ConstArrayView>& parts) {
  const ConstArrayView in = run.inputs.at("in");
  ASSIGN_OR_RETURN(const Array joined,
                   run.backend.Allocate(in.type(), in.size()));
  std::int64_t first = 0;
  for (const ConstArrayView& part : parts) {
    RETURN_IF_ERROR(
        run.backend.Copy(part, joined.view().Slice(first, part.size())));
    first += part.size();
  }
  RETURN_IF_ERROR(run.runner.Run({{"in", joined.view()}}, run.outputs));
  // The array goes when this returns.
  return run.backend.Synchronize();
}

// What the second member and those behind it keep comes first.
absl::Status PutTheFirstLast(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  return RunOnParts(run, {in.Slice(cut, in.size() - cut), in.Slice(0, cut)});
}

// The second member tests its stretch from one element before.
absl::Status TestOneBefore(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  return RunOnParts(run,
                    {in.Slice(0, cut), in.Slice(cut - 1, in.size() - cut)});
}

// The element at the border is nobody's.
absl::Status CutAStretchShort(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  if (IsOfTheWhole(run)) {
    return run.runner.Run({{"in", in.Slice(1, in.size() - 1)}}, run.outputs);
  }
  const ArrayView out = run.outputs.at("out");
  HostArray before(out.type(), {1});
  RETURN_IF_ERROR(run.backend.Copy(out.Slice(cut, 1), before.view()));
  RETURN_IF_ERROR(run.runner.Run(run.inputs, run.outputs));
  return run.backend.Copy(before.view(), out.Slice(cut, 1));
}

// What the second member tells comes after it is read: what the run before has
// left, in every second run.
absl::Status MeetTooLate(const FaultyRun& run) {
  const bool reaches =
      EndOfFirstStripe(run.inputs.at("in")) < run.inputs.at("in").size();
  return reaches && run.number % 2 == 1
             ? absl::OkStatus()
             : run.runner.Run(run.inputs, run.outputs);
}

// Mistakes that show only in arrays which reach a second member: the suite has
// to have cases of that size, which it learns from the contracts.
TEST_F(Gpus, TheSuiteNoticesFaultsBetweenMembers) {
  const Fault carry = {"drops_a_carry", "forgets what precedes a stretch", 1,
                       DropACarry};
  const Fault before = {"reads_one_before", "reads a stretch from one before",
                        1, ReadOneBefore};
  const Fault cut = {"cuts_a_stretch_short", "is off by one at a border", 1,
                     CutAStretchShort};
  const Fault late = {"meets_too_late", "reads before all have told", 1,
                      MeetTooLate};
  const Fault forgets = {"forgets_what_is_kept",
                         "forgets what members before it keep", 1,
                         ForgetWhatIsKept};
  const Fault swaps = {"puts_the_first_last", "puts the first stretch last", 1,
                       PutTheFirstLast};
  const Fault tests = {"tests_one_before", "tests a stretch from one before", 1,
                       TestOneBefore};
  const std::map<std::string, std::vector<Fault>> faults = {
      {"compact", {forgets, swaps, tests, late}},
      {"max_subarray", {carry, cut, late}},
      {"reduce", {carry, cut, late}},
      {"scan", {carry, before, cut, late}},
      {"transform", {before, cut, late}}};
  for (const auto& [algorithm, planted] : faults) {
    const AlgorithmSpec* const spec = *FindSpec(algorithm);
    for (const ImplementationInfo& info : spec->implementations()) {
      if (info.backend != "gpus" || info.variant == "fixed_order") continue;
      for (const Fault& fault : planted) {
        EXPECT_TRUE(IsNoticed(fault, *spec, info))
            << info.name() << " " << fault.what;
      }
    }
  }
}

// What was freed is used again by others, whatever was queued on it.
TEST_F(Gpus, FreedMemoryIsUsedAgainInOrder) {
  const auto group = Open("gpus:0+0@striped");
  const auto scan = *Registry<Scan>::Get().Create(group);
  const HostArray in = *Draw("uniform", ElementType::kInt32, kElements, 1);
  HostArray last(ElementType::kInt32, {1});
  HostArray sum(ElementType::kInt32, {1});
  ASSERT_TRUE(ComputeReduce(Open("serial"), in.view(), sum.view(), {}).ok());
  for (int round = 0; round < 20; ++round) {
    const Array there = *group->Allocate(ElementType::kInt32, kElements);
    const Array out = *group->Allocate(ElementType::kInt32, kElements);
    ASSERT_TRUE(group->Copy(in.view(), there.view()).ok());
    ASSERT_TRUE(
        scan->Run(there.view(), out.view(), {Scan::Kind::kInclusive}).ok());
    ASSERT_TRUE(
        group->Copy(out.view().Slice(kElements - 1, 1), last.view()).ok());
    EXPECT_EQ(last, sum);
  }
}

class UnansweringMember : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_EQ(setenv("CONCORD_PATIENCE", "0.3", 1), 0);
    absl::StatusOr<std::shared_ptr<Backend>> opened = OpenBackend(GetParam());
    ASSERT_EQ(unsetenv("CONCORD_PATIENCE"), 0);
    if (!opened.ok()) return SkipOrFail("gpus", opened.status().message());
    group_ = AsGpus(*std::move(opened));
    in_ = *group_->Allocate(ElementType::kInt32, kElements);
    out_ = *group_->Allocate(ElementType::kInt32, kElements);
    const HostArray in = *Draw("uniform", ElementType::kInt32, kElements, 1);
    ASSERT_TRUE(group_->Copy(in.view(), in_.view()).ok());
  }

  // A call that goes without the work of a member, after one that had it: it
  // ends in time, and the backend takes nothing more.
  void ExpectTheEndOf(const std::function<absl::Status()>& call) {
    ASSERT_TRUE(call().ok());
    ASSERT_TRUE(group_->Synchronize().ok());
    group_->set_unanswering(1);
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(call().ok());
    const absl::Status status = group_->Synchronize();
    const std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(StartsWith(GetParam() + ": member "),
                      HasSubstr("waited 0.3 seconds for member 1 (cuda:0)")));
    EXPECT_LT(passed.count(), 5);
    EXPECT_EQ(group_->Activate().code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_EQ(group_->stand_in()->Activate().code(),
              absl::StatusCode::kDeadlineExceeded);
    // Another one on the same GPU is none the worse.
    const auto other = Open(GetParam());
    EXPECT_EQ(ValueOf(ComputeReduce<std::int32_t>(
                  other, std::vector<std::int32_t>(1'000'000, 1))),
              1'000'000);
  }

  std::shared_ptr<GpusBackend> group_;
  Array in_;
  Array out_;
};

INSTANTIATE_TEST_SUITE_P(Groups, UnansweringMember,
                         ::testing::Values("gpus:0+0", "gpus:0+0+0@striped"),
                         [](const auto& info) {
                           return info.param == "gpus:0+0" ? "blocked"
                                                           : "striped";
                         });

TEST_P(UnansweringMember, EndsAScanInTime) {
  const auto scan = *Registry<Scan>::Get().Create(group_);
  ExpectTheEndOf([&] { return scan->Run(in_.view(), out_.view(), {}); });
}

TEST_P(UnansweringMember, EndsAReductionInTime) {
  const auto reduce = *Registry<Reduce>::Get().Create(group_);
  const ArrayView out = out_.view().Slice(0, 1);
  ExpectTheEndOf([&] { return reduce->Run(in_.view(), out, {}); });
}

// What no other member has told must not be taken for a place in an output.
TEST_P(UnansweringMember, EndsACompactionInTime) {
  const auto compact = *Registry<Compact>::Get().Create(group_);
  const Array count = *group_->Allocate(ElementType::kInt64, 1);
  const Compact::Outputs outputs = {out_.view(), count.view(), {}, {}, {}};
  ExpectTheEndOf([&] { return compact->Run(in_.view(), outputs, {}); });
}

// A copy to the host waits too, and must not pass for complete.
TEST_P(UnansweringMember, FailsTheCopyThatWaits) {
  const auto scan = *Registry<Scan>::Get().Create(group_);
  group_->set_unanswering(1);
  ASSERT_TRUE(scan->Run(in_.view(), out_.view(), {}).ok());
  HostArray back(ElementType::kInt32, {kElements});
  EXPECT_EQ(group_->Copy(out_.view(), back.view()).code(),
            absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace concord
