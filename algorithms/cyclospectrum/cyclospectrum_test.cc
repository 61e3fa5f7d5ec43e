// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Masses = std::vector<std::int32_t>;

const bool kDifferential = [] {
  DifferentialOptions options;
  options.meaningless_faults = {
      {"swaps_operands", "a circle has the same pieces either way round"},
      {"serial/brute_force/indexes_with_16_bits",
       "its cases have fewer results"},
      {"cuda/brute_force/indexes_with_16_bits",
       "its cases have fewer results"}};
  return AddDifferentialSuite("cyclospectrum", options);
}();

// Every CPU implementation: "tbb:3/value_tiles".
class CyclospectrumOn : public ::testing::TestWithParam<std::string> {
 protected:
  absl::StatusOr<Masses> Try(const Masses& masses) {
    return ComputeCyclospectrum(Open(BackendIn(GetParam())), masses,
                                VariantIn(GetParam()));
  }
  Masses Spectrum(const Masses& masses) { return ValueOf(Try(masses)); }
};

INSTANTIATE_TEST_SUITE_P(
    Implementations, CyclospectrumOn,
    ::testing::Values("serial/reference", "serial/brute_force",
                      "tbb:1/value_tiles", "tbb:3/value_tiles",
                      "tbb:1/prefix_sort", "tbb:3/prefix_sort"),
    NameOfParameter);

// Rosalind, problem BA4C, "Generate the Theoretical Spectrum of a Cyclic
// Peptide": the sample.
TEST_P(CyclospectrumOn, RosalindSample) {
  const Masses masses = *MassesOfPeptide("LEQN");
  EXPECT_THAT(masses, ElementsAre(113, 129, 128, 114));
  EXPECT_THAT(Spectrum(masses), ElementsAre(0, 113, 114, 128, 129, 227, 242,
                                            242, 257, 355, 356, 370, 371, 484));
}

// The peptide of "Non-linear Thinking with CUDA", whose table shows the pieces
// of one, two and three masses.
TEST_P(CyclospectrumOn, PeptideOfTheArticle) {
  EXPECT_THAT(
      Spectrum({57, 71, 113, 113, 128}),
      ElementsAre(0, 57, 71, 113, 113, 128, 128, 184, 185, 226, 241, 241, 256,
                  297, 298, 354, 354, 369, 369, 411, 425, 482));
}

TEST_P(CyclospectrumOn, FewMasses) {
  EXPECT_THAT(Spectrum({}), ElementsAre(0, 0));
  EXPECT_THAT(Spectrum({57}), ElementsAre(0, 57));
  EXPECT_THAT(Spectrum({3, 1}), ElementsAre(0, 1, 3, 4));
}

TEST_P(CyclospectrumOn, EqualMasses) {
  const int n = 700;
  const Masses spectrum = Spectrum(Masses(n, 7));
  ASSERT_EQ(spectrum.size(), n * (n - 1) + 2u);
  std::size_t at = 0;
  EXPECT_EQ(spectrum[at++], 0);
  for (int length = 1; length < n; ++length) {
    for (int i = 0; i < n; ++i) ASSERT_EQ(spectrum[at++], 7 * length) << at;
  }
  EXPECT_EQ(spectrum[at], 7 * n);
}

// The pieces one by one, and sorted.
template <typename T>
std::vector<T> PiecesOf(const std::vector<T>& masses) {
  const std::size_t n = masses.size();
  std::vector<T> pieces = {0,
                           std::accumulate(masses.begin(), masses.end(), T{0})};
  pieces.reserve(n * (n - 1) + 2);
  for (std::size_t first = 0; first < n; ++first) {
    T sum = 0;
    for (std::size_t length = 1; length < n; ++length) {
      sum += masses[(first + length - 1) % n];
      pieces.push_back(sum);
    }
  }
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

// Tiles of 4096 values: the lower half of all ends before, at and behind the
// end of one.
TEST_P(CyclospectrumOn, TilesOfValuesEndAnywhere) {
  for (const int half : {4095, 4096, 4097, 8191, 8192, 8193}) {
    for (const int odd : {0, 1}) {
      const int n = 260;
      const int total = 2 * half - 2 + odd;
      // So many pieces of all masses that those at the border are among them.
      Masses masses(n);
      for (int i = 0; i < n; ++i) {
        masses[i] = 2 + i * i % (2 * total / n - 3);
      }
      int missing = total - std::accumulate(masses.begin(), masses.end(), 0);
      for (int i = 0; missing != 0; i = (i + 1) % n) {
        const int step = missing > 0 ? 1 : masses[i] > 1 ? -1 : 0;
        masses[i] += step;
        missing -= step;
      }
      const Masses pieces = PiecesOf(masses);
      for (const int border : {total / 2 - 1, total / 2}) {
        ASSERT_TRUE(std::binary_search(pieces.begin(), pieces.end(), border));
      }
      EXPECT_TRUE(Spectrum(masses) == pieces) << half << " " << odd;
    }
  }
}

// One mass has most of the total, so that no piece has about half of it.
TEST_P(CyclospectrumOn, TilesOfValuesWithoutPieces) {
  Masses masses(300, 1);
  masses[200] = 30'000;
  const Masses pieces = PiecesOf(masses);
  EXPECT_TRUE(Spectrum(masses) == pieces);

  const auto implementation = *Registry<Cyclospectrum>::Get().Create(
      Open(BackendIn(GetParam())), VariantIn(GetParam()));
  Masses values(MostDistinct(pieces.size(), pieces.back()));
  std::vector<std::int64_t> counts(values.size());
  std::vector<std::int64_t> distinct(1);
  Cyclospectrum::Options options;
  options.as = Cyclospectrum::As::kHistogram;
  const absl::Status status = implementation->Run(
      absl::MakeConstSpan(masses), absl::MakeSpan(values),
      absl::MakeSpan(counts), absl::MakeSpan(distinct), options);
  ASSERT_TRUE(status.ok()) << status;
  // 0 to 299, and what they lack of the circle.
  ASSERT_EQ(distinct[0], 600);
  Masses expanded;
  for (std::int64_t i = 0; i < distinct[0]; ++i) {
    expanded.insert(expanded.end(), counts[i], values[i]);
  }
  EXPECT_TRUE(expanded == pieces);
}

TEST_P(CyclospectrumOn, RefusesMassesThatItCannotAddUp) {
  EXPECT_THAT(Try({1, -2, 3}).status().message(),
              HasSubstr("mass 2 is -2; a mass is 0 or more"));
  EXPECT_THAT(
      Try({std::numeric_limits<std::int32_t>::max(), 1}).status().message(),
      HasSubstr("the total mass is more than int32 holds, 2147483647"));
}

// On every backend: nothing is written behind the room that there is.
TEST(CyclospectrumHistogram, NeedsRoom) {
  const Masses masses = {1, 2, 3};
  Cyclospectrum::Options options;
  options.as = Cyclospectrum::As::kHistogram;
  for (const ImplementationInfo& info : Registry<Cyclospectrum>::Get().All()) {
    const absl::StatusOr<std::shared_ptr<Backend>> opened =
        OpenBackend(info.backend);
    if (!opened.ok() || !info.RefusalOn(**opened).empty()) continue;
    const std::shared_ptr<Backend>& backend = *opened;
    const Array in = *backend->Allocate(ElementType::kInt32, 3);
    const Array out = *backend->Allocate(ElementType::kInt32, 2);
    const Array counts = *backend->Allocate(ElementType::kInt64, 2);
    const Array distinct = *backend->Allocate(ElementType::kInt64, 1);
    ASSERT_TRUE(backend->Copy(absl::MakeConstSpan(masses), in.view()).ok());
    const std::unique_ptr<Cyclospectrum> implementation =
        *Registry<Cyclospectrum>::Get().Create(backend, info.variant);
    const absl::Status status = implementation->Run(
        in.view(), out.view(), counts.view(), distinct.view(), options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << info.name();
    EXPECT_THAT(status.message(), HasSubstr("no room for the histogram"));
  }
}

// They would be left as they are.
TEST_P(CyclospectrumOn, ASpectrumHasNoCounts) {
  const std::shared_ptr<Backend> backend = Open(BackendIn(GetParam()));
  const auto implementation =
      *Registry<Cyclospectrum>::Get().Create(backend, VariantIn(GetParam()));
  const Masses masses = {1, 2, 3};
  Masses out(8);
  std::vector<std::int64_t> counts(8);
  std::int64_t distinct = 0;
  const ArrayView spectrum(absl::MakeSpan(out));
  EXPECT_EQ(implementation
                ->Run(absl::MakeConstSpan(masses), spectrum,
                      ArrayView(absl::MakeSpan(counts)), {}, {})
                .message(),
            "'counts' is given, and only a histogram has it");
  EXPECT_EQ(implementation
                ->Run(absl::MakeConstSpan(masses), spectrum, {},
                      ArrayView(absl::Span<std::int64_t>(&distinct, 1)), {})
                .message(),
            "'distinct' is given, and only a histogram has it");
}

// Results so large that they are streamed, whole lines of them at a time,
// wherever they start; `mass(i)` is the mass of the i-th of so many.
template <typename T, typename F>
void ExpectStreamed(int n, const F& mass) {
  std::vector<T> masses(n);
  for (int i = 0; i < n; ++i) masses[i] = mass(i);
  const std::vector<T> expected = PiecesOf(masses);
  ASSERT_GE(expected.size() * sizeof(T), std::size_t{32} << 20);
  std::size_t shift = 1;
  for (const char* backend : {"tbb:1", "tbb:3"}) {
    const auto implementation =
        *Registry<Cyclospectrum>::Get().Create(Open(backend), "value_tiles");
    std::vector<T> out(expected.size() + 32, T{-1});
    const absl::Status status = implementation->Run(
        absl::MakeConstSpan(masses),
        absl::MakeSpan(out).subspan(shift, expected.size()), {}, {}, {});
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(
        std::equal(expected.begin(), expected.end(), out.begin() + shift));
    EXPECT_EQ(std::count(out.begin(), out.begin() + shift, T{-1}), shift);
    EXPECT_EQ(std::count(out.end() - 32 + shift, out.end(), T{-1}), 32 - shift);
    shift += 6;
  }
}

TEST(CyclospectrumStreamed, Peptide) {
  const Masses letters = *MassesOfPeptide("GASPVTCILNDKQEMHFRYW");
  const auto mass = [&](int i) {
    return letters[std::int64_t{i} * i * 7 % 1009 % 20];
  };
  ExpectStreamed<std::int32_t>(2900, mass);
  ExpectStreamed<std::int64_t>(2050, mass);
}

TEST(CyclospectrumStreamed, RunsLongerThanTheBuffer) {
  ExpectStreamed<std::int32_t>(2900, [](int) { return 3; });
  ExpectStreamed<std::int64_t>(2050, [](int i) { return i % 100 / 99; });
}

TEST(CyclospectrumStreamed, RunsOfAllLengths) {
  ExpectStreamed<std::int32_t>(2900, [](int i) { return 1 + i / 100; });
  ExpectStreamed<std::int64_t>(2050, [](int i) { return i * 7 % 5; });
}

TEST(CyclospectrumStreamed, SortedTiles) {
  ExpectStreamed<std::int32_t>(2900, [](int i) { return i * i % 700'001; });
  ExpectStreamed<std::int64_t>(
      2050, [](int i) { return std::int64_t{i} * i % 100'003 << 20; });
}

TEST(Cyclospectrum, PeptidesHaveTwentyLetters) {
  EXPECT_THAT(*MassesOfPeptide("gaspvtcilndkqemhfryw"),
              ElementsAre(57, 71, 87, 97, 99, 101, 103, 113, 113, 114, 115, 128,
                          128, 129, 131, 137, 147, 156, 163, 186));
  EXPECT_THAT(MassesOfPeptide("LEXN").status().message(),
              HasSubstr("letter 3 is 'X', no amino acid"));
  EXPECT_THAT(MassesOfPeptide("LE N").status().message(),
              HasSubstr("letter 3 is ' ', no amino acid"));
}

TEST(Cyclospectrum, SizesThatInt64DoesNotHold) {
  EXPECT_EQ(*CyclospectrumSize(3'037'000'000), 9'223'368'996'963'000'002);
  EXPECT_EQ(CyclospectrumSize(3'037'000'501).status().code(),
            absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace concord
