// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// kernels.h on the host, a thread of the grid after the other, for tests of
// what launches them. Arrays are in host memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/sequence/interpreted/kernels.h"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/interpreter/machine.h"

namespace concord::sequence {
namespace {

using interpreter::Arrays;
using interpreter::Combined;
using interpreter::kLanes;
using interpreter::Lanes;
using interpreter::Slots;
using interpreter::Step;
using spliced::kFoldRow;

template <typename W>
class Host {
 public:
  Host(const Arrays& arrays, const SlotRoom& room)
      : arrays_(arrays),
        room_(room),
        words_(static_cast<std::size_t>(room.slots + 1) * kLanes<W>) {}

  void Map(const Step* steps) {
    constexpr int kGroup = 4;
    const std::int64_t tile = std::int64_t{room_.threads} * kLanes<W>;
    for (std::int64_t first = arrays_.begin; first < arrays_.end;
         first += tile) {
      for (int thread = 0; thread < room_.threads; ++thread) {
        RunSteps(steps, arrays_,
                 {first + thread * kGroup, std::int64_t{room_.threads} * kGroup,
                  2, arrays_.aligned != 0 && first + tile <= arrays_.end, 0});
      }
    }
  }

  // Lane by lane, level by level.
  void Tree(const TreeCall& call) {
    constexpr int kWarp = 32;
    const int bits = call.wide_elements ? 1 : 2;
    const int neighbours = 1 << bits;
    const std::int64_t row = kWarp * neighbours;
    const std::int64_t segment = call.rows * row;
    const std::int64_t chunk = concord::Reduce::kSegmentsPerChunk * segment;
    const int of_warp = kLanes<W> / neighbours;
    std::vector<W> level;
    for (std::int64_t begin = 0; begin < arrays_.end; begin += chunk) {
      std::vector<W> segments;
      for (std::int64_t first = begin; first < begin + chunk;
           first += of_warp * segment) {
        std::vector<std::vector<W>> lanes(
            static_cast<std::size_t>(of_warp),
            std::vector<W>(static_cast<std::size_t>(row)));
        for (int lane = 0; lane < kWarp; ++lane) {
          Fill(call.identity);
          for (int r = 0; r < call.rows; ++r) {
            RunSteps(call.steps, arrays_,
                     {first + r * row + lane * neighbours, segment, bits,
                      arrays_.aligned != 0 && begin + chunk <= arrays_.end, 0});
          }
          for (int e = 0; e < kLanes<W>; ++e) {
            lanes[static_cast<std::size_t>(e / neighbours)]
                 [static_cast<std::size_t>(lane * neighbours +
                                           e % neighbours)] = words_[e];
          }
        }
        for (std::vector<W>& values : lanes) {
          segments.push_back(Halved(call, values));
        }
      }
      level.push_back(Halved(call, segments));
    }
    auto* chunks = static_cast<W*>(call.chunks);
    chunks = std::copy(level.begin(), level.end(), chunks);
    while (level.size() > 1) {
      level = Above(call, level, row);
      chunks = std::copy(level.begin(), level.end(), chunks);
    }
  }

  void FoldRows(const FoldCall& call) {
    for (std::int64_t row = 0; row < call.rows.end; row += kLanes<W>) {
      Lanes lanes{row * kFoldRow, kFoldRow, 0, false, 0};
      RunSteps(call.begin, arrays_, lanes);
      for (int k = 1; k < kFoldRow; ++k) {
        ++lanes.first;
        RunSteps(call.step, arrays_, lanes);
      }
      RunSteps(call.store, call.rows, {row, 1, 0, false, 0});
    }
  }

  void Filter(const FilterCall& call, bool put) {
    const std::int64_t tile = std::int64_t{room_.threads} * kLanes<W>;
    for (std::int64_t first = 0; first < arrays_.end; first += tile) {
      std::int64_t kept = 0;
      for (std::int64_t begin = first; begin < first + tile;
           begin += kLanes<W>) {
        Lanes lanes{begin, 1, 0, false, 0};
        RunSteps(call.keep, arrays_, lanes);
        for (int e = 0; e < kLanes<W>; ++e) {
          const bool keeps = words_[e] != 0 && begin + e < arrays_.end;
          words_[kLanes<W> + e] =
              keeps ? static_cast<W>(kept++) : static_cast<W>(-1);
        }
        if (!put) continue;
        lanes.base = call.starts[first / tile];
        RunSteps(call.values, arrays_, lanes);
      }
      if (!put) call.counts[first / tile] = kept;
    }
  }

 private:
  void RunSteps(const Step* steps, const Arrays& arrays, const Lanes& lanes) {
    interpreter::Machine<W>(arrays, lanes, Slots<W>{words_.data(), 1})
        .Run(steps);
  }

  void Fill(std::uint64_t word) {
    std::fill_n(words_.begin(), kLanes<W>, static_cast<W>(word));
  }

  // Lane j takes lane j + half, and so on.
  static W Halved(const TreeCall& call, std::vector<W> values) {
    for (std::size_t half = values.size() / 2; half > 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) {
        values[k] = Combined(call.combine, values[k], values[k + half]);
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
          lane = Combined(call.combine, lane, level[begin + k]);
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

int TreeThreads(bool, bool) { return 128; }

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
  return With(wide, arrays, room, [&](auto host) { host.Filter(call, false); });
}
absl::Status LaunchFilterPut(const CudaBackend&, bool wide,
                             const Arrays& arrays, const FilterCall& call,
                             const SlotRoom& room) {
  return With(wide, arrays, room, [&](auto host) { host.Filter(call, true); });
}

}  // namespace concord::sequence
