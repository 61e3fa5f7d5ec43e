// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Run-length encoding on several GPUs, on the pipeline of cuda/pipelined: each
// member reads the tiles that lie with it and stores the runs that start there
// where they belong, with whichever member.
//
// Striped arrays take one pass by all members together: each tells all others
// how many runs start in a tile and where the last of them does. Blocked arrays
// take two: each member finds that out for its stretch, tells those behind, and
// encodes its stretch. Whether its first element starts a run depends on the
// element before, which is another member's and is read across the link.

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "concord/algorithms/run_length_encode/cuda/pipelined.cuh"
#include "concord/algorithms/run_length_encode/cuda/segment.cuh"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/core/errors.h"

namespace concord::run_length_encode {
namespace {

template <typename Word>
struct GroupEncodeShape : EncodeShape<Word> {
  // The starts of a tile of bytes take four times the room of others: six tiles
  // would not fit.
  static constexpr int kStages =
      sizeof(Word) == 1 ? 5 : EncodeShape<Word>::kStages;
};

// Of an array, or of one member's stretch of it. `in` then has all that
// precedes the stretch as well, but its element 0 is the stretch's first, and
// so are the tiles. Starts of runs are numbers of elements of the array.
template <typename Word, typename Length>
struct GroupEncodeJob : EncodeJob<Word, Length, GroupEncodeShape<Word>> {
  using Base = EncodeJob<Word, Length, GroupEncodeShape<Word>>;

  // Whether the array ends with `in`.
  bool is_last;

  __device__ RunsBefore Lift(uint32_t sums, uint32_t tile) const {
    RunsBefore of_tile = Base::Lift(sums, tile);
    if (of_tile.start >= 0) of_tile.start -= this->in.begin;
    return of_tile;
  }

  __device__ __forceinline__ uint32_t
  Reduce(const Segment<Word>& segment) const {
    // No tile brings the element before a stretch.
    const bool starts_stretch = segment.first == 0 && this->in.begin < 0;
    return this->ReduceBehind(starts_stretch ? TailWith(this->in.base[-1])
                                             : this->TailBefore(segment),
                              segment);
  }

  // Places follow from what other members tell. One that gave up waiting has
  // numbers that mean nothing, with which it must not leave the array: no more
  // runs start before the segment than there are elements.
  __device__ __forceinline__ void Write(
      const Segment<Word>& segment, PipelineTurn<GroupEncodeJob>& turn) const {
    const int64_t first = segment.first - this->in.begin;
    this->WriteTurn(segment, turn, first, [&](const RunsBefore& before) {
      return before.count >= 0 && before.count <= max(first, int64_t{0});
    });
  }

  __device__ void Finish(RunsBefore all) const {
    if (!is_last) return;
    const int64_t size = this->in.end - this->in.begin;
    const int64_t count = min(max(all.count, int64_t{1}), size);
    *this->runs = count;
    this->out.lengths[count - 1] = static_cast<Length>(size - all.start);
  }
};

// --- What the runs of a stretch amount to ---

constexpr int kCountThreads = 512;
// 64 KiB under way in each block, as in share_passes.cuh.
constexpr int kCountLoads = 8;
constexpr std::int64_t kCountVectors = kCountThreads * kCountLoads;

// In a member's memory; zero between calls.
struct RunsOfStretch {
  unsigned long long count;
  // The element of the array that starts the last one, counted from 1.
  unsigned long long last;
  unsigned arrivals;
};

// Where vector i of this thread begins in its block's 64 KiB.
template <typename Word>
__device__ __forceinline__ uint32_t FirstOfVector(int i) {
  return (i * kCountThreads + threadIdx.x) * Vector<Word>::kLanes;
}

// What a thread has of its block's 64 KiB, with elements counted from the first
// of these. The whole warp calls it.
template <typename Word>
__device__ __forceinline__ uint64_t RunsOfThread(Span<const Word> in,
                                                 int64_t block_first) {
  Vector<Word> vectors[kCountLoads];
  VectorTail<Word> before[kCountLoads];
#pragma unroll
  for (int i = 0; i < kCountLoads; ++i) {
    const int64_t first = block_first + FirstOfVector<Word>(i);
    vectors[i] = LoadVector(in, first);
    before[i] = LaneId() == 0 ? TailWith(in.base[first - 1]) : 0;
  }
  uint32_t count = 0;
  uint32_t last = 0;
#pragma unroll
  for (int i = 0; i < kCountLoads; ++i) {
    const VectorTail<Word> previous =
        ShuffleFrom(TailOf(vectors[i]), (LaneId() + kWarpSize - 1) % kWarpSize);
    const uint32_t bits =
        VectorStarts(vectors[i], LaneId() == 0 ? before[i] : previous);
    count += __popc(bits);
    if (bits != 0) last = FirstOfVector<Word>(i) + 32 - __clz(bits);
  }
  return RunSums::Make(count, last);
}

// The same where some of the elements are not there, or the first of all is.
template <typename Word>
__device__ uint64_t RunsOfEdge(Span<const Word> in, int64_t block_first) {
  uint32_t count = 0;
  uint32_t last = 0;
#pragma unroll 1
  for (int i = 0; i < kCountLoads; ++i) {
    const int64_t first = block_first + FirstOfVector<Word>(i);
    const int64_t end = min(first + Vector<Word>::kLanes, in.end);
    for (int64_t k = max(first, in.begin); k < end; ++k) {
      if (k > in.begin && in.base[k] == in.base[k - 1]) continue;
      ++count;
      last = static_cast<uint32_t>(k - block_first) + 1;
    }
  }
  return RunSums::Make(count, last);
}

// A block for each 64 KiB of a stretch; the last one to finish tells.
template <typename Word>
__global__ void __launch_bounds__(kCountThreads)
    TellRuns(Span<const Word> in, RunsOfStretch* runs,
             const __grid_constant__ Audience behind) {
  constexpr int64_t kElements = kCountVectors * Vector<Word>::kLanes;
  __shared__ uint32_t count_of_block;
  __shared__ uint32_t last_of_block;
  if (threadIdx.x == 0) count_of_block = last_of_block = 0;
  __syncthreads();
  const int64_t block_first = blockIdx.x * kElements;
  const bool is_inside =
      block_first > in.begin && in.HoldsVectors(block_first, kElements);
  const uint64_t of_thread =
      is_inside ? RunsOfThread(in, block_first) : RunsOfEdge(in, block_first);
  const uint64_t of_warp =
      SumsOfLanes(RunSums::Count(of_thread), RunSums::Last(of_thread));
  if (LaneId() == 0) {
    atomicAdd(&count_of_block, RunSums::Count(of_warp));
    atomicMax(&last_of_block, RunSums::Last(of_warp));
  }
  __syncthreads();
  if (threadIdx.x == 0 && count_of_block > 0) {
    atomicAdd(&runs->count, static_cast<unsigned long long>(count_of_block));
    atomicMax(&runs->last, static_cast<unsigned long long>(
                               block_first + last_of_block - in.begin));
  }
  if (ArriveLast(&runs->arrivals) && threadIdx.x == 0) {
    const auto count = static_cast<int64_t>(atomicExch(&runs->count, 0ull));
    const auto last = static_cast<int64_t>(atomicExch(&runs->last, 0ull));
    behind.Tell(RunsBefore{count, last - 1});
  }
}

class RunLengthEncodePipelined : public OnGpus<RunLengthEncode> {
 public:
  using OnGpus<RunLengthEncode>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView in, const Outputs& out) override {
    if (in.empty()) {
      constexpr std::int64_t kNone = 0;
      return backend()->Copy(ConstArrayView(&kNone, 1, Memory::Host()),
                             out.runs);
    }
    return DispatchRunLengths(
        in.type(), out.lengths.type(), [&](auto word, auto length) {
          return Launch<typename decltype(word)::type,
                        typename decltype(length)::type>(in, out);
        });
  }

 private:
  // A stretch with all that precedes it. One that is not the first begins where
  // a member's memory does, and so at a vector.
  template <typename Word>
  static Span<const Word> SpanOf(ConstArrayView in, const Stretch& stretch) {
    Span<const Word> span = AlignedSpan(in.data<Word>() + stretch.begin,
                                        stretch.end - stretch.begin);
    span.begin -= stretch.begin;
    return span;
  }

  template <typename Word, typename Length>
  absl::Status Launch(ConstArrayView in, const Outputs& out) {
    const auto job_of = [&](const Stretch& stretch) {
      return GroupEncodeJob<Word, Length>{
          {SpanOf<Word>(in, stretch),
           {out.values.data<Word>(), out.lengths.data<Length>()},
           out.runs.data<std::int64_t>()},
          stretch.end == in.size()};
    };
    const GroupCut cut = GroupCut::Of(in, backend()->members());
    if (cut.TakesOnePass()) {
      return launcher_.RunInOnePass(job_of({0, in.size()}), name());
    }
    return launcher_.RunByStretches(
        cut.set, [&](int i) { return job_of(cut.StretchOf(i)); },
        [&](int i, const Audience& behind) {
          return Tell(i, SpanOf<Word>(in, cut.StretchOf(i)), behind);
        },
        name());
  }

  // Queues what tells the members behind this one of its runs.
  template <typename Word>
  absl::Status Tell(int member, Span<const Word> stretch,
                    const Audience& behind) {
    Scratch& scratch = scratch_[member];
    RETURN_IF_ERROR(scratch.Reserve<RunsOfStretch>(1));
    const std::int64_t blocks =
        DivideUp(stretch.end, kCountVectors * Vector<Word>::kLanes);
    return QueueKernel(*backend()->member(member), name(), TellRuns<Word>,
                       {blocks, kCountThreads}, stretch,
                       scratch.data<RunsOfStretch>(), behind);
  }

  GroupLauncher launcher_{backend()};
  std::vector<Scratch> scratch_ = ScratchOfMembers(*backend());
};

template <typename Word>
constexpr std::int64_t kTileElements =
    PipelineLayout<GroupEncodeJob<Word, std::int64_t>>::kTileElements;

const bool kRegistered = RegisterOnGpus<RunLengthEncodePipelined>(
    "pipelined", /*rank=*/20,
    "striped arrays in one pass by all members, blocked ones in two",
    Contract()
        .SpecialValues("floats are equal when their bits are")
        .Boundaries(PipelineBoundaries({kTileElements<std::uint64_t>,
                                        kTileElements<std::uint32_t>,
                                        kTileElements<std::uint8_t>}))
        .Boundaries(StripeBoundaries())
        .Keeps("a word for each tile in every member's memory, which later "
               "calls need not clear")
        .Notes("waits for other members with a limit: CONCORD_PATIENCE, in "
               "seconds; the same bits for any number of members and both "
               "layouts"),
    OfTheFirstMember(PipelineRequirement()));

}  // namespace
}  // namespace concord::run_length_encode
