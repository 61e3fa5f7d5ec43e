// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every algorithm: a large case is not begun where there is no memory for what
// its implementations get. Outputs have room for all that there may be, such as
// as many runs as elements, however little is written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "concord/core/registry.h"
#include "concord/core/signature_data.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/large_case.h"
#include "concord/testing/support/every_algorithm.h"

namespace concord {
namespace {

constexpr std::int64_t kSize = std::int64_t{1} << 20;

// One on the host, said to take no more elements than that.
ImplementationInfo SmallSerial(const AlgorithmSpec& spec) {
  for (ImplementationInfo info : spec.implementations()) {
    if (info.backend != "serial") continue;
    info.contract.max_size = kSize;
    return info;
  }
  return {};
}

std::int64_t BytesOfArrays(const AlgorithmSpec& spec, const Case& test_case) {
  std::int64_t bytes = 0;
  for (const auto& [name, input] : test_case.inputs) {
    bytes += input.view().bytes();
  }
  const auto outputs = spec.OutputsOf(test_case);
  for (const OutputSpec& output : outputs.value()) {
    bytes += CapacityBytes(output);
  }
  return bytes;
}

class LargeCaseMemory : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Every, LargeCaseMemory,
                         ::testing::ValuesIn(EveryAlgorithm()),
                         [](const auto& info) { return info.param; });

TEST_P(LargeCaseMemory, IsThatOfAllArrays) {
  const AlgorithmSpec& spec = **FindSpec(GetParam());
  const ImplementationInfo serial = SmallSerial(spec);
  constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
  const auto made = MakeLargeCase(spec, serial, /*on_host=*/true, kPlenty);
  ASSERT_TRUE(made.ok()) << made.status();
  const std::int64_t bytes = BytesOfArrays(spec, (*made)->trial.test_case);
  // So that it is not kept.
  const ImplementationInfo other =
      SmallSerial(**FindSpec(GetParam() == "scan" ? "reduce" : "scan"));
  ASSERT_TRUE(
      MakeLargeCase(**FindSpec(other.algorithm), other, true, kPlenty).ok());
  EXPECT_THAT(
      MakeLargeCase(spec, serial, /*on_host=*/true, bytes).status().message(),
      ::testing::HasSubstr("of host memory"));
}

}  // namespace
}  // namespace concord
