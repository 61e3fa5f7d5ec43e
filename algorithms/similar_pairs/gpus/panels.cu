// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each member finds the pairs of which the first sketch is in its row panels,
// as one GPU would find them alone, beside a copy of all sketches in its own
// memory. Row panels follow each other, and each member compares equally many
// pairs. So the pairs of a member come behind those of the members before it:
// it puts them there when all know how many they have.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/similar_pairs/cuda/run.cuh"
#include "concord/algorithms/similar_pairs/panel_cuts.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::similar_pairs {
namespace {

constexpr int kCopyThreads = 512;
// 32 KiB under way in each block of 4-byte numbers, of which four fit on a
// multiprocessor.
constexpr int kCopyLoads = 16;
constexpr int64_t kCopyNumbers = kCopyThreads * kCopyLoads;

// Copies numbers, whoever has them: a block so many, and the first block those
// from part `first_part` on. So members begin with different parts, and ask
// each other in turn.
template <typename Number>
__global__ void __launch_bounds__(kCopyThreads)
    FetchNumbers(const Number* from, Number* to, int64_t size,
                 int64_t first_part) {
  const int64_t part = (blockIdx.x + first_part) % gridDim.x;
  const int64_t first = part * kCopyNumbers + threadIdx.x;
  Number numbers[kCopyLoads];
#pragma unroll
  for (int k = 0; k < kCopyLoads; ++k) {
    const int64_t i = first + k * kCopyThreads;
    if (i < size) numbers[k] = from[i];
  }
#pragma unroll
  for (int k = 0; k < kCopyLoads; ++k) {
    const int64_t i = first + k * kCopyThreads;
    if (i < size) to[i] = numbers[k];
  }
}

// How many pairs each member has found, in the order of members.
struct FoundCounts {
  const int64_t* of[kMostMembers];
  int members;
};

// Puts the pairs of member `own` behind those of the members before it, as far
// as there is room. The last member tells how many there are.
template <typename = void>
__global__ void __launch_bounds__(kCopyThreads)
    PutBehind(const __grid_constant__ FoundCounts counts, int own,
              PairsOut found, PairsOut out, int64_t* count) {
  int64_t before = 0;
  for (int i = 0; i < own; ++i) before += *counts.of[i];
  const int64_t all = before + *counts.of[own];
  const int64_t thread = int64_t{blockIdx.x} * kCopyThreads + threadIdx.x;
  const int64_t threads = int64_t{gridDim.x} * kCopyThreads;
  if (own == counts.members - 1 && thread == 0) *count = all;
  // The first ones are there already.
  if (own == 0) return;
  const int64_t size = min(min(all, out.room) - before, found.room);
  for (int64_t i = thread; i < 2 * size; i += threads) {
    out.pairs[2 * before + i] = found.pairs[i];
  }
  if (out.distances == nullptr) return;
  for (int64_t i = thread; i < size; i += threads) {
    out.distances[before + i] = found.distances[i];
  }
}

class SimilarPairsPanels : public OnGpus<SimilarPairs> {
 public:
  using OnGpus<SimilarPairs>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    const int64_t sketches = in.size() / options.dim;
    PrepareParts(sketches);
    if (parts_.size() < 2) {
      ASSIGN_OR_RETURN(SimilarPairs* const alone, OnOneMember());
      RETURN_IF_ERROR(alone->Tune(Band()));
      return alone->Run(in, outputs, options);
    }
    const PairsOut out = {outputs.pairs.data<int64_t>(),
                          outputs.distances.has_value()
                              ? outputs.distances->data<double>()
                              : nullptr,
                          outputs.pairs.size() / 2};
    RETURN_IF_ERROR(MakeFinders());
    RETURN_IF_ERROR(counts_.Reserve<int64_t>(1));
    const std::uint32_t set =
        SetOf(backend()->members(), [&](int i) { return PartOf(i) >= 0; });
    RETURN_IF_ERROR(backend()->RunTogether(set, [&](int i) -> absl::Status {
      ASSIGN_OR_RETURN(const ConstArrayView own, Fetch(i, in));
      RETURN_IF_ERROR(ReserveFound(i, sketches, out));
      return Finder(i).Find(own, options, parts_[PartOf(i)].panels,
                            FoundOf(i, out), counts_.of<int64_t>(i));
    }));
    FoundCounts counts = {};
    for (const Part& part : parts_) {
      counts.of[counts.members++] = counts_.of<int64_t>(part.member);
    }
    return backend()->RunTogether(set, [&](int i) {
      const PairsOut found = FoundOf(i, out);
      const int own = PartOf(i);
      const int64_t blocks = std::clamp<int64_t>(
          own == 0 ? 1 : DivideUp(2 * found.room, kCopyThreads), 1,
          int64_t{16} * backend()->multiprocessors());
      return QueueKernel(*backend()->member(i), name(), PutBehind<>,
                         {blocks, kCopyThreads}, counts, own, found, out,
                         outputs.count.data<int64_t>());
    });
  }

 private:
  // What a member compares.
  struct Part {
    int member;
    PanelRange panels;
  };

  // Those that have panels, in order.
  void PrepareParts(int64_t sketches) {
    const std::vector<int64_t> cuts =
        CutPanels(PanelsOf(sketches), backend()->members());
    parts_.clear();
    for (int i = 0; i < backend()->members(); ++i) {
      if (cuts[i] < cuts[i + 1]) parts_.push_back({i, {cuts[i], cuts[i + 1]}});
    }
  }
  // Which the member has; -1 for none.
  int PartOf(int member) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].member == member) return static_cast<int>(i);
    }
    return -1;
  }

  OptionMap Band() const { return {{"band", absl::StrCat(tuning("band"))}}; }

  absl::Status MakeFinders() {
    while (static_cast<int>(finders_.size()) < backend()->members()) {
      ASSIGN_OR_RETURN(std::unique_ptr<SimilarPairs> made,
                       Registry<SimilarPairs>::Get().Create(backend()->member(
                           static_cast<int>(finders_.size()))));
      finders_.push_back(std::move(made));
    }
    for (const auto& finder : finders_) RETURN_IF_ERROR(finder->Tune(Band()));
    return absl::OkStatus();
  }
  // All implementations for one GPU are of this kind.
  SimilarPairsByPanels& Finder(int member) {
    return static_cast<SimilarPairsByPanels&>(*finders_[member]);
  }

  // Queues a copy of all sketches into the member's memory.
  absl::StatusOr<ConstArrayView> Fetch(int member, const ConstArrayView& in) {
    const CudaBackend& to = *backend()->member(member);
    Scratch& rows = rows_[member];
    RETURN_IF_ERROR(rows.Reserve(in.bytes()));
    RETURN_IF_ERROR(SizeOf(in.type()) == 4
                        ? QueueFetch<uint32_t>(member, in, rows.data())
                        : QueueFetch<uint64_t>(member, in, rows.data()));
    return ConstArrayView(rows.data(), in.type(), in.size(), to.memory());
  }
  template <typename Number>
  absl::Status QueueFetch(int member, const ConstArrayView& in, void* to) {
    const int64_t parts = DivideUp(in.size(), kCopyNumbers);
    return QueueKernel(*backend()->member(member), name(), FetchNumbers<Number>,
                       {parts, kCopyThreads},
                       static_cast<const Number*>(in.data()),
                       static_cast<Number*>(to), in.size(),
                       parts * member / backend()->members());
  }

  // Room for what the member finds. The first part's pairs go where they
  // belong.
  absl::Status ReserveFound(int member, int64_t sketches, const PairsOut& out) {
    Room& room = room_[member];
    const int part = PartOf(member);
    const PanelRange& panels = parts_[part].panels;
    room.pairs =
        part == 0
            ? 0
            : std::min(out.room,
                       PairsOfRows(sketches, panels.first * kPanel,
                                   std::min(panels.end * kPanel, sketches)));
    Places places;
    room.pairs_at = places.Add<int64_t>(2 * room.pairs);
    room.distances_at =
        places.Add<double>(out.distances == nullptr ? 0 : room.pairs);
    return found_[member].Reserve(places.bytes());
  }
  PairsOut FoundOf(int member, const PairsOut& out) const {
    if (PartOf(member) == 0) return out;
    const Room& room = room_[member];
    const Scratch& found = found_[member];
    return {found.data<int64_t>(room.pairs_at),
            out.distances == nullptr ? nullptr
                                     : found.data<double>(room.distances_at),
            room.pairs};
  }

  // Scratch memory for pairs that a member finds.
  struct Room {
    int64_t pairs = 0;
    int64_t pairs_at = 0;
    int64_t distances_at = 0;
  };

  // Of the current call.
  std::vector<Part> parts_;
  std::vector<Room> room_ =
      std::vector<Room>(static_cast<std::size_t>(backend()->members()));
  // From call to call, for each member.
  std::vector<std::unique_ptr<SimilarPairs>> finders_;
  std::vector<Scratch> rows_ = ScratchOfMembers(*backend());
  std::vector<Scratch> found_ = ScratchOfMembers(*backend());
  MembersScratch counts_{backend()};
};

const bool kRegistered = RegisterOnGpus<SimilarPairsPanels>(
    "panels", /*rank=*/10,
    "members compare equally many pairs, each of rows that follow each other",
    SimilarPairsContract({kPanel, 2 * kPanel, 3 * kPanel, 4 * kPanel})
        .Keeps("in each member's memory all sketches, what the implementation "
               "for one GPU keeps, and, but for the first member, room for as "
               "many pairs as there is room for in all: 16 bytes each, 24 with "
               "distances")
        .Notes("takes --band; on one member up to 128 sketches; the same bits "
               "for any number of members and both layouts"),
    /*requirement=*/{}, {BandOption()});

}  // namespace
}  // namespace concord::similar_pairs
