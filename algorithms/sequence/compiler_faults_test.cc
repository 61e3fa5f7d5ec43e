// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/compiler_faults.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "concord/testing/support/differential.h"

namespace concord::sequence {
namespace {

std::vector<Fault> AllFaults() {
  std::vector<Fault> faults = FunctionFaults();
  for (Fault& fault : PlanFaults()) faults.push_back(std::move(fault));
  return faults;
}

class CompilerFaults : public testing::TestWithParam<Fault> {};

TEST_P(CompilerFaults, AreCaughtInASmallProgram) {
  // Four columns, their zip and two more stages; what the fault needs, and
  // casts or a key of it.
  ExpectCaught("sequence", "tbb/interpreter", GetParam(),
               {{"stages", 7}, {"operations", 6}, {"literals", 4}});
}

INSTANTIATE_TEST_SUITE_P(All, CompilerFaults, testing::ValuesIn(AllFaults()),
                         [](const testing::TestParamInfo<Fault>& info) {
                           return info.param.name;
                         });

}  // namespace
}  // namespace concord::sequence
