// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan over several GPUs, on the pipeline of cuda/pipelined.
//
// Striped arrays take one pass by all members together: each draws the tiles
// that lie with it and tells all others what they amount to. Blocked arrays
// take two: a tile of the second member needs all of the first one's stretch,
// so each member sums its stretch up, tells those behind, and scans it.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/reduce/cuda/tree.cuh"
#include "concord/algorithms/scan/cuda/pipelined.cuh"
#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/backends/cuda/native_minimum.cuh"
#include "concord/backends/cuda/pipeline_launch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"

namespace concord::scan {
namespace {

// What a block adds up for a tile takes longer than the tile does: on four
// H200s, one warp of it reached an efficiency of 0.79, two that take turns
// 0.94.
template <typename Op>
struct GroupScanShape : ScanShape<Op> {
  static constexpr int kGatherers = 2;
};

// A block for each chunk of a stretch; the last one to finish tells.
template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(reduce::kTreeThreads,
                                  reduce::kTreeBlocksPerMultiprocessor)
    TellTotal(Span<const T> in, reduce::TreeCut<T> cut, char* memory,
              const __grid_constant__ Audience behind) {
  T result;
  if (reduce::ReduceTree<Op>(reduce::ArraySource<T>{in}, cut, memory, result) &&
      threadIdx.x == 0) {
    behind.Tell(ToTotal<Native<Op>>(result));
  }
}

class ScanPipelined : public OnGpus<Scan> {
 public:
  using OnGpus<Scan>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    if (in.empty()) return absl::OkStatus();
    return DispatchScan(options.op, in.type(), [&](auto op) {
      return Launch<SignFree<decltype(op)>>(in, out, options);
    });
  }

 private:
  template <typename Op>
  using JobOf = ScanJob<Native<Op>, GroupScanShape<Native<Op>>>;

  template <typename Op>
  static JobOf<Op> MakeJob(ConstArrayView in, ArrayView out,
                           const Options& options) {
    using T = typename Op::Element;
    const std::int64_t shift = ElementsPastBoundary(in.data<T>());
    return {ShiftedSpan(in.data<T>(), in.size(), shift),
            ShiftedSpan(out.data<T>(), out.size(), shift),
            options.kind == Kind::kInclusive};
  }

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    const GroupCut cut = GroupCut::Of(in, backend()->members());
    if (cut.TakesOnePass()) {
      return launcher_.RunInOnePass(MakeJob<Op>(in, out, options), name());
    }
    return launcher_.RunByStretches(
        cut.set,
        [&](int i) {
          return MakeJob<Op>(cut.PartOf(in, i), cut.PartOf(out, i), options);
        },
        [&](int i, const Audience& behind) {
          return Tell<Op>(i, cut.PartOf(in, i), behind);
        },
        name());
  }

  // Queues what tells the members behind this one what its stretch amounts to.
  template <typename Op>
  absl::Status Tell(int member, ConstArrayView stretch,
                    const Audience& behind) {
    using T = typename Op::Element;
    const Span<const T> span = ShiftedSpan(
        stretch.data<T>(), stretch.size(),
        kOrderMatters<Op> ? 0 : ElementsPastBoundary(stretch.data<T>()));
    constexpr reduce::TreeCut<T> kCut{Reduce::kRowsPerSegment};
    Scratch& scratch = scratch_[member];
    RETURN_IF_ERROR(scratch.Reserve(kCut.MemoryBytes(span.end)));
    return QueueKernel(*backend()->member(member), name(), TellTotal<Op>,
                       {kCut.Chunks(span.end), reduce::kTreeThreads}, span,
                       kCut, scratch.data<char>(), behind);
  }

  GroupLauncher launcher_{backend()};
  std::vector<Scratch> scratch_ = ScratchOfMembers(*backend());
};

const bool kRegistered = RegisterOnGpus<ScanPipelined>(
    "pipelined", /*rank=*/20,
    "striped arrays in one pass by all members, blocked ones in two",
    ScanContract(Determinism::kNone,
                 " in an order that depends on n, the place of `in` and the "
                 "members, so that the product of a stretch may overflow where "
                 "no prefix does")
        .Boundaries(
            PipelineBoundaries({ScanJob<Add<double>>::L::kTileElements,
                                ScanJob<Add<float>>::L::kTileElements,
                                ScanJob<Add<std::uint8_t>>::L::kTileElements}))
        .Boundaries(StripeBoundaries())
        .Keeps("a word or two for each tile and each stripe in every member's "
               "memory, which "
               "later calls need not clear")
        .Notes("waits for other members with a limit: CONCORD_PATIENCE, in "
               "seconds"),
    OfTheFirstMember(PipelineRequirement()));

}  // namespace
}  // namespace concord::scan
