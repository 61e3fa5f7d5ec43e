// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The highest bits put the keys into buckets that a block sorts in shared
// memory: fewer bytes are moved than by a pass for each digit. Keys alone need
// not keep their order where they are equal. So they are partitioned without
// votes and without look-back. Keys with values get into their buckets by two
// passes of onesweep. Keys of one byte are only counted.
//
// This is the default on GPUs. Ranges of bits, floats, few keys and keys that
// crowd are sorted by onesweep, and all but bytes where blocks have too little
// shared memory. The device decides which keys crowd; the host does not wait
// for it.

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/count_bytes.cuh"
#include "concord/algorithms/radix_sort/cuda/msd.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_pairs.cuh"
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
    if (call.values_out.empty() && all_bits) {
      if (SizeOf(type) == 1 && n > MostSortedBytes()) return CountKeys(call);
      if (SizeOf(type) > 1 && n >= Least(LeastMsdKeysOf(type)) &&
          HasWayFor(type, n) && HasSharedMemory()) {
        return SizeOf(type) == 4 ? Run<uint32_t>(call) : Run<uint64_t>(call);
      }
    }
    const bool by_buckets = all_bits && SizeOf(type) > 1 &&
                            n >= Least(LeastMsdPairsOf(type)) &&
                            n <= kMostColumnKeys;
    return DispatchValues(call, [&](auto value, auto out) {
      using Value = decltype(value);
      using Out = decltype(out);
      if constexpr (kHasValues<Value>) {
        if (by_buckets) {
          return RunMsdPairs<Value, Out>(call, *backend(), memory_);
        }
      }
      return RunOnesweep<Value, Out>(call, *backend(), memory_.onesweep);
    });
  }

  template <typename Bits>
  absl::Status Run(const RadixSortCall& call) {
    return Msd<Bits>(call, *backend(), memory_, LeastCounted()).Run();
  }

  // So many keys of one byte take onesweep less than counting takes its two
  // launches.
  int64_t MostSortedBytes() const {
    const bool has_clusters = backend()->architecture() >= 90;
    return has_clusters ? int64_t{1} << 16 : kTileElements;
  }

  // Columns for some, counters for more.
  bool HasWayFor(ElementType type, int64_t n) const {
    return n <= kMostColumnKeys ||
           (SizeOf(type) == 4 && n >= LeastCounted() && n <= kMostMsdKeys);
  }

  int64_t LeastCounted() const {
    const int64_t asked = tuning("counted");
    return asked == 0 ? kLeastCountedKeys : std::max(asked, kLeastMsdKeys);
  }

  bool HasSharedMemory() const {
    static_assert(sizeof(CountedMemory) <= kLeastSharedBytes);
    return backend()->max_shared_memory_per_block() >= kLeastSharedBytes;
  }

  // The fewest keys that are not left to onesweep: as the rule says, or as was
  // asked for.
  int64_t Least(int64_t of_rule) const {
    const int64_t asked = tuning("least");
    return asked == 0 ? of_rule : std::max(asked, kLeastMsdKeys);
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
    constexpr int64_t kRow = kByteThreads * Vector<Bits>::kLanes;
    RETURN_IF_ERROR(memory_.onesweep.launcher.Queue(
        name(), CountBytes<Bits>,
        {std::min<int64_t>(DivideUp(in.end, kRow),
                           backend()->multiprocessors()),
         kByteThreads},
        in, counts));
    constexpr int64_t kRunRow = kByteRunThreads * Vector<Bits>::kLanes;
    return memory_.onesweep.launcher.Queue(
        name(), WriteByteRuns<Bits>,
        {std::min<int64_t>(DivideUp(out.end, kRunRow),
                           kByteRunBlocks * backend()->multiprocessors()),
         kByteRunThreads},
        out, map, counts);
  }

  MsdScratch memory_{backend()};
  Scratch counts_{backend()};
};

const bool kRegistered = RegisterOnCuda<RadixSortMsd>(
    "msd", /*rank=*/11,
    "partitioned by the highest bits, then sorted in shared memory",
    RadixSortContract()
        .AtMost(kMostOnesweepElements)
        .Boundaries(OnesweepBoundaries())
        .Keeps(kKeepsOfOnesweep)
        .Notes("integers, all bits of them: bytes alone, more than 2^16 (2^12 "
               "on GPUs without clusters); where a block can have 192 KiB of "
               "shared memory, keys of 4 bytes, 2^27 to 9 * 2^25 and 2^30 to "
               "2^31 alone, 2^25 to 9 * 2^25 with values; keys of 8 bytes, "
               "2^23 to 9 * 2^25, alone or with values; everything else, and "
               "keys that crowd, are sorted by onesweep"),
    /*requirement=*/{},
    {OptionSpec::Number("least",
                        "keys of 4 or 8 bytes from which on they are "
                        "partitioned; 0 is its own choice",
                        /*default_value=*/0, /*least=*/0,
                        /*most=*/kMostMsdKeys),
     OptionSpec::Number("counted",
                        "keys of 4 bytes from which on a bucket's are counted; "
                        "0 is its own choice",
                        /*default_value=*/0, /*least=*/0,
                        /*most=*/kMostMsdKeys)});

}  // namespace
}  // namespace concord::radix_sort
