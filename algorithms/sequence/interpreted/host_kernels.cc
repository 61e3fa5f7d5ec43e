// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// kernels.h on the host, a thread of the grid after the other, for tests of
// what launches them. Arrays are in host memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/sequence/interpreted/kernels.h"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/interpreter/machine.h"
#include "concord/core/expression/evaluate.h"

namespace concord::sequence {
namespace {

using machine::Arrays;
using machine::Kept;
using machine::kLanes;
using machine::Lanes;
using machine::Machine;
using machine::Register;
using machine::Slots;
using machine::Step;
using spliced::kFoldRow;

template <typename W>
class Host {
 public:
  Host(const Arrays& arrays, const SlotRoom& room)
      : arrays_(arrays),
        room_(room),
        words_(static_cast<std::size_t>(room.slots + 1) *
               machine::kSlotPacks<W> * machine::kPack<W>) {}

  void Map(const Step* steps) {
    constexpr int kGroup = 4;
    const std::int64_t tile = std::int64_t{room_.threads} * kLanes<W>;
    for (std::int64_t first = arrays_.begin; first < arrays_.end;
         first += tile) {
      for (int thread = 0; thread < room_.threads; ++thread) {
        RunSteps(steps,
                 Lanes<2>{first + thread * kGroup,
                          std::int64_t{room_.threads} * kGroup,
                          arrays_.aligned != 0 && first + tile <= arrays_.end});
      }
    }
  }

  void Tree(const TreeCall& call) {
    if (call.wide_elements) {
      TreeOf<1>(call);
    } else {
      TreeOf<2>(call);
    }
  }

  void FoldRows(const FoldCall& call) {
    for (std::int64_t row = 0; row * kFoldRow < arrays_.end; row += kLanes<W>) {
      Lanes<0> lanes{row * kFoldRow, kFoldRow, false};
      for (int k = 0; k < kFoldRow; ++k, ++lanes.first) {
        RunSteps(k == 0 ? call.begin : call.step, lanes);
      }
      StoreRows(call, row);
    }
  }

  void FilterCount(const FilterCall& call) {
    ForEachThread(
        [&](std::int64_t tile, std::int64_t thread, const Lanes<2>& lanes) {
          RunSteps(call.keep, lanes);
          std::uint32_t kept = 0;
          for (int e = 0; e < kLanes<W>; ++e) {
            if (a_[e] != 0 && arrays_.Have(lanes.element(e))) kept |= 1u << e;
          }
          if (thread == 0) call.counts[tile] = 0;
          call.counts[tile] += __builtin_popcount(kept);
          call.kept[tile * room_.threads + thread] =
              static_cast<std::uint16_t>(kept);
        });
  }

  // The lanes of a thread are neighbours here, so its elements follow those of
  // the threads before.
  void FilterPut(const FilterCall& call) {
    int before = 0;
    ForEachThread(
        [&](std::int64_t tile, std::int64_t thread, const Lanes<2>& lanes) {
          if (thread == 0) before = 0;
          Kept kept{
              call.kept[tile * room_.threads + thread], {}, call.starts[tile]};
          for (int e = 0; e < kLanes<W>; ++e) {
            if (e % Kept::kGroup == 0) kept.before[e / Kept::kGroup] = before;
            before += kept.Has(e) ? 1 : 0;
          }
          Machine<W, 2, true>(arrays_, lanes, {words_.data(), 0}, kept)
              .Run(call.values, a_);
        });
  }

 private:
  // Calls f(tile, thread, its lanes).
  template <typename F>
  void ForEachThread(F f) {
    const std::int64_t tile_elements = std::int64_t{room_.threads} * kLanes<W>;
    for (std::int64_t tile = 0; tile * tile_elements < arrays_.end; ++tile) {
      for (std::int64_t thread = 0; thread < room_.threads; ++thread) {
        const std::int64_t first = tile * tile_elements + thread * kLanes<W>;
        f(tile, thread, Lanes<2>{first, Lanes<2>::kGroup, false});
      }
    }
  }

  template <int kGroupBits>
  void RunSteps(const Step* steps, const Lanes<kGroupBits>& lanes) {
    Machine<W, kGroupBits>(arrays_, lanes, {words_.data(), 0}).Run(steps, a_);
  }

  void StoreRows(const FoldCall& call, std::int64_t row) {
    for (int value = 0; value < call.values; ++value) {
      Register<W> a;
      Slots<W>{words_.data(), 0}.Get(value, a);
      for (int e = 0; e < kLanes<W>; ++e) {
        if ((row + e) * kFoldRow >= arrays_.end) break;
        expression::StoreValue(call.types[value],
                               const_cast<void*>(arrays_.out[value].data),
                               row + e, a[e]);
      }
    }
  }

  static W Combined(const TreeCall& call, W a, W b) {
    machine::WithOperator<W>(call.combine,
                             [&](auto combine) { a = combine(a, b); });
    return a;
  }

  // What a thread's elements of a segment come to, for each of its neighbours:
  // its lanes are rows one after the other.
  template <int kGroupBits>
  std::vector<W> RunRows(const TreeCall& call, std::int64_t first,
                         std::int64_t row, bool whole) {
    constexpr int kNeighbours = 1 << kGroupBits;
    constexpr int kRows = kLanes<W> / kNeighbours;
    std::vector<W> totals(kNeighbours, static_cast<W>(call.identity));
    for (int r = 0; r < call.rows; r += kRows) {
      const Lanes<kGroupBits> lanes{first + r * row, row, whole};
      RunSteps(call.steps, lanes);
      for (int e = 0; e < kLanes<W>; ++e) {
        if (!arrays_.Have(lanes.element(e))) continue;
        W& total = totals[static_cast<std::size_t>(e % kNeighbours)];
        total = Combined(call, total, a_[e]);
      }
    }
    return totals;
  }

  // Lane by lane, level by level.
  template <int kGroupBits>
  void TreeOf(const TreeCall& call) {
    constexpr int kWarp = 32;
    constexpr int kNeighbours = 1 << kGroupBits;
    const std::int64_t row = kWarp * kNeighbours;
    const std::int64_t segment = call.rows * row;
    const std::int64_t chunk = concord::Reduce::kSegmentsPerChunk * segment;
    std::vector<W> level;
    for (std::int64_t begin = 0; begin < arrays_.end; begin += chunk) {
      const bool whole = arrays_.aligned != 0 && begin + chunk <= arrays_.end;
      std::vector<W> segments;
      for (std::int64_t first = begin; first < begin + chunk;
           first += segment) {
        std::vector<W> lanes;
        for (int lane = 0; lane < kWarp; ++lane) {
          for (W total : RunRows<kGroupBits>(call, first + lane * kNeighbours,
                                             row, whole)) {
            lanes.push_back(total);
          }
        }
        segments.push_back(Halved(call, std::move(lanes)));
      }
      level.push_back(Halved(call, std::move(segments)));
    }
    auto* chunks = static_cast<W*>(call.chunks);
    chunks = std::copy(level.begin(), level.end(), chunks);
    while (level.size() > 1) {
      level = Above(call, level, row);
      chunks = std::copy(level.begin(), level.end(), chunks);
    }
  }

  // Lane j takes lane j + half, and so on.
  static W Halved(const TreeCall& call, std::vector<W> values) {
    for (std::size_t half = values.size() / 2; half > 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) {
        values[k] = Combined(call, values[k], values[k + half]);
      }
    }
    return values[0];
  }

  static std::vector<W> Above(const TreeCall& call, const std::vector<W>& level,
                              std::int64_t row) {
    const auto segment = static_cast<std::size_t>(call.rows * row);
    std::vector<W> above;
    for (std::size_t begin = 0; begin < level.size();) {
      std::vector<W> segments;
      for (int s = 0; s < concord::Reduce::kSegmentsPerChunk; ++s) {
        std::vector<W> lanes(static_cast<std::size_t>(row),
                             static_cast<W>(call.identity));
        for (std::size_t k = 0; k < segment; ++k) {
          if (begin + k >= level.size()) break;
          W& lane = lanes[k % static_cast<std::size_t>(row)];
          lane = Combined(call, lane, level[begin + k]);
        }
        begin += segment;
        segments.push_back(Halved(call, lanes));
      }
      above.push_back(Halved(call, segments));
    }
    return above;
  }

  const Arrays& arrays_;
  const SlotRoom& room_;
  std::vector<W> words_;
  Register<W> a_ = {};
};

// Calls f of a Host with words of 64 or 32 bits.
template <typename F>
absl::Status With(bool wide, const Arrays& arrays, const SlotRoom& room, F f) {
  if (wide) {
    f(Host<std::uint64_t>(arrays, room));
  } else {
    f(Host<std::uint32_t>(arrays, room));
  }
  return absl::OkStatus();
}

}  // namespace

int TreeThreads() { return 128; }

std::int64_t TreeChunk(const TreeCall& call) {
  return concord::Reduce::kSegmentsPerChunk * call.rows *
         concord::Reduce::kRowBytes / (call.wide_elements ? 8 : 4);
}

absl::Status LaunchMap(const CudaBackend&, bool wide, const Arrays& arrays,
                       const Step* steps, const SlotRoom& room) {
  return With(wide, arrays, room, [&](auto host) { host.Map(steps); });
}
absl::Status LaunchTree(const CudaBackend&, bool wide, const Arrays& arrays,
                        const TreeCall& call, const SlotRoom& room) {
  return With(wide, arrays, room, [&](auto host) { host.Tree(call); });
}
absl::Status LaunchFoldRows(const CudaBackend&, bool wide, const Arrays& arrays,
                            const FoldCall& call, const SlotRoom& room) {
  return With(wide, arrays, room, [&](auto host) { host.FoldRows(call); });
}
absl::Status LaunchFilterCount(const CudaBackend&, bool wide,
                               const Arrays& arrays, const FilterCall& call,
                               const SlotRoom& room) {
  return With(wide, arrays, room, [&](auto host) { host.FilterCount(call); });
}
absl::Status LaunchFilterPut(const CudaBackend&, bool wide,
                             const Arrays& arrays, const FilterCall& call,
                             const SlotRoom& room) {
  return With(wide, arrays, room, [&](auto host) { host.FilterPut(call); });
}

}  // namespace concord::sequence
