// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// tbb/interpreter beside serial/reference, on random programs and numbers of
// threads.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "concord/algorithms/sequence/compare_with_reference.h"
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

}  // namespace
}  // namespace concord::sequence
