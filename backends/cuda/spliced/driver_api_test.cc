// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/driver_api.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace concord::spliced {
namespace {

TEST(DriverApi, SaysWhyThereIsNone) {
  const absl::StatusOr<const DriverApi*> driver = DriverApi::Get();
  if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) {
    ASSERT_TRUE(driver.ok()) << driver.status();
    EXPECT_THAT((*driver)->Version(), ::testing::MatchesRegex("[0-9]+ .*"));
    return;
  }
  EXPECT_EQ(driver.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(driver.status().message(), ::testing::HasSubstr("libcuda.so.1"));
}

}  // namespace
}  // namespace concord::spliced
