// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// tbb/interpreter beside serial/reference on a million random programs, in
// parts whose lines show how far it is:
//
//   CONCORD_LARGE=1 bazel run //algorithms/sequence:many_programs_test
//
// Without CONCORD_LARGE, on the first few of each part.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/compare_with_reference.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/spec/case_program.h"
#include "concord/algorithms/sequence/spec/random_case.h"
#include "concord/core/backend.h"
#include "concord/core/random.h"
#include "concord/testing/support/large_cases.h"

namespace concord::sequence {
namespace {

constexpr int kParts = 100;
constexpr std::uint64_t kProgramsOfPart = 10'000;
constexpr std::uint64_t kFirstOfPart = 20;

// Mostly so few that the programs, and not their elements, take the time; now
// and then a few tiles of vectors, or rows of 128.
std::int64_t DrawSize(Random& random) {
  constexpr std::uint64_t kBounds[] = {4, 20, 70, 140, 600};
  return static_cast<std::int64_t>(random.Below(kBounds[random.Below(5)]));
}

// Program number `seed`, on backends that read it as any caller's. Returns
// whether it has results.
bool Compare(std::uint64_t seed,
             const std::vector<std::shared_ptr<Backend>>& backends) {
  Random random(seed);
  const std::int64_t size = DrawSize(random);
  const std::vector<std::string>& names = RandomProgramNames();
  const std::uint64_t kind = random.Below(names.size() + 1);
  // One in six may be an error of its values.
  if (kind == names.size()) {
    return CompareWithReference(RandomProgram(seed),
                                RandomColumns(seed, size).views(), backends);
  }
  const std::vector<ElementType>& types = AllElementTypes();
  const ElementType type = types[random.Below(types.size())];
  const DrawnProgram drawn = DrawCase(names[kind], type, size, random.Bits());
  return CompareWithReference(drawn.text, InputsOf(drawn.columns), backends);
}

class ManyPrograms : public testing::TestWithParam<int> {};

TEST_P(ManyPrograms, GiveTheBitsOfTheReference) {
  const std::vector<std::shared_ptr<Backend>> backends = {
      *OpenBackend("tbb:2")};
  const std::uint64_t first = GetParam() * kProgramsOfPart;
  const std::uint64_t wanted =
      LargeCasesAreWanted() ? kProgramsOfPart : kFirstOfPart;
  std::uint64_t right = 0;
  for (std::uint64_t seed = first; seed < first + wanted; ++seed) {
    SCOPED_TRACE(absl::StrCat("program ", seed));
    right += Compare(seed, backends) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(right, wanted / 2);
  RecordProperty("right", absl::StrCat(right));
}

INSTANTIATE_TEST_SUITE_P(Part, ManyPrograms, testing::Range(0, kParts));

}  // namespace
}  // namespace concord::sequence
