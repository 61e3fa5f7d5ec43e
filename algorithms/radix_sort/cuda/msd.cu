// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Keys alone need not keep their order where they are equal. So they are
// partitioned from the highest digit, without votes and without look-back, into
// buckets that a block sorts in shared memory: fewer bytes are moved than by a
// pass for each digit. Keys of one byte are only counted.
//
// Values, ranges of bits, and keys that crowd are sorted by onesweep. The
// device decides about the last of these; the host does not wait for it.

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/count_bytes.cuh"
#include "concord/algorithms/radix_sort/cuda/msd.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/core/errors.h"

namespace concord::radix_sort {
namespace {

// With four blocks to a multiprocessor, a thread writes several vectors.
constexpr int kByteRunBlocks = 4;

class RadixSortMsd : public RadixSortOnCuda {
 public:
  using RadixSortOnCuda::RadixSortOnCuda;

 private:
  absl::Status Sort(const RadixSortCall& call) override {
    const int64_t n = call.keys_in.size();
    const ElementType type = call.keys_in.type();
    const RadixSortBits bits = RadixSortBitsOf(call.options, type);
    const bool all_bits =
        bits.first == 0 && bits.end == 8 * static_cast<int>(SizeOf(type));
    if (call.values_out.empty() && all_bits && HasSharedMemory()) {
      if (SizeOf(type) == 1 && n > kTileElements) return CountKeys(call);
      if (SizeOf(type) > 1 && n >= kLeastMsdKeys && n <= kMostMsdKeys) {
        return SizeOf(type) == 4
                   ? Msd<uint32_t>(call, *backend(), memory_).Run()
                   : Msd<uint64_t>(call, *backend(), memory_).Run();
      }
    }
    return DispatchValueWidth(call.values_out, [&](auto value) {
      return RunOnesweep<decltype(value)>(call, *backend(), memory_.onesweep);
    });
  }

  // The table of counts of bytes is the largest of all that is kept there.
  bool HasSharedMemory() const {
    return backend()->max_shared_memory_per_block() >=
           static_cast<int64_t>(sizeof(ByteMemory));
  }

  absl::Status CountKeys(const RadixSortCall& call) {
    using Bits = uint8_t;
    const int64_t n = call.keys_in.size();
    RETURN_IF_ERROR(counts_.Reserve<ByteCounts>(1));
    auto* const counts = counts_.data<ByteCounts>();
    const KeyMap<Bits> map = KeyMapOf<Bits>(
        call.keys_in.type(), call.options.order == Order::kDescending);
    const Span<const Bits> in = AlignedSpan(call.keys_in.data<Bits>(), n);
    const Span<Bits> out = AlignedSpan(call.keys_out.data<Bits>(), n);
    constexpr int64_t kRow = kByteThreads * Vector<Bits>::kLanes * kByteLoads;
    RETURN_IF_ERROR(Queue(CountBytes<Bits>,
                          {std::min<int64_t>(DivideUp(in.end, kRow),
                                             backend()->multiprocessors()),
                           kByteThreads, sizeof(ByteMemory)},
                          in, counts));
    constexpr int64_t kRunRow = kByteRunThreads * Vector<Bits>::kLanes;
    return Queue(
        WriteByteRuns<Bits>,
        {std::min<int64_t>(DivideUp(out.end, kRunRow),
                           kByteRunBlocks * backend()->multiprocessors()),
         kByteRunThreads},
        out, map, counts);
  }

  MsdScratch memory_{backend()};
  Scratch counts_{backend()};
};

const bool kRegistered = RegisterOnCuda<RadixSortMsd>(
    "msd", /*rank=*/9,
    "keys alone: partitioned from the highest digit, then sorted in shared "
    "memory",
    RadixSortContract()
        .AtMost(kMostOnesweepElements)
        .Boundaries({kTileElements, kLeastMsdKeys, kLeastMsdKeys << 1})
        .Keeps(kKeepsOfOnesweep)
        .Notes("keys alone, all bits of them; values, ranges of bits, keys "
               "that crowd, fewer than 2^20 and more than 2^28 keys are sorted "
               "by onesweep"));

}  // namespace
}  // namespace concord::radix_sort
