// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "concord/testing/support/fake_algorithm.h"

namespace concord {
namespace {

Ingredients FakeIngredients() {
  return {&FakeSpec(), FakeImplementation("serial"), {"serial", "inverted"}};
}

std::string Text(const Recipe& recipe) {
  const absl::StatusOr<Trial> trial = CarryOut(recipe, FakeSpec());
  return trial.ok() ? Describe(*trial) : std::string(trial.status().message());
}

TEST(EdgeSizes, HaveEachBoundaryAndBothNeighbours) {
  Contract contract;
  contract.boundaries = {777, 50'000};
  contract.max_size = 60'000;
  const std::vector<std::int64_t> sizes = EdgeSizes(contract);
  for (std::int64_t size : {0, 1, 2, 3, 776, 777, 778, 49'999, 50'001}) {
    EXPECT_EQ(std::count(sizes.begin(), sizes.end(), size), 1) << size;
  }
  EXPECT_LE(sizes.back(), contract.max_size);
}

TEST(EdgeCatalogue, PairsSizesWithEverything) {
  std::set<std::tuple<std::int64_t, ElementType>> types;
  std::set<std::tuple<std::int64_t, std::string>> distributions, placements;
  std::set<std::tuple<std::string, std::string>> backends;
  for (const Recipe& recipe : EdgeCatalogue(FakeIngredients(), 1)) {
    types.insert({recipe.request.size, recipe.request.type});
    distributions.insert({recipe.request.size, recipe.request.distribution});
    placements.insert({recipe.request.size, recipe.placement});
    backends.insert({recipe.placement, recipe.backend});
  }
  for (std::int64_t size : {0, 1, 2, 3, 47, 48, 49, 100, 65'537}) {
    EXPECT_EQ(types.count({size, ElementType::kInt32}), 1) << size;
    EXPECT_EQ(types.count({size, ElementType::kFloat32}), 1) << size;
    EXPECT_EQ(distributions.count({size, "special"}), 1) << size;
    EXPECT_EQ(distributions.count({size, "descending"}), 1) << size;
    EXPECT_EQ(placements.count({size, "in_place_unaligned"}), 1) << size;
  }
  EXPECT_EQ(backends.size(), Placements().size() * 2);
}

TEST(EdgeCatalogue, HasSpecialCasesInEachPlacement) {
  std::set<std::string> placements;
  for (const Recipe& recipe : EdgeCatalogue(FakeIngredients(), 1)) {
    if (recipe.special_case == 0) placements.insert(recipe.placement);
  }
  EXPECT_EQ(placements.size(), Placements().size());
}

TEST(EdgeCatalogue, KeepsToTheContract) {
  Ingredients ingredients = FakeIngredients();
  ingredients.implementation.contract.in_place = false;
  ingredients.implementation.contract.element_types = {ElementType::kInt32};
  ingredients.implementation.contract.max_size = 100;
  for (const Recipe& recipe : EdgeCatalogue(ingredients, 1)) {
    EXPECT_FALSE(FindPlacement(recipe.placement)->in_place);
    EXPECT_EQ(recipe.request.type, ElementType::kInt32);
    EXPECT_LE(recipe.request.size, 100);
  }
}

TEST(RemainderCases, HaveEveryRemainderAndManyPieces) {
  Ingredients ingredients = FakeIngredients();
  ingredients.implementation.contract.boundaries = {1000, 200'000};
  std::set<std::int64_t> remainders;
  int many = 0;
  for (const Recipe& recipe : RemainderCases(ingredients, 1)) {
    const std::int64_t size = recipe.request.size;
    EXPECT_EQ(recipe.request.distribution, "uniform");
    if (size >= 320'000) {
      EXPECT_LT(size, 448'000);
      ++many;
    } else if (recipe.placement == "aligned") {
      EXPECT_GE(size, 200'000);
      remainders.insert(size % 8);
    }
  }
  EXPECT_EQ(many, 1);
  EXPECT_EQ(remainders.size(), 8);
}

TEST(StandardSuite, DependsOnNothingButTheSeed) {
  for (const SuitePart& part : StandardSuite()) {
    const auto recipes = part.recipes(FakeIngredients(), 3);
    const auto again = part.recipes(FakeIngredients(), 3);
    ASSERT_EQ(recipes.size(), again.size());
    ASSERT_FALSE(recipes.empty()) << part.name;
    for (std::size_t i = 0; i < recipes.size(); i += 37) {
      EXPECT_EQ(Text(recipes[i]), Text(again[i]));
      EXPECT_EQ(recipes[i].request.seed, again[i].request.seed);
    }
    const auto other = part.recipes(FakeIngredients(), 4);
    EXPECT_NE(recipes.back().request.seed, other.back().request.seed);
  }
}

TEST(RandomRecipe, SizesReachBoundariesAndTheLimit) {
  const Ingredients ingredients = FakeIngredients();
  std::set<std::int64_t> sizes;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    sizes.insert(RandomRecipe(ingredients, 10'000, 1, i).request.size);
  }
  EXPECT_EQ(sizes.count(0), 1);
  EXPECT_EQ(sizes.count(47), 1);
  EXPECT_EQ(sizes.count(2 * 48 + 1), 1);
  EXPECT_GT(*sizes.rbegin(), 5000);
  EXPECT_LE(*sizes.rbegin(), 10'000);
}

}  // namespace
}  // namespace concord
