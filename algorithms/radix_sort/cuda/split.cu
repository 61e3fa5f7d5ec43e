// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One bit a pass, the radix sort that a scan makes possible (G. E. Blelloch,
// "Prefix sums and their applications", 1990; on GPUs M. Harris, S. Sengupta,
// J. D. Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3, 2007):
//
//   zeros = how many keys have a 0 in this bit
//   keys with a 0 go, in order, to 0, 1, ..., zeros - 1
//   keys with a 1 go, in order, to zeros, zeros + 1, ...
//
// where a key's place in the order is a prefix sum. Three launches for each
// bit: each block counts its zeros, one block sums the counts up, each block
// puts its keys into place, one key a thread.

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/map.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/element_width.h"
#include "concord/core/errors.h"
#include "concord/core/operators.h"

namespace concord::radix_sort {
namespace {

// What most devices are busiest with; `--block` takes its place.
constexpr int kDefaultThreads = 256;

constexpr int kSumThreads = 1024;

// The sum of `value` over the threads of the block before this one, and over
// all of them. All threads of the block call it.
template <typename T>
__device__ T SumOfThreadsBefore(T value, T* block_total) {
  __shared__ T warp_totals[kWarpSize];
  T sums[1] = {value};
  WarpInclusiveScan<Add<T>>(sums);
  __syncthreads();
  if (LaneId() == kWarpSize - 1) warp_totals[WarpId()] = sums[0];
  __syncthreads();
  T before = 0;
  T total = 0;
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;
  for (int warp = 0; warp < warps; ++warp) {
    if (warp < WarpId()) before += warp_totals[warp];
    total += warp_totals[warp];
  }
  *block_total = total;
  return before + sums[0] - value;
}

template <typename Bits>
__device__ bool HasZero(const Bits* keys, int64_t i, int64_t n, int bit) {
  return i < n && (keys[i] >> bit & 1) == 0;
}

template <typename Bits>
__global__ void CountZeros(const Bits* keys, int64_t n, int bit,
                           int64_t* counts) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int zeros = __syncthreads_count(HasZero(keys, i, n, bit));
  if (threadIdx.x == 0) counts[blockIdx.x] = zeros;
}

// Turns the counts into sums of those before; their total follows the last.
__global__ void __launch_bounds__(kSumThreads)
    SumCounts(int64_t* counts, int64_t blocks) {
  int64_t carry = 0;
  for (int64_t first = 0; first < blocks; first += kSumThreads) {
    const int64_t i = first + threadIdx.x;
    const int64_t count = i < blocks ? counts[i] : 0;
    int64_t total;
    const int64_t before = SumOfThreadsBefore(count, &total);
    if (i < blocks) counts[i] = carry + before;
    carry += total;
  }
  if (threadIdx.x == 0) counts[blocks] = carry;
}

template <typename Bits, typename Value>
__global__ void Split(Elements<const Bits, const Value> in,
                      Elements<Bits, Value> out, int64_t n, int bit,
                      const int64_t* zeros_before_block) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const bool is_zero = HasZero(in.keys, i, n, bit);
  int in_block;
  const int64_t zeros_before = zeros_before_block[blockIdx.x] +
                               SumOfThreadsBefore(is_zero ? 1 : 0, &in_block);
  if (i >= n) return;
  const int64_t zeros = zeros_before_block[gridDim.x];
  const int64_t place = is_zero ? zeros_before : zeros + i - zeros_before;
  out.keys[place] = in.keys[i];
  if constexpr (kHasValues<Value>) out.values[place] = in.values[i];
}

class RadixSortSplit : public RadixSortOnCuda {
 public:
  using RadixSortOnCuda::RadixSortOnCuda;

 private:
  absl::Status Sort(const RadixSortCall& call) override {
    return DispatchWidth(call.keys_in.type(), [&](auto bits) {
      return DispatchValueWidth(call.values_out, [&](auto value) {
        return SplitByBits<decltype(bits), decltype(value)>(call);
      });
    });
  }

  template <typename Bits, typename Value>
  absl::Status SplitByBits(const RadixSortCall& call) {
    const auto& [keys_in, values_in, keys_out, values_out, options] = call;
    const int64_t n = keys_in.size();
    const int threads = BlockOr(kDefaultThreads);
    const int64_t blocks = DivideUp(n, threads);
    if (blocks > LaunchShape::kMostBlocks) {
      return absl::InvalidArgumentError(
          "radix_sort/cuda/split has fewer than 2^31 blocks");
    }
    absl::Status status = scratch().Reserve<int64_t>(blocks + 1);
    status.Update(keys_.Reserve<Bits>(n));
    if (kHasValues<Value>) status.Update(values_.Reserve<Value>(n));
    if (!status.ok()) return status;

    // After each pass the two change places; the last one ends in the output.
    Elements<Bits, Value> from = {keys_out.data<Bits>(),
                                  values_out.data<Value>()};
    Elements<Bits, Value> to = {keys_.data<Bits>(), values_.data<Value>()};
    const RadixSortBits bits = RadixSortBitsOf(options, keys_in.type());
    if ((bits.end - bits.first) % 2 != 0) std::swap(from, to);

    const KeyMap<Bits> map =
        KeyMapOf<Bits>(keys_in.type(), options.order == Order::kDescending);
    RETURN_IF_ERROR(
        MapKeys(*backend(), keys_in.data<Bits>(), from.keys, n, map));
    if constexpr (kHasValues<Value>) {
      absl::Status copied = FirstValues(values_in, from.values, n);
      if (!copied.ok()) return copied;
    }
    auto* const counts = scratch().data<int64_t>();
    const LaunchShape shape = {blocks, threads};
    for (int bit = bits.first; bit < bits.end && status.ok(); ++bit) {
      status = Queue(CountZeros<Bits>, shape, from.keys, n, bit, counts);
      status.Update(Queue(SumCounts, {1, kSumThreads}, counts, blocks));
      status.Update(Queue(Split<Bits, Value>, shape, {from.keys, from.values},
                          to, n, bit, counts));
      std::swap(from, to);
    }
    if (!status.ok()) return status;
    return UnmapKeys(*backend(), from.keys, from.keys, n, map);
  }

  // The values before the first pass.
  template <typename Value>
  absl::Status FirstValues(ConstArrayView values_in, Value* values, int64_t n) {
    if (values_in.empty()) return MakePositions(*backend(), values, n);
    return CudaStatus(
        cudaMemcpyAsync(values, values_in.data(),
                        static_cast<std::size_t>(values_in.bytes()),
                        cudaMemcpyDeviceToDevice, stream()),
        "copying values for radix_sort/cuda/split");
  }

  Scratch keys_{backend()};
  Scratch values_{backend()};
};

const bool kRegistered = RegisterOnCuda<RadixSortSplit>(
    "split", /*rank=*/1, "one bit a pass, from a prefix sum",
    RadixSortContract()
        .AtMost(32 * LaunchShape::kMostBlocks)
        .Boundaries({kDefaultThreads, int64_t{kDefaultThreads} * kSumThreads})
        .Notes("--block sets the threads of a block"),
    /*requirement=*/{}, {BlockOption()});

}  // namespace
}  // namespace concord::radix_sort
