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
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
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
#include "concord/testing/engine/recipe.h"
#include "concord/testing/gpus_fixture.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/report.h"

namespace concord {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Several stripes, and a part of one.
constexpr std::int64_t kElements = 3'000'017;

using Gpus = GpusFixture;

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
      ADD_FAILURE() << ReportOfTest(
          Investigate(examiner, *round.failing, *round.failure));
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

// More than half of the memory, by one after the other of backends that are all
// open: what each has freed, and keeps, is in the next one's way.
TEST_F(Gpus, MemoryThatOthersKeepIsGivenBack) {
  std::vector<std::shared_ptr<Backend>> backends;
  for (const char* const spec : {"gpus:0", "cuda:0", "gpus:0+0@striped"}) {
    backends.push_back(Open(spec));
  }
  std::int64_t memory = 0;
  for (const auto& [fact, value] : backends[0]->info().facts) {
    if (fact != "memory_bytes") continue;
    ASSERT_TRUE(absl::SimpleAtoi(value, &memory));
  }
  ASSERT_GT(memory, 0);
  for (int round = 0; round < 2; ++round) {
    for (const std::shared_ptr<Backend>& backend : backends) {
      const absl::Status status =
          backend->Allocate(ElementType::kInt8, memory / 5 * 3).status();
      EXPECT_TRUE(status.ok()) << backend->info().spec << ": " << status;
    }
  }
}

// Whatever device another backend has left current.
TEST_F(Gpus, CopiesAndTimersMakeTheirDeviceCurrent) {
  const auto other = OpenBackend("cuda:1");
  if (!other.ok()) GTEST_SKIP() << other.status();
  HostArray values(ElementType::kInt32, {kElements});
  std::iota(values.data<std::int32_t>(),
            values.data<std::int32_t>() + kElements, 1);
  for (const char* const spec : {"cuda:0", "gpus:0", "gpus:0+0@striped"}) {
    SCOPED_TRACE(spec);
    const auto backend = Open(spec);
    Array there = ValueOf(backend->Allocate(ElementType::kInt32, kElements));
    HostArray back(ElementType::kInt32, {kElements});
    ASSERT_TRUE((*other)->Activate().ok());
    EXPECT_EQ(backend->Copy(values.view(), there.view()), absl::OkStatus());
    ASSERT_TRUE((*other)->Activate().ok());
    EXPECT_EQ(backend->Copy(there.view(), back.view()), absl::OkStatus());
    EXPECT_EQ(back, values);
    ASSERT_TRUE((*other)->Activate().ok());
    const auto timer = ValueOf(backend->NewTimer());
    EXPECT_EQ(timer->Start(), absl::OkStatus());
    EXPECT_EQ(timer->Stop(), absl::OkStatus());
    EXPECT_TRUE(timer->Seconds().ok());
  }
}

// What CUDA refuses is said once, and not again as the next launch.
TEST_F(Gpus, WhatFailedIsNotTakenForTheNextLaunch) {
  const auto group = Open("gpus:0");
  Array in = ValueOf(group->Allocate(ElementType::kInt32, 1000));
  Array out = ValueOf(group->Allocate(ElementType::kInt32, 1));
  const auto reduce = ValueOf(Registry<Reduce>::Get().Create(group));
  ASSERT_EQ(
      group->Copy(HostArray(ElementType::kInt32, {1000}).view(), in.view()),
      absl::OkStatus());
  // It was never started.
  EXPECT_FALSE(ValueOf(group->NewTimer())->Seconds().ok());
  EXPECT_EQ(reduce->Run(in.view(), out.view(), {}), absl::OkStatus());
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

// Members that told each other of every tile were right, and on three GPUs or
// more slower than one by far.
TEST_F(Gpus, StripedScansKeepUpWithACopy) {
  const auto group = Open("gpus:all@striped");
  if (AsGpus(group)->members() < 2) GTEST_SKIP() << "one GPU";
  constexpr std::int64_t kLarge = std::int64_t{1} << 30;
  const Array in = *group->Allocate(ElementType::kInt32, kLarge);
  Array out = *group->Allocate(ElementType::kInt32, kLarge);
  const auto scan = *Registry<Scan>::Get().Create(group);
  const auto timer = *group->NewTimer();
  const auto seconds = [&](const std::function<absl::Status()>& work) {
    EXPECT_TRUE(timer->Start().ok());
    EXPECT_TRUE(work().ok());
    EXPECT_TRUE(timer->Stop().ok());
    return timer->Seconds().value_or(1e9);
  };
  // They take turns, as long as others on the same GPUs may be what is slow.
  double copied = 1e9;
  double scanned = 1e9;
  for (int turn = 0; turn < 100 && (turn < 4 || scanned >= 2 * copied);
       ++turn) {
    copied = std::min(
        copied, seconds([&] { return group->Copy(in.view(), out.view()); }));
    scanned = std::min(
        scanned, seconds([&] { return scan->Run(in.view(), out.view(), {}); }));
  }
  EXPECT_LT(scanned, 2 * copied);
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
    const std::shared_ptr<Backend> opened = OpenOrSkip(GetParam());
    ASSERT_EQ(unsetenv("CONCORD_PATIENCE"), 0);
    if (opened == nullptr) return;
    group_ = AsGpus(opened);
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
