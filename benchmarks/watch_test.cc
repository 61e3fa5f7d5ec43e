// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/watch.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "concord/benchmarks/fake_spec.h"
#include "concord/benchmarks/session.h"
#include "concord/testing/support/one_of_two.h"

namespace concord {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// --- The processors ---

class Processors : public ::testing::Test {
 protected:
  void SetUp() override {
    proc_ = std::string(std::getenv("TEST_TMPDIR")) + "/proc";
    std::filesystem::remove_all(proc_);
    std::filesystem::create_directories(proc_ + "/thread-self");
  }
  // In ticks, and in nanoseconds.
  void Write(int user, int idle, int stolen, long waited) {
    std::ofstream(proc_ + "/stat")
        << "cpu  " << user << " 0 0 " << idle << " 0 0 0 " << stolen
        << " 0 0\ncpu0 1 2 3\n";
    std::ofstream(proc_ + "/thread-self/schedstat") << "5 " << waited << " 9\n";
  }
  std::string proc_;
};

TEST_F(Processors, ThatDoNothingElseDisturbNothing) {
  Write(100, 100, 7, 1000);
  CpuWatch watch(proc_);
  watch.Begin();
  Write(105, 1100, 8, 1000);
  const Watched watched = watch.End();
  EXPECT_THAT(watched.disturbed_by, IsEmpty());
  EXPECT_GT(watched.readings.at("stolen_share"), 0);
  EXPECT_EQ(watched.readings.at("waited_share"), 0);
}

TEST_F(Processors, OfOtherProgramsDisturb) {
  Write(100, 100, 0, 0);
  CpuWatch watch(proc_);
  watch.Begin();
  Write(600, 600, 0, 0);
  const Watched watched = watch.End();
  EXPECT_THAT(watched.disturbed_by,
              ElementsAre("other programs used the processors"));
  EXPECT_NEAR(watched.readings.at("others_share"), 0.5, 0.05);
}

TEST_F(Processors, OfOtherReplicasDoNotDisturb) {
  const OneOfTwo replica(0);
  Write(100, 100, 0, 0);
  CpuWatch watch(proc_);
  watch.Begin();
  Write(600, 600, 0, 0);
  const Watched watched = watch.End();
  EXPECT_THAT(watched.disturbed_by, IsEmpty());
  EXPECT_EQ(watched.readings.count("others_share"), 0u);
  EXPECT_EQ(watched.readings.count("stolen_share"), 1u);
}

TEST_F(Processors, ThatTheHostTakesDisturb) {
  Write(0, 0, 10, 0);
  CpuWatch watch(proc_);
  watch.Begin();
  Write(0, 970, 40, 0);
  EXPECT_THAT(watch.End().disturbed_by,
              ElementsAre(HasSubstr("took processors away")));
}

TEST_F(Processors, ThatAreWaitedForDisturb) {
  Write(0, 0, 0, 0);
  CpuWatch watch(proc_);
  watch.Begin();
  Write(0, 0, 0, 3600L * 1000 * 1000 * 1000);
  EXPECT_THAT(watch.End().disturbed_by,
              ElementsAre("the program waited for a processor"));
}

TEST_F(Processors, AreNotJudgedByAFewTicks) {
  Write(0, 0, 0, 0);
  CpuWatch watch(proc_);
  watch.Begin();
  Write(9, 1, 9, 0);
  const Watched watched = watch.End();
  EXPECT_THAT(watched.disturbed_by, IsEmpty());
  EXPECT_EQ(watched.readings.count("others_share"), 0u);
}

TEST_F(Processors, ThatTellNothingAreUndisturbed) {
  CpuWatch watch(proc_ + "/none");
  watch.Begin();
  const Watched watched = watch.End();
  EXPECT_THAT(watched.disturbed_by, IsEmpty());
  EXPECT_THAT(watched.readings, IsEmpty());
}

// --- The GPU ---

constexpr char kLibrary[] = "benchmarks/libfake_nvml.so";

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("FAKE_NVML_CLOCK", "1980", 1);
    for (const char* name :
         {"FAKE_NVML_REASONS", "FAKE_NVML_REASONS_1", "FAKE_NVML_INIT",
          "FAKE_NVML_GPUS", "CUDA_VISIBLE_DEVICES"}) {
      unsetenv(name);
    }
  }
  Watched WatchWith(const char* before, const char* after) {
    setenv("FAKE_NVML_REASONS", before, 1);
    const std::unique_ptr<GpuWatch> watch = GpuWatch::Create(0, kLibrary);
    EXPECT_NE(watch, nullptr);
    if (watch == nullptr) return {};
    watch->Begin();
    setenv("FAKE_NVML_REASONS", after, 1);
    return watch->End();
  }
};

TEST_F(Gpu, TellsItsClockAndTemperature) {
  const Watched watched = WatchWith("0x1", "0x1");  // it is idle
  EXPECT_THAT(watched.disturbed_by, IsEmpty());
  EXPECT_THAT(watched.readings,
              ElementsAre(std::make_pair("cuda:0.celsius", 54),
                          std::make_pair("cuda:0.clock_mhz", 1980)));
}

TEST_F(Gpu, ThatIsSlowedDownAtAnyTimeIsDisturbed) {
  for (const auto& [before, after] :
       {std::make_pair("0x20", "0"), std::make_pair("0", "0x20")}) {
    EXPECT_THAT(WatchWith(before, after).disturbed_by,
                ElementsAre("cuda:0 was slowed down by heat"));
  }
}

TEST_F(Gpu, AtItsPowerLimitIsNotDisturbed) {
  const Watched watched = WatchWith("0x4", "0x4");
  EXPECT_THAT(watched.disturbed_by, IsEmpty());
  EXPECT_EQ(watched.readings.at("cuda:0.power_limited"), 1);
}

TEST_F(Gpu, IsTheOneThatCudaSees) {
  EXPECT_EQ(GpuWatch::Create(1, kLibrary), nullptr);
  setenv("CUDA_VISIBLE_DEVICES", "5,0", 1);
  EXPECT_NE(GpuWatch::Create(1, kLibrary), nullptr);
  EXPECT_EQ(GpuWatch::Create(2, kLibrary), nullptr);
  setenv("CUDA_VISIBLE_DEVICES", "GPU-fake", 1);
  EXPECT_NE(GpuWatch::Create(0, kLibrary), nullptr);
}

std::vector<std::string> ReadingsOf(const std::vector<std::string>& backends) {
  const std::unique_ptr<Watch> watch = WatchMachine(backends, kLibrary);
  watch->Begin();
  std::vector<std::string> names;
  for (const auto& [name, value] : watch->End().readings) {
    if (absl::EndsWith(name, ".clock_mhz")) names.push_back(name);
  }
  return names;
}

TEST_F(Gpu, IsWatchedAsAMemberOfAGroupToo) {
  setenv("FAKE_NVML_GPUS", "3", 1);
  EXPECT_THAT(ReadingsOf({"gpus:0+2"}),
              ElementsAre("cuda:0.clock_mhz", "cuda:2.clock_mhz"));
  EXPECT_THAT(ReadingsOf({"cuda:1", "gpus:1+1+2@striped"}),
              ElementsAre("cuda:1.clock_mhz", "cuda:2.clock_mhz"));
  for (const char* const all : {"gpus", "gpus:all", "gpus:all@striped"}) {
    EXPECT_THAT(ReadingsOf({all}), SizeIs(3)) << all;
  }
  EXPECT_THAT(ReadingsOf({"cuda"}), ElementsAre("cuda:0.clock_mhz"));
  EXPECT_THAT(ReadingsOf({"tbb:2", "serial", "gpus:x", "cudax:1"}), IsEmpty());
}

TEST_F(Gpu, ThatIsSlowedDownDisturbsItsGroup) {
  setenv("FAKE_NVML_GPUS", "2", 1);
  setenv("FAKE_NVML_REASONS_1", "0x20", 1);
  const std::unique_ptr<Watch> watch = WatchMachine({"gpus:0+1"}, kLibrary);
  watch->Begin();
  EXPECT_THAT(watch->End().disturbed_by,
              Contains("cuda:1 was slowed down by heat"));
}

TEST_F(Gpu, WithoutTheLibraryIsNotWatched) {
  EXPECT_EQ(GpuWatch::Create(0, "libthere_is_none.so"), nullptr);
  setenv("FAKE_NVML_INIT", "9", 1);
  EXPECT_EQ(GpuWatch::Create(0, kLibrary), nullptr);
  const std::unique_ptr<Watch> watch = WatchMachine({"tbb:2", "cuda:7"});
  watch->Begin();
  EXPECT_EQ(watch->End().readings.count("cuda:7.clock_mhz"), 0u);
}

// --- Rows ---

// Sees a disturbance in its first looks.
class FakeWatch : public Watch {
 public:
  explicit FakeWatch(int disturbed) : disturbed_(disturbed) {}
  void Begin() override { ++looks; }
  Watched End() override {
    Watched watched;
    if (looks <= disturbed_) watched.disturbed_by = {"an earthquake"};
    return watched;
  }
  int looks = 0;

 private:
  const int disturbed_;
};

// What a row says that is measured up to three times.
Measured MeasureWith(FakeWatch& watch) {
  FakeSpec spec;
  const std::vector<Row> rows = {{&spec,
                                  {100, ElementType::kInt32, "uniform",
                                   *CompleteOptions(spec.options(), {}), 1},
                                  spec.implementations().front(),
                                  "fake",
                                  Scope::kKernel,
                                  Cache::kHot}};
  SamplingPlan plan;
  plan.repetitions = 2;
  Session session(plan, rows, {{"fake", std::make_shared<FakeBackend>()}},
                  {&watch, 3});
  const absl::StatusOr<Measured> measured = session.Time(rows.front());
  EXPECT_TRUE(measured.ok()) << measured.status();
  return measured.value_or(Measured());
}

TEST(Rows, AreMeasuredOnceWhereNothingDisturbs) {
  FakeWatch watch(0);
  EXPECT_EQ(MeasureWith(watch).attempts, 1);
  EXPECT_EQ(watch.looks, 1);
}

TEST(Rows, AreMeasuredAgainWhenSomethingDisturbs) {
  FakeWatch watch(2);
  const Measured measured = MeasureWith(watch);
  EXPECT_EQ(measured.attempts, 3);
  EXPECT_THAT(measured.watched.disturbed_by, IsEmpty());
  EXPECT_EQ(measured.timing.samples.size(), 2u);
}

TEST(Rows, SayWhatStillDisturbsAfterTheLastAttempt) {
  FakeWatch watch(99);
  const Measured measured = MeasureWith(watch);
  EXPECT_EQ(measured.attempts, 3);
  EXPECT_THAT(measured.watched.disturbed_by, ElementsAre("an earthquake"));
}

}  // namespace
}  // namespace concord
