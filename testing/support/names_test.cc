// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "concord/core/algorithm.h"
#include "concord/testing/support/fake_algorithm.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

// What is registered stays, so the order matters.
TEST(Names, AreCheckedOfImplementationsAndAlgorithms) {
  ASSERT_EQ(CheckNames(), absl::OkStatus());

  Registry<FakeDifference>::Get().Add("serial", "twin", /*rank=*/-1, "", {},
                                      nullptr);
  EXPECT_EQ(CheckNames(), absl::OkStatus());
  Registry<FakeDifference>::Get().Add("serial", "twin", /*rank=*/-2, "", {},
                                      nullptr);
  EXPECT_THAT(CheckNames().message(),
              HasSubstr("two implementations of the name "
                        "'fake_difference/serial/twin'"));

  RegisterAlgorithm<FakeBroken>();
  EXPECT_THAT(CheckNames().message(),
              HasSubstr("two algorithms of the name 'fake_broken'"));
}

}  // namespace
}  // namespace concord
