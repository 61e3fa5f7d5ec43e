// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// cuda/value_tiles on several GPUs. Members share out the tiles of values, and
// each sends where its values start to all others; where transforms count
// faster, each counts all values by itself. Then each writes those elements of
// the spectrum that lie with it, out of places that lie with it, too.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/algorithms/cyclospectrum/cuda/count.cuh"
#include "concord/algorithms/cyclospectrum/cuda/expand.cuh"
#include "concord/algorithms/cyclospectrum/cuda/expand_long.cuh"
#include "concord/algorithms/cyclospectrum/cuda/lag_counter.cuh"
#include "concord/algorithms/cyclospectrum/cuda/value_tiles.cuh"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/backends/gpus/worth_sharing.h"
#include "concord/core/errors.h"

namespace concord::cyclospectrum {
namespace {

// A block for each part of the member's share. Where a member has not answered
// there is a note, and the runs mean nothing.
template <typename T>
__global__ void __launch_bounds__(kExpandThreads)
    ExpandShare(ValueRuns runs, Span<T> out,
                const __grid_constant__ Share share, const uint32_t* note) {
  if (*note != 0) return;
  ExpandByBlock<kExpandSteps>(runs, out, share(blockIdx.x));
}

// The same where lines have been found.
template <typename T>
__global__ void __launch_bounds__(kLongThreads)
    ExpandShareFromLines(ValueRuns runs, Span<T> out,
                         const __grid_constant__ Share share,
                         const BlockRuns* lines, const uint32_t* note) {
  if (*note != 0) return;
  ExpandFromLine(runs, out, lines, int64_t{share(blockIdx.x)});
}

// What a block writes divides a stripe.
constexpr int64_t BlockElements(bool by_lines) {
  return by_lines ? kLongElements : kExpandElements;
}
static_assert(kGranuleBytes % (kExpandElements * sizeof(int64_t)) == 0);
static_assert(kGranuleBytes % (kLongElements * sizeof(int64_t)) == 0);

// On two and on four H100s, one member alone is faster at 32 MiB and slower at
// 64.
constexpr int64_t kLeastShared = int64_t{48} << 20;

class CyclospectrumValueTiles : public OnGpus<Cyclospectrum> {
 public:
  using OnGpus<Cyclospectrum>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView masses, ArrayView out, ArrayView counts,
                       ArrayView distinct, const Options& options) override {
    bool is_written = false;
    if (options.as == As::kSpectrum &&
        IsWorthSharing(*backend(), out.bytes(), kLeastShared)) {
      ASSIGN_OR_RETURN(is_written, DispatchMasses(masses.type(), [&](auto tag) {
                         return WriteIfManyPieces<decltype(tag)>(masses, out);
                       }));
    }
    if (is_written) return absl::OkStatus();
    ASSIGN_OR_RETURN(Cyclospectrum* const alone, OnOneMember());
    return alone->Run(masses, out, counts, distinct, options);
  }

 private:
  // Before a member's offsets stands a note, in a line of its own.
  static constexpr int64_t kNote = kLineBytes / int64_t{sizeof(int64_t)};
  int64_t* OffsetsOf(int member) const {
    return offsets_.of<int64_t>(member) + kNote;
  }

  // False, and nothing is written, where values are to be sorted.
  template <typename T>
  absl::StatusOr<bool> WriteIfManyPieces(ConstArrayView masses, ArrayView out) {
    ASSIGN_OR_RETURN(const DeviceCircle<T> circle, circle_.Make<T>(masses));
    if (!HasManyPiecesOfAValue(circle)) return false;
    RETURN_IF_ERROR(offsets_.Reserve<int64_t>(kNote + circle.half() + 1));
    const bool by_lines = IsChosen(tuning("lines"), HasLongRuns(circle));
    const int64_t elements = BlockElements(by_lines);
    const Span<T> span = SpanFromLine<T>(out);
    const GroupPlace place = Locate(out.data(), backend()->members()).place;
    const auto share_of = [&](int i) {
      return ShareOf(place, elements * static_cast<int64_t>(sizeof(T)),
                     DivideUp(span.end, elements), i);
    };
    const std::uint32_t writers = SetOf(
        backend()->members(), [&](int i) { return share_of(i).count > 0; });
    const bool by_transforms = CanTransform(circle);
    if (!by_transforms) RETURN_IF_ERROR(Count(circle, writers));
    RETURN_IF_ERROR(backend()->RunTogether(writers, [&](int i) -> absl::Status {
      if (by_transforms) {
        ASSIGN_OR_RETURN(const DeviceCircle<T> own, CircleOf(circle, i));
        RETURN_IF_ERROR(lag_counters_[i].Count(own, OffsetsOf(i)));
      }
      const ValueRuns runs = RunsOf(circle, OffsetsOf(i));
      return by_lines ? ExpandLong(i, runs, span, share_of(i))
                      : Expand(i, runs, span, share_of(i));
    }));
    return true;
  }

  template <typename T>
  bool CanTransform(const DeviceCircle<T>& circle) const {
    const bool can =
        std::all_of(lag_counters_.begin(), lag_counters_.end(),
                    [&](const LagCounter& of) { return of.CanCount(circle); });
    return can && IsChosen(tuning("transforms"),
                           LagCounter::IsFaster(circle, backend()->members()));
  }

  // What the member's kernels read to know whether all members have answered.
  absl::StatusOr<uint32_t*> QueueNote(int member) {
    auto* const note = offsets_.of<uint32_t>(member);
    RETURN_IF_ERROR(QueueCopy(*backend()->member(member),
                              backend()->patience().gave_up, note,
                              sizeof(*note), name()));
    return note;
  }

  template <typename T>
  absl::Status Expand(int member, const ValueRuns& runs, const Span<T>& span,
                      const Share& share) {
    ASSIGN_OR_RETURN(const uint32_t* const note, QueueNote(member));
    return QueueKernel(*backend()->member(member), name(), ExpandShare<T>,
                       {share.count, kExpandThreads}, runs, span, share, note);
  }

  // Lines from the member's first block on to its last. Those of other members
  // that lie between are few, or it has stripes.
  template <typename T>
  absl::Status ExpandLong(int member, const ValueRuns& runs,
                          const Span<T>& span, const Share& share) {
    const CudaBackend& on = *backend()->member(member);
    const int64_t first = share(0);
    const int64_t end = int64_t{share(share.count - 1)} + 1;
    RETURN_IF_ERROR(lines_[member].Reserve<BlockRuns>(end));
    auto* const lines = lines_[member].data<BlockRuns>();
    ASSIGN_OR_RETURN(const uint32_t* const note, QueueNote(member));
    RETURN_IF_ERROR(
        QueueKernel(on, name(), FindBlockRuns,
                    {DivideUp(end - first, kLinesOfBlock), kExpandThreads},
                    runs, span.begin, first, end, lines));
    return QueueKernel(on, name(), ExpandShareFromLines<T>,
                       {share.count, kLongThreads}, runs, span, share, lines,
                       note);
  }

  // Makes the offsets, in the memory of all members that write.
  template <typename T>
  absl::Status Count(const DeviceCircle<T>& circle, std::uint32_t writers) {
    const int members = backend()->members();
    int64_t shared_bytes = backend()->member(0)->max_shared_memory_per_block();
    for (int i = 1; i < members; ++i) {
      shared_bytes = std::min(
          shared_bytes, backend()->member(i)->max_shared_memory_per_block());
    }
    const TilePlan plan = TilePlan::Of(
        circle, int64_t{kCountBlocks} * members * backend()->multiprocessors(),
        shared_bytes);
    const auto first_tile = [&](int i) { return plan.tiles * i / members; };
    const std::uint32_t counters = SetOf(
        members, [&](int i) { return first_tile(i) < first_tile(i + 1); });
    return backend()->RunTogether(counters, [&](int i) -> absl::Status {
      ASSIGN_OR_RETURN(const DeviceCircle<T> own, CircleOf(circle, i));
      const int64_t first = first_tile(i);
      const int64_t end = first_tile(i + 1);
      RETURN_IF_ERROR(
          QueueKernel(*backend()->member(i), name(),
                      CountTiles<kCountThreads, kCountBlocks, T>,
                      {end - first, kCountThreads, plan.shared_bytes()}, own,
                      circle.half(), first, static_cast<uint32_t>(plan.width),
                      static_cast<int>(plan.rows), OffsetsOf(i)));
      // The last tile has the place behind all values, too.
      return SendOffsets(
          i, writers, first * plan.width,
          end == plan.tiles ? circle.half() + 1 : end * plan.width);
    });
  }

  // The circle by sums that lie with the member.
  template <typename T>
  absl::StatusOr<DeviceCircle<T>> CircleOf(const DeviceCircle<T>& circle,
                                           int member) {
    if (member == 0) return circle;
    using Mass = typename DeviceCircle<T>::Mass;
    const int64_t sums = 2 * circle.n + 1 + DeviceCircle<T>::kSumsBehind;
    Scratch& own = sums_[member];
    RETURN_IF_ERROR(own.Reserve<Mass>(sums));
    RETURN_IF_ERROR(QueueCopy(*backend()->member(member), circle.sums,
                              own.data(), sums * int64_t{sizeof(Mass)},
                              name()));
    DeviceCircle<T> moved = circle;
    moved.sums = own.data<Mass>();
    return moved;
  }

  // offsets[first, end) of this member goes to all others that write. Members
  // begin with the one behind them, so that no two send to the same at a time.
  absl::Status SendOffsets(int from, std::uint32_t writers, int64_t first,
                           int64_t end) {
    const int members = backend()->members();
    for (int step = 1; step < members; ++step) {
      const int to = (from + step) % members;
      if ((writers >> to & 1) == 0) continue;
      RETURN_IF_ERROR(QueueCopy(*backend()->member(from),
                                OffsetsOf(from) + first, OffsetsOf(to) + first,
                                (end - first) * int64_t{sizeof(int64_t)},
                                name()));
    }
    return absl::OkStatus();
  }

  static std::vector<LagCounter> LagCountersOf(GpusBackend& backend) {
    std::vector<LagCounter> counters;
    for (int i = 0; i < backend.members(); ++i) {
      counters.emplace_back(backend.member(i));
    }
    return counters;
  }

  CircleMaker circle_{backend()->member(0)};
  std::vector<LagCounter> lag_counters_ = LagCountersOf(*backend());
  std::vector<Scratch> sums_ = ScratchOfMembers(*backend());
  std::vector<Scratch> lines_ = ScratchOfMembers(*backend());
  // A note, and where the values of the lower half start.
  MembersScratch offsets_{backend()};
};

const bool kRegistered = RegisterOnGpus<CyclospectrumValueTiles>(
    "value_tiles", /*rank=*/10,
    "members share out the tiles of values, and each writes the elements that "
    "lie with it",
    Contract()
        .Types({ElementType::kInt32, ElementType::kInt64})
        .Boundaries({kStepElements, (kStepElements * kExpandSteps),
                     kLongElements, kExpandElements,
                     int64_t{kCountThreads} * kCountThreads})
        .Boundaries(StripeBoundaries())
        .Keeps("in every member's memory, the sums of the masses, 8 bytes for "
               "each value up to half of the total, up to 136 MB where values "
               "are counted by transforms, and 128 bytes for each 8192 "
               "elements of long runs")
        .Notes(absl::StrCat(
            "on one member where pieces are few for their masses, for "
            "histograms, and on several GPUs for spectra of less than ",
            kLeastShared >> 20,
            " MiB; the same bits for any number of members and both "
            "layouts")),
    /*requirement=*/{}, ValueTilesTuning());

}  // namespace
}  // namespace concord::cyclospectrum
