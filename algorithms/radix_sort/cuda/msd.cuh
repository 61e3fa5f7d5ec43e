// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The launches of the sort from the highest digit, and which of its ways suits
// how many keys.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_CUH_

#include <algorithm>
#include <cstdint>
#include <memory>

#include "concord/algorithms/radix_sort/cuda/count_bytes.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_buckets.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_counted.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_listed.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_partition.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_sample.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {

// Buckets of about so many keys are sorted in shared memory, and keys are
// partitioned into as many as that takes.
inline constexpr int kBucketSizeBits = 12;

// The ways of sorting buckets. What is left of a key of 4 bytes after a
// prefix of 16 bits has room in two, so that the last steps move fewer bytes.
template <typename Bits>
struct MsdPolicy {
  using Partition = PartitionPolicy<512, 24, 2>;
  using SmallPartition = PartitionPolicy<512, 8, 4>;
  using Buckets = BucketPolicy<uint32_t, 9, 4, 1>;
};
template <>
struct MsdPolicy<uint64_t> {
  using Partition = PartitionPolicy<512, 16, 2>;
  using SmallPartition = Partition;
  using Buckets = BucketPolicy<uint64_t, 9, 3, 1>;
};
using HalfPartition = PartitionPolicy<384, 40, 2>;
using HalfBuckets = BucketPolicy<uint16_t, 9, 8, 4>;
using SmallHalfBuckets = BucketPolicy<uint16_t, 8, 16, 4>;

// This sort takes at least so many keys, and up to so many it has columns
// enough: buckets of 4,608 keys in the mean have room for up to 5,112.
// Of keys of 4 bytes it takes more: positions have 32 bits.
inline constexpr int64_t kLeastMsdKeys = int64_t{1} << 20;
inline constexpr int64_t kMostColumnKeys = int64_t{9} << 25;
inline constexpr int64_t kMostMsdKeys = int64_t{1} << 31;
// With fewer keys, onesweep is as fast as counting what follows the prefix.
inline constexpr int64_t kLeastCountedKeys = int64_t{1} << 30;

// The rule by which keys are sorted one way or the other, by what the host
// knows. From so many keys on, of a type whose values are spread if its bits
// are, to find out that they crowd costs little beside sorting them by
// onesweep then. Floats crowd in few exponents.
inline int64_t LeastMsdKeysOf(ElementType type) {
  if (IsFloat(type)) return kMostMsdKeys + 1;
  return int64_t{1} << (SizeOf(type) == 4 ? 27 : 24);
}

// Up to so many, there are too few large tiles for all multiprocessors.
inline constexpr int64_t kMostSmallTileKeys = int64_t{1} << 23;
// From so many keys of 4 bytes on, prefixes have 16 bits.
inline constexpr int64_t kLeastHalfKeys = int64_t{1} << 26;
// Up to so many, half as many columns do: of 2,176 keys in the mean, with room
// for up to 2,552.
inline constexpr int64_t kMostSmallHalfKeys = int64_t{17} << 23;

inline PrefixDigits PrefixFor(int64_t n) {
  int bits = 8;
  while (bits < kMostPrefixBits && n > int64_t{1} << (bits + kBucketSizeBits)) {
    ++bits;
  }
  // Counting wants 64 prefixes to an upper digit.
  const int lower = bits == 8 ? 8 : std::max(6, bits / 2);
  return {bits - lower, lower};
}

// Memory that is kept from call to call.
struct MsdScratch {
  explicit MsdScratch(std::shared_ptr<CudaBackend> backend)
      : launcher(backend), state(backend), onesweep(backend) {}

  DependentLauncher launcher;
  Scratch state;
  // Between the steps keys are in the spare memory of the other sort.
  OnesweepScratch onesweep;
};

template <typename Bits>
class Msd {
 public:
  // Of keys of 4 bytes, from `least_counted` on, buckets are counted.
  Msd(const RadixSortCall& call, CudaBackend& backend, MsdScratch& scratch,
      int64_t least_counted)
      : call_(call),
        backend_(backend),
        scratch_(scratch),
        in_(AlignedSpan(call.keys_in.data<Bits>(), call.keys_in.size())),
        out_(AlignedSpan(call.keys_out.data<Bits>(), call.keys_in.size())),
        map_(KeyMapOf<Bits>(
            call.keys_in.type(),
            call.options.order == RadixSort::Order::kDescending)),
        size_(call.keys_in.size()),
        least_counted_(least_counted),
        digits_(PrefixFor(size_)) {}

  absl::Status Run() {
    if constexpr (sizeof(Bits) == 4) {
      if (size_ > kLeastHalfKeys || size_ >= least_counted_) {
        digits_ = {kMostPrefixBits / 2, kMostPrefixBits / 2};
        if (size_ >= least_counted_) return RunCounted();
        return size_ > kMostSmallHalfKeys
                   ? RunWith<HalfPartition, HalfBuckets>()
                   : RunWith<HalfPartition, SmallHalfBuckets>();
      }
    }
    using Policy = MsdPolicy<Bits>;
    if (size_ <= kMostSmallTileKeys) {
      return RunWith<typename Policy::SmallPartition,
                     typename Policy::Buckets>();
    }
    return RunWith<typename Policy::Partition, typename Policy::Buckets>();
  }

 private:
  static constexpr char kWhere[] = "radix_sort/cuda/msd";

  // Kernels are queued with these arguments.
  template <typename... Parameters, typename... Arguments>
  absl::Status Queue(void (*kernel)(Parameters...), const LaunchShape& shape,
                     Arguments... arguments) {
    return scratch_.launcher.Queue(kWhere, kernel, shape, arguments...);
  }

  template <typename P, typename Buckets>
  absl::Status RunWith() {
    using Word = typename Buckets::Word;
    RETURN_IF_ERROR(
        (PlanAndPartition<P, Word>(Buckets::kColumnBits, kMostListed)));
    RETURN_IF_ERROR(
        Queue(SortBuckets<Bits, Buckets>,
              {DivideUp(int64_t{1} << digits_.bits(), Buckets::kInTurn),
               Buckets::kThreads, sizeof(BucketMemory<Buckets>)},
              words<Word>(), map_, digits_, state(), keys_out()));
    RETURN_IF_ERROR(Queue(SortListedBuckets<Bits, Word>,
                          {2 * backend_.multiprocessors(), kListedThreads,
                           sizeof(ListedMemory<Word>)},
                          words<Word>(), map_, digits_, state(), keys_out()));
    return SortIfCrowded();
  }

  absl::Status RunCounted() {
    using Word = uint16_t;
    RETURN_IF_ERROR((PlanAndPartition<HalfPartition, Word>(
        SmallHalfBuckets::kColumnBits, kMostBucketToCount)));
    RETURN_IF_ERROR(
        Queue(CountBuckets<Bits>,
              {kCountedBlocks * backend_.multiprocessors(), kCountedThreads,
               sizeof(CountedMemory)},
              words<Word>(), map_, digits_, state(), keys_out()));
    return SortIfCrowded();
  }

  absl::Status SortIfCrowded() {
    return Onesweep<Bits, NoValue>(call_, backend_, scratch_.onesweep)
        .RunIf({&state()->crowded, &state()->halves_counted, state()->first},
               scratch_.launcher);
  }

  // Leaves the buckets in words(). None has more than `most` keys.
  template <typename P, typename Word>
  absl::Status PlanAndPartition(int column_bits, uint32_t most) {
    RETURN_IF_ERROR(scratch_.state.Reserve<MsdState>(1));
    // With what the last vector has beyond the last word.
    RETURN_IF_ERROR(scratch_.onesweep.spare.Reserve(
        size_ * static_cast<int64_t>(sizeof(Word)) + kVectorBytes));
    RETURN_IF_ERROR((Plan<P, Word>(column_bits, most)));
    return PartitionKeys<P>(words<Word>());
  }

  template <typename P, typename Word>
  absl::Status Plan(int column_bits, uint32_t most) {
    // Where there are more keys, it takes more to know them.
    constexpr int kLoads = sizeof(Word) < sizeof(Bits) ? 8 : 4;
    RETURN_IF_ERROR(Queue(SampleKeys<Bits, kLoads>,
                          {1, kSampleThreads, sizeof(SampleMemory)}, in_, map_,
                          digits_, column_bits, state()));
    RETURN_IF_ERROR(Queue(CountPrefixes<Bits>,
                          {backend_.multiprocessors(), kPrefixThreads,
                           int64_t{sizeof(uint16_t)} << digits_.bits()},
                          in_, map_, digits_, state()));
    return Queue(PlanBuckets<Bits>, {1 << digits_.upper, kBucketPlanThreads},
                 digits_, static_cast<uint32_t>(size_),
                 static_cast<uint32_t>(P::kTile),
                 static_cast<uint32_t>(out_.begin),
                 most, state());
  }

  // To `words`, by way of the output if there are two digits.
  template <typename P, typename Word>
  absl::Status PartitionKeys(Word* words) {
    const auto n = static_cast<uint32_t>(size_);
    const int64_t tiles = DivideUp(in_.end, P::kTile);
    const auto skew_in = static_cast<uint32_t>(in_.begin);
    const LaunchShape shape = {tiles, P::kThreads,
                               sizeof(PartitionMemory<Bits, P>)};
    if constexpr (sizeof(Word) == sizeof(Bits)) {
      if (digits_.upper == 0) {
        return Queue(PartitionTiles<Partition::kOnly, Bits, Word, P>, shape,
                     in_.base, skew_in, n, map_, digits_, state(), words);
      }
    }
    RETURN_IF_ERROR(Queue(PartitionTiles<Partition::kFirst, Bits, Bits, P>,
                          shape, in_.base, skew_in, n, map_, digits_, state(),
                          keys_out()));
    // No more than the last tile of each digit and one for where it starts.
    const LaunchShape last = {size_ / P::kTile + 2 * (1 << digits_.upper),
                              P::kThreads, sizeof(PartitionMemory<Bits, P>)};
    return Queue(PartitionTiles<Partition::kLast, Bits, Word, P>, last,
                 static_cast<const Bits*>(out_.base),
                 static_cast<uint32_t>(out_.begin), n, map_, digits_, state(),
                 words);
  }

  template <typename Word>
  Word* words() const {
    return scratch_.onesweep.spare.template data<Word>();
  }
  MsdState* state() const { return scratch_.state.data<MsdState>(); }
  Bits* keys_out() const { return call_.keys_out.data<Bits>(); }

  const RadixSortCall& call_;
  CudaBackend& backend_;
  MsdScratch& scratch_;
  const Span<const Bits> in_;
  const Span<Bits> out_;
  const KeyMap<Bits> map_;
  const int64_t size_;
  const int64_t least_counted_;
  PrefixDigits digits_;
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_CUH_
