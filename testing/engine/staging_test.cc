// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/staging.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "concord/core/placing.h"
#include "concord/testing/support/fake_algorithm.h"

namespace concord {
namespace {

// On memory that is the host's and on memory that is not.
class StagingTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto backend = OpenBackend(GetParam());
    ASSERT_TRUE(backend.ok()) << backend.status();
    backend_ = *backend;
  }

  Staging Stage(const char* placement) {
    auto staging =
        Staging::Create(*backend_, case_, *FakeSpec().OutputsOf(case_),
                        *FindPlacement(placement));
    EXPECT_TRUE(staging.ok()) << staging.status();
    return *std::move(staging);
  }

  void Poke(const ArrayView& place) {
    const HostArray zero = HostArray::Of<std::int32_t>({0});
    ASSERT_TRUE(backend_->Copy(zero.view(), place).ok());
  }

  std::shared_ptr<Backend> backend_;
  const Case case_ = FakeCase(std::vector<std::int32_t>{1, 2, 3, 4, 5});
};

TEST_P(StagingTest, ArraysStandWhereThePlacementSays) {
  for (const Placement& placement : Placements()) {
    const Staging staging = Stage(placement.name.c_str());
    const auto in =
        reinterpret_cast<std::uintptr_t>(staging.inputs().at("in").data());
    const auto out =
        reinterpret_cast<std::uintptr_t>(staging.outputs().at("out").data());
    EXPECT_EQ(in % 64, 4 * placement.input_shift) << placement.name;
    EXPECT_EQ(out % 64, 4 * placement.output_shift) << placement.name;
    EXPECT_EQ(in == out, placement.in_place) << placement.name;
  }
}

TEST_P(StagingTest, OutputsAreFilledWithTheSentinel) {
  const Staging staging = Stage("unaligned");
  const Results results = *staging.ReadOutputs();
  const HostArray& out = results.at("out");
  ASSERT_EQ(out.size(), 5);
  for (std::uint8_t byte : out.span<std::uint8_t>()) {
    EXPECT_EQ(byte, kSentinelByte);
  }
}

TEST_P(StagingTest, NothingIsFoundWhereNothingHappened) {
  const Staging staging = Stage("unaligned");
  EXPECT_EQ(staging.FindDamage()->to_guards, "");
  EXPECT_EQ(staging.FindDamage()->to_inputs, "");
}

TEST_P(StagingTest, WritesPastTheEndAreFound) {
  const Staging staging = Stage("aligned");
  Poke(staging.outputs().at("out").Slice(5, 1));
  EXPECT_EQ(staging.FindDamage()->to_guards,
            "wrote past the end of 'output out', at byte 0 after it");
}

TEST_P(StagingTest, WritesBeforeTheStartAreFound) {
  const Staging staging = Stage("unaligned");
  Poke(staging.outputs().at("out").Slice(-1, 1));
  EXPECT_EQ(staging.FindDamage()->to_guards,
            "wrote 4 bytes before the start of 'output out'");
}

TEST_P(StagingTest, TheFarEndOfAGuardIsGuarded) {
  const Staging staging = Stage("unaligned");
  Poke(staging.outputs().at("out").Slice(5 + Staging::kGuardBytes / 4 - 1, 1));
  EXPECT_NE(staging.FindDamage()->to_guards, "");
}

TEST_P(StagingTest, LargeArraysAreGuardedToo) {
  const Case large = FakeCase(std::vector<std::int32_t>(300'000, 7));
  Staging staging =
      *Staging::Create(*backend_, large, *FakeSpec().OutputsOf(large),
                       *FindPlacement("unaligned"));
  EXPECT_EQ(staging.FindDamage()->to_guards, "");
  EXPECT_EQ(staging.FindDamage()->to_inputs, "");
  Poke(staging.outputs().at("out").Slice(300'000, 1));
  EXPECT_EQ(staging.FindDamage()->to_guards,
            "wrote past the end of 'output out', at byte 0 after it");
  ASSERT_TRUE(staging.Fill().ok());
  Poke(staging.outputs().at("out").Slice(-1, 1));
  EXPECT_EQ(staging.FindDamage()->to_guards,
            "wrote 4 bytes before the start of 'output out'");
}

TEST_P(StagingTest, ChangedInputsAreFound) {
  const Staging staging = Stage("aligned");
  const ConstArrayView in = staging.inputs().at("in");
  Poke(ArrayView(const_cast<void*>(in.data()), in.type(), 5, in.memory())
           .Slice(3, 1));
  EXPECT_EQ(staging.FindDamage()->to_guards, "");
  EXPECT_EQ(staging.FindDamage()->to_inputs,
            "changed its input 'in': element 3 was 4 and is 0");
}

TEST_P(StagingTest, InPlaceInputsMayChange) {
  Staging staging = Stage("in_place");
  Poke(staging.outputs().at("out").Slice(3, 1));
  EXPECT_EQ(staging.FindDamage()->to_inputs, "");
  ASSERT_TRUE(staging.Fill().ok());
  EXPECT_EQ(staging.ReadOutputs()->at("out"), case_.inputs.at("in"));
}

TEST_P(StagingTest, OutputsComeInPieces) {
  const Staging staging = Stage("in_place");
  std::int64_t elements = 0;
  ASSERT_TRUE(
      staging
          .ReadPieces("out",
                      [&](const HostArray& piece) { elements += piece.size(); })
          .ok());
  EXPECT_EQ(elements, 5);
}

// Two outputs: how many, and as many.
std::vector<OutputSpec> SizedOutputs() {
  return {{"values", ElementType::kInt32, {4}, "", "count"},
          {"count", ElementType::kInt64, {1}}};
}

TEST_P(StagingTest, OutputsAreCutToTheSizeThatTheRunFound) {
  Staging staging =
      *Staging::Create(*backend_, case_, SizedOutputs(), Placements().front());
  const HostArray three = HostArray::Of<std::int64_t>({3});
  ASSERT_TRUE(backend_->Copy(three.view(), staging.outputs().at("count")).ok());
  const Results results = *staging.ReadOutputs();
  EXPECT_EQ(results.at("values").shape(), std::vector<std::int64_t>{3});
  EXPECT_EQ(results.at("count"), three);
}

TEST_P(StagingTest, ASizeThatCannotBeCutsNothing) {
  for (const std::int64_t size : {-1, 5}) {
    Staging staging = *Staging::Create(*backend_, case_, SizedOutputs(),
                                       Placements().front());
    const HostArray wrong = HostArray::Of<std::int64_t>({size});
    ASSERT_TRUE(
        backend_->Copy(wrong.view(), staging.outputs().at("count")).ok());
    EXPECT_EQ(staging.ReadOutputs()->at("values").size(), 4);
  }
}

TEST_P(StagingTest, OutputsThatNoMemoryHoldsAreRefused) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{std::int64_t{1} << 62},
        {std::int64_t{1} << 32, std::int64_t{1} << 32}}) {
    EXPECT_EQ(
        Staging::Create(*backend_, case_, {{"out", ElementType::kInt32, shape}},
                        Placements().front())
            .status()
            .code(),
        absl::StatusCode::kResourceExhausted);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, StagingTest,
                         testing::Values("serial", "inverted"),
                         [](const auto& info) { return info.param; });

TEST(Placements, UnknownNamesAreErrors) {
  EXPECT_EQ(FindPlacement("sideways").status().message(),
            "unknown placement 'sideways'; there are aligned, unaligned, "
            "unaligned_input, unaligned_output, in_place, in_place_unaligned");
}

}  // namespace
}  // namespace concord
