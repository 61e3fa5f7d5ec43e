// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Many random programs beside serial/reference, in parts whose lines show how
// far it is: a million by tbb/interpreter, and where there is a GPU, 10^5 by
// cuda/interpreter and 10^4 by cuda/spliced, which compiles each of them.
//
//   CONCORD_LARGE=1 bazel run //algorithms/sequence:many_programs_test
//
// Without CONCORD_LARGE, the first few of each part.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/compare_with_reference.h"
#include "concord/algorithms/sequence/drawn_run.h"
#include "concord/algorithms/sequence/spec/case_program.h"
#include "concord/algorithms/sequence/spec/random_case.h"
#include "concord/core/backend.h"
#include "concord/core/random.h"
#include "concord/testing/support/large_cases.h"
#include "concord/testing/support/named_backends.h"

namespace concord::sequence {
namespace {

constexpr int kParts = 100;

// How many programs each part has, and how many of them are the first few.
struct PartSizes {
  std::uint64_t all;
  std::uint64_t few;
};
constexpr PartSizes kOnTbb = {10'000, 20};
constexpr PartSizes kInterpretedOnCuda = {1'000, 10};
constexpr PartSizes kSplicedOnCuda = {100, 1};

// Mostly so few that the programs, and not their elements, take the time; now
// and then a few tiles of vectors, or rows of 128.
constexpr std::uint64_t kSizeBounds[] = {4, 20, 70, 140, 600};

// One in six may be an error of its values.
const std::vector<std::string>& Kinds() {
  static const auto* const kinds = [] {
    auto* all = new std::vector<std::string>(RandomProgramNames());
    all->push_back(kMayFail);
    return all;
  }();
  return *kinds;
}

// Program number `seed`, on backends that read it as any caller's. Returns
// whether it has results.
bool Compare(std::uint64_t seed,
             const std::vector<std::shared_ptr<Backend>>& backends,
             const std::string& variant) {
  Random random(seed);
  const std::int64_t size = DrawSize(random, kSizeBounds);
  const DrawnProgram drawn = DrawRun(random, seed, size, Kinds());
  return CompareWithReference(drawn.text, InputsOf(drawn.columns), backends,
                              variant);
}

void ComparePart(int part, const PartSizes& sizes,
                 const std::shared_ptr<Backend>& backend,
                 const std::string& variant) {
  const std::uint64_t first = part * sizes.all;
  const std::uint64_t wanted = LargeCasesAreWanted() ? sizes.all : sizes.few;
  std::uint64_t right = 0;
  for (std::uint64_t seed = first; seed < first + wanted; ++seed) {
    SCOPED_TRACE(absl::StrCat("program ", seed));
    right += Compare(seed, {backend}, variant) ? 1 : 0;
    if (testing::Test::HasFailure()) return;
  }
  // Of a few, all may be errors of their values.
  if (wanted >= kOnTbb.few) {
    EXPECT_GT(right, wanted / 2);
  }
  testing::Test::RecordProperty("right", absl::StrCat(right));
}

class ManyPrograms : public testing::TestWithParam<int> {};

TEST_P(ManyPrograms, GiveTheBitsOfTheReference) {
  ComparePart(GetParam(), kOnTbb, *OpenBackend("tbb:2"), "");
}

INSTANTIATE_TEST_SUITE_P(Part, ManyPrograms, testing::Range(0, kParts));

// The parameter is the variant, and the part.
class ManyProgramsOnCuda
    : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(ManyProgramsOnCuda, GiveTheBitsOfTheReference) {
  const auto& [variant, part] = GetParam();
  const std::shared_ptr<Backend> cuda = OpenOrSkip("cuda");
  if (cuda == nullptr) return;
  ComparePart(part, variant == "spliced" ? kSplicedOnCuda : kInterpretedOnCuda,
              cuda, variant);
}

INSTANTIATE_TEST_SUITE_P(Part, ManyProgramsOnCuda,
                         testing::Combine(testing::Values("interpreter",
                                                          "spliced"),
                                          testing::Range(0, kParts)),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param), "_",
                                               std::get<1>(info.param));
                         });

}  // namespace
}  // namespace concord::sequence
