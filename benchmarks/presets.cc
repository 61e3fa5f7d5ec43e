// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/axes.h"

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

// What the tables of the READMEs are made of, on a GPU with 8 GB of memory or
// more: about three minutes.
Preset Recorded() {
  Axes reduce;
  reduce.algorithms = {"reduce"};
  reduce.backends = {"cuda"};
  reduce.types = {kAllTypes};
  reduce.sizes = {kLarge};

  Axes scan = reduce;
  scan.algorithms = {"scan"};
  // float32 tells what the fixed order costs.
  scan.types = {"int8", "int32", "int64", "float32"};
  scan.options = {"kind:exclusive,op:add"};

  // Where launches cost as much as the work.
  Axes small;
  small.backends = {"cuda"};
  small.sizes = PowersOfTwo(10, 22, 2);
  small.scopes = {Scope::kKernel, Scope::kCall};

  Axes medium = scan;
  medium.algorithms = {"reduce", "scan"};
  medium.types = {"int32"};
  medium.options = {};
  medium.sizes = {std::int64_t{1} << 24, std::int64_t{1} << 26};

  Axes processors;
  processors.algorithms = {"reduce", "scan"};
  processors.backends = {"serial", "tbb"};
  processors.types = {"int32"};
  processors.sizes = {kLarge};

  // The published measurements are on 1410 sequences of 100 million letters.
  Axes sketch;
  sketch.algorithms = {"tensor_sketch"};
  sketch.backends = {"tbb", "cuda"};
  sketch.sizes = {100'000'000};
  sketch.distributions = {"equal_lengths", "log_normal_lengths"};
  sketch.scopes = {Scope::kKernel, Scope::kEndToEnd};
  return {"recorded",
          "the measurements that are kept under benchmarks/results",
          {reduce, scan, small, medium, processors, sketch}};
}

// How many threads a block should have: powers of two and others, for arrays of
// a power of two and a few elements less.
Preset BlockSizes() {
  Axes axes;
  axes.algorithms = {"scan"};
  axes.backends = {"cuda"};
  axes.sizes = {(std::int64_t{1} << 16) - 3, std::int64_t{1} << 16,
                (std::int64_t{1} << 24) - 3, std::int64_t{1} << 24};
  axes.options = {"block:64",  "block:96",  "block:128", "block:192",
                  "block:256", "block:384", "block:512", "block:1024"};
  return {"block_sizes",
          "threads of a block, for the variants that take them; to be narrowed "
          "with --variants",
          {axes}};
}

}  // namespace

const std::vector<Preset>& Presets() {
  static const auto* const presets =
      new std::vector<Preset>{Quick(), Recorded(), BlockSizes(), Full()};
  return *presets;
}

}  // namespace concord
