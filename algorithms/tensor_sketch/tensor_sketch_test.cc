// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/tensor_sketch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/core/algorithm.h"
#include "concord/core/call.h"
#include "concord/core/host_array.h"
#include "concord/core/registry.h"
#include "concord/core/signature.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

const bool kDifferential = AddDifferentialSuite("tensor_sketch");

using Sketch = std::vector<std::int64_t>;

// The tables that the published Python program draws with CPython's
// random.seed(31415).
SketchTables PublishedTables() {
  return {{75, 57, 69, 16, 51, 60, 50, 85, 79, 44, 35, 93, 65, 83, 82, 50},
          {1, -1, 1, 1, -1, 1, -1, -1, -1, -1, 1, -1, 1, 1, 1, -1}};
}

std::vector<std::uint8_t> Letters(const std::string& dna) {
  std::vector<std::uint8_t> letters;
  for (const char c : dna) {
    letters.push_back(static_cast<std::uint8_t>(std::string("ACGT").find(c)));
  }
  return letters;
}

Sketch Zeros() { return Sketch(96, 0); }

Sketch With(const std::map<int, std::int64_t>& values) {
  Sketch sketch = Zeros();
  for (const auto& [place, value] : values) sketch[place] = value;
  return sketch;
}

// The 1000 letters of a linear congruential generator, from ACTTCGTC.
std::vector<std::uint8_t> ThousandLetters() {
  std::vector<std::uint8_t> letters;
  std::uint64_t x = 12345;
  for (int i = 0; i < 1000; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    letters.push_back(static_cast<std::uint8_t>(x >> 62));
  }
  return letters;
}

// In the manner of FNV-1a, over whole integers and from the start that the
// known value has: all 96 integers are known from one.
std::uint64_t Fingerprint(const Sketch& sketch) {
  std::uint64_t hash = 1469598103934665603u;
  for (const std::int64_t value : sketch) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211u;
  }
  return hash;
}

// Every implementation that can run here has the known answers.
class KnownAnswersTest : public testing::TestWithParam<ImplementationInfo> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam().backend); }

  Sketch Compute(const std::vector<std::uint8_t>& letters,
                 std::vector<std::int64_t> offsets = {}) {
    if (offsets.empty()) {
      offsets = {0, static_cast<std::int64_t>(letters.size())};
    }
    absl::StatusOr<Sketch> sketch = ComputeTensorSketch(
        backend_, letters, offsets, PublishedTables(), {}, GetParam().variant);
    EXPECT_TRUE(sketch.ok()) << sketch.status();
    return sketch.ok() ? *sketch : Sketch();
  }

  std::shared_ptr<Backend> backend_;
};

TEST_P(KnownAnswersTest, FewerThanTLettersGiveZeros) {
  EXPECT_EQ(Compute({}), Zeros());
  EXPECT_EQ(Compute(Letters("ACG")), Zeros());
}

TEST_P(KnownAnswersTest, TLettersGiveASingleOne) {
  EXPECT_EQ(Compute(Letters("ACGT")), With({{28, -1}}));
}

TEST_P(KnownAnswersTest, HomopolymerGivesABinomial) {
  EXPECT_EQ(Compute(Letters("AAAAAAAAAA")), With({{25, -210}}));
}

TEST_P(KnownAnswersTest, TenLetters) {
  const Sketch sketch = Compute(Letters("ACGTACGTGA"));
  for (const auto& [place, value] : std::map<int, std::int64_t>{
           {0, 1}, {1, 3}, {6, 6}, {22, -6}, {25, -4}, {90, 8}, {94, -1}}) {
    EXPECT_EQ(sketch[place], value) << "at " << place;
  }
}

TEST_P(KnownAnswersTest, AThousandLetters) {
  const Sketch sketch = Compute(ThousandLetters());
  const Sketch first(sketch.begin(), sketch.begin() + 8);
  EXPECT_EQ(first, (Sketch{141933135, 65483540, -301950331, 361595948,
                           -108520856, 317535366, 685344353, 123323351}));
  EXPECT_EQ(Fingerprint(sketch), 0x98afad3231c00df5u);
}

TEST_P(KnownAnswersTest, SequencesDoNotMix) {
  const std::vector<std::uint8_t> letters = Letters("ACGTAAAAAAAAAA");
  Sketch both = With({{28, -1}});
  const Sketch second = With({{25, -210}});
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(Compute(letters, {0, 4, 14}), both);
}

TEST_P(KnownAnswersTest, WindowsOfTheThousandLetters) {
  // Windows of 10 letters that begin at 0, 4, 8, ..., 988; and a sequence that
  // is shorter than a window.
  std::vector<std::uint8_t> letters = ThousandLetters();
  const std::vector<std::uint8_t> few = Letters("ACGT");
  letters.insert(letters.end(), few.begin(), few.end());
  TensorSketch::Options options;
  options.window = 10;
  options.stride = 4;
  const absl::StatusOr<Sketch> sketches =
      ComputeTensorSketch(backend_, letters, {0, 1000, 1004}, PublishedTables(),
                          options, GetParam().variant);
  ASSERT_TRUE(sketches.ok()) << sketches.status();
  ASSERT_EQ(sketches->size(), (248 + 1) * 96);
  for (const int row : {0, 1, 100, 247}) {
    const auto begin = letters.begin() + 4 * row;
    const auto got = sketches->begin() + 96 * row;
    EXPECT_EQ(Sketch(got, got + 96), Compute({begin, begin + 10})) << row;
  }
  EXPECT_EQ(Sketch(sketches->end() - 96, sketches->end()), With({{28, -1}}));
}

// Each sequence is one window, however long that is said to be. All of them
// together would have more letters than can be counted.
TEST_P(KnownAnswersTest, WindowsFarLongerThanAllSequences) {
  const std::vector<std::uint8_t> letters = ThousandLetters();
  TensorSketch::Options options;
  options.stride = 1;
  const auto sketch = [&](std::int64_t window) {
    options.window = window;
    return ComputeTensorSketch(backend_, letters, {0, 100, 300, 600, 1000},
                               PublishedTables(), options, GetParam().variant);
  };
  const absl::StatusOr<Sketch> wanted = sketch(1000);
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  for (const std::int64_t window :
       {std::int64_t{1} << 60, std::int64_t{1} << 61, std::int64_t{1} << 62,
        std::numeric_limits<std::int64_t>::max()}) {
    const absl::StatusOr<Sketch> sketches = sketch(window);
    ASSERT_TRUE(sketches.ok()) << sketches.status();
    EXPECT_EQ(*sketches, *wanted) << window;
  }
}

TEST_P(KnownAnswersTest, NormalizedIsDividedByTheNumberOfSubsequences) {
  const auto compute = [&](const std::vector<std::uint8_t>& letters) {
    return ComputeNormalizedTensorSketch(
        backend_, letters, {0, static_cast<std::int64_t>(letters.size())},
        PublishedTables(), {}, GetParam().variant);
  };
  const absl::StatusOr<std::vector<double>> same =
      compute(Letters("AAAAAAAAAA"));
  if (!GetParam().contract.Allows(ElementType::kFloat64)) {
    EXPECT_EQ(same.status().code(), absl::StatusCode::kUnimplemented);
    return;
  }
  ASSERT_TRUE(same.ok()) << same.status();
  for (int l = 0; l < 96; ++l) {
    EXPECT_NEAR((*same)[l], l == 25 ? -1 : 0, 1e-15) << l;
  }
  // A thousand letters have 1000 * 999 * 998 * 997 / 24 subsequences of four.
  const absl::StatusOr<std::vector<double>> mean = compute(ThousandLetters());
  ASSERT_TRUE(mean.ok()) << mean.status();
  const Sketch sums = Compute(ThousandLetters());
  for (int l = 0; l < 96; ++l) {
    EXPECT_NEAR((*mean)[l], static_cast<double>(sums[l]) / 41417124750.0, 1e-13)
        << l;
  }
  // Letters that are skipped are no letters, and three are too few.
  EXPECT_EQ(*compute({4, 0, 7, 1, 2, 255}), std::vector<double>(96, 0));
}

TEST_P(KnownAnswersTest, NormalizedNeverOverflows) {
  // 2 * 10^5 equal letters have 6.7 * 10^19 subsequences, more than 2^64.
  if (!GetParam().contract.Allows(ElementType::kFloat64)) GTEST_SKIP();
  const std::vector<std::uint8_t> letters(200'000, 2);
  const absl::StatusOr<std::vector<double>> mean =
      ComputeNormalizedTensorSketch(backend_, letters, {0, 200'000},
                                    PublishedTables(), {}, GetParam().variant);
  ASSERT_TRUE(mean.ok()) << mean.status();
  // The row of G: 79 + 44 + 35 + 93 modulo 96, and three signs are minus.
  EXPECT_NEAR((*mean)[59], -1, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Implementations, KnownAnswersTest,
                         testing::ValuesIn(Registry<TensorSketch>::Get().All()),
                         [](const auto& info) {
                           return absl::StrCat(info.param.backend, "_",
                                               info.param.variant);
                         });

class ArgumentsTest : public testing::Test {
 protected:
  // The error of a call with these arguments.
  static std::string ErrorOf(const std::vector<std::uint8_t>& letters,
                             const std::vector<std::int64_t>& offsets,
                             const SketchTables& tables,
                             const TensorSketch::Options& options) {
    const absl::StatusOr<Sketch> sketch = ComputeTensorSketch(
        *OpenBackend("serial"), letters, offsets, tables, options);
    EXPECT_EQ(sketch.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(sketch.status().message());
  }
};

TEST_F(ArgumentsTest, OptionsMustBeInRange) {
  EXPECT_EQ(ErrorOf({}, {0}, {}, {0, 4, 96}),
            "alphabet_size is 0, not from 1 to 256");
  EXPECT_EQ(ErrorOf({}, {0}, {}, {257, 4, 96}),
            "alphabet_size is 257, not from 1 to 256");
  EXPECT_EQ(ErrorOf({}, {0}, {}, {4, 0, 96}),
            "--t takes a whole number from 1 to 1024, not '0'");
  EXPECT_EQ(ErrorOf({}, {0}, {}, {4, 4, 0}),
            "--dim takes a whole number from 1 to 16777216, not '0'");
}

TEST_F(ArgumentsTest, WindowsMustBeInRange) {
  TensorSketch::Options options;
  options.window = -1;
  EXPECT_EQ(ErrorOf({}, {0}, PublishedTables(), options),
            "--window takes a whole number from 0 to 9223372036854775807, not "
            "'-1'");
  options = {};
  options.stride = 2;
  EXPECT_EQ(ErrorOf({}, {0}, PublishedTables(), options),
            "a stride means nothing without a window");
  options.window = 2;
  options.stride = 0;
  EXPECT_EQ(ErrorOf({}, {0}, PublishedTables(), options),
            "stride is 0, not from 1 on");
}

TEST_F(ArgumentsTest, OffsetsMustFitTheLetters) {
  const SketchTables tables = PublishedTables();
  EXPECT_THAT(ErrorOf({}, {}, tables, {}), HasSubstr("offsets is empty"));
  EXPECT_EQ(ErrorOf({0, 1}, {1, 2}, tables, {}), "offsets[0] is 1, not 0");
  EXPECT_EQ(ErrorOf({0, 1}, {0, 2, 1, 2}, tables, {}),
            "offsets decrease: [1] is 2, [2] is 1");
  EXPECT_EQ(ErrorOf({0, 1}, {0, 1}, tables, {}),
            "the last offset is 1, but there are 2 letters");
}

TEST_F(ArgumentsTest, TablesMustFitTheOptions) {
  SketchTables tables = PublishedTables();
  EXPECT_THAT(ErrorOf({}, {0}, tables, {4, 3, 96}), HasSubstr("hashes"));
  tables.hashes[6] = 96;
  EXPECT_EQ(ErrorOf({}, {0}, tables, {}),
            "hashes[1, 2] is 96, not from 0 to 95");
  tables = PublishedTables();
  tables.signs[15] = 0;
  EXPECT_EQ(ErrorOf({}, {0}, tables, {}), "signs[3, 3] is 0, neither -1 nor 1");
}

TEST_F(ArgumentsTest, OptionsAsText) {
  const Signature<TensorSketch>& signature = TensorSketch::GetSignature();
  EXPECT_EQ(signature.Parse({{"alphabet", "ACGTN"}})->alphabet_size, 5);
  EXPECT_THAT(signature.Parse({{"alphabet", "ACA"}}).status().message(),
              HasSubstr("'A' stands twice"));
  EXPECT_EQ(signature.Parse({{"window", "9"}, {"stride", "2"}})->stride, 2);
  EXPECT_EQ(signature.Parse({{"stride", "2"}}).status().message(),
            "--stride means nothing without --window");
}

// Sketches 300 sequences of 0 to 30 letters, by any options.
HostArray SketchOfMany(const std::shared_ptr<Backend>& backend,
                       const std::string& variant, const OptionMap& options) {
  const std::vector<std::uint8_t> thousand = ThousandLetters();
  std::vector<std::uint8_t> letters;
  std::vector<std::int64_t> offsets = {0};
  for (int i = 0; i < 300; ++i) {
    const auto begin = thousand.begin() + 3 * i;
    letters.insert(letters.end(), begin, begin + 7 * i % 31);
    offsets.push_back(static_cast<std::int64_t>(letters.size()));
  }
  const SketchTables tables = *RandomSketchTables(
      *TensorSketch::GetSignature().Parse(
          {{"t", options.at("t")}, {"dim", options.at("dim")}}),
      /*seed=*/1);
  const std::int64_t t = NumberOption(options, "t");
  const auto source = [](ConstArrayView view) {
    return std::make_shared<ArraySource>(view);
  };
  const auto table = [&](const std::vector<std::int32_t>& entries) {
    return ConstArrayView(entries.data(), Shape(4, t), Memory::Host());
  };
  const absl::StatusOr<Results> results =
      RunCall(**FindAlgorithm("tensor_sketch"), backend, variant, options,
              {{"letters", source(absl::MakeConstSpan(letters))},
               {"offsets", source(absl::MakeConstSpan(offsets))},
               {"hashes", source(table(tables.hashes))},
               {"signs", source(table(tables.signs))}});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? results->at("out") : HostArray();
}

// With levels in shared memory, and with so many that the device's memory has
// room for those of half the sequences.
TEST(TensorSketchTuningTest, ChangesNoResult) {
  for (const OptionMap& options : {OptionMap{{"t", "4"}, {"dim", "96"}},
                                   OptionMap{{"t", "8"}, {"dim", "10000"}}}) {
    const HostArray expected =
        SketchOfMany(*OpenBackend("serial"), "", options);
    for (const auto& info : Registry<TensorSketch>::Get().All()) {
      if (info.tuning.empty()) continue;
      const std::shared_ptr<Backend> backend = OpenOrSkip(info.backend);
      if (backend == nullptr) return;
      for (const OptionSpec& option : info.tuning) {
        for (const std::int64_t value :
             {option.least, option.most, std::int64_t{7}}) {
          OptionMap tuned = options;
          tuned[option.name] = absl::StrCat(value);
          EXPECT_EQ(SketchOfMany(backend, info.variant, tuned), expected)
              << info.name() << ToString(tuned);
        }
      }
    }
  }
}

TEST(RandomSketchTablesTest, AreTheSameOnEveryMachine) {
  const SketchTables tables = *RandomSketchTables({}, 1);
  EXPECT_EQ(tables.hashes,
            (std::vector<std::int32_t>{18, 85, 83, 64, 88, 40, 40, 79, 10, 49,
                                       32, 73, 92, 87, 87, 15}));
  EXPECT_EQ(tables.signs,
            (std::vector<std::int32_t>{-1, -1, -1, -1, 1, 1, 1, -1, -1, -1, -1,
                                       -1, 1, -1, 1, -1}));
}

TEST(RandomSketchTablesTest, OptionsOutOfRangeAreRefused) {
  TensorSketch::Options options;
  options.dim = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(RandomSketchTables(options, 1).status()));
  options = {};
  options.alphabet_size = 257;
  EXPECT_TRUE(absl::IsInvalidArgument(RandomSketchTables(options, 1).status()));
}

}  // namespace
}  // namespace concord
