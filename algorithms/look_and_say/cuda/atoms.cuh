// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the host knows of atoms, on its way to the device.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_ATOMS_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_ATOMS_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/algorithms/look_and_say/cuda/list_layout.h"
#include "concord/algorithms/look_and_say/cuda/lists.cuh"
#include "concord/algorithms/look_and_say/cuda/make_lists.cuh"
#include "concord/algorithms/look_and_say/cuda/parcel.cuh"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/errors.h"

namespace concord::look_and_say {

// The atoms with one kind of counts, on one device.
class DeviceAtoms {
 public:
  // So many bytes before a block and behind it are readable.
  static constexpr std::int64_t kPadding = 2 * kVectorBytes;

  // Of plans that `table` outlives. A block of the device's threads has room
  // for `near_digits` of the blocks.
  DeviceAtoms(std::shared_ptr<CudaBackend> backend, const AtomTable& table,
              std::int64_t near_digits)
      : backend_(std::move(backend)),
        table_(table),
        near_digits_(near_digits),
        tables_memory_(backend_),
        tops_memory_(backend_),
        list_memory_{Scratch(backend_), Scratch(backend_)},
        index_memory_(backend_) {}

  // Everything that it takes to write the digits [from, from + size) of the
  // plan's term. Few tops go to `listed`, and `tops` has no arrays then.
  absl::StatusOr<AtomLists> ListsFor(const LookAndSayPlan& plan,
                                     std::int64_t from, std::int64_t size,
                                     ListedTops& listed) {
    const AtomBlocks& blocks = BlocksFor(plan);
    const std::int64_t wanted =
        std::min(kMostListSteps, plan.steps() - blocks.steps());
    ListedAtoms top;
    if (AreSent(blocks) && wanted_list_steps_ == wanted) {
      top = ListTops(plan, blocks, from, size);
    }
    if (!top.all_have_lists) {
      RETURN_IF_ERROR(MakeListsFor(plan, blocks, wanted));
      top = ListTops(plan, blocks, from, size);
    }
    AtomLists result = lists_;
    ASSIGN_OR_RETURN(result.tops, PlaceTops(top, listed));
    result.tops.first = -top.skipped;
    return result;
  }

 private:
  static constexpr char kWhere[] = "look_and_say/cuda/atoms";

  // The blocks of the 92 elements after 20 steps are 217 KB, which Hopper's
  // shared memory just holds, and on average 1.5 KB long.
  static constexpr std::int64_t kNearSteps = 20;
  // Blocks after fewer steps are so short that longer ones out of the
  // second-level cache win. It holds the 1.8 MB after 28 steps.
  static constexpr std::int64_t kLeastNearSteps = 18;
  static constexpr std::int64_t kFarSteps = 28;
  static constexpr std::int64_t kFarDigits = std::int64_t{4} << 20;

  // An atom becomes 14,000 in so many steps, on average. Fewer steps would have
  // more tops, which the host lists, twenty in a microsecond.
  static constexpr std::int64_t kMostListSteps = 36;
  static constexpr std::int64_t kMostListed = std::int64_t{1} << 21;
  static constexpr std::int64_t kMostDigits = std::int64_t{1} << 33;

  const AtomBlocks& BlocksFor(const LookAndSayPlan& plan) {
    near_blocks_.MakeFor(plan, kNearSteps, near_digits_, kPadding);
    if (near_blocks_.steps() >= kLeastNearSteps) return near_blocks_;
    far_blocks_.MakeFor(plan, kFarSteps, kFarDigits, kPadding);
    return far_blocks_;
  }

  // Whether the device has what comes from these blocks.
  bool AreSent(const AtomBlocks& blocks) const {
    return sent_blocks_ == &blocks && sent_version_ == blocks.version() &&
           sent_generation_ == table_.generation() &&
           sent_size_ == table_.size();
  }

  // Whether there is room for lists of so many steps of these atoms.
  bool HaveRoom(const std::vector<int>& atoms, std::int64_t steps,
                const AtomBlocks& blocks, const BlockCounts& counts) const {
    std::int64_t listed = 0;
    std::int64_t digits = 0;
    for (const int atom : atoms) {
      const std::int64_t length = table_.LengthOf(atom, blocks.steps() + steps);
      // With room to round up to the next entry of the index.
      if (length > INT32_MAX / 2) return false;
      listed = AtomTable::SaturatedSum(listed, counts[steps][atom]);
      digits = AtomTable::SaturatedSum(digits, length);
    }
    return listed <= kMostListed && digits <= kMostDigits;
  }

  // Lists of the wanted steps, or as many as have room, of the atoms that the
  // plan then has.
  absl::Status MakeListsFor(const LookAndSayPlan& plan,
                            const AtomBlocks& blocks, std::int64_t wanted) {
    const std::int64_t all = plan.steps() - blocks.steps();
    const BlockCounts counts = CountBlocks(table_, wanted);
    std::int64_t steps = wanted;
    std::vector<int> atoms = plan.AtomsAfter(all - steps);
    while (steps > 0 && !HaveRoom(atoms, steps, blocks, counts)) {
      --steps;
      atoms = plan.AtomsAfter(all - steps);
    }
    if (AreSent(blocks) && list_steps_ == steps) {
      std::vector<int> more = WithKept(atoms, table_.size(), [&](int atom) {
        return HasList(atom_lists_[atom]);
      });
      if (HaveRoom(more, steps, blocks, counts)) atoms = std::move(more);
    }
    // Until all has been sent, whatever fails meanwhile.
    sent_version_ = -1;
    list_steps_ = steps;
    const ListLayout layout(table_, blocks, atoms, steps, counts);
    RETURN_IF_ERROR(SendLists(blocks, layout));
    atom_lists_ = layout.lists;
    wanted_list_steps_ = wanted;
    sent_blocks_ = &blocks;
    sent_version_ = blocks.version();
    sent_generation_ = table_.generation();
    sent_size_ = table_.size();
    return absl::OkStatus();
  }

  static bool HasList(const AtomList& list) { return list.first_block >= 0; }

  // Atoms side by side: where they end, and their lists. So many of the first
  // one's digits lie before the wanted part.
  struct ListedAtoms {
    std::vector<std::int64_t> ends;
    std::vector<AtomList> lists;
    std::int64_t skipped = 0;
    bool all_have_lists = false;
  };

  // The atoms, with as many steps to make as lists have, that have digits in
  // the wanted part.
  ListedAtoms ListTops(const LookAndSayPlan& plan, const AtomBlocks& blocks,
                       std::int64_t from, std::int64_t size) const {
    const std::int64_t steps = blocks.steps() + list_steps_;
    AtomCursor cursor(plan, steps, from);
    ListedAtoms top;
    top.skipped = cursor.skipped();
    top.all_have_lists = true;
    for (std::int64_t end = 0; end - top.skipped < size;) {
      const int atom = cursor.Next();
      end = AtomTable::SaturatedSum(end, table_.LengthOf(atom, steps));
      top.ends.push_back(end);
      top.lists.push_back(atom_lists_[atom]);
      if (!HasList(top.lists.back())) top.all_have_lists = false;
    }
    return top;
  }

  // Where the device finds them, but for where the first one starts. A copy
  // takes 2 microseconds on an H100; what travels with the launch, nothing.
  absl::StatusOr<Tops> PlaceTops(const ListedAtoms& top, ListedTops& listed) {
    Tops tops = {};
    tops.count = static_cast<std::int32_t>(top.ends.size());
    listed.count = 0;
    if (tops.count <= ListedTops::kMost) {
      listed.count = tops.count;
      std::copy(top.ends.begin(), top.ends.end(), listed.ends);
      std::copy(top.lists.begin(), top.lists.end(), listed.lists);
      return tops;
    }
    Parcel parcel;
    const std::int64_t ends_at = parcel.Add(top.ends);
    const std::int64_t lists_at = parcel.Add(top.lists);
    RETURN_IF_ERROR(parcel.Send(*backend_, tops_memory_));
    tops.ends = SentAt<std::int64_t>(tops_memory_, ends_at);
    tops.lists = SentAt<AtomList>(tops_memory_, lists_at);
    return tops;
  }

  // Sends the table of blocks and what lists are made from, and makes them.
  absl::Status SendLists(const AtomBlocks& blocks, const ListLayout& layout) {
    Parcel parcel;
    const std::int64_t first_products_at = parcel.Add(layout.first_products);
    const std::int64_t products_at = parcel.Add(layout.products);
    const std::int64_t first_blocks_at = parcel.Add(layout.first_blocks);
    const std::int64_t digits_at = parcel.Add(layout.digits);
    const std::int64_t single_at = parcel.Add(layout.single);
    const std::int64_t first_indices_at = parcel.Add(layout.first_indices);
    parcel.Add(std::vector<char>(kPadding));
    const std::int64_t table_at =
        parcel.Add(blocks.digits().data(), blocks.digits().size());
    RETURN_IF_ERROR(parcel.Send(*backend_, tables_memory_));
    lists_.table = SentAt<std::uint8_t>(tables_memory_, table_at);
    lists_.table_size = static_cast<std::int32_t>(
        static_cast<std::int64_t>(parcel.size()) - table_at);

    for (int i = 0; i < 2; ++i) {
      RETURN_IF_ERROR(list_memory_[i].Reserve<ListedBlock>(
          layout.most_blocks[i] + kWarpSize));
    }
    RETURN_IF_ERROR(index_memory_.Reserve<std::int32_t>(layout.indices));
    RETURN_IF_ERROR(CudaStatus(
        cudaMemcpyAsync(list_memory_[0].data(),
                        SentAt<ListedBlock>(tables_memory_, single_at),
                        layout.single.size() * sizeof(ListedBlock),
                        cudaMemcpyDeviceToDevice, backend_->stream()),
        kWhere));
    const int size = table_.size();
    const auto of_step = [&](std::int64_t step) {
      return ListsOfStep{
          list_memory_[step % 2].data<ListedBlock>(),
          SentAt<std::int32_t>(tables_memory_, first_blocks_at) +
              step * (size + 1),
          SentAt<std::int32_t>(tables_memory_, digits_at) + step * size};
    };
    const LaunchShape shape = {size, kListThreads, 0, kListParts};
    const Decays decays = {
        SentAt<std::int32_t>(tables_memory_, first_products_at),
        SentAt<std::int32_t>(tables_memory_, products_at)};
    for (std::int64_t step = 0; step < list_steps_; ++step) {
      RETURN_IF_ERROR(QueueKernel(*backend_, kWhere, GrowLists, shape, decays,
                                  of_step(step), of_step(step + 1)));
    }
    lists_.blocks = of_step(list_steps_).blocks;
    lists_.index = index_memory_.data<std::int32_t>();
    return QueueKernel(*backend_, kWhere, IndexLists, shape,
                       of_step(list_steps_),
                       SentAt<std::int32_t>(tables_memory_, first_indices_at),
                       index_memory_.data<std::int32_t>());
  }

  std::shared_ptr<CudaBackend> backend_;
  const AtomTable& table_;
  const std::int64_t near_digits_;
  AtomBlocks near_blocks_;
  AtomBlocks far_blocks_;
  Scratch tables_memory_;
  Scratch tops_memory_;
  Scratch list_memory_[2];
  Scratch index_memory_;
  // What the device has.
  AtomLists lists_ = {};
  std::int64_t wanted_list_steps_ = -1;
  std::int64_t list_steps_ = -1;
  // By atom; negative where it has no list.
  std::vector<AtomList> atom_lists_;
  const AtomBlocks* sent_blocks_ = nullptr;
  std::int64_t sent_version_ = -1;
  std::int64_t sent_generation_ = -1;
  int sent_size_ = -1;
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_ATOMS_CUH_
