// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 15 of the article: the alphabet's size, t, dim and the columns of a
// thread are arguments, and all that stands in shared memory is cut from one
// array whose size the launch says.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include <algorithm>

#include "concord/algorithms/tensor_sketch/cuda/cached.cuh"

namespace concord::tensor_sketch {
namespace {

__global__ void SketchDynamic(SketchProblem problem) {
  extern __shared__ uint64_t shared_levels[];
  const int cells = (problem.tables.t + 1) * problem.tables.dim;
  auto* const cache = reinterpret_cast<int*>(shared_levels + 2 * cells);
  const int entries = problem.tables.alphabet_size * problem.tables.t;
  auto* const loaded = reinterpret_cast<uint8_t*>(cache + 2 * entries);
  const Tables tables = CacheTables(problem.tables, cache);
  SketchRows(problem, 0, problem.rows.count, tables,
             Steps{static_cast<int>(blockDim.y), static_cast<int>(blockDim.x)},
             loaded, Levels<uint64_t>{shared_levels, shared_levels + cells});
}

class DynamicShared : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) override {
    const Tables& tables = problem.tables;
    const int64_t bytes =
        2 * (tables.t + 1) * int64_t{tables.dim} * sizeof(uint64_t) +
        TableBytes(tables) + kLoad;
    if (bytes > backend()->max_shared_memory_per_block()) {
      return LaunchInstead("cached", problem);
    }
    dim3 threads = WarpForEachLevel(problem);
    if (const int64_t columns = tuning("columns"); columns > 0) {
      threads.x = static_cast<unsigned>(std::min<int64_t>(
          DivideUp(tables.dim, columns), kMostThreads / threads.y));
    }
    return Queue(SketchDynamic,
                 {std::min(problem.rows.count, kMostBlocks), threads, bytes},
                 problem);
  }
};

const bool kRegistered = RegisterOnCuda<DynamicShared>(
    "dynamic_shared", /*rank=*/4,
    "cached, with all of its shared memory in one array",
    RecurrenceContract(
        "takes as long as the longest sequence; version 15 of the article; "
        "where shared memory is too small it is cached")
        .Boundaries({kLoad}),
    /*requirement=*/{},
    {OptionSpec::Number("columns",
                        "columns of a thread; 0 is a warp for each level",
                        /*default_value=*/0, /*least=*/0, /*most=*/1024)});

}  // namespace
}  // namespace concord::tensor_sketch
