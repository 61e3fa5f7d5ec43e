// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The launches of the sort from the highest digit.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_CUH_

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/count_bytes.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_buckets.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_counted.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_large.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_listed.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_partition.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_policy.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_rooms.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_sectors.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_steps.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {

template <typename Bits>
class Msd : private MsdSteps<Bits> {
 public:
  // Of keys of 4 bytes, from `least_counted` on, buckets are counted.
  Msd(const RadixSortCall& call, CudaBackend& backend, MsdScratch& scratch,
      int64_t least_counted)
      : Steps(call, backend, scratch, PrefixFor(call.keys_in.size())),
        out_(AlignedSpan(call.keys_out.data<Bits>(), call.keys_in.size())),
        least_counted_(least_counted) {}

  absl::Status Run() {
    if constexpr (sizeof(Bits) == 4) {
      if (size_ >= kLeastHalfKeys || size_ >= least_counted_) {
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
  using Steps = MsdSteps<Bits>;
  using Steps::backend_;
  using Steps::call_;
  using Steps::digits_;
  using Steps::in_;
  using Steps::map_;
  using Steps::Queue;
  using Steps::scratch_;
  using Steps::size_;
  using Steps::state;

  template <typename P, typename Buckets>
  absl::Status RunWith() {
    using Word = typename Buckets::Word;
    // Where it takes a while to count.
    constexpr bool kInRooms = sizeof(Word) < sizeof(Bits);
    RoomSizes rooms{};
    if constexpr (kInRooms) {
      rooms = RoomSizesFor(size_, Buckets::kMost, Vector<Bits>::kLanes);
    }
    RETURN_IF_ERROR((ReserveWords<P, Word>(rooms)));
    RETURN_IF_ERROR((SampleFor<Word>(Buckets::kColumnBits)));
    if constexpr (kInRooms) {
      RETURN_IF_ERROR(LookForRooms(rooms));
      if (rooms.bucket != 0) {
        RETURN_IF_ERROR((PartitionIntoRooms<P, Word>(rooms)));
      }
    }
    RETURN_IF_ERROR((CountAndPartition<P, Word>(
        kInRooms ? kMostBucketToCount : kMostLarge,
        // The first partition leaves out what is set aside.
        !kInRooms && P::kInSectors && digits_.upper > 0 ? kMostOutliers : 0)));
    RETURN_IF_ERROR(
        Queue(SortBuckets<Bits, Buckets>,
              {DivideUp(int64_t{1} << digits_.bits(), Buckets::kInTurn),
               Buckets::kThreads, sizeof(BucketMemory<Buckets>)},
              words<Word>(), rooms.bucket, map_, digits_, state(), keys_out()));
    if constexpr (kInRooms) {
      RETURN_IF_ERROR(CountWords<true>(rooms.bucket));
      if (rooms.bucket != 0) {
        RETURN_IF_ERROR(Queue(
            SortOutliers<Bits>, {1, kListedThreads, sizeof(ListedMemory<Bits>)},
            static_cast<uint32_t>(size_), map_, state(), keys_out()));
      }
    } else {
      RETURN_IF_ERROR(Queue(SortListedBuckets<Bits>,
                            {2 * backend_.multiprocessors(), kListedThreads,
                             sizeof(LargeMemory<Bits>)},
                            words<Word>(), static_cast<uint32_t>(size_), map_,
                            digits_, state(), keys_out()));
    }
    return Steps::template SortIfCrowded<NoValue, NoValue>();
  }

  absl::Status RunCounted() {
    using Word = uint16_t;
    RETURN_IF_ERROR((ReserveWords<HalfPartition, Word>({})));
    RETURN_IF_ERROR((SampleFor<Word>(SmallHalfBuckets::kColumnBits)));
    RETURN_IF_ERROR(
        (CountAndPartition<HalfPartition, Word>(kMostBucketToCount, 0)));
    RETURN_IF_ERROR(CountWords<false>(/*room=*/0));
    return Steps::template SortIfCrowded<NoValue, NoValue>();
  }

  template <bool kListed>
  absl::Status CountWords(uint32_t room) {
    return Queue(CountBuckets<kListed, Bits>,
                 {kCountedBlocks * backend_.multiprocessors(), kCountedThreads,
                  sizeof(CountedMemory)},
                 words<uint16_t>(), room, map_, digits_, state(), keys_out());
  }

  template <typename P, typename Word>
  absl::Status ReserveWords(const RoomSizes& rooms) {
    RETURN_IF_ERROR(Steps::ReserveState());
    // With what the last vector has beyond the last word.
    int64_t bytes = size_ * static_cast<int64_t>(sizeof(Word)) + kVectorBytes;
    if (rooms.bucket != 0) {
      bytes = BytesOfRooms<P, Word>(rooms) +
              static_cast<int64_t>(sizeof(Bits)) * rooms.of_digit() *
                  (kDigits - DigitsInOutput(rooms));
    }
    return scratch_.onesweep.spare.Reserve(bytes);
  }

  template <typename Word>
  absl::Status SampleFor(int column_bits) {
    // Where there are more keys, it takes more to know them.
    if constexpr (sizeof(Word) < sizeof(Bits)) {
      return Steps::template LookAtSample<8192>(column_bits);
    } else {
      return size_ <= kMostQuicklySampledKeys
                 ? Steps::template LookAtSample<2048>(column_bits)
                 : Steps::template LookAtSample<4096>(column_bits);
    }
  }

  // Rooms for words, and for a tile more, up to a sector's boundary.
  template <typename P, typename Word>
  static int64_t BytesOfRooms(const RoomSizes& rooms) {
    return DivideUp((int64_t{kRooms} * rooms.bucket + P::kTile) *
                        static_cast<int64_t>(sizeof(Word)),
                    kSectorBytes) *
           kSectorBytes;
  }
  // Keys of the output before a sector's boundary.
  int64_t RoomHead() const { return -SectorSkew() % kSectorKeys<Bits>; }
  int64_t DigitsInOutput(const RoomSizes& rooms) const {
    return std::min<int64_t>(kDigits, (size_ - RoomHead()) / rooms.of_digit());
  }

  // Decides whether keys are put into rooms, or come too often for columns.
  absl::Status LookForRooms(const RoomSizes& rooms) {
    RETURN_IF_ERROR(Queue(SampleRooms<Bits>,
                          {kRoomSampleBlocks, kRoomSampleThreads}, in_, map_,
                          digits_, state()));
    return Queue(ChooseRooms<Bits>, {kDigits, kDigits}, rooms,
                 static_cast<uint32_t>(RoomHead()), state());
  }

  // Leaves the buckets in words() if all have room.
  template <typename P, typename Word>
  absl::Status PartitionIntoRooms(const RoomSizes& rooms) {
    const auto n = static_cast<uint32_t>(size_);
    const auto head = static_cast<uint32_t>(RoomHead());
    const RoomPlaces<Bits> places = {
        keys_out(),
        scratch_.onesweep.spare.template data<Bits>(
            BytesOfRooms<P, Word>(rooms)),
        static_cast<uint32_t>(head + DigitsInOutput(rooms) * rooms.of_digit())};
    RETURN_IF_ERROR(PartitionSectors(places));
    const auto tiles =
        static_cast<uint32_t>(DivideUp(rooms.of_digit(), P::kTile));
    RETURN_IF_ERROR(Queue(PartitionRooms<Bits, Word, P>,
                          {int64_t{kDigits} * tiles, P::kThreads,
                           sizeof(PartitionMemory<Bits, P>)},
                          places, rooms, tiles, map_, digits_, state(),
                          words<Word>()));
    return Queue(SumUpRooms<Bits>, {kDigits, kDigits}, n, state());
  }

  // The first partition, to `out`.
  template <typename Out>
  absl::Status PartitionSectors(const Out& out) {
    using P = typename MsdPolicy<Bits>::Partition;
    const int64_t tiles = DivideUp(in_.end, P::kTile);
    return Queue(
        PartitionInSectors<Out, Bits, P>,
        {std::min<int64_t>(tiles, P::kBlocks * backend_.multiprocessors()),
         P::kThreads, sizeof(SectorMemory<Bits, P>)},
        in_.base, static_cast<uint32_t>(in_.begin),
        static_cast<uint32_t>(size_), map_, digits_, SectorSkew(), state(),
        out);
  }

  // Leaves the buckets in words(). None has more than `most` keys, and no more
  // than `most_outliers` are set aside.
  template <typename P, typename Word>
  absl::Status CountAndPartition(uint32_t most, uint32_t most_outliers) {
    RETURN_IF_ERROR(Steps::CountBucketsFor(
        {P::kTile, static_cast<uint32_t>(out_.begin), most, most_outliers}));
    return PartitionKeys<P>(words<Word>());
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
    if constexpr (P::kInSectors) {
      RETURN_IF_ERROR(PartitionSectors(CountedPlaces<Bits>{keys_out()}));
    } else {
      RETURN_IF_ERROR(Queue(PartitionTiles<Partition::kFirst, Bits, Bits, P>,
                            shape, in_.base, skew_in, n, map_, digits_, state(),
                            keys_out()));
    }
    // No more than the last tile of each digit and one for where it starts.
    const int64_t most = size_ / P::kTile + 2 * (1 << digits_.upper);
    return Queue(
        PartitionLastTiles<Bits, Word, P>,
        {std::min<int64_t>(most, P::kBlocks * backend_.multiprocessors()),
         P::kThreads, sizeof(PartitionMemory<Bits, P>)},
        static_cast<const Bits*>(out_.base), static_cast<uint32_t>(out_.begin),
        map_, digits_, state(), words);
  }

  // Keys of the output past a sector's boundary.
  uint32_t SectorSkew() const {
    return reinterpret_cast<uintptr_t>(keys_out()) % kSectorBytes /
           sizeof(Bits);
  }
  template <typename Word>
  Word* words() const {
    return scratch_.onesweep.spare.template data<Word>();
  }
  Bits* keys_out() const { return call_.keys_out.template data<Bits>(); }

  const Span<Bits> out_;
  const int64_t least_counted_;
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_CUH_
