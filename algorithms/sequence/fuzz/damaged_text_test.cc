// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A million texts that are hardly programs, in parts whose lines show how far
// it is:
//
//   CONCORD_LARGE=1 bazel run //algorithms/sequence/fuzz:damaged_text_test
//
// Without CONCORD_LARGE, the first few of each part.

#include "concord/algorithms/sequence/fuzz/damaged_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/fuzz/any_text.h"
#include "concord/testing/support/large_cases.h"

namespace concord::sequence {
namespace {

constexpr int kParts = 50;
constexpr std::uint64_t kTextsOfPart = 20'000;
constexpr std::uint64_t kFirstOfPart = 300;

// Of this thread, so that what else the machine does is no matter.
double ProcessorSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

class DamagedTexts : public testing::TestWithParam<int> {};

TEST_P(DamagedTexts, GiveAProgramOrAnErrorWithinASecond) {
  const std::uint64_t first = GetParam() * kTextsOfPart;
  const std::uint64_t wanted =
      LargeCasesAreWanted() ? kTextsOfPart : kFirstOfPart;
  double longest = 0;
  for (std::uint64_t seed = first; seed < first + wanted; ++seed) {
    const std::string text = DamagedText(seed);
    const double before = ProcessorSeconds();
    ASSERT_EQ(ComplaintAbout(text), "") << "text " << seed << "\n" << text;
    const double seconds = ProcessorSeconds() - before;
    ASSERT_LT(seconds, 1) << "text " << seed << "\n" << text.substr(0, 200);
    longest = std::max(longest, seconds);
  }
  RecordProperty("longest", absl::StrCat(longest));
}

INSTANTIATE_TEST_SUITE_P(Part, DamagedTexts, testing::Range(0, kParts));

// Texts that take different ways through the compiler, one in each line: found
// by `tools/lane fuzz`.
TEST(FuzzCorpus, GivesAProgramOrAnError) {
  std::ifstream file("algorithms/sequence/fuzz/corpus.txt");
  int texts = 0;
  for (std::string text; std::getline(file, text); ++texts) {
    EXPECT_EQ(ComplaintAbout(text), "") << text;
  }
  EXPECT_GT(texts, 500);
}

}  // namespace
}  // namespace concord::sequence
