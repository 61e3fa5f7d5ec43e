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
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
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

// Elements [first, first + count).
struct Part {
  std::int64_t first;
  std::int64_t count;
};

// An array of these parts of one: as many elements.
absl::StatusOr<Array> Join(Backend& backend, const ConstArrayView& from,
                           const std::vector<Part>& parts) {
  ASSIGN_OR_RETURN(Array joined, backend.Allocate(from.type(), from.size()));
  std::int64_t first = 0;
  for (const auto& [begin, count] : parts) {
    RETURN_IF_ERROR(backend.Copy(from.Slice(begin, count),
                                 joined.view().Slice(first, count)));
    first += count;
  }
  return joined;
}

// Runs on these parts of the inputs in place of them.
absl::Status RunOnParts(const FaultyRun& run, const std::vector<Part>& parts) {
  std::vector<Array> joined;
  Inputs inputs;
  for (const auto& [name, in] : run.inputs) {
    ASSIGN_OR_RETURN(Array all, Join(run.backend, in, parts));
    inputs[name] = all.view();
    joined.push_back(std::move(all));
  }
  RETURN_IF_ERROR(run.runner.Run(inputs, run.outputs));
  // The arrays go when this returns.
  return run.backend.Synchronize();
}

// What the second member and those behind it keep comes first.
absl::Status PutTheFirstLast(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  return RunOnParts(run, {{cut, in.size() - cut}, {0, cut}});
}

// The second member tests its stretch from one element before.
absl::Status TestOneBefore(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  return RunOnParts(run, {{0, cut}, {cut - 1, in.size() - cut}});
}

// Runs, and then puts these parts of the outputs in place of them.
absl::Status RunAndRearrange(const FaultyRun& run,
                             const std::vector<Part>& parts) {
  RETURN_IF_ERROR(run.runner.Run(run.inputs, run.outputs));
  for (const auto& [name, out] : run.outputs) {
    ASSIGN_OR_RETURN(const Array joined, Join(run.backend, out, parts));
    RETURN_IF_ERROR(run.backend.Copy(joined.view(), out));
    RETURN_IF_ERROR(run.backend.Synchronize());
  }
  return absl::OkStatus();
}

// Each member of a sort gets what is another's.
absl::Status SendToTheWrongMember(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  return RunAndRearrange(run, {{cut, in.size() - cut}, {0, cut}});
}

// The second member's part of the sorted elements begins one too early.
absl::Status CutOneTooEarly(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  return RunAndRearrange(run, {{0, cut}, {cut - 1, in.size() - cut}});
}

// Equal keys of the second member come first. Positions tell it from keys
// alone, and so do values.
absl::Status TakeEqualKeysBackwards(const FaultyRun& run) {
  if (run.inputs.count("in_values") == 0) {
    return run.runner.Run(run.inputs, run.outputs);
  }
  return PutTheFirstLast(run);
}

// What the second member has to merge never comes to it.
absl::Status DropAPart(const FaultyRun& run) {
  const std::int64_t size = run.inputs.at("in").size();
  const std::int64_t cut = EndOfFirstStripe(run.inputs.at("in"));
  const Part dropped = {cut, size - cut};
  std::vector<Array> before;
  for (const auto& [name, out] : run.outputs) {
    ASSIGN_OR_RETURN(Array all, Join(run.backend, out, {{0, size}}));
    before.push_back(std::move(all));
  }
  RETURN_IF_ERROR(run.runner.Run(run.inputs, run.outputs));
  auto old = before.begin();
  for (const auto& [name, out] : run.outputs) {
    RETURN_IF_ERROR(
        run.backend.Copy((old++)->view().Slice(dropped.first, dropped.count),
                         out.Slice(dropped.first, dropped.count)));
  }
  return run.backend.Synchronize();
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

// The second member takes its first element for the start of a run, whatever
// stands before it.
absl::Status CutARunInTwo(const FaultyRun& run) {
  const ConstArrayView in = run.inputs.at("in");
  const std::int64_t cut = EndOfFirstStripe(in);
  if (cut == in.size()) return run.runner.Run(run.inputs, run.outputs);
  std::int64_t runs = 0;
  for (const ConstArrayView& part :
       {in.Slice(0, cut), in.Slice(cut, in.size() - cut)}) {
    Outputs outputs = run.outputs;
    for (const char* const name : {"values", "lengths"}) {
      outputs[name] = outputs.at(name).Slice(runs, part.size());
    }
    RETURN_IF_ERROR(run.runner.Run({{"in", part}}, outputs));
    HostArray count(ElementType::kInt64, {1});
    RETURN_IF_ERROR(run.backend.Copy(outputs.at("runs"), count.view()));
    runs += *count.data<std::int64_t>();
  }
  const HostArray all = HostArray::Of<std::int64_t>({runs});
  return run.backend.Copy(all.view(), run.outputs.at("runs"));
}

// What the lengths of the second member add up to is left out.
absl::Status ForgetASum(const FaultyRun& run) {
  const std::int64_t cut = EndOfFirstStripe(run.inputs.at("lengths"));
  Inputs inputs = run.inputs;
  for (auto& [name, input] : inputs) input = input.Slice(0, cut);
  return run.runner.Run(inputs, run.outputs);
}

// The second member writes its part of the results from one before.
absl::Status WriteOneBefore(const FaultyRun& run) {
  RETURN_IF_ERROR(run.runner.Run(run.inputs, run.outputs));
  const ArrayView out = run.outputs.at("out");
  const std::int64_t cut = EndOfFirstStripe(out);
  if (cut == out.size()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Array before,
                   run.backend.Allocate(out.type(), out.size() - cut));
  RETURN_IF_ERROR(
      run.backend.Copy(out.Slice(cut - 1, out.size() - cut), before.view()));
  RETURN_IF_ERROR(
      run.backend.Copy(before.view(), out.Slice(cut, out.size() - cut)));
  // The array goes when this returns.
  return run.backend.Synchronize();
}

// What the second member tells comes after it is read: what the run before has
// left, in every second run.
absl::Status MeetTooLate(const FaultyRun& run) {
  const bool reaches =
      std::any_of(run.inputs.begin(), run.inputs.end(), [](const auto& named) {
        return EndOfFirstStripe(named.second) < named.second.size();
      });
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
  const Fault seam = {"cuts_a_run_in_two", "starts a run at each border", 1,
                      CutARunInTwo};
  const Fault sum = {"forgets_a_sum", "forgets lengths of a second member", 1,
                     ForgetASum};
  const Fault writes = {"writes_one_before", "writes results from one before",
                        1, WriteOneBefore};
  const Fault wrong = {"sends_to_the_wrong_member",
                       "sends a part to the wrong member", 1,
                       SendToTheWrongMember};
  const Fault early = {"cuts_one_too_early", "cuts sorted runs one too early",
                       1, CutOneTooEarly};
  const Fault unstable = {"takes_equal_keys_backwards",
                          "takes equal keys of the second member first", 1,
                          TakeEqualKeysBackwards};
  const Fault drops = {"drops_a_part", "drops a part of a sorted run", 1,
                       DropAPart};
  const std::map<std::string, std::vector<Fault>> faults = {
      {"compact", {forgets, swaps, tests, late}},
      {"match_parens", {carry, cut, swaps, late}},
      {"max_subarray", {carry, cut, late}},
      {"radix_sort", {wrong, early, unstable, drops, late}},
      {"reduce", {carry, cut, late}},
      {"run_length_decode", {sum, writes, late}},
      {"run_length_encode", {forgets, swaps, tests, seam, late}},
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

// Merges of three levels, of which the suite has two; and positions of the type
// that it does not ask for.
TEST_F(Gpus, SortsOfManyMembersAreStable) {
  constexpr std::int64_t kKeys = 5'000'011;
  RadixSort::Options options;
  options.argsort = true;
  options.first_bit = 5;
  options.end_bit = 17;
  const HostArray in = *Draw("uniform", ElementType::kUInt32, kKeys, 1);
  const auto sort_on = [&](const std::string& spec) {
    HostArray keys(ElementType::kUInt32, {kKeys});
    HostArray positions(ElementType::kUInt32, {kKeys});
    const absl::Status status = ComputeRadixSort(
        Open(spec), in.view(), {}, keys.view(), positions.view(), options);
    EXPECT_TRUE(status.ok()) << spec << ": " << status;
    return std::make_pair(std::move(keys), std::move(positions));
  };
  const auto expected = sort_on("serial");
  for (const char* spec :
       {"gpus:0+0+0+0", "gpus:0+0+0+0+0", "gpus:0+0+0+0+0+0+0+0@striped"}) {
    EXPECT_TRUE(sort_on(spec) == expected) << spec;
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

// The same of runs: places follow from how many there are before.
TEST_P(UnansweringMember, EndsAnEncodingInTime) {
  const auto encode = *Registry<RunLengthEncode>::Get().Create(group_);
  const Array lengths = *group_->Allocate(ElementType::kInt32, kElements);
  const Array runs = *group_->Allocate(ElementType::kInt64, 1);
  const RunLengthEncode::Outputs outputs = {out_.view(), lengths.view(),
                                            runs.view()};
  ExpectTheEndOf([&] { return encode->Run(in_.view(), outputs); });
}

// Sums of lengths that were never told must not keep a tile looking for runs.
TEST_P(UnansweringMember, EndsADecodingInTime) {
  const auto decode = *Registry<RunLengthDecode>::Get().Create(group_);
  const Array lengths = *group_->Allocate(ElementType::kInt32, kElements);
  const Array size = *group_->Allocate(ElementType::kInt64, 1);
  const auto decode_lengths_of = [&](std::int32_t length) {
    const std::vector<std::int32_t> all(kElements, length);
    EXPECT_TRUE(
        group_->Copy(ConstArrayView(absl::MakeConstSpan(all)), lengths.view())
            .ok());
    return decode->Run({in_.view(), lengths.view()},
                       {out_.view(), size.view()});
  };
  // The sums that are left from the call before are too large.
  std::int32_t length = 2;
  ExpectTheEndOf([&] { return decode_lengths_of(std::exchange(length, 0)); });
}

TEST_P(UnansweringMember, EndsAMatchInTime) {
  const auto match = *Registry<MatchParens>::Get().Create(group_);
  const Array text = *group_->Allocate(ElementType::kInt8, kElements);
  const Array fault = *group_->Allocate(ElementType::kInt64, 1);
  const HostArray in = *Draw("uniform", ElementType::kInt8, kElements, 1);
  ASSERT_TRUE(group_->Copy(in.view(), text.view()).ok());
  ExpectTheEndOf([&] { return match->Run(text.view(), fault.view(), {}); });
}

// What another member has not sorted must not be merged.
TEST_P(UnansweringMember, EndsASortInTime) {
  const auto sort = *Registry<RadixSort>::Get().Create(group_);
  ExpectTheEndOf(
      [&] { return sort->Run(in_.view(), {}, out_.view(), NoValues(), {}); });
}

// Nor what it has never sorted. Kernels that are loaded meanwhile may make the
// call itself wait.
TEST_P(UnansweringMember, EndsTheFirstSortInTime) {
  const auto sort = *Registry<RadixSort>::Get().Create(group_);
  group_->set_unanswering(1);
  absl::Status status = sort->Run(in_.view(), {}, out_.view(), NoValues(), {});
  status.Update(group_->Synchronize());
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
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
