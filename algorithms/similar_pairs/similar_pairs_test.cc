// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/similar_pairs/similar_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/core/spec.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DifferentialOptions Settings() {
  DifferentialOptions options;
  // 2^16 numbers are those of 683 sketches.
  options.smallest_sizes["indexes_with_16_bits"] = 683 * 682 / 2;
  return options;
}

const bool kDifferential = AddDifferentialSuite("similar_pairs", Settings());

template <typename T>
ConstArrayView ViewOf(const std::vector<T>& values) {
  return ConstArrayView(absl::MakeConstSpan(values));
}

SimilarPairs::Options Limit(double distance2, int dim) {
  SimilarPairs::Options options;
  options.distance2 = distance2;
  options.dim = dim;
  return options;
}

class SimilarPairsOn : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam()); }

  template <typename T>
  PairsOfSketches Found(const std::vector<T>& sketches,
                        const SimilarPairs::Options& options) {
    return ValueOf(ComputeSimilarPairs(backend_, ViewOf(sketches), options));
  }

  std::shared_ptr<Backend> backend_;
};

INSTANTIATE_TEST_SUITE_P(Backends, SimilarPairsOn, CpuBackends(),
                         NameOfParameter);
INSTANTIATE_TEST_SUITE_P(Gpu, SimilarPairsOn, ::testing::Values("cuda"),
                         NameOfParameter);

TEST_P(SimilarPairsOn, ThreePointsOfAPlane) {
  const std::vector<double> points = {0, 0, 3, 4, 0, 1};
  const PairsOfSketches found = Found(points, Limit(18, 2));
  EXPECT_THAT(found.pairs, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 2)));
  EXPECT_THAT(found.distances, ElementsAre(1, 18));
  EXPECT_THAT(
      Found(points, Limit(25, 2)).pairs,
      ElementsAre(ElementsAre(0, 1), ElementsAre(0, 2), ElementsAre(1, 2)));
  EXPECT_THAT(Found(points, Limit(0, 2)).pairs, IsEmpty());
}

TEST_P(SimilarPairsOn, NoSketchesAndOne) {
  EXPECT_THAT(Found(std::vector<float>(), Limit(1, 3)).pairs, IsEmpty());
  EXPECT_THAT(Found(std::vector<float>{1, 2, 3}, Limit(1, 3)).pairs, IsEmpty());
}

// Wrapped sums would be small.
TEST_P(SimilarPairsOn, ExactWhereIntegersWouldWrap) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> apart = {0,      0,      0,      0,
                                           kLeast, kLeast, kLeast, kLeast};
  EXPECT_THAT(Found(apart, Limit(0x1p127, 4)).pairs, IsEmpty());
  EXPECT_THAT(
      Found(std::vector<std::int64_t>{kLeast, kMost}, Limit(1, 1)).pairs,
      IsEmpty());
  EXPECT_THAT(
      Found(std::vector<std::int64_t>{kLeast, 0}, Limit(0x1p126, 1)).distances,
      ElementsAre(0x1p126));
}

TEST_P(SimilarPairsOn, IntegersNearTheLimitAreToldApart) {
  constexpr std::int64_t kHalf = std::int64_t{1} << 26;
  const std::vector<std::int64_t> sketches = {0, 0, 0, kHalf, kHalf, 1};
  EXPECT_THAT(Found(sketches, Limit(0x1p53, 3)).pairs, IsEmpty());
  EXPECT_EQ(Found(sketches, Limit(0x1p53 + 2, 3)).pairs.size(), 1u);
}

TEST_P(SimilarPairsOn, NothingIsSimilarToANan) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> sketches = {kNan, kNan, kInf, kInf, -kInf, 0, -0.0f};
  EXPECT_THAT(
      Found(sketches, Limit(std::numeric_limits<double>::max(), 1)).pairs,
      ElementsAre(ElementsAre(5, 6)));
}

// What rules pairs out must allow for all that its own sums are rounded up.
TEST_P(SimilarPairsOn, LongSketchesAtTheLimitAreFound) {
  constexpr int kDim = 1 << 17;
  for (int step = 1; step <= 40; ++step) {
    const double apart = 1 + step / 41.0;
    std::vector<double> sketches(2 * kDim, 0.0);
    std::fill_n(sketches.begin(), kDim, apart);
    double sum = 0;
    for (int k = 0; k < kDim; ++k) sum += apart * apart;
    EXPECT_EQ(Found(sketches, Limit(sum, kDim)).pairs.size(), 1u) << apart;
    EXPECT_THAT(Found(sketches, Limit(std::nextafter(sum, 0), kDim)).pairs,
                IsEmpty());
  }
}

// They set no scale for the others, and are compared as well.
TEST_P(SimilarPairsOn, AFewHugeSketchesAmongManySmallOnes) {
  constexpr std::int64_t kSketches = 200;
  constexpr double kHuge = 1e300;
  std::vector<double> sketches;
  for (std::int64_t i = 0; i < kSketches; ++i) {
    sketches.push_back(static_cast<double>(i));
  }
  sketches[17] = sketches[190] = kHuge;
  sketches[18] = -kHuge;
  const PairsOfSketches found = Found(sketches, Limit(0, 1));
  EXPECT_THAT(found.pairs, ElementsAre(ElementsAre(17, 190)));
  // All neighbours but those of the three and between them.
  EXPECT_EQ(Found(sketches, Limit(1, 1)).pairs.size(), kSketches - 1 - 5 + 1);
}

// A second run has the room that the first one lacked.
TEST_P(SimilarPairsOn, ManyPairsAreAllFound) {
  constexpr std::int64_t kSketches = 300;
  const std::vector<std::int32_t> equal(2 * kSketches, 7);
  const PairsOfSketches found = Found(equal, Limit(0, 2));
  ASSERT_EQ(found.pairs.size(), kSketches * (kSketches - 1) / 2);
  std::size_t next = 0;
  for (std::int64_t i = 0; i < kSketches; ++i) {
    for (std::int64_t j = i + 1; j < kSketches; ++j) {
      ASSERT_THAT(found.pairs[next++], ElementsAre(i, j));
    }
  }
}

TEST_P(SimilarPairsOn, MoreThanAskedForAreAnErrorThatCountsThem) {
  const std::vector<std::int32_t> equal(200, 7);
  SimilarPairs::Options options = Limit(0, 2);
  options.most = 50;
  const absl::Status status =
      ComputeSimilarPairs(backend_, ViewOf(equal), options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(status.message(),
              HasSubstr("there are 4950 similar pairs, and room for 50; "
                        "--most=4950 has room for all"));
}

// An array in the backend's memory with these elements.
template <typename T>
Array Placed(Backend& backend, const std::vector<T>& values) {
  Array array = ValueOf(backend.Allocate(
      ElementTypeOf<T>(), static_cast<std::int64_t>(values.size())));
  EXPECT_EQ(backend.Copy(ViewOf(values), array.view()), absl::OkStatus());
  return array;
}

template <typename T>
std::vector<T> Fetched(Backend& backend, const Array& array) {
  std::vector<T> values(static_cast<std::size_t>(array.size()));
  EXPECT_EQ(backend.Copy(array.view(), ArrayView(absl::MakeSpan(values))),
            absl::OkStatus());
  return values;
}

// What becomes of arrays with too little room, and of what lies behind them.
TEST_P(SimilarPairsOn, TheFirstPairsAreThereAndNothingBehindThem) {
  constexpr std::int64_t kSketches = 200;
  constexpr std::int64_t kUnwritten = -1;
  const std::shared_ptr<Backend> backend = backend_;
  const std::unique_ptr<SimilarPairs> similar =
      *Registry<SimilarPairs>::Get().Create(backend);
  const Array equal = Placed(*backend, std::vector<std::int32_t>(kSketches, 7));
  for (const std::int64_t room : {0, 1, 250, 5000}) {
    SimilarPairs::Options options = Limit(0, 1);
    options.most = room;
    const Array pairs =
        Placed(*backend, std::vector<std::int64_t>(2 * room + 2, kUnwritten));
    const Array distances =
        Placed(*backend, std::vector<double>(room + 1, kUnwritten));
    const Array count = Placed(*backend, std::vector<std::int64_t>{kUnwritten});
    const absl::Status status =
        similar->Run(equal.view(),
                     {pairs.view().Slice(0, 2 * room), count.view(),
                      distances.view().Slice(0, room)},
                     options);
    // A GPU has not counted them yet.
    EXPECT_EQ(status.code(), backend->memory().is_host()
                                 ? absl::StatusCode::kOutOfRange
                                 : absl::StatusCode::kOk);
    EXPECT_THAT(Fetched<std::int64_t>(*backend, count),
                ElementsAre(kSketches * (kSketches - 1) / 2));
    const auto found = Fetched<std::int64_t>(*backend, pairs);
    const auto apart = Fetched<double>(*backend, distances);
    std::int64_t i = 0;
    std::int64_t j = 1;
    for (std::int64_t p = 0; p < room; ++p) {
      ASSERT_EQ(found[2 * p], i);
      ASSERT_EQ(found[2 * p + 1], j);
      ASSERT_EQ(apart[p], 0);
      if (++j == kSketches) j = ++i + 1;
    }
    EXPECT_EQ(found[2 * room], kUnwritten);
    EXPECT_EQ(apart[room], kUnwritten);
  }
}

TEST_P(SimilarPairsOn, RefusesWhatAreNoSketches) {
  const auto refusal = [&](ConstArrayView in, double distance2, int dim) {
    const absl::Status status =
        ComputeSimilarPairs(backend_, in, Limit(distance2, dim)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  const std::vector<double> floats(12);
  const std::vector<std::int32_t> integers(12);
  EXPECT_THAT(refusal(ViewOf(floats), 1, 5),
              HasSubstr("'in' has 12 numbers, which are not sketches of 5"));
  EXPECT_THAT(
      refusal(ConstArrayView(floats.data(), Shape(3, 4), Memory::Host()), 1, 6),
      HasSubstr("the rows of 'in' have 4 numbers, and --dim is 6"));
  EXPECT_THAT(refusal(ViewOf(floats), -1, 4), HasSubstr("distance2 is -1"));
  EXPECT_THAT(refusal(ViewOf(floats), std::nan(""), 4), HasSubstr("is nan"));
  EXPECT_THAT(refusal(ViewOf(floats), HUGE_VAL, 4), HasSubstr("is inf"));
  EXPECT_THAT(refusal(ViewOf(integers), 0x1p128, 4), HasSubstr("2^128"));
  EXPECT_THAT(refusal(ViewOf(integers), 1, 0), HasSubstr("--dim takes"));
}

TEST(SimilarPairsLimit, IsANumberOfFloat64) {
  const auto parsed = [](const char* text) {
    return SimilarPairs::GetSignature().Parse({{"distance2", text}});
  };
  for (const char* text : {"0", "0.1", "1e300", "9007199254740992", "007",
                           "85070591730234615865843651857942052864"}) {
    EXPECT_TRUE(parsed(text).ok()) << text << ": " << parsed(text).status();
  }
  for (const char* text : {"", "-1", "nan", "inf", "1e999", "near"}) {
    EXPECT_THAT(parsed(text).status().message(),
                HasSubstr("takes a finite number from 0 on"))
        << text;
  }
  EXPECT_THAT(parsed("9007199254740993").status().message(),
              HasSubstr("lies beside 9007199254740992"));
}

}  // namespace
}  // namespace concord
