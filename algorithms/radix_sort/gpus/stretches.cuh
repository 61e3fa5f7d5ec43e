// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_GPUS_STRETCHES_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_GPUS_STRETCHES_CUH_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/gpus/group_launch.cuh"

namespace concord::radix_sort {

// Whose stretch of an array is which.
struct Stretches {
  std::vector<Stretch> of;
  // The members that have elements.
  std::uint32_t set;

  static Stretches Of(const ConstArrayView& array, int members) {
    const GroupCut cut = GroupCut::Of(array, members);
    Stretches stretches;
    for (int i = 0; i < members; ++i) {
      stretches.of.push_back(cut.located.layout == GroupLayout::kStriped
                                 ? OfStriped(cut, i)
                                 : cut.StretchOf(i));
    }
    stretches.set =
        SetOf(members, [&](int i) { return !stretches.of[i].empty(); });
    return stretches;
  }

  std::int64_t size(int member) const {
    return of[member].end - of[member].begin;
  }

 private:
  // Equal ones, for as many members as there are stripes.
  static Stretch OfStriped(const GroupCut& cut, int member) {
    const auto& [stripes, offset] = cut.located.place;
    const std::int64_t reached = DivideUp(
        offset % stripes.stripe + cut.size * cut.element_bytes, stripes.stripe);
    const std::int64_t sharers =
        std::min<std::int64_t>(reached, stripes.members);
    const auto edge = [&](std::int64_t i) {
      return cut.size * std::min(i, sharers) / sharers;
    };
    return {edge(member), edge(member + 1)};
  }
};

// Where a member's memory has what, in bytes from its beginning.
struct Room {
  std::int64_t parts;
  std::int64_t tile_cuts;
  std::int64_t sorted_keys;
  std::int64_t sorted_values;
  std::int64_t merged_keys;
  std::int64_t merged_values;
  std::int64_t bytes = 0;

  std::int64_t Take(std::int64_t more) {
    constexpr std::int64_t kAlignment = 256;
    const std::int64_t first = bytes;
    bytes += DivideUp(more, kAlignment) * kAlignment;
    return first;
  }
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_GPUS_STRETCHES_CUH_
