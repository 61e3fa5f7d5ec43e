// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_GPUS_FIXTURE_H_
#define CONCORD_TESTING_GPUS_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdlib>

#include "concord/core/backend.h"
#include "concord/testing/support/program.h"

namespace concord {

// Streams of one GPU share a few queues of the hardware, in which the work of
// one may stand behind that of another. Here all share one, so whatever a
// member waits for has to come before what it must not wait for. The driver
// reads it when it is first used.
inline const bool kOneQueue =
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1) == 0;

// Tests that need several GPUs, or one as several.
class GpusFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kOneQueue);
    for (const BackendStatus& status : ListBackends()) {
      if (status.name != "gpus" || status.available()) continue;
      SkipOrFail("gpus", status.reason);
    }
  }
};

}  // namespace concord

#endif  // CONCORD_TESTING_GPUS_FIXTURE_H_
