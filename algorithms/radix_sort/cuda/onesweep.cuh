// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The launches of the onesweep sort. One source for each width of values
// compiles them, because together they take the compiler minutes.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_CUH_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/cluster_sort.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep_policy.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep_scratch.cuh"
#include "concord/algorithms/radix_sort/cuda/passes.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/plan_launch.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/algorithms/radix_sort/cuda/tile.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/cooperative_launch.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {

// How it runs for another sort, of arrays that no block or cluster can sort.
struct OnesweepRun {
  PlanHints hints;
  // Passes [first, end) of a plan that is made by then; null: it plans its own,
  // and makes all of them.
  const SortPlan* plan = nullptr;
  int first = 0;
  int end = 0;
};

// Defined in one source for each pair of types that DispatchValues gives; the
// arguments have been checked. Values leave a pass as Value, and the last one
// as Out.
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
    if constexpr (kInTurn) {
      if (run_.hints.wanted != nullptr) {
        return RunInTurn<typename Policies::turn>();
      }
    }
    if (n <= kMostFew && FitPasses<FewPassPolicy>()) {
      return RunPasses<FewPassPolicy>();
    }
    if (n <= kMostSome<Bits, Value> && FitPasses<SomePassPolicy>()) {
      return RunPasses<SomePassPolicy>();
    }
    if (n >= kLeastForLargeTiles && !scratch_.has_fast_memory &&
        FitPasses<typename Policies::large>()) {
      return RunPasses<typename Policies::large>();
    }
    return FitPasses<typename Policies::type>()
               ? RunPasses<typename Policies::type>()
               : RunPasses<SmallPassPolicy>();
  }

 private:
  static constexpr char kWhere[] = "radix_sort/cuda/onesweep";
  // Another sort calls it for keys that crowd. One launch for all passes takes
  // little time where they do not. With values, tiles in turn are much slower.
  static constexpr bool kInTurn = sizeof(Bits) >= 4 && !kHasValues<Value>;

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
    const bool planned = run_.plan != nullptr;
    const int end = planned ? run_.end : digits_.count();
    absl::Status status = PreparePasses<Policy>(end - run_.first);
    for (int pass = run_.first; status.ok() && pass < end; ++pass) {
      status = Queue(SortTilesByDigit<Bits, Value, Out, Policy>,
                     ShapeOfPass<Policy>(Tiles<Policy>()), arrays_, pass,
                     planned ? run_.plan : plan(), Tiles<Policy>(), counter(),
                     statuses());
    }
    return status;
  }

  template <typename Policy>
  absl::Status RunInTurn() {
    const int passes = digits_.count();
    RETURN_IF_ERROR(PreparePasses<Policy>(passes));
    const int64_t most = int64_t{Policy::kBlocks} * backend_.multiprocessors();
    return QueueCooperative(
        backend_, kWhere, SortTilesInTurn<Bits, Value, Out, Policy>,
        ShapeOfPass<Policy>(std::min<int64_t>(Tiles<Policy>(), most)), arrays_,
        passes, plan(), Tiles<Policy>(), counter(), statuses());
  }

  template <typename Policy>
  uint32_t Tiles() const {
    return static_cast<uint32_t>(DivideUp(arrays_.size, Policy::kTile));
  }
  template <typename Policy>
  static LaunchShape ShapeOfPass(int64_t blocks) {
    return {blocks, Policy::kThreads, sizeof(PassMemory<Bits, Value, Policy>)};
  }
  unsigned long long* counter() const { return scratch_.words.counter(); }
  DigitStatus* statuses() const {
    return scratch_.words.template words<DigitStatus>();
  }

  // Before so many passes.
  template <typename Policy>
  absl::Status PreparePasses(int passes) {
    RETURN_IF_ERROR(ReserveSpare());
    RETURN_IF_ERROR(scratch_.words.template Prepare<DigitStatus>(
        int64_t{Tiles<Policy>()} * kDigits, passes));
    return run_.plan == nullptr ? LaunchPlan() : absl::OkStatus();
  }

  absl::Status ReserveSpare() {
    absl::StatusOr<Elements<Bits, Value>> spare =
        ReserveSpareFor<Bits, Value>(scratch_, arrays_.size);
    if (spare.ok()) arrays_.spare = *spare;
    return spare.status();
  }

  SortPlan* plan() const { return scratch_.words.template own<SortPlan>(); }

  absl::Status LaunchPlan() {
    const auto launch = [&](auto all_bits) {
      return QueuePlan<decltype(all_bits)::value>(
          kWhere, backend_, scratch_.launcher,
          AlignedSpan(arrays_.keys_in, arrays_.size), arrays_.map, digits_,
          run_.hints, SkipPasses{digits_.count()}, plan());
    };
    return digits_.are_bytes_of<Bits>() ? launch(std::true_type())
                                        : launch(std::false_type());
  }

  CudaBackend& backend_;
  OnesweepScratch& scratch_;
  const OnesweepRun& run_;
  KeyDigits digits_;
  SortArrays<Bits, Value> arrays_{};
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_CUH_
