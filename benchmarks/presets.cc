// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/benchmarks/axes.h"

namespace concord {
namespace {

// Powers of two from 2^first to 2^last.
std::vector<std::int64_t> PowersOfTwo(int first, int last, int step) {
  std::vector<std::int64_t> sizes;
  for (int exponent = first; exponent <= last; exponent += step) {
    sizes.push_back(std::int64_t{1} << exponent);
  }
  return sizes;
}

// 2^28 elements are 1 GiB of int32: twenty times the largest cache, so that a
// memory-bound kernel runs at the memory's speed.
constexpr std::int64_t kLarge = std::int64_t{1} << 28;

Preset Quick() {
  Axes axes;
  axes.sizes = PowersOfTwo(10, 22, 4);
  return {"quick",
          "every algorithm at its defaults, four sizes from 2^10 to 2^22",
          {axes}};
}

Preset Full() {
  Axes axes;
  axes.types = {kAllTypes};
  axes.options = {"all"};
  axes.sizes = PowersOfTwo(10, 28, 2);
  axes.scopes = AllScopes();
  axes.caches = AllCaches();
  return {
      "full", "everything: many hours; narrow it with the other flags", {axes}};
}

// Rows that several algorithms have in a preset, up to what each of them says
// of its own.
struct Group {
  std::string name;
  Axes axes;
};

// The rows of all algorithms, group after group.
std::vector<Axes> RowsOf(const std::vector<Group>& groups) {
  std::vector<Axes> all;
  for (const Group& group : groups) {
    std::multimap<int, Axes> by_place;
    for (const AlgorithmSpec* spec : AllSpecs()) {
      for (const PresetRows& rows : spec->preset_rows()) {
        if (rows.group != group.name) continue;
        Axes axes = group.axes;
        axes.algorithms = {spec->name()};
        if (!rows.types.empty()) axes.types = rows.types;
        if (!rows.sizes.empty()) axes.sizes = rows.sizes;
        if (!rows.options.empty()) axes.options = rows.options;
        axes.distributions = rows.distributions;
        axes.variants = rows.variants;
        by_place.emplace(rows.place, std::move(axes));
      }
    }
    for (auto& [place, axes] : by_place) all.push_back(std::move(axes));
  }
  return all;
}

// What the tables of the READMEs are made of, on a GPU with 16 GB of memory or
// more: a quarter of an hour.
Preset Recorded() {
  // Memory-bound work on a GPU at a size at which the launch costs nothing.
  Axes primitives;
  primitives.backends = {"cuda"};
  primitives.sizes = {kLarge};

  // At sizes at which it costs most.
  Axes small;
  small.backends = {"cuda"};
  small.types = {"int8", "int32", "int64"};
  small.sizes = PowersOfTwo(10, 22, 2);
  small.scopes = {Scope::kKernel, Scope::kCall};

  Axes medium;
  medium.backends = {"cuda"};
  medium.types = {"int8", "int32", "int64"};
  medium.sizes = {std::int64_t{1} << 24, std::int64_t{1} << 26};

  // At the sizes of the published measurements or larger. What sums and
  // brackets are measured against is the rows of a reduction.
  const Axes applications = primitives;

  Axes processors;
  processors.backends = {"serial", "tbb"};
  processors.types = {"int32"};
  processors.sizes = {kLarge};

  // Input that comes from the host in practice.
  Axes transfers;
  transfers.backends = {"tbb", "cuda"};
  transfers.scopes = {Scope::kKernel, Scope::kEndToEnd, Scope::kEndToEndPinned};
  return {"recorded", "the measurements that are kept under benchmarks/results",
          RowsOf({{"primitives", primitives},
                  {"small", small},
                  {"medium", medium},
                  {"applications", applications},
                  {"processors", processors},
                  {"transfers", transfers}})};
}

// How members of a backend share work out, by every algorithm's default: sizes
// that keep cores busy for milliseconds, and GPUs.
Preset ScalingOf(Scaling scaling, const std::string& summary,
                 std::vector<std::int64_t> of_cores,
                 std::vector<std::int64_t> of_gpus) {
  Axes cores;
  cores.backends = {"tbb", "mpi"};
  cores.sizes = std::move(of_cores);
  cores.scaling = scaling;
  Axes gpus = cores;
  gpus.backends = {"gpus"};
  gpus.sizes = std::move(of_gpus);
  return {std::string(Name(scaling)), summary, {cores, gpus}};
}

Preset Strong() {
  return ScalingOf(Scaling::kStrong,
                   "the same work by more and more threads, ranks or GPUs",
                   {std::int64_t{1} << 25}, PowersOfTwo(24, 32, 2));
}

Preset Weak() {
  return ScalingOf(Scaling::kWeak, "more and more of them, as much work each",
                   {std::int64_t{1} << 23}, {std::int64_t{1} << 30});
}

// How many threads a block should have, for the textbook methods: powers of two
// and others, for arrays of a power of two and a few elements less.
Preset BlockSizes() {
  Axes axes;
  axes.backends = {"cuda"};
  axes.sizes = {(std::int64_t{1} << 16) - 3, std::int64_t{1} << 16,
                (std::int64_t{1} << 24) - 3, std::int64_t{1} << 24};
  for (const int threads : {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
    axes.options.push_back(absl::StrCat("block:", threads));
  }
  return {"block_sizes", "threads of a block, where a variant lets one choose",
          RowsOf({{"block_sizes", axes}})};
}

}  // namespace

const std::vector<Preset>& Presets() {
  static const auto* const presets = new std::vector<Preset>{
      Quick(), Recorded(), Strong(), Weak(), BlockSizes(), Full()};
  return *presets;
}

}  // namespace concord
