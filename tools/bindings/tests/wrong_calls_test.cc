// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every mistake of a program in C is told in words that name it.

#include "concord/tools/bindings/tests/wrong_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace concord {
namespace {

class WrongCalls : public testing::TestWithParam<wrong_call> {};

TEST_P(WrongCalls, AreToldInWords) {
  surroundings all;
  ASSERT_EQ(surroundings_make(&all), nullptr);
  concord_status* const status = GetParam().make(&all);
  EXPECT_EQ(concord_status_code(status), GetParam().code);
  EXPECT_THAT(concord_status_message(status),
              testing::HasSubstr(GetParam().message));
  concord_status_free(status);
  surroundings_free(&all);
}

std::vector<wrong_call> All() {
  std::vector<wrong_call> all;
  for (const wrong_call* call = wrong_calls; call->name != nullptr; ++call) {
    all.push_back(*call);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, WrongCalls, testing::ValuesIn(All()),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

// They would prove nothing if what surrounds them were wrong, too.
TEST(RightCall, IsOk) {
  surroundings all;
  ASSERT_EQ(surroundings_make(&all), nullptr);
  all.values[0] = 3;
  all.values[1] = 4;
  EXPECT_EQ(concord_kernel_run(all.scan, &all.in, 1, &all.out, 1), nullptr);
  EXPECT_EQ(all.results[1], 3);
  EXPECT_EQ(all.results[3], 7);
  surroundings_free(&all);
}

}  // namespace
}  // namespace concord
