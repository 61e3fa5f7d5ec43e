// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/similar_pairs/spec/cases.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord::similar_pairs {
namespace {

constexpr char kFamilies[] = "families";
constexpr char kDuplicates[] = "duplicates";

// Sketches to a family, on average.
constexpr std::int64_t kFamily = 4;

// Ancestors are from -kWidth to kWidth.
constexpr std::int64_t kWidth = 1000;

// Each row is a copy of one of rows / kFamily ancestors; with noise an element
// of it is up to 1 more or less.
template <typename T>
void DrawFamilies(Random& random, bool noise, std::int64_t rows,
                  std::int64_t dim, T* to) {
  const std::uint64_t ancestors = random.Bits();
  const auto families = static_cast<std::uint64_t>(rows / kFamily + 1);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint64_t family = random.Below(families);
    for (std::int64_t k = 0; k < dim; ++k) {
      const std::uint64_t bits =
          RandomBits(ancestors, family * static_cast<std::uint64_t>(dim) +
                                    static_cast<std::uint64_t>(k));
      auto value = static_cast<T>(
          static_cast<std::int64_t>(bits % (2 * kWidth + 1)) - kWidth);
      if (noise && std::is_integral_v<T>) {
        value += static_cast<T>(static_cast<std::int64_t>(random.Below(3)) - 1);
      } else if (noise) {
        value += static_cast<T>(2 * random.Unit() - 1);
      }
      *to++ = value;
    }
  }
}

// Rows of `dim` numbers, for each limit and with distances.
template <typename T>
void Add(std::vector<Case>& cases, const char* label, std::int64_t dim,
         const std::vector<T>& values, const std::vector<std::string>& limits) {
  for (const std::string& limit : limits) {
    HostArray sketches(ElementTypeOf<T>(),
                       {static_cast<std::int64_t>(values.size()) / dim, dim});
    std::copy(values.begin(), values.end(), sketches.data<T>());
    cases.push_back(MakeCase(absl::StrCat(label, ", limit ", limit),
                             {{"distance2", limit},
                              {"dim", absl::StrCat(dim)},
                              {"most", "100"},
                              {"output-distances", "yes"}},
                             std::move(sketches)));
  }
}

void AddIntegers(std::vector<Case>& cases) {
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr std::int64_t kHalf = std::int64_t{1} << 26;
  // 2^53 and one more, which float64 does not tell apart.
  Add<std::int64_t>(
      cases, "squares of 54 bits", 3,
      {0, 0, 0, kHalf, kHalf, 0, -kHalf, -kHalf, 1},
      {"9007199254740991", "9007199254740992", "9007199254740994"});
  // 2^126 in each place: four of them are 2^128.
  Add<std::int64_t>(cases, "a sum of 2^128", 4,
                    {0, 0, 0, 0, Limits::min(), Limits::min(), Limits::min(),
                     Limits::min(), Limits::min(), 0, 0, 0},
                    {"0", "85070591730234615865843651857942052864",
                     "340282366920938425684442744474606501888"});
  Add<std::int64_t>(cases, "the largest difference", 1,
                    {Limits::min(), Limits::max(), -1, 0},
                    {"1", "340282366920938425684442744474606501888"});
  Add<std::int32_t>(cases, "the largest difference of 32 bits", 1,
                    {std::numeric_limits<std::int32_t>::min(),
                     std::numeric_limits<std::int32_t>::max()},
                    {"18446744065119617024", "18446744065119619072"});
}

void AddFloats(std::vector<Case>& cases) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kHalf = 0x1p26;
  const std::string largest = "1.7976931348623157e308";
  Add<double>(cases, "NaNs and infinities", 2,
              {kNan, 0, kNan, 0, kInf, 0, kInf, 0, -kInf, 0, 0, 0, -0.0, 0.0},
              {"0", largest});
  Add<double>(cases, "squares that overflow", 1,
              {kMost, -kMost, kMost, 0, 1e154, -1e153}, {"0", largest});
  Add<double>(cases, "squares that are too small", 2,
              {0, 0, 1e-200, 0, 0, 1e-170, 5e-324, 1e-160},
              {"0", "5e-324", "1e-320"});
  // Ones that are lost behind 2^53, and would not be lost before it.
  Add<double>(cases, "the order of sums", 4,
              {0, 0, 0, 0, kHalf, kHalf, 1, 1, 1, 1, kHalf, kHalf},
              {"9007199254740992", "9007199254740994"});
  Add<float>(cases, "differences that float32 would round", 2,
             {1, 0x1p-30f, -0x1p-24f, 0, 1, 0, 1, -0x1p-30f},
             {"1", "1.00000012", "8.673617379884035e-19"});
}

}  // namespace

std::vector<std::string> SketchDistributions(ElementType type) {
  std::vector<std::string> names = {kFamilies, kDuplicates, "uniform",
                                    "small",   "equal",     "extremes"};
  if (IsFloat(type)) names.emplace_back("special");
  return names;
}

absl::StatusOr<HostArray> DrawSketches(const std::string& distribution,
                                       ElementType type, std::int64_t rows,
                                       std::int64_t dim, std::uint64_t seed) {
  HostArray sketches(type, {rows, dim});
  if (distribution == kFamilies || distribution == kDuplicates) {
    Random random(seed);
    Dispatch(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      DrawFamilies(random, distribution == kFamilies, rows, dim,
                   sketches.data<T>());
    });
    return sketches;
  }
  ASSIGN_OR_RETURN(const HostArray drawn,
                   Draw(distribution, type, rows * dim, seed));
  std::copy_n(drawn.data<char>(), drawn.view().bytes(), sketches.data<char>());
  return sketches;
}

std::vector<Case> SpecialSketches() {
  std::vector<Case> cases;
  Add<std::int32_t>(cases, "no sketch", 7, {}, {"0"});
  Add<std::int32_t>(cases, "one sketch", 3, {1, 2, 3}, {"1"});
  Add<float>(cases, "3, 4, 5", 2, {0, 0, 3, 4, 0, 1}, {"1", "17", "18", "25"});
  AddIntegers(cases);
  AddFloats(cases);
  return cases;
}

std::int64_t RowsOf(const Case& test_case) {
  return test_case.inputs.at("in").size() /
         NumberOption(test_case.options, "dim");
}

Case WithRows(Case test_case, const std::vector<std::int64_t>& rows) {
  const std::int64_t dim = NumberOption(test_case.options, "dim");
  HostArray& in = test_case.inputs.at("in");
  HostArray chosen(in.type(), {static_cast<std::int64_t>(rows.size()), dim});
  const std::int64_t bytes = dim * SizeOf(in.type());
  char* to = chosen.data<char>();
  for (const std::int64_t row : rows) {
    to = std::copy_n(in.data<char>() + row * bytes, bytes, to);
  }
  in = std::move(chosen);
  return test_case;
}

}  // namespace concord::similar_pairs
