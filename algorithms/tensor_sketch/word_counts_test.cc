// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "concord/algorithms/tensor_sketch/tbb/dna_words.h"
#include "concord/algorithms/tensor_sketch/tbb/words.h"
#include "concord/backends/tbb/simd.h"
#include "concord/core/random.h"

namespace concord::tensor_sketch {
namespace {

std::vector<std::uint8_t> RandomLetters(std::int64_t n, int values,
                                        std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint8_t> letters(n);
  for (std::uint8_t& c : letters) {
    c = static_cast<std::uint8_t>(random.Below(values));
  }
  return letters;
}

std::vector<std::uint64_t> Count(const WordShape& shape,
                                 const std::vector<std::uint8_t>& letters) {
  std::vector<std::uint64_t> counts(shape.size(), ~0u);
  CountWords(shape, letters, counts.data());
  return counts;
}

TEST(WordCountsTest, CountsEverySubsequence) {
  // Brute force: all subsets of the positions, up to t at a time.
  const std::vector<std::uint8_t> letters = RandomLetters(12, 3, 1);
  const WordShape shape(3, 4);
  std::vector<std::uint64_t> wanted(shape.size(), 0);
  for (int subset = 1; subset < 1 << 12; ++subset) {
    const int k = __builtin_popcount(subset);
    if (k > 4) continue;
    std::int64_t word = 0;
    std::int64_t digit = 1;
    for (int i = 0; i < 12; ++i) {
      if ((subset >> i & 1) == 0) continue;
      word += letters[i] * digit;
      digit *= 3;
    }
    ++wanted[shape.begin(k) + word];
  }
  EXPECT_EQ(Count(shape, letters), wanted);
}

TEST(WordCountsTest, AppendsAtAnyCut) {
  for (const WordShape& shape :
       {WordShape(4, 4), WordShape(5, 3), WordShape(2, 7), WordShape(3, 1)}) {
    const std::vector<std::uint8_t> letters =
        RandomLetters(60, shape.alphabet_size() + 1, 2);
    const std::vector<std::uint64_t> wanted = Count(shape, letters);
    for (int cut = 0; cut <= 60; ++cut) {
      std::vector<std::uint64_t> sum =
          Count(shape, {letters.begin(), letters.begin() + cut});
      const std::vector<std::uint64_t> next =
          Count(shape, {letters.begin() + cut, letters.end()});
      AppendWords(shape, sum.data(), next.data());
      EXPECT_EQ(sum, wanted) << "cut at " << cut;
    }
  }
}

TEST(WordCountsTest, RemovesWhatWasAppended) {
  for (const WordShape& shape :
       {WordShape(4, 4), WordShape(5, 3), WordShape(2, 7), WordShape(3, 1)}) {
    const std::vector<std::uint64_t> first =
        Count(shape, RandomLetters(3000, shape.alphabet_size(), 5));
    const std::vector<std::uint64_t> second =
        Count(shape, RandomLetters(2000, shape.alphabet_size(), 6));
    // Many counts of (2, 7) have wrapped.
    std::vector<std::uint64_t> both = first;
    AppendWords(shape, both.data(), second.data());
    RemoveWords(shape, both.data(), first.data());
    EXPECT_EQ(both, second);
  }
}

TEST(WordCountsTest, DoublesAreCloseToIntegers) {
  const std::vector<std::uint8_t> letters =
      RandomLetters(3 * kDnaSegment + 5, 4, 7);
  const WordCounter counter(4, 3);
  std::vector<std::uint64_t> wanted(counter.shape().size());
  std::vector<double> got(wanted.size());
  counter.Count(letters, wanted.data());
  counter.Count(letters, got.data());
  for (int w = 0; w < 84; ++w) {
    const auto exact = static_cast<double>(wanted[w]);
    EXPECT_NEAR(got[w], exact, 1e-14 * exact) << w;
  }
}

TEST(WordCountsTest, Binomials) {
  EXPECT_EQ(Binomial(10, 0), 1);
  EXPECT_EQ(Binomial(10, 4), 210);
  EXPECT_EQ(Binomial(3, 4), 0);
  EXPECT_EQ(Binomial(1000, 4), 41417124750.0);
}

// Against the general way. BUILD runs it with each target of simd.h.
class DnaCounterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (FastestDnaCounter() == nullptr) {
      GTEST_SKIP() << "nothing special for " << Name(kSimdTarget);
    }
  }

  static void ExpectSame(const std::vector<std::uint8_t>& letters,
                         int alphabet_size) {
    std::vector<std::uint8_t> valid;
    for (const std::uint8_t c : letters) {
      if (c < alphabet_size) valid.push_back(c);
    }
    const WordShape shape(kDnaLetters, kDnaWordLength);
    ASSERT_EQ(shape.size(), kDnaCounts);
    std::vector<std::uint64_t> counts(kDnaCounts, ~0u);
    FastestDnaCounter()(letters.data(),
                        static_cast<std::int64_t>(letters.size()),
                        alphabet_size, counts.data());
    EXPECT_EQ(counts, Count(shape, valid))
        << letters.size() << " letters, of which " << alphabet_size
        << " are in the alphabet";
  }
};

TEST_F(DnaCounterTest, AgreesAtEveryLength) {
  for (std::int64_t n = 0; n <= 3 * kDnaBlock + 1; ++n) {
    ExpectSame(RandomLetters(n, 4, n), 4);
  }
}

TEST_F(DnaCounterTest, SkipsLettersOutsideTheAlphabet) {
  for (int alphabet_size = 1; alphabet_size <= 4; ++alphabet_size) {
    for (const int values : {4, 5, 256}) {
      ExpectSame(RandomLetters(1000, values, alphabet_size), alphabet_size);
    }
  }
}

// The largest counts that a block and a segment can have: the 16-bit and the
// 52-bit products are at their limits.
TEST_F(DnaCounterTest, HoldsTheLargestCounts) {
  for (const std::int64_t n : {std::int64_t{kDnaBlock}, kDnaSegment}) {
    for (std::uint8_t letter = 0; letter < 4; ++letter) {
      ExpectSame(std::vector<std::uint8_t>(n, letter), 4);
    }
    std::vector<std::uint8_t> halves(n, 0);
    std::fill(halves.begin() + n / 2, halves.end(), 3);
    ExpectSame(halves, 4);
    ExpectSame(RandomLetters(n, 4, 3), 4);
  }
}

TEST(WordCounterTest, JoinsSegments) {
  const std::vector<std::uint8_t> letters =
      RandomLetters(2 * kDnaSegment + 77, 5, 4);
  const WordCounter counter(4, 3);
  std::vector<std::uint64_t> counts(counter.shape().size());
  counter.Count(letters, counts.data());
  EXPECT_EQ(counts, Count(counter.shape(), [&] {
              std::vector<std::uint8_t> valid;
              for (const std::uint8_t c : letters) {
                if (c < 4) valid.push_back(c);
              }
              return valid;
            }()));
}

}  // namespace
}  // namespace concord::tensor_sketch
