// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 11 of the article as it stands there: the alphabet's size, t and dim
// are constants, and so is the shared memory that a block declares. What
// version 15 is to be compared with.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include "concord/algorithms/tensor_sketch/cuda/cached.cuh"

namespace concord::tensor_sketch {
namespace {

// The tables of the article, with the sizes that it has all through.
struct PublishedTables {
  const int* hashes;
  const int* signs;
  static constexpr int alphabet_size = 4;
  static constexpr int t = 4;
  static constexpr int dim = 96;
};

__global__ void SketchStatic(SketchProblem problem) {
  using Sizes = PublishedTables;
  __shared__ uint64_t levels[2][(Sizes::t + 1) * Sizes::dim];
  __shared__ int cache[2 * Sizes::alphabet_size * Sizes::t];
  __shared__ uint8_t loaded[kLoad];
  const PublishedTables tables = CacheTables(
      PublishedTables{problem.tables.hashes, problem.tables.signs}, cache);
  SketchRows(problem, 0, problem.rows.count, tables, Steps{Sizes::t, kWarpSize},
             loaded, Levels<uint64_t>{levels[0], levels[1]});
}

class StaticShared : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) override {
    const Tables& tables = problem.tables;
    if (tables.alphabet_size != PublishedTables::alphabet_size ||
        tables.t != PublishedTables::t || tables.dim != PublishedTables::dim) {
      return LaunchInstead("dynamic_shared", problem);
    }
    return Queue(
        SketchStatic,
        {std::min(problem.rows.count, kMostBlocks), WarpForEachLevel(problem)},
        problem);
  }
};

const bool kRegistered = RegisterOnCuda<StaticShared>(
    "static_shared", /*rank=*/3, "cached, with sizes that the compiler knows",
    RecurrenceContract(
        "takes as long as the longest sequence; version 11 of the article, for "
        "an alphabet of 4 letters, t = 4 and dim = 96; otherwise it is "
        "dynamic_shared")
        .Boundaries({kLoad}));

}  // namespace
}  // namespace concord::tensor_sketch
