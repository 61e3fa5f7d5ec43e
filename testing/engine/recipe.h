// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_RECIPE_H_
#define CONCORD_TESTING_ENGINE_RECIPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/examiner.h"

namespace concord {

// How a trial is made. Recipes are small, so that a whole catalogue of them can
// be kept, counted and gone through; the arrays appear when one is carried out.
struct Recipe {
  CaseRequest request;
  // An index into the spec's SpecialCases() instead of `request`.
  std::optional<std::int64_t> special_case;
  std::string placement = "aligned";
  std::string backend;
  std::string law;
  int repetitions = 1;
  std::vector<std::string> also_on;
};

absl::StatusOr<Trial> CarryOut(const Recipe& recipe, const AlgorithmSpec& spec);

// What the recipes for an implementation are mixed from.
struct Ingredients {
  const AlgorithmSpec* spec = nullptr;
  ImplementationInfo implementation;
  // Backend specs to run on, the simplest first.
  std::vector<std::string> backends;
};

// --- The standard suite, part by part ---

// The edge catalogue, small cases first. It holds
//   - the algorithm's special cases, in each placement and on each backend;
//   - the sizes 0 to 3, sizes that are no powers of two, those around powers of
//     two and around each boundary that the contract names, and the values of
//     every distribution. Every pair of values of size, element type,
//     distribution, options, placement and backend occurs in some case;
//   - a few cases of each size that is too large for that, up to millions.
std::vector<Recipe> EdgeCatalogue(const Ingredients& ingredients,
                                  std::uint64_t seed);

// Cases in which every choice is random.
std::vector<Recipe> RandomCases(const Ingredients& ingredients,
                                std::uint64_t seed);

// Each law on cases of rising size.
std::vector<Recipe> LawCases(const Ingredients& ingredients,
                             std::uint64_t seed);

// Cases of sizes that keep every thread busy, each run several times in a row
// and on every backend spec.
std::vector<Recipe> RepeatedCases(const Ingredients& ingredients,
                                  std::uint64_t seed);

// What is left of the last piece: past each large boundary every remainder
// behind whole cache lines, and hundreds of pieces of each boundary's size.
// The data are the plainest, in which nothing that is left out goes unseen.
std::vector<Recipe> RemainderCases(const Ingredients& ingredients,
                                   std::uint64_t seed);

struct SuitePart {
  std::string name;
  std::vector<Recipe> (*recipes)(const Ingredients& ingredients,
                                 std::uint64_t seed);
};

const std::vector<SuitePart>& StandardSuite();

// --- Beyond it ---

// Recipe number `index` of a sequence without end. One in four sizes lies on a
// boundary of the contract, or on a multiple of one; of the others the
// logarithm is about uniform up to `largest_size`.
Recipe RandomRecipe(const Ingredients& ingredients, std::int64_t largest_size,
                    std::uint64_t seed, std::uint64_t index);

// The sizes of the edge catalogue for an implementation, in rising order.
std::vector<std::int64_t> EdgeSizes(const Contract& contract);

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_RECIPE_H_
