// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The launches of the onesweep sort. One source for each width of values
// compiles them, because together they take the compiler minutes.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_CUH_

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/cluster_sort.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep_policy.cuh"
#include "concord/algorithms/radix_sort/cuda/pass.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/algorithms/radix_sort/cuda/tile.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/cluster_launch.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {

// Memory that is kept from call to call.
struct OnesweepScratch {
  explicit OnesweepScratch(std::shared_ptr<CudaBackend> backend)
      : words(backend, sizeof(SortPlan), kDigitEpochs),
        spare(backend),
        launcher(backend),
        clusters(backend) {}

  // With the plan.
  TileWords words;
  // Elements between the passes.
  Scratch spare;
  DependentLauncher launcher;
  ClusterLauncher clusters;
};

// Room for so many elements between the passes.
template <typename Bits, typename Value>
absl::StatusOr<Elements<Bits, Value>> ReserveSpareFor(OnesweepScratch& scratch,
                                                      int64_t size) {
  // Values follow the keys, at an alignment that suits every type. There are
  // whole vectors of both.
  const auto rounded = [size](std::size_t width) {
    return DivideUp(size * static_cast<int64_t>(width), 128) * 128;
  };
  const int64_t key_bytes = rounded(sizeof(Bits));
  RETURN_IF_ERROR(scratch.spare.Reserve(
      key_bytes + (kHasValues<Value> ? rounded(sizeof(Value)) : 0)));
  return Elements<Bits, Value>{scratch.spare.template data<Bits>(),
                               scratch.spare.template data<Value>(key_bytes)};
}

// How it runs for another sort, of arrays that no block or cluster can sort.
struct OnesweepRun {
  PlanHints hints;
  // So many passes that another kernel has planned; null: it plans its own.
  const SortPlan* plan = nullptr;
  int passes = 0;
};

// Defined in one source for each pair of types that DispatchValues gives; the
// arguments have been checked. Passes that another kernel has planned leave
// values as Value.
template <typename Value, typename Out>
absl::Status RunOnesweep(const RadixSortCall& call, CudaBackend& backend,
                         OnesweepScratch& scratch, const OnesweepRun& run = {});

template <typename Bits, typename Value, typename Out>
class Onesweep {
 public:
  Onesweep(const RadixSortCall& call, CudaBackend& backend,
           OnesweepScratch& scratch, const OnesweepRun& run)
      : backend_(backend), scratch_(scratch), run_(run) {
    const RadixSortBits bits =
        RadixSortBitsOf(call.options, call.keys_in.type());
    digits_ = {bits.first, bits.end};
    arrays_.keys_in = call.keys_in.data<Bits>();
    // The kernels make positions where there is no array.
    arrays_.values_in =
        call.options.argsort ? nullptr : call.values_in.data<Value>();
    arrays_.out = {call.keys_out.data<Bits>(), call.values_out.data<Value>()};
    arrays_.map =
        KeyMapOf<Bits>(call.keys_in.type(),
                       call.options.order == RadixSort::Order::kDescending);
    arrays_.size = call.keys_in.size();
  }

  absl::Status Run() {
    if (run_.plan == nullptr) {
      if (arrays_.size > kMostWithoutCluster) {
        if (FitCluster<SmallCluster>()) return RunCluster<SmallCluster>();
        using Large = LargeCluster<Bits, Value>;
        if (FitCluster<Large>()) return RunCluster<Large>();
      }
      if (FitTile<TinyTile>()) return RunTile<TinyTile>();
      if (FitTile<SmallTile>()) return RunTile<SmallTile>();
      if constexpr (kHasLargeTile<Bits, Value>) {
        if (FitTile<LargeTile>()) return RunTile<LargeTile>();
      }
    }
    using Policies = PassPolicyFor<Bits, Value>;
    const int64_t n = arrays_.size;
    if (n <= kMostFew && FitPasses<FewPassPolicy>()) {
      return RunPasses<FewPassPolicy>();
    }
    if (n <= kMostSome<Bits, Value> && FitPasses<SomePassPolicy>()) {
      return RunPasses<SomePassPolicy>();
    }
    if (n >= kLeastForLargeTiles && FitPasses<typename Policies::large>()) {
      return RunPasses<typename Policies::large>();
    }
    return FitPasses<typename Policies::type>()
               ? RunPasses<typename Policies::type>()
               : RunPasses<SmallPassPolicy>();
  }

 private:
  static constexpr char kWhere[] = "radix_sort/cuda/onesweep";

  bool Fits(std::size_t shared_memory) const {
    return static_cast<int64_t>(shared_memory) <=
           backend_.max_shared_memory_per_block();
  }

  // Kernels that wait for the one before them.
  template <typename... Parameters, typename... Arguments>
  absl::Status Queue(void (*kernel)(Parameters...), const LaunchShape& shape,
                     Arguments... arguments) {
    return scratch_.launcher.Queue(kWhere, kernel, shape, arguments...);
  }

  template <typename Shape>
  bool FitTile() const {
    return arrays_.size <= Shape::kElements &&
           Fits(sizeof(TileMemory<Bits, Value, Shape>));
  }

  template <typename Policy>
  bool FitPasses() const {
    return Fits(sizeof(PassMemory<Bits, Value, Policy>));
  }

  template <typename Shape>
  absl::Status RunTile() {
    return QueueKernel(
        backend_, kWhere, SortTile<Bits, Value, Out, Shape>,
        {1, Shape::kThreads, sizeof(TileMemory<Bits, Value, Shape>)}, arrays_,
        digits_);
  }

  template <typename Shape>
  static LaunchShape ShapeOf(int blocks) {
    return {blocks, Shape::kThreads, sizeof(ClusterMemory<Bits, Value, Shape>)};
  }

  template <typename Shape>
  int MostBlocks() {
    const LaunchShape shape = ShapeOf<Shape>(0);
    return scratch_.clusters.MostBlocks(SortInCluster<Bits, Value, Out, Shape>,
                                        shape.threads, shape.shared_bytes);
  }

  template <typename Shape>
  bool FitCluster() {
    return arrays_.size <= Shape::kElements &&
           arrays_.size <= int64_t{MostBlocks<Shape>()} * Shape::kTile;
  }

  template <typename Shape>
  absl::Status RunCluster() {
    const int blocks =
        arrays_.size <= kMostInPortableCluster
            ? std::min(MostBlocks<Shape>(), kPortableClusterBlocks)
            : MostBlocks<Shape>();
    const int64_t rows = DivideUp(arrays_.size, blocks * Shape::kThreads);
    return scratch_.clusters.Queue(
        kWhere, SortInCluster<Bits, Value, Out, Shape>, ShapeOf<Shape>(blocks),
        arrays_, digits_, static_cast<int>(rows));
  }

  template <typename Policy>
  absl::Status RunPasses() {
    const int64_t tiles = DivideUp(arrays_.size, Policy::kTile);
    const bool planned = run_.plan != nullptr;
    const int passes = planned ? run_.passes : digits_.count();
    absl::Status status = ReserveSpare();
    status.Update(
        scratch_.words.template Prepare<DigitStatus>(tiles * kDigits, passes));
    if (status.ok() && !planned) status = LaunchPlan();
    for (int pass = 0; status.ok() && pass < passes; ++pass) {
      status = LaunchPass<Policy>(pass, planned ? run_.plan : plan(), tiles);
    }
    return status;
  }

  absl::Status ReserveSpare() {
    absl::StatusOr<Elements<Bits, Value>> spare =
        ReserveSpareFor<Bits, Value>(scratch_, arrays_.size);
    if (spare.ok()) arrays_.spare = *spare;
    return spare.status();
  }

  SortPlan* plan() const { return scratch_.words.template own<SortPlan>(); }

  absl::Status LaunchPlan() {
    constexpr int kCopies = kPlanCopies<Bits>;
    if constexpr (kCopies > 8) {
      // A block of Turing's has 64 KiB, of which the kernel declares some.
      constexpr int64_t kOwnBytes = 1024;
      if (PlanMemoryBytes<Bits>(kCopies) + kOwnBytes >
          backend_.max_shared_memory_per_block()) {
        return LaunchPlanWith<8>();
      }
    }
    return LaunchPlanWith<kCopies>();
  }

  template <int kCopies>
  absl::Status LaunchPlanWith() {
    constexpr int64_t kRow =
        int64_t{kPlanThreads} * Vector<Bits>::kLanes * kPlanLoads<Bits>;
    const Span<const Bits> keys = AlignedSpan(arrays_.keys_in, arrays_.size);
    const int64_t blocks =
        std::min<int64_t>(DivideUp(keys.end, kRow), backend_.multiprocessors());
    return Queue(MakePlan<Bits, kCopies>,
                 {blocks, kPlanThreads, PlanMemoryBytes<Bits>(kCopies)}, keys,
                 arrays_.map, digits_, run_.hints, plan());
  }

  template <typename Policy>
  absl::Status LaunchPass(int pass, const SortPlan* plan, int64_t tiles) {
    if constexpr (sizeof(Bits) >= 4 && !kHasValues<Value>) {
      if (run_.hints.wanted != nullptr) {
        // Where no pass is wanted, each block takes time for nothing.
        return LaunchBlocks<Policy>(
            SortTilesByDigit<true, Bits, Value, Out, Policy>,
            std::min<int64_t>(tiles,
                              Policy::kBlocks * backend_.multiprocessors()),
            pass, plan, tiles);
      }
    }
    return LaunchBlocks<Policy>(
        SortTilesByDigit<false, Bits, Value, Out, Policy>, tiles, pass, plan,
        tiles);
  }

  template <typename Policy, typename Kernel>
  absl::Status LaunchBlocks(Kernel kernel, int64_t blocks, int pass,
                            const SortPlan* plan, int64_t tiles) {
    return Queue(
        kernel,
        {blocks, Policy::kThreads, sizeof(PassMemory<Bits, Value, Policy>)},
        arrays_, pass, plan, static_cast<uint32_t>(tiles),
        scratch_.words.counter(), scratch_.words.template words<DigitStatus>());
  }

  CudaBackend& backend_;
  OnesweepScratch& scratch_;
  const OnesweepRun& run_;
  KeyDigits digits_;
  SortArrays<Bits, Value> arrays_{};
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_CUH_
