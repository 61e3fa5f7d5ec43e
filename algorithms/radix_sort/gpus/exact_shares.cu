// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A sort on several GPUs. Each member sorts its stretch of the input into
// memory of its own, as one GPU sorts an array. Then each finds where these
// runs are cut for its stretch of the output, which is exact whatever the keys
// are, and merges the parts between, reading them where they lie. Equal keys
// come in the order of the runs, which is that of the input.
//
// The host waits for nothing, and no kernel for another one: the runs are
// complete where the merging begins.
//
// Of a striped array, a stretch is as many elements as another member's,
// wherever they lie.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/algorithms/radix_sort/gpus/merge.cuh"
#include "concord/algorithms/radix_sort/gpus/stretches.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/core/element_width.h"
#include "concord/core/errors.h"

namespace concord::radix_sort {
namespace {

// A call, and whose parts of it are which.
struct SharedCall : RadixSortCall {
  Stretches in;
  Stretches out;
  RadixSortBits bits;
  int runs;
  int levels;
};

class RadixSortExactShares : public OnGpus<RadixSort> {
 public:
  using OnGpus<RadixSort>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView keys_in, ConstArrayView values_in,
                       ArrayView keys_out, ArrayView values_out,
                       const Options& options) override {
    if (keys_in.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(CreateSorts());
    const int members = backend()->members();
    SharedCall call = {{keys_in, values_in, keys_out, values_out, options},
                       Stretches::Of(keys_in, members),
                       Stretches::Of(keys_out, members),
                       RadixSortBitsOf(options, keys_in.type()),
                       0,
                       0};
    if (values_out.empty()) {
      call.values_in = ConstArrayView();
      call.options.argsort = false;
    }
    call.options.values = false;
    for (int i = 0; i < members; ++i) call.runs += call.in.set >> i & 1;
    call.levels = LevelsOf(call.runs);
    if (call.runs == 1) return SortByOne(call);
    return DispatchWidth(keys_in.type(), [&](auto bits) {
      return DispatchValueWidth(values_out, [&](auto value) {
        return SortAndMerge<decltype(bits), decltype(value)>(call);
      });
    });
  }

 private:
  absl::Status CreateSorts() {
    for (int i = static_cast<int>(sorts_.size()); i < backend()->members();
         ++i) {
      ASSIGN_OR_RETURN(std::unique_ptr<RadixSort> sort,
                       Registry<RadixSort>::Get().Create(backend()->member(i)));
      sorts_.push_back(std::move(sort));
    }
    return absl::OkStatus();
  }

  template <typename View>
  View For(int member, const View& array) const {
    return ForMember(*backend(), member, array);
  }
  // Memory of the member's as an array.
  ArrayView MemoryOf(int member, std::int64_t at, ElementType type,
                     std::int64_t size) const {
    return {scratch_[member].template data<void>(at), type, size,
            backend()->member(member)->memory()};
  }

  // All keys lie with one member.
  absl::Status SortByOne(const SharedCall& call) {
    return backend()->RunTogether(call.in.set, [&](int i) {
      return sorts_[i]->Run(For(i, call.keys_in), For(i, call.values_in),
                            For(i, call.keys_out), For(i, call.values_out),
                            call.options);
    });
  }

  template <typename Bits, typename Value>
  absl::Status SortAndMerge(const SharedCall& call) {
    RETURN_IF_ERROR((Reserve<Bits, Value>(call)));
    RETURN_IF_ERROR(backend()->RunTogether(
        call.in.set, [&](int i) { return SortStretch(call, i); }));
    return backend()->RunTogether(call.out.set, [&](int i) {
      return MergeStretch<Bits, Value>(call, i);
    });
  }

  template <typename Bits, typename Value>
  static Room RoomOf(const SharedCall& call, int member) {
    constexpr std::int64_t kValueBytes = kHasValues<Value> ? sizeof(Value) : 0;
    const std::int64_t in = call.in.size(member);
    const std::int64_t out = call.out.size(member);
    // What one level merges and the next one reads.
    const std::int64_t merged = call.levels > 1 ? out : 0;
    Room room;
    room.parts = room.Take(sizeof(Parts));
    room.tile_cuts = room.Take(MostTiles(out, call.runs, kMergeTile<Bits>) *
                               sizeof(std::int64_t));
    room.sorted_keys = room.Take(in * sizeof(Bits));
    room.sorted_values = room.Take(in * kValueBytes);
    room.merged_keys = room.Take(merged * sizeof(Bits));
    room.merged_values = room.Take(merged * kValueBytes);
    return room;
  }

  // Every member's memory before any work: a member whose work never comes has
  // some that others can read.
  template <typename Bits, typename Value>
  absl::Status Reserve(const SharedCall& call) {
    rooms_.clear();
    bool grows = false;
    for (int i = 0; i < backend()->members(); ++i) {
      rooms_.push_back(RoomOf<Bits, Value>(call, i));
      grows = grows || rooms_[i].bytes > reserved_[i];
    }
    if (!grows) return absl::OkStatus();
    // What is given back may be in use by others until then.
    RETURN_IF_ERROR(backend()->Meet());
    for (int i = 0; i < backend()->members(); ++i) {
      if (rooms_[i].bytes <= reserved_[i]) continue;
      reserved_[i] = 0;
      RETURN_IF_ERROR(backend()->member(i)->Activate());
      RETURN_IF_ERROR(scratch_[i].Reserve(rooms_[i].bytes));
      reserved_[i] = rooms_[i].bytes;
    }
    return absl::OkStatus();
  }

  // Queues a member's sort of its stretch. Positions are those in the stretch.
  absl::Status SortStretch(const SharedCall& call, int member) {
    const std::int64_t first = call.in.of[member].begin;
    const std::int64_t size = call.in.size(member);
    const auto stretch_of = [&](const ConstArrayView& array) {
      return array.given() ? For(member, array.Slice(first, size)) : array;
    };
    const Room& room = rooms_[member];
    return sorts_[member]->Run(
        stretch_of(call.keys_in), stretch_of(call.values_in),
        MemoryOf(member, room.sorted_keys, call.keys_in.type(), size),
        call.values_out.empty() ? NoValues()
                                : MemoryOf(member, room.sorted_values,
                                           call.values_out.type(), size),
        call.options);
  }

  // What all members have sorted.
  template <typename Bits, typename Value>
  MergeInputs<Bits, Value> RunsOf(const SharedCall& call) const {
    MergeInputs<Bits, Value> runs = {};
    runs.level = 1;
    for (int i = 0; i < backend()->members(); ++i) {
      if ((call.in.set >> i & 1) == 0) continue;
      const Room& room = rooms_[i];
      runs.of[runs.runs++] = {
          scratch_[i].template data<Bits>(room.sorted_keys),
          scratch_[i].template data<Value>(room.sorted_values),
          call.options.argsort ? call.in.of[i].begin : 0};
    }
    return runs;
  }

  // Queues the finding of a member's parts.
  template <typename Bits, typename Value>
  absl::Status QueueFindParts(const SharedCall& call, int member,
                              const MergeInputs<Bits, Value>& in,
                              const KeyRank<Bits>& rank, Parts* parts) {
    SortedRuns<Bits> runs = {};
    for (int i = 0; i < backend()->members(); ++i) {
      if ((call.in.set >> i & 1) == 0) continue;
      runs.keys[runs.count] = in.of[runs.count].keys;
      runs.sizes[runs.count++] = call.in.size(i);
    }
    return QueueKernel(*backend()->member(member), name(), FindParts<Bits>,
                       {1, 2 * kCutThreads}, runs, call.out.of[member], rank,
                       call.bits.first, call.bits.end,
                       backend()->patience().gave_up, parts);
  }

  // Queues the merging of a member's stretch of the output. Levels write by
  // turns to the output and to memory of the member's, the last one to the
  // output.
  template <typename Bits, typename Value>
  absl::Status MergeStretch(const SharedCall& call, int member) {
    const CudaBackend& gpu = *backend()->member(member);
    const Room& room = rooms_[member];
    const Scratch& scratch = scratch_[member];
    const KeyRank<Bits> rank = KeyRankOf<Bits>(
        KeyMapOf<Bits>(call.keys_in.type(),
                       call.options.order == Order::kDescending),
        call.bits.first, call.bits.end);
    auto* const parts = scratch.template data<Parts>(room.parts);
    auto* const cuts = scratch.template data<std::int64_t>(room.tile_cuts);
    const std::int64_t first = call.out.of[member].begin;
    Elements<Bits, Value> out = {call.keys_out.data<Bits>() + first, nullptr};
    Elements<Bits, Value> merged = {
        scratch.template data<Bits>(room.merged_keys), nullptr};
    if constexpr (kHasValues<Value>) {
      out.values = call.values_out.data<Value>() + first;
      merged.values = scratch.template data<Value>(room.merged_values);
    }
    MergeInputs<Bits, Value> in = RunsOf<Bits, Value>(call);
    RETURN_IF_ERROR(QueueFindParts(call, member, in, rank, parts));
    const std::int64_t tiles =
        MostTiles(call.out.size(member), call.runs, kMergeTile<Bits>);
    for (in.level = 1; in.level <= call.levels; ++in.level) {
      const Elements<Bits, Value>& to =
          (call.levels - in.level) % 2 == 0 ? out : merged;
      RETURN_IF_ERROR(
          QueueKernel(gpu, name(), FindTileCuts<Bits, Value>,
                      {DivideUp(tiles, kTileCutThreads), kTileCutThreads}, in,
                      parts, rank, cuts));
      RETURN_IF_ERROR(QueueKernel(gpu, name(), MergeTiles<Bits, Value>,
                                  {tiles, kMergeThreads}, in, to, parts, rank,
                                  cuts, tiles * member / backend()->members()));
      in.of[0] = {to.keys, to.values, 0};
    }
    return absl::OkStatus();
  }

  std::vector<std::unique_ptr<RadixSort>> sorts_;
  // Of each member.
  std::vector<Scratch> scratch_ = ScratchOfMembers(*backend());
  std::vector<std::int64_t> reserved_ =
      std::vector<std::int64_t>(static_cast<std::size_t>(backend()->members()));
  // Of the current call.
  std::vector<Room> rooms_;
};

const bool kRegistered = RegisterOnGpus<RadixSortExactShares>(
    "exact_shares", /*rank=*/10,
    "each member sorts its stretch; borders by bisection, then merging",
    RadixSortContract()
        // Tiles of a merge are numbered with 31 bits.
        .AtMost(std::int64_t{1} << 40)
        .Boundaries({kMergeTile<std::uint32_t>, kMergeTile<std::uint64_t>})
        .Boundaries(StripeBoundaries())
        .Keeps("memory of each member for its stretch of the elements, sorted, "
               "with three members or more for its stretch of the output too, "
               "and what the sort of one GPU keeps for a stretch")
        .Notes("an array that lies with one member is sorted by it as on one "
               "GPU; the same bits for any number of members and both layouts; "
               "blocked arrays cross the links once, striped ones in reading, "
               "merging and writing"));

}  // namespace
}  // namespace concord::radix_sort
