// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/large_case.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "concord/testing/support/fake_algorithm.h"
#include "concord/testing/support/one_of_two.h"

namespace concord {
namespace {

// In the place of large ones, which take minutes: what the contract allows.
absl::StatusOr<std::shared_ptr<LargeCase>> MakeCaseOf(std::int64_t elements,
                                                      std::int64_t available) {
  ImplementationInfo info = FakeImplementation("serial");
  info.contract.element_types = {ElementType::kInt32};
  info.contract.max_size = elements;
  return MakeLargeCase(FakeSpec(), info, /*on_host=*/true, available);
}

constexpr std::int64_t kMillion = 1 << 20;
// Elements and results of a million take 8 MiB, and as much on the backend; no
// more than six tenths of the memory are used.
constexpr std::int64_t kTooLittle = 20 << 20;
constexpr std::int64_t kPlenty = std::int64_t{1} << 30;

TEST(LargeCase, MemoryOfTheKeptOneIsToBeHad) {
  ASSERT_TRUE(MakeCaseOf(2 * kMillion, kPlenty).ok());
  // The 16 MiB of that one go to this one.
  const auto made = MakeCaseOf(kMillion, kTooLittle);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*made)->trial.test_case.inputs.at("in").view().size(), kMillion);
}

TEST(LargeCase, MemoryOfTheKeptOneIsNotToBeHadWhileItIsUsed) {
  const auto used = MakeCaseOf(2 * kMillion, kPlenty);
  ASSERT_TRUE(used.ok()) << used.status();
  EXPECT_EQ(MakeCaseOf(kMillion, kTooLittle).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(LargeCase, IsKeptUntilAnotherIsAskedFor) {
  const auto first = MakeCaseOf(kMillion, kPlenty);
  const auto again = MakeCaseOf(kMillion, kPlenty);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(*first, *again);
}

std::string Bits(double number) {
  std::string bits(sizeof(number), '\0');
  std::memcpy(bits.data(), &number, sizeof(number));
  return bits;
}

// A replica that would decide otherwise by its own clock and memory.
TEST(LargeCase, TheFirstReplicaDecides) {
  OneOfTwo second;
  second.said = {Bits(/*seconds=*/1e9), Bits(kPlenty)};
  EXPECT_EQ(MakeCaseOf(kMillion + 1, kPlenty).status().code(),
            absl::StatusCode::kFailedPrecondition);
  second.said = {Bits(/*seconds=*/0), Bits(kTooLittle)};
  EXPECT_EQ(MakeCaseOf(2 * kMillion, kPlenty).status().code(),
            absl::StatusCode::kFailedPrecondition);
  second.said = {Bits(/*seconds=*/0), Bits(kPlenty)};
  EXPECT_TRUE(MakeCaseOf(2 * kMillion, 0).ok());
}

// Each of both has 16 MiB, and they share out as much; six tenths are used.
TEST(LargeCase, ReplicasShareTheMemory) {
  ASSERT_TRUE(MakeCaseOf(1, kPlenty).ok());
  OneOfTwo second;
  const auto make_with = [&](std::int64_t available) {
    second.said = {Bits(/*seconds=*/0), Bits(static_cast<double>(available))};
    return MakeCaseOf(2 * kMillion, kPlenty).status();
  };
  EXPECT_TRUE(absl::IsFailedPrecondition(make_with(70 << 20)));
  EXPECT_TRUE(make_with(90 << 20).ok());
}

TEST(LargeCase, WhatOneReplicaCannotMakeNoneHas) {
  OneOfTwo second;
  second.first_fails = absl::ResourceExhaustedError("no memory there");
  EXPECT_EQ(MakeCaseOf(kMillion + 2, kPlenty).status(), second.first_fails);
}

}  // namespace
}  // namespace concord
