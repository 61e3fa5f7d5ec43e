// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

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

// Memory-bound work on a GPU: ours beside its peers, at a size at which the
// launch costs nothing and at sizes at which it costs most.
std::vector<Axes> PrimitivesOnCuda() {
  Axes reduce;
  reduce.algorithms = {"reduce"};
  reduce.backends = {"cuda"};
  reduce.types = {kAllTypes};
  reduce.sizes = {kLarge};

  Axes scan = reduce;
  scan.algorithms = {"scan"};
  scan.types = {"int8", "int32", "int64", "float32"};
  scan.options = {"kind:exclusive,op:add"};

  // Three quarters and a tenth of uniform elements are kept.
  Axes compact_int32 = reduce;
  compact_int32.algorithms = {"compact"};
  compact_int32.types = {"int32"};
  compact_int32.options = {"keep:less:1073741824", "keep:less:-1717986918"};
  Axes compact_int8 = compact_int32;
  compact_int8.types = {"int8"};
  compact_int8.options = {"keep:less:64", "keep:less:-102"};

  Axes runs = reduce;
  runs.algorithms = {"run_length_encode", "run_length_decode"};
  runs.types = {"int8", "int32"};
  runs.options = {"length-type:int32"};
  runs.distributions = {"long_runs", "short_runs"};

  Axes sort = reduce;
  sort.algorithms = {"radix_sort"};
  sort.types = {"uint32", "uint64"};
  sort.options = {""};
  Axes pairs = sort;
  pairs.types = {"uint32"};
  pairs.options = {"output-values:yes"};

  Axes transform = reduce;
  transform.algorithms = {"transform"};
  transform.types = {"int8", "int32", "float32"};
  transform.options = {"op:affine", "op:cast,to:float64"};

  Axes small;
  small.algorithms = {"reduce",     "scan",     "compact", "run_length_encode",
                      "radix_sort", "transform"};
  small.backends = {"cuda"};
  small.types = {"int8", "int32", "int64"};
  small.sizes = PowersOfTwo(10, 22, 2);
  small.scopes = {Scope::kKernel, Scope::kCall};

  Axes medium = scan;
  medium.algorithms = {"reduce", "scan", "compact", "run_length_encode"};
  medium.types = {"int8", "int32", "int64"};
  medium.options = {};
  medium.sizes = {std::int64_t{1} << 24, std::int64_t{1} << 26};
  return {reduce, scan,  compact_int32, compact_int8, runs,
          sort,   pairs, transform,     small,        medium};
}

// At the sizes of the published measurements or larger. What the sums and the
// brackets are measured against is the rows of reduce.
std::vector<Axes> ApplicationsOnCuda() {
  Axes sums;
  sums.algorithms = {"max_subarray"};
  sums.backends = {"cuda"};
  sums.types = {"int8", "int32", "int64", "float32"};
  sums.sizes = {kLarge};

  Axes brackets = sums;
  brackets.algorithms = {"match_parens"};
  brackets.types = {};
  brackets.distributions = {"balanced", "fault_at_end"};

  // Term 77 of "1".
  Axes digits = brackets;
  digits.algorithms = {"look_and_say"};
  digits.variants = {"atoms", "lookback"};
  digits.distributions = {"one"};
  digits.sizes = {1'149'440'192};

  Axes spectrum = brackets;
  spectrum.algorithms = {"cyclospectrum"};
  spectrum.variants = {"value_tiles", "prefix_sort"};
  spectrum.distributions = {"amino_acids", "wide"};
  // Of 20,000 masses.
  spectrum.sizes = {399'980'002};
  return {sums, brackets, digits, spectrum};
}

// What the tables of the READMEs are made of, on a GPU with 16 GB of memory or
// more: a quarter of an hour.
Preset Recorded() {
  std::vector<Axes> all = PrimitivesOnCuda();
  for (Axes& axes : ApplicationsOnCuda()) all.push_back(std::move(axes));

  Axes processors;
  processors.algorithms = {"reduce", "scan"};
  processors.backends = {"serial", "tbb"};
  processors.types = {"int32"};
  processors.sizes = {kLarge};
  all.push_back(processors);

  // The published measurements are on 1410 sequences of 100 million letters.
  Axes sketch;
  sketch.algorithms = {"tensor_sketch"};
  sketch.backends = {"tbb", "cuda"};
  sketch.variants = {"word_counts", "thread_words", "cached"};
  sketch.sizes = {100'000'000};
  sketch.distributions = {"equal_lengths", "log_normal_lengths"};
  sketch.scopes = {Scope::kKernel, Scope::kEndToEnd, Scope::kEndToEndPinned};
  all.push_back(sketch);
  return {"recorded", "the measurements that are kept under benchmarks/results",
          std::move(all)};
}

// How many threads a block should have, for the textbook methods: powers of two
// and others, for arrays of a power of two and a few elements less.
Preset BlockSizes() {
  Axes axes;
  axes.algorithms = {"scan", "radix_sort"};
  axes.backends = {"cuda"};
  axes.variants = {"naive", "work_efficient", "shared_memory", "split"};
  axes.sizes = {(std::int64_t{1} << 16) - 3, std::int64_t{1} << 16,
                (std::int64_t{1} << 24) - 3, std::int64_t{1} << 24};
  for (const int threads : {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
    axes.options.push_back(absl::StrCat("block:", threads));
  }
  return {"block_sizes",
          "threads of a block, where a variant lets one choose",
          {axes}};
}

}  // namespace

const std::vector<Preset>& Presets() {
  static const auto* const presets =
      new std::vector<Preset>{Quick(), Recorded(), BlockSizes(), Full()};
  return *presets;
}

}  // namespace concord
