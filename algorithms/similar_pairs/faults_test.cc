// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Mistakes that implementations of similar_pairs make, planted in the
// reference: a law notices each of them, and so does the expectation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "concord/core/spec.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

const AlgorithmSpec& Spec() { return **FindSpec("similar_pairs"); }

// The results of the reference.
Results RunReference(const Case& test_case) {
  absl::StatusOr<Results> results =
      RunCall(Spec().algorithm(), Open("serial"), "reference",
              test_case.options, SourcesOf(test_case));
  EXPECT_TRUE(results.ok()) << results.status();
  return *std::move(results);
}

using FoundPair = std::pair<std::int64_t, std::int64_t>;

std::vector<FoundPair> PairsIn(const Results& results) {
  const auto values = results.at("pairs").span<std::int64_t>();
  std::vector<FoundPair> pairs;
  for (std::size_t p = 0; p < values.size(); p += 2) {
    pairs.emplace_back(values[p], values[p + 1]);
  }
  return pairs;
}

// `results` with these pairs, at the distance 0.
Results WithPairs(Results results, const std::vector<FoundPair>& pairs) {
  const auto count = static_cast<std::int64_t>(pairs.size());
  HostArray array(ElementType::kInt64, {count, 2});
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    array.data<std::int64_t>()[2 * p] = pairs[p].first;
    array.data<std::int64_t>()[2 * p + 1] = pairs[p].second;
  }
  results.at("pairs") = std::move(array);
  results.at("count") = HostArray::Of<std::int64_t>({count});
  const auto distances = results.find("distances");
  if (distances != results.end()) {
    distances->second = HostArray(ElementType::kFloat64, {count});
    std::fill_n(distances->second.data<double>(), count, 0.0);
  }
  return results;
}

std::int64_t RowsOf(const Case& test_case) {
  return test_case.inputs.at("in").size() /
         NumberOption(test_case.options, "dim");
}

// "<" in place of "<=".
Results LimitIsExcluded(Case test_case) {
  const double limit = std::stod(test_case.options.at("distance2"));
  test_case.options["distance2"] =
      absl::StrFormat("%.17g", std::nextafter(limit, 0));
  if (limit > 0) return RunReference(test_case);
  return WithPairs(RunReference(test_case), {});
}

Results LastTileIsDropped(const Case& test_case) {
  constexpr std::int64_t kTile = 16;
  const std::int64_t whole = RowsOf(test_case) / kTile * kTile;
  const Results right = RunReference(test_case);
  std::vector<FoundPair> pairs = PairsIn(right);
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(),
                             [whole](const FoundPair& pair) {
                               return pair.second >= whole;
                             }),
              pairs.end());
  return WithPairs(right, pairs);
}

Results DiagonalIsIncluded(const Case& test_case) {
  const Results right = RunReference(test_case);
  std::vector<FoundPair> pairs = PairsIn(right);
  for (std::int64_t i = 0; i < RowsOf(test_case); ++i) pairs.emplace_back(i, i);
  std::sort(pairs.begin(), pairs.end());
  return WithPairs(right, pairs);
}

Results PlacesAreSwapped(const Case& test_case) {
  const Results right = RunReference(test_case);
  std::vector<FoundPair> pairs = PairsIn(right);
  for (FoundPair& pair : pairs) std::swap(pair.first, pair.second);
  return WithPairs(right, pairs);
}

// As if threads wrote when they are done.
Results OrderIsLost(const Case& test_case) {
  const Results right = RunReference(test_case);
  std::vector<FoundPair> pairs = PairsIn(right);
  std::reverse(pairs.begin(), pairs.end());
  return WithPairs(right, pairs);
}

// Of four ranks with as many rows each, whose row it is.
std::int64_t RankOf(std::int64_t row, std::int64_t rows) {
  return 4 * row / rows;
}

// The results without the pairs that `is_lost` names, by their rows and how
// many there are.
template <typename F>
Results Without(const Case& test_case, const F& is_lost) {
  const Results right = RunReference(test_case);
  const std::int64_t rows = RowsOf(test_case);
  std::vector<FoundPair> pairs = PairsIn(right);
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(),
                             [&](const FoundPair& pair) {
                               return is_lost(pair.first, pair.second, rows);
                             }),
              pairs.end());
  return WithPairs(right, pairs);
}

// A stretch goes round once too few: ranks across the ring do not meet.
Results LastStepIsForgotten(const Case& test_case) {
  return Without(test_case,
                 [](std::int64_t i, std::int64_t j, std::int64_t rows) {
                   return std::abs(RankOf(i, rows) - RankOf(j, rows)) == 2;
                 });
}

// Ranks do not compare the last of their own rows.
Results DiagonalLosesAPair(const Case& test_case) {
  return Without(test_case,
                 [](std::int64_t i, std::int64_t j, std::int64_t rows) {
                   return RankOf(i, rows) == RankOf(j, rows) &&
                          RankOf(j, rows) != RankOf(j + 1, rows);
                 });
}

// Pairs of two ranks go to the one that has the higher row.
Results PairsGoToTheWrongRank(const Case& test_case) {
  const Results right = RunReference(test_case);
  const std::int64_t rows = RowsOf(test_case);
  std::vector<FoundPair> pairs = PairsIn(right);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [rows](const FoundPair& a, const FoundPair& b) {
                     return RankOf(a.second, rows) < RankOf(b.second, rows);
                   });
  return WithPairs(right, pairs);
}

struct PlantedFault {
  std::string name;
  std::string law;  // that notices it
  std::function<Results(const Case&)> run;
};

class SimilarPairsFaults : public testing::TestWithParam<PlantedFault> {};

// Copies of a few sketches, so that there are pairs at the limit, which is 0.
Case DuplicatesIn(ElementType type) {
  return ValueOf(Spec().Generate({/*size=*/100 * 99 / 2,
                                  type,
                                  "duplicates",
                                  {{"dim", "5"}, {"output-distances", "yes"}},
                                  /*seed=*/1}));
}

TEST_P(SimilarPairsFaults, AreNoticedByALawAndByTheExpectation) {
  for (const ElementType type : Spec().element_types()) {
    const Case test_case = DuplicatesIn(type);
    const Results right = RunReference(test_case);
    const Results wrong = GetParam().run(test_case);
    const Expectations expected = ValueOf(Spec().Expected(test_case));
    EXPECT_EQ(right.at("pairs"), expected.at("pairs").value);
    EXPECT_NE(wrong.at("pairs"), expected.at("pairs").value);
    int asked = 0;
    for (const Law& law : Spec().laws()) {
      EXPECT_EQ(law.check(RunReference, test_case), absl::OkStatus());
      if (law.name != GetParam().law) continue;
      ++asked;
      EXPECT_NE(law.check(GetParam().run, test_case), absl::OkStatus())
          << law.name << " does not notice " << GetParam().name;
    }
    EXPECT_EQ(asked, 1) << GetParam().law;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SimilarPairsFaults,
    testing::Values(
        PlantedFault{"LimitIsExcluded", "duplicates", LimitIsExcluded},
        PlantedFault{"LastTileIsDropped", "first_rows", LastTileIsDropped},
        PlantedFault{"DiagonalIsIncluded", "order", DiagonalIsIncluded},
        PlantedFault{"PlacesAreSwapped", "order", PlacesAreSwapped},
        PlantedFault{"OrderIsLost", "order", OrderIsLost},
        PlantedFault{"LastStepIsForgotten", "duplicates", LastStepIsForgotten},
        PlantedFault{"DiagonalLosesAPair", "first_rows", DiagonalLosesAPair},
        PlantedFault{"PairsGoToTheWrongRank", "order", PairsGoToTheWrongRank}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace concord
