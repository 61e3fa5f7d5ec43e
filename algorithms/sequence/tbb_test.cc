// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// tbb/interpreter beside serial/reference, on random programs and numbers of
// threads.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/compare_with_reference.h"
#include "concord/algorithms/sequence/long_function.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/core/backend.h"
#include "concord/core/random.h"

namespace concord::sequence {
namespace {

std::vector<std::shared_ptr<Backend>> Opened(
    const std::vector<std::string>& specs) {
  std::vector<std::shared_ptr<Backend>> backends;
  for (const std::string& spec : specs) backends.push_back(*OpenBackend(spec));
  return backends;
}

TEST(TbbInterpreter, RunsRandomProgramsAsTheReferenceDoes) {
  const auto backends = Opened({"tbb:3", "tbb:8"});
  int right = 0;
  for (std::uint64_t seed = 0; seed < 2500; ++seed) {
    Random random(seed);
    const std::int64_t size = static_cast<std::int64_t>(
        seed % 5 == 0 ? random.Below(4) : random.Below(700));
    right += CompareWithReference(RandomProgram(seed),
                                  RandomColumns(seed, size).views(), backends);
    if (HasFailure()) return;
  }
  EXPECT_GT(right, 1000);
}

TEST(TbbInterpreter, GivesTheSameBitsForEveryNumberOfThreads) {
  const auto backends = Opened({"tbb:1", "tbb:2", "tbb:3", "tbb:8"});
  // As many elements as several chunks have.
  for (const std::int64_t size : {16'384, 32'769, 70'001}) {
    const RandomColumns columns(7, size);
    for (const std::string& program : ProgramsOfEveryPass()) {
      CompareWithReference(program, columns.views(), backends);
    }
  }
}

// One function of both would be too large.
TEST(TbbInterpreter, ReducesWhatALargeFunctionGivesByALargeOperator) {
  const RandomColumns columns(7, 300);
  const std::string operations = LongFunction("v", "w", 2600);
  for (const char* other : {"(v + 3)", "int32(i)"}) {
    EXPECT_TRUE(CompareWithReference(
        absl::StrCat("map v -> ", LongFunction("v", other, 2600),
                     " |> reduce v, w -> ", operations, " unchecked"),
        columns.views(), Opened({"tbb:3"})));
  }
}

TEST(TbbInterpreter, RefusesMoreElementsThanMemoryCanHave) {
  const RandomColumns columns(7, 2);
  for (const char* most : {"4611686018427387904", "4611686018427387903"}) {
    const Results results =
        ComputeSequence(*OpenBackend("tbb:2"),
                        absl::StrCat("tabulate x[i % 2], ", most,
                                     " |> reduce a, b -> a unchecked"),
                        columns.views());
    EXPECT_TRUE(absl::IsResourceExhausted(results.status()))
        << results.status();
  }
}

}  // namespace
}  // namespace concord::sequence
