// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// cuda/spliced beside serial/reference, on random programs and on sizes of
// several blocks.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/compare_with_reference.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/core/backend.h"
#include "concord/core/random.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/program.h"

namespace concord::sequence {
namespace {

class CudaSpliced : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::shared_ptr<Backend>> cuda = OpenBackend("cuda");
    if (!cuda.ok()) return SkipOrFail("cuda", cuda.status().message());
    backends_ = {*cuda};
  }

  // The backend, if there is one.
  std::vector<std::shared_ptr<Backend>> backends_;
};

TEST_F(CudaSpliced, RunsRandomProgramsAsTheReferenceDoes) {
  if (backends_.empty()) return;
  int right = 0;
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    Random random(seed);
    const std::string program = RandomProgram(seed);
    for (const std::uint64_t most : {4, 700, 3000}) {
      const auto size = static_cast<std::int64_t>(random.Below(most));
      right +=
          CompareWithReference(program, RandomColumns(seed, size), backends_);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(right, 250);
}

TEST_F(CudaSpliced, RunsPassesOfSeveralBlocks) {
  if (backends_.empty()) return;
  for (const std::int64_t size : {16'384, 32'769, 70'001}) {
    const RandomColumns columns(7, size);
    for (const std::string& program : ProgramsOfEveryPass()) {
      CompareWithReference(program, columns, backends_);
    }
  }
}

// More programs than are kept, each of them again when others have taken its
// place, and on fewer and more elements than before.
TEST_F(CudaSpliced, ProgramsAreRunAgain) {
  if (backends_.empty()) return;
  const auto runner =
      ValueOf(Registry<SequenceProgram>::Get().Create(backends_[0], "spliced"));
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

}  // namespace
}  // namespace concord::sequence
