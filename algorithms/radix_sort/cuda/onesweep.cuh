// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The launches of the onesweep sort. One source for each width of values
// compiles them, because together they take the compiler minutes.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/pass.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/algorithms/radix_sort/cuda/tile.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/scratch.cuh"

namespace concord::radix_sort {

// The fastest found on an H200, 2^28 elements. Large tiles pay: a digit's
// elements leave together, and there are fewer sums to hand on. The limit are
// the registers of two blocks; what the compiler has to spill makes the shared
// memory's unit, the busiest, still busier.
template <typename Bits, typename Value>
struct PassPolicyFor {
  using type = PassPolicy<512, 20, 2, 4, true>;
};
template <>
struct PassPolicyFor<uint64_t, NoValue> {
  using type = PassPolicy<384, 18, 2, 8, false>;
};
template <typename Bits>
struct PassPolicyFor<Bits, uint32_t> {
  using type = PassPolicy<384, 23, 2, 8, false>;
};
template <>
struct PassPolicyFor<uint64_t, uint32_t> {
  using type = PassPolicy<384, 16, 2, 8, false>;
};
template <typename Bits>
struct PassPolicyFor<Bits, uint64_t> {
  using type = PassPolicy<384, 20, 2, 8, false>;
};
template <>
struct PassPolicyFor<uint64_t, uint64_t> {
  using type = PassPolicy<384, 16, 2, 8, false>;
};

// For devices that give a block no more than 64 KiB of shared memory.
using SmallPassPolicy = PassPolicy<256, 8, 2, 4, false>;

// Tiles are numbered with 32 bits.
inline constexpr int64_t kMostOnesweepElements = int64_t{1} << 40;

// Memory that is kept from call to call.
struct OnesweepScratch {
  explicit OnesweepScratch(std::shared_ptr<CudaBackend> backend)
      : state(backend), spare(backend) {}

  // The plan, the counter of tiles and the statuses of tiles.
  Scratch state;
  // Elements between the passes.
  Scratch spare;
  // Launches since the statuses were cleared.
  int64_t launches = 0;
};

// Defined in one source for each Value; the arguments have been checked.
template <typename Value>
absl::Status RunOnesweep(const RadixSortCall& call, CudaBackend& backend,
                         OnesweepScratch& scratch);

template <typename Kernel>
absl::Status AllowSharedMemory(Kernel kernel, std::size_t bytes) {
  return CudaStatus(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(bytes)),
      "shared memory for radix_sort/cuda/onesweep");
}

template <typename Bits, typename Value>
class Onesweep {
 public:
  Onesweep(const RadixSortCall& call, CudaBackend& backend,
           OnesweepScratch& scratch)
      : backend_(backend), scratch_(scratch) {
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
    using Policy = typename PassPolicyFor<Bits, Value>::type;
    if (arrays_.size <= kTileElements &&
        Fits(sizeof(TileMemory<Bits, Value>))) {
      return RunTile();
    }
    return Fits(sizeof(PassMemory<Bits, Value, Policy>))
               ? RunPasses<Policy>()
               : RunPasses<SmallPassPolicy>();
  }

 private:
  // The counter of tiles, alone in its cache line, follows the plan.
  static constexpr int64_t kCounterOffset =
      (sizeof(SortPlan) + 127) / 128 * 128;
  static constexpr int64_t kStatusOffset = kCounterOffset + 128;

  bool Fits(std::size_t shared_memory) const {
    return static_cast<int64_t>(shared_memory) <=
           backend_.max_shared_memory_per_block();
  }

  absl::Status RunTile() {
    const auto kernel = SortTile<Bits, Value>;
    constexpr std::size_t kBytes = sizeof(TileMemory<Bits, Value>);
    absl::Status status = AllowSharedMemory(kernel, kBytes);
    if (!status.ok()) return status;
    kernel<<<1, kTileThreads, kBytes, backend_.stream()>>>(arrays_, digits_);
    return LaunchStatus("radix_sort/cuda/onesweep, one tile");
  }

  template <typename Policy>
  absl::Status RunPasses() {
    const int64_t tiles = (arrays_.size + Policy::kTile - 1) / Policy::kTile;
    absl::Status status = ReserveSpare();
    if (status.ok()) status = ReserveState(tiles);
    if (status.ok()) status = LaunchPlan();
    for (int pass = 0; status.ok() && pass < digits_.count(); ++pass) {
      status = LaunchPass<Policy>(pass, tiles);
    }
    return status;
  }

  absl::Status ReserveSpare() {
    // Values follow the keys, at an alignment that suits every type.
    const int64_t key_bytes =
        (arrays_.size * static_cast<int64_t>(sizeof(Bits)) + 127) / 128 * 128;
    const int64_t value_bytes =
        kHasValues<Value> ? arrays_.size * static_cast<int64_t>(sizeof(Value))
                          : 0;
    absl::Status status = scratch_.spare.Reserve(key_bytes + value_bytes);
    arrays_.spare = {
        reinterpret_cast<Bits*>(scratch_.spare.data()),
        reinterpret_cast<Value*>(scratch_.spare.data() + key_bytes)};
    return status;
  }

  absl::Status ReserveState(int64_t tiles) {
    absl::Status status = scratch_.state.Reserve(
        kStatusOffset +
        tiles * kDigits * static_cast<int64_t>(sizeof(DigitStatus)));
    scratch_.launches += digits_.count();
    if (status.ok() && scratch_.launches >= kDigitEpochs) {
      status = scratch_.state.Clear();
      scratch_.launches = digits_.count();
    }
    plan_ = reinterpret_cast<SortPlan*>(scratch_.state.data());
    return status;
  }

  absl::Status LaunchPlan() {
    const auto kernel = MakePlan<Bits>;
    constexpr std::size_t kBytes = PlanMemoryBytes<Bits>();
    absl::Status status = AllowSharedMemory(kernel, kBytes);
    if (!status.ok()) return status;
    constexpr int64_t kRow =
        int64_t{kPlanThreads} * Vector<Bits>::kLanes * kPlanLoads<Bits>;
    const Span<const Bits> keys = AlignedSpan(arrays_.keys_in, arrays_.size);
    const int64_t blocks = std::min<int64_t>((keys.end + kRow - 1) / kRow,
                                             backend_.multiprocessors());
    kernel<<<static_cast<unsigned>(blocks), kPlanThreads, kBytes,
             backend_.stream()>>>(keys, arrays_.map, digits_, plan_);
    return LaunchStatus("radix_sort/cuda/onesweep, counting");
  }

  template <typename Policy>
  absl::Status LaunchPass(int pass, int64_t tiles) {
    const auto kernel = SortByDigit<Bits, Value, Policy>;
    constexpr std::size_t kBytes = sizeof(PassMemory<Bits, Value, Policy>);
    absl::Status status = AllowSharedMemory(kernel, kBytes);
    if (!status.ok()) return status;
    kernel<<<static_cast<unsigned>(tiles), Policy::kThreads, kBytes,
             backend_.stream()>>>(
        arrays_, digits_[pass], pass, plan_, static_cast<uint32_t>(tiles),
        reinterpret_cast<unsigned long long*>(scratch_.state.data() +
                                              kCounterOffset),
        reinterpret_cast<DigitStatus*>(scratch_.state.data() + kStatusOffset));
    return LaunchStatus("radix_sort/cuda/onesweep, sorting by a digit");
  }

  CudaBackend& backend_;
  OnesweepScratch& scratch_;
  Digits digits_;
  SortArrays<Bits, Value> arrays_{};
  SortPlan* plan_ = nullptr;
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_CUH_
