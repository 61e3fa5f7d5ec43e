// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Our variants of cuda beside serial/reference, on random programs and on sizes
// of several blocks.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/compare_with_reference.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/algorithms/sequence/tiered/tiered_pass.h"
#include "concord/backends/cuda/spliced/spliced_module.h"
#include "concord/core/backend.h"
#include "concord/core/random.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/program.h"

namespace concord::sequence {
namespace {

// Nothing, and the test is skipped, where the variant cannot be had.
std::vector<std::shared_ptr<Backend>> BackendsFor(const std::string& variant) {
  const std::shared_ptr<Backend> cuda = OpenOrSkip("cuda");
  if (cuda == nullptr) return {};
  // The others are for every GPU that the tests are for.
  if (variant == "nvrtc") {
    const absl::Status made =
        Registry<SequenceProgram>::Get().Create(cuda, variant).status();
    if (!made.ok()) {
      SkipOrFail(variant, made.message());
      return {};
    }
  }
  return {cuda};
}

// The parameter is the variant.
class SequenceOnCuda : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { backends_ = BackendsFor(GetParam()); }

  // The backend, if there is one.
  std::vector<std::shared_ptr<Backend>> backends_;
};

// The parameter is the variant, and which programs: compiling all of them takes
// minutes.
class RandomProgramsOnCuda
    : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(RandomProgramsOnCuda, RunAsTheReferenceDoes) {
  const auto& [variant, part] = GetParam();
  const std::vector<std::shared_ptr<Backend>> backends = BackendsFor(variant);
  if (backends.empty()) return;
  constexpr int kPrograms = 50;
  int right = 0;
  for (int k = 0; k < kPrograms; ++k) {
    const auto seed = static_cast<std::uint64_t>(part * kPrograms + k);
    Random random(seed);
    const std::string program = RandomProgram(seed);
    for (const std::uint64_t most : {4, 700, 3000}) {
      const auto size = static_cast<std::int64_t>(random.Below(most));
      right += CompareWithReference(program, RandomColumns(seed, size).views(),
                                    backends, variant);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(right, kPrograms);
}

INSTANTIATE_TEST_SUITE_P(, RandomProgramsOnCuda,
                         testing::Combine(testing::Values("interpreter",
                                                          "nvrtc", "primitives",
                                                          "spliced", "tiered"),
                                          testing::Range(0, 5)),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param), "_",
                                               std::get<1>(info.param));
                         });

TEST_P(SequenceOnCuda, RunsPassesOfSeveralBlocks) {
  for (const std::int64_t size : {16'384, 32'769, 70'001}) {
    const RandomColumns columns(7, size);
    for (const std::string& program : ProgramsOfEveryPass()) {
      CompareWithReference(program, columns.views(), backends_, GetParam());
    }
  }
}

// More programs than are kept, each of them again when others have taken its
// place, and on fewer and more elements than before.
TEST_P(SequenceOnCuda, ProgramsAreRunAgain) {
  const auto runner = ValueOf(
      Registry<SequenceProgram>::Get().Create(backends_[0], GetParam()));
  Array x = ValueOf(backends_[0]->Allocate(ElementType::kInt32, 5000));
  Array out = ValueOf(backends_[0]->Allocate(ElementType::kInt32, 1));
  const std::vector<std::int32_t> ones(5000, 1);
  ASSERT_TRUE(
      backends_[0]->Copy(ConstArrayView(absl::MakeSpan(ones)), x.view()).ok());
  for (const std::int64_t size : {100, 5000, 1, 700}) {
    for (int k = 0; k < 40; ++k) {
      SequenceProgram::Options options;
      options.program =
          absl::StrCat("map x * ", k, " |> scan a + b |> reduce max(a, b)");
      ASSERT_EQ(runner->Run({x.view().Slice(0, size)}, {{out.view()}}, options),
                absl::OkStatus());
      std::int32_t most[1] = {-1};
      ASSERT_TRUE(
          backends_[0]->Copy(out.view(), ArrayView(absl::MakeSpan(most))).ok());
      EXPECT_EQ(most[0], k * size) << options.program;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, SequenceOnCuda,
                         testing::Values("interpreter", "nvrtc", "primitives",
                                         "spliced", "tiered"),
                         [](const auto& info) { return info.param; });

// Every test begins with nothing compiled, on the disk or in memory.
class SequenceTiered : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "/modulesXXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    setenv("CONCORD_CACHE", folder.c_str(), 1);
    spliced::SplicedModule::ForgetAll();
    unsetenv("CONCORD_JIT");
    backend_ = OpenOrSkip("cuda");
    before_ = TierLedger::Get().counts();
  }
  void TearDown() override { unsetenv("CONCORD_JIT"); }

  // What was counted since the test began.
  TierCounts counts() const {
    TierCounts counts = TierLedger::Get().counts();
    counts.interpreted -= before_.interpreted;
    counts.found -= before_.found;
    counts.compiled -= before_.compiled;
    return counts;
  }

  std::shared_ptr<Backend> backend_;
  TierCounts before_;
};

// A fold: what it saves by being compiled is the most.
constexpr char kFold[] =
    "map v -> (v, v) |> reduce (s, m), (t, n) -> (s * 3 + t, min(m, s + n)) "
    "unchecked";

std::vector<HostArray> Computed(const std::shared_ptr<Backend>& backend,
                                const std::string& program,
                                const std::vector<std::int32_t>& x,
                                const std::string& variant = "") {
  return ValueOf(ComputeSequence(
      backend, program, {ConstArrayView(absl::MakeConstSpan(x))}, variant));
}

bool AreEqual(const std::vector<HostArray>& x,
              const std::vector<HostArray>& y) {
  bool equal = x.size() == y.size();
  for (std::size_t k = 0; equal && k < x.size(); ++k) {
    equal = FirstDifference(x[k].view(), y[k].view()) == x[k].view().bytes();
  }
  return equal;
}

std::vector<std::int32_t> RandomElements(std::int64_t size) {
  Random random(5);
  std::vector<std::int32_t> x(static_cast<std::size_t>(size));
  for (std::int32_t& value : x) {
    value = static_cast<std::int32_t>(random.Below(1000)) - 500;
  }
  return x;
}

TEST_F(SequenceTiered, InterpretsUntilItCompilesWithTheSameBits) {
  const std::vector<std::int32_t> x = RandomElements(1 << 22);
  const auto wanted = Computed(*OpenBackend("serial"), kFold, x);
  constexpr int kMostRuns = 10'000;
  int runs = 0;
  while (counts().compiled == 0 && runs < kMostRuns) {
    const auto given = Computed(backend_, kFold, x, "tiered");
    ASSERT_TRUE(AreEqual(given, wanted)) << "run " << runs;
    ++runs;
  }
  EXPECT_EQ(counts().compiled, 1);
  EXPECT_EQ(counts().interpreted, runs - 1);
  EXPECT_GT(runs, 10);
  // From then on it lies in memory.
  ASSERT_TRUE(AreEqual(Computed(backend_, kFold, x, "tiered"), wanted));
  EXPECT_EQ(counts().found, 1);
  EXPECT_EQ(counts().interpreted, runs - 1);
}

TEST_F(SequenceTiered, TheEnvironmentDecidesForIt) {
  const std::vector<std::int32_t> x = RandomElements(3000);
  const auto wanted = Computed(*OpenBackend("serial"), kFold, x);
  setenv("CONCORD_JIT", "never", 1);
  EXPECT_TRUE(AreEqual(Computed(backend_, kFold, x, "tiered"), wanted));
  EXPECT_EQ(counts().interpreted, 1);
  setenv("CONCORD_JIT", "always", 1);
  EXPECT_TRUE(AreEqual(Computed(backend_, kFold, x, "tiered"), wanted));
  EXPECT_EQ(counts().interpreted, 1);
  EXPECT_EQ(counts().compiled, 1);
  setenv("CONCORD_JIT", "perhaps", 1);
  EXPECT_FALSE(ComputeSequence(backend_, kFold,
                               {ConstArrayView(absl::MakeConstSpan(x))},
                               "tiered")
                   .ok());
}

// Of a folder in `home` or, where there is no home, of none: what is compiled
// stays in memory, nobody is told, and nothing is written.
void ExpectCompiledWithoutFiles(const std::shared_ptr<Backend>& backend,
                                const char* home) {
  SCOPED_TRACE(home == nullptr ? "no home" : home);
  unsetenv("CONCORD_CACHE");
  unsetenv("XDG_CACHE_HOME");
  if (home == nullptr) {
    unsetenv("HOME");
  } else {
    setenv("HOME", home, 1);
  }
  const std::vector<std::int32_t> x = RandomElements(9000);
  for (const std::string& program :
       {std::string(kFold), std::string("map 3 * x |> scan a ^ b"),
        std::string("filter x > 7 |> map x - 1"),
        std::string("map v -> (v, v) |> scan (s, m), (t, n) -> (s + t, min(m, "
                    "s + n))")}) {
    const auto wanted = Computed(*OpenBackend("serial"), program, x);
    for (const char* variant : {"tiered", "spliced"}) {
      spliced::SplicedModule::ForgetAll();
      for (int run = 0; run < 2; ++run) {
        testing::internal::CaptureStderr();
        const auto given = Computed(backend, program, x, variant);
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << variant;
        EXPECT_TRUE(AreEqual(given, wanted)) << variant << "\n" << program;
      }
    }
  }
}

TEST_F(SequenceTiered, AHomeThatCannotBeWrittenChangesNoResult) {
  setenv("CONCORD_JIT", "always", 1);
  // Not even root can make folders in these: in a file, and in /proc.
  const std::string file = testing::TempDir() + "/file";
  std::ofstream(file) << "no folder";
  ExpectCompiledWithoutFiles(backend_, file.c_str());
  ExpectCompiledWithoutFiles(backend_, "/proc");
  ExpectCompiledWithoutFiles(backend_, nullptr);
  std::string content;
  std::getline(std::ifstream(file), content);
  EXPECT_EQ(content, "no folder");
  // Each of the four programs by `tiered`, twice in each home.
  EXPECT_EQ(counts().compiled, 3 * 4 * 2);
  EXPECT_EQ(counts().interpreted, 0);
}

TEST_F(SequenceTiered, PreparedProgramsAreNotInterpreted) {
  const Sequence sums = Sequence::Of<int>(backend_, {3, 1, 4, 1, 5})
                            .Map("2 * x + 1")
                            .Scan("a + b")
                            .Map("x - 7")
                            .Sum();
  ASSERT_EQ(sums.Prepare(), absl::OkStatus());
  EXPECT_EQ(*sums.Get<int>(), 7 + 10 + 19 + 22 + 33 - 5 * 7);
  EXPECT_EQ(counts().interpreted, 0);
  EXPECT_GT(counts().found, 0);
  EXPECT_EQ(counts().compiled, 0);
}

}  // namespace
}  // namespace concord::sequence
