// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/recipe.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "concord/core/errors.h"
#include "concord/core/random.h"
#include "concord/testing/engine/pairwise.h"

namespace concord {
namespace {

// Up to here a size meets every other choice; a reference of a microsecond per
// element still takes no more than a tenth of a second.
constexpr std::int64_t kLargestFullSize = 140'000;

// Cases of a size beyond that: enough for each element type to come up among
// neighbouring sizes, few enough for the suite to last seconds.
constexpr int kCasesOfLargeSize = 2;

// 65537 elements are too many for 16-bit indexes, 1e5 for a grid of one block,
// millions for one wave of blocks and for the caches.
constexpr std::array<std::int64_t, 24> kSizes = {
    0,    1,    2,    3,      7,      31,     32,        33,
    100,  127,  128,  129,    255,    256,    257,       1000,
    1023, 1024, 1025, 10'007, 65'536, 65'537, 1'048'583, 3'000'017};

constexpr int kRandomCases = 100;
constexpr std::int64_t kLargestRandomSize = 300'000;

// Laws run an implementation several times; what they find does not depend on
// large sizes, which the values are compared at.
constexpr std::array<std::int64_t, 7> kLawSizes = {0, 1, 2, 3, 40, 300, 5000};
constexpr int kCasesOfLawSize = 4;

// Each element of the widest types that can be left behind whole lines of 64
// bytes.
constexpr int kRemainders = 8;

// So many times a boundary is many: more pieces than threads, than entries of a
// small table, and than one byte can count.
constexpr std::int64_t kManyPieces = 320;

// Besides, one past the last boundary: there all threads are at work.
constexpr std::array<std::int64_t, 2> kRepeatedSizes = {20'011, 300'007};
constexpr std::int64_t kLargestRepeatedSize = 2'200'000;
constexpr int kRepeatedCases = 12;
constexpr int kRepetitions = 4;

const std::vector<ElementType>& TypesOf(const Ingredients& ingredients) {
  return ingredients.implementation.contract.element_types;
}

std::vector<std::string> PlacementsOf(const Contract& contract) {
  std::vector<std::string> names;
  for (const Placement& placement : Placements()) {
    if (placement.in_place && !contract.in_place) continue;
    names.push_back(placement.name);
  }
  return names;
}

// Every choice that a recipe makes, as lists that indexes point into.
struct Lists {
  std::vector<std::int64_t> sizes;
  std::vector<ElementType> types;
  std::vector<std::string> distributions;
  std::vector<OptionMap> options;
  std::vector<std::string> placements;
  std::vector<std::string> backends;
  // By type: which of `distributions` and `options` it has.
  std::vector<std::set<int>> distributions_of;
  std::vector<std::set<int>> options_of;
};

std::vector<std::int64_t> RepeatedSizes(const Ingredients& ingredients) {
  std::vector<std::int64_t> sizes(kRepeatedSizes.begin(), kRepeatedSizes.end());
  const std::vector<std::int64_t>& boundaries =
      ingredients.implementation.contract.boundaries;
  const auto last = std::max_element(boundaries.begin(), boundaries.end());
  if (last != boundaries.end() && *last >= sizes.back()) {
    sizes.push_back(std::min(*last + 11, kLargestRepeatedSize));
  }
  return sizes;
}

// The place of `value` in `list`, where it is put if it is not there.
template <typename T>
int IndexIn(std::vector<T>& list, const T& value) {
  const auto it = std::find(list.begin(), list.end(), value);
  const auto index = static_cast<int>(it - list.begin());
  if (it == list.end()) list.push_back(value);
  return index;
}

Lists ListsOf(const Ingredients& ingredients) {
  const AlgorithmSpec& spec = *ingredients.spec;
  const Contract& contract = ingredients.implementation.contract;
  Lists lists;
  lists.types = TypesOf(ingredients);
  lists.placements = PlacementsOf(contract);
  lists.backends = ingredients.backends;
  for (ElementType type : lists.types) {
    std::set<int> distributions;
    for (const std::string& name : spec.Distributions(type)) {
      distributions.insert(IndexIn(lists.distributions, name));
    }
    lists.distributions_of.push_back(std::move(distributions));
    std::set<int> options;
    for (const OptionMap& combination : spec.OptionCombinations(type)) {
      options.insert(IndexIn(lists.options, combination));
    }
    lists.options_of.push_back(std::move(options));
  }
  return lists;
}

// The factors that are paired, in this order.
enum Factor { kSize, kType, kDistribution, kOptions, kPlacement, kBackend };

std::vector<int> CountsOf(const Lists& lists) {
  return {static_cast<int>(lists.sizes.size()),
          static_cast<int>(lists.types.size()),
          static_cast<int>(lists.distributions.size()),
          static_cast<int>(lists.options.size()),
          static_cast<int>(lists.placements.size()),
          static_cast<int>(lists.backends.size())};
}

Recipe RecipeOf(const Lists& lists, const std::vector<int>& row,
                std::uint64_t seed) {
  Recipe recipe;
  recipe.request = {lists.sizes[row[kSize]], lists.types[row[kType]],
                    lists.distributions[row[kDistribution]],
                    lists.options[row[kOptions]], seed};
  recipe.placement = lists.placements[row[kPlacement]];
  recipe.backend = lists.backends[row[kBackend]];
  return recipe;
}

template <typename T>
const T& Pick(Random& random, const std::vector<T>& list) {
  return list[random.Below(list.size())];
}

Recipe RandomRecipeOfSize(const Ingredients& ingredients, std::int64_t size,
                          Random& random,
                          std::optional<ElementType> type = std::nullopt) {
  const AlgorithmSpec& spec = *ingredients.spec;
  const Contract& contract = ingredients.implementation.contract;
  Recipe recipe;
  recipe.request.size = std::min(size, contract.max_size);
  recipe.request.type =
      type.has_value() ? *type : Pick(random, TypesOf(ingredients));
  recipe.request.distribution =
      Pick(random, spec.Distributions(recipe.request.type));
  recipe.request.options =
      Pick(random, spec.OptionCombinations(recipe.request.type));
  recipe.request.seed = random.Bits();
  recipe.placement = Pick(random, PlacementsOf(contract));
  recipe.backend = Pick(random, ingredients.backends);
  return recipe;
}

}  // namespace

absl::StatusOr<Trial> CarryOut(const Recipe& recipe,
                               const AlgorithmSpec& spec) {
  Trial trial;
  trial.placement = recipe.placement;
  trial.backend = recipe.backend;
  trial.law = recipe.law;
  trial.repetitions = recipe.repetitions;
  trial.also_on = recipe.also_on;
  if (recipe.special_case.has_value()) {
    trial.test_case = spec.SpecialCases().at(*recipe.special_case);
    return trial;
  }
  ASSIGN_OR_RETURN(trial.test_case, spec.Generate(recipe.request));
  trial.request = recipe.request;
  return trial;
}

std::vector<std::int64_t> EdgeSizes(const Contract& contract) {
  std::set<std::int64_t> sizes(kSizes.begin(), kSizes.end());
  for (std::int64_t boundary : contract.boundaries) {
    for (std::int64_t size : {boundary - 1, boundary, boundary + 1}) {
      if (size >= 0) sizes.insert(size);
    }
  }
  sizes.erase(sizes.upper_bound(contract.max_size), sizes.end());
  return {sizes.begin(), sizes.end()};
}

std::vector<Recipe> EdgeCatalogue(const Ingredients& ingredients,
                                  std::uint64_t seed) {
  const AlgorithmSpec& spec = *ingredients.spec;
  Lists lists = ListsOf(ingredients);
  std::vector<Recipe> catalogue;

  const std::vector<Case> special_cases = spec.SpecialCases();
  const std::size_t turns =
      std::max(lists.placements.size(), lists.backends.size());
  for (std::size_t i = 0; i < special_cases.size(); ++i) {
    const ElementType type = special_cases[i].type;
    if (!ingredients.implementation.contract.Allows(type)) continue;
    for (std::size_t turn = 0; turn < turns; ++turn) {
      Recipe recipe;
      recipe.special_case = static_cast<std::int64_t>(i);
      recipe.placement = lists.placements[turn % lists.placements.size()];
      // Another first backend for each case, so that all meet all placements.
      recipe.backend = lists.backends[(turn + i) % lists.backends.size()];
      catalogue.push_back(std::move(recipe));
    }
  }

  std::vector<std::int64_t> large_sizes;
  for (std::int64_t size : EdgeSizes(ingredients.implementation.contract)) {
    (size <= kLargestFullSize ? lists.sizes : large_sizes).push_back(size);
  }
  Random random(seed);
  std::vector<std::vector<int>> rows = CoverPairs(
      CountsOf(lists),
      [&](const std::vector<int>& row) {
        const auto has = [](const std::set<int>& set, int value) {
          return value == kUnset || set.count(value) > 0;
        };
        if (row[kType] != kUnset) {
          return has(lists.distributions_of[row[kType]], row[kDistribution]) &&
                 has(lists.options_of[row[kType]], row[kOptions]);
        }
        for (std::size_t type = 0; type < lists.types.size(); ++type) {
          if (has(lists.distributions_of[type], row[kDistribution]) &&
              has(lists.options_of[type], row[kOptions])) {
            return true;
          }
        }
        return false;
      },
      random);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const std::vector<int>& a, const std::vector<int>& b) {
                     return a[kSize] < b[kSize];
                   });
  for (const std::vector<int>& row : rows) {
    catalogue.push_back(RecipeOf(lists, row, random.Bits()));
  }
  for (std::int64_t size : large_sizes) {
    for (int i = 0; i < kCasesOfLargeSize; ++i) {
      catalogue.push_back(RandomRecipeOfSize(ingredients, size, random));
    }
  }
  return catalogue;
}

std::vector<Recipe> RemainderCases(const Ingredients& ingredients,
                                   std::uint64_t seed) {
  const AlgorithmSpec& spec = *ingredients.spec;
  // Boundaries are mostly of bytes: the widest type is past each of them.
  std::vector<ElementType> types = TypesOf(ingredients);
  std::int64_t width = 0;
  for (ElementType type : types) width = std::max(width, SizeOf(type));
  types.erase(
      std::remove_if(types.begin(), types.end(),
                     [&](ElementType type) { return SizeOf(type) < width; }),
      types.end());
  std::vector<Recipe> recipes;
  Random random(seed);
  // The plainest case, in which nothing that is left out goes unseen.
  const auto add = [&](std::int64_t size) {
    const ElementType type = types[recipes.size() % types.size()];
    Recipe recipe = RandomRecipeOfSize(ingredients, size, random, type);
    recipe.request.distribution = spec.Distributions(type).front();
    recipe.request.options = spec.OptionCombinations(type).front();
    recipes.push_back(std::move(recipe));
  };
  const Contract& contract = ingredients.implementation.contract;
  const std::set<std::int64_t> boundaries(contract.boundaries.begin(),
                                          contract.boundaries.end());
  for (const std::int64_t boundary : boundaries) {
    if (boundary > spec.largest_size() / 2) break;
    const auto pieces =
        kManyPieces + static_cast<std::int64_t>(random.Below(128));
    const auto rest = static_cast<std::int64_t>(random.Below(boundary));
    const std::int64_t many = boundary * pieces + rest;
    if (many <= spec.largest_size()) add(many);
    if (boundary <= kLargestFullSize) continue;
    for (int remainder = 0; remainder < kRemainders; ++remainder) {
      const auto lines = static_cast<std::int64_t>(random.Below(100));
      add(boundary + kRemainders * lines + remainder);
      // What is left behind whole lines is then the remainder itself.
      recipes.back().placement = Placements().front().name;
    }
  }
  return recipes;
}

std::vector<Recipe> RandomCases(const Ingredients& ingredients,
                                std::uint64_t seed) {
  std::vector<Recipe> recipes;
  for (int i = 0; i < kRandomCases; ++i) {
    recipes.push_back(RandomRecipe(ingredients, kLargestRandomSize, seed, i));
  }
  return recipes;
}

std::vector<Recipe> LawCases(const Ingredients& ingredients,
                             std::uint64_t seed) {
  std::vector<Recipe> recipes;
  Random random(seed);
  for (const Law& law : ingredients.spec->laws()) {
    for (std::int64_t size : kLawSizes) {
      for (int i = 0; i < kCasesOfLawSize; ++i) {
        recipes.push_back(RandomRecipeOfSize(ingredients, size, random));
        recipes.back().law = law.name;
      }
    }
  }
  return recipes;
}

std::vector<Recipe> RepeatedCases(const Ingredients& ingredients,
                                  std::uint64_t seed) {
  std::vector<Recipe> recipes;
  Random random(seed);
  const std::vector<ElementType> types = TypesOf(ingredients);
  const auto least_of_each = static_cast<int>(kRepeatedCases / types.size());
  for (std::int64_t size : RepeatedSizes(ingredients)) {
    for (ElementType type : types) {
      const std::vector<OptionMap> combinations =
          ingredients.spec->OptionCombinations(type);
      // Exact results repeat if they are right; those of floats may change with
      // the order of operations, and not with every option.
      const int count =
          std::max(least_of_each,
                   IsFloat(type) ? static_cast<int>(combinations.size()) : 1);
      for (int i = 0; i < count; ++i) {
        Recipe recipe = RandomRecipeOfSize(ingredients, size, random, type);
        recipe.request.options = combinations[i % combinations.size()];
        recipe.repetitions = kRepetitions;
        for (const std::string& other : ingredients.backends) {
          if (other != recipe.backend) recipe.also_on.push_back(other);
        }
        recipes.push_back(std::move(recipe));
      }
    }
  }
  return recipes;
}

const std::vector<SuitePart>& StandardSuite() {
  static const auto* const suite = new std::vector<SuitePart>{
      {"EdgeCatalogue", EdgeCatalogue},
      {"RandomCases", RandomCases},
      {"Laws", LawCases},
      {"Repetition", RepeatedCases},
      {"Remainders", RemainderCases},
  };
  return *suite;
}

Recipe RandomRecipe(const Ingredients& ingredients, std::int64_t largest_size,
                    std::uint64_t seed, std::uint64_t index) {
  Random random(RandomBits(seed, index));
  const std::vector<std::int64_t>& boundaries =
      ingredients.implementation.contract.boundaries;
  std::int64_t size = -1;
  if (!boundaries.empty() && random.Below(4) == 0) {
    const std::int64_t multiple =
        1 + static_cast<std::int64_t>(random.Below(8));
    const std::int64_t beside = static_cast<std::int64_t>(random.Below(3)) - 1;
    const std::int64_t boundary = Pick(random, boundaries);
    if (boundary <= largest_size / multiple) {
      size = boundary * multiple + beside;
    }
  }
  if (size < 0 || size > largest_size) {
    int digits = 0;
    while (largest_size >> digits != 0) ++digits;
    const std::uint64_t bound = std::uint64_t{1} << random.Below(digits + 1);
    size = static_cast<std::int64_t>(random.Below(bound));
  }
  return RandomRecipeOfSize(ingredients, std::min(size, largest_size), random);
}

}  // namespace concord
