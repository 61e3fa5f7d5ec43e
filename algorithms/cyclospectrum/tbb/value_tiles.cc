// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By tiles of values. The pieces that start with one mass have rising masses as
// they grow, so those whose mass lies in a given range are neighbours, and a
// pointer for each start goes through all ranges in turn. What the pointers
// have passed is how many smaller pieces there are: where the range belongs in
// the spectrum. So any range can be made on its own, in the cache, and every
// element of the spectrum is written once. Where there are more pieces than
// values in the range, they are counted, one by one or, where masses are small,
// some hundred values at a time; where there are fewer, they are gathered and
// sorted.
//
// What a piece lacks of the circle is a piece too, so the spectrum is its own
// mirror image (v and total - v), and only half of it is worked out.
//
// The method is our own; it is a search in a matrix with sorted rows, X + Y
// (L. H. Harper, T. H. Payne, J. E. Savage and E. Straus, "Sorting X + Y",
// 1975), by counting.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/cyclospectrum/tbb/circle.h"
#include "concord/algorithms/cyclospectrum/tbb/sinks.h"
#include "concord/algorithms/cyclospectrum/tbb/windows.h"
#include "concord/algorithms/cyclospectrum/tbb/worker.h"
#include "concord/backends/tbb/backoff.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::cyclospectrum {
namespace {

class CyclospectrumTbb : public OnTbb<Cyclospectrum> {
 public:
  absl::Status Compute(ConstArrayView masses, ArrayView out, ArrayView counts,
                       ArrayView distinct, const Options& options) override {
    ASSIGN_OR_RETURN(std::int64_t total, TotalMass(masses));
    return DispatchMasses(masses.type(), [&](auto tag) {
      using T = decltype(tag);
      const Circle<T> circle(masses.span<T>(), static_cast<T>(total));
      return options.as == As::kSpectrum
                 ? WriteSpectrum(circle, out)
                 : WriteHistogram(circle, out, counts, distinct);
    });
  }

 private:
  template <typename T>
  static std::size_t MarkedTiles(const Circle<T>& circle) {
    return (circle.half() - 1) / MarkedSums::kValues + 1;
  }

  // Enough for all threads to have work to the end, and not of so few pieces
  // that the pointers cost more than they.
  template <typename T>
  auto RangesOf(const Circle<T>& circle) {
    const std::int64_t parts = 8 * backend().threads();
    return CutIntoRanges(
        circle, std::max(circle.size() / (2 * parts), 16 * kSortedPieces));
  }

  // Calls f(tile, first, counts, values) for the tiles of values that make up
  // the lower half: there are counts[i] pieces of the value first + i.
  template <typename T, typename F>
  void ForEachTile(const Circle<T>& circle, const MarkedSums& marked,
                   const F& f) {
    using Mass = typename Circle<T>::Mass;
    const std::size_t tiles = MarkedTiles(circle);
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::int64_t) {
      alignas(64) std::uint32_t counts[MarkedSums::kValues];
      for (std::size_t tile; (tile = next.fetch_add(1)) < tiles;) {
        const auto first = static_cast<Mass>(tile * MarkedSums::kValues);
        marked.Count(first, counts);
        // The piece of no masses is the same for all starts.
        if (tile == 0) counts[0] = 1;
        f(tile, first, counts,
          std::min<Mass>(circle.half() - first, MarkedSums::kValues));
      }
      FinishStreaming();
    };
    backend().ForEach(std::min<std::int64_t>(backend().threads(), tiles), work);
  }

  template <typename T>
  absl::Status WriteSpectrum(const Circle<T>& circle, ArrayView out) {
    T* const spectrum = out.data<T>();
    if (circle.total() == 0) {
      std::fill_n(spectrum, out.size(), T{0});
      return absl::OkStatus();
    }
    const bool stream = out.bytes() >= kStreamingBytes;
    if (const auto marked = MarkedSums::Of(circle); marked.has_value()) {
      WriteTiles(circle, *marked, spectrum, stream);
      return absl::OkStatus();
    }
    const auto ranges = RangesOf(circle);
    backend().ForEach(ranges.size(), [&](std::int64_t i) {
      {
        SpectrumSink<T> sink(circle, spectrum, ranges[i].first_rank, stream);
        RangeWorker<T>(circle).Run(ranges[i], sink);
      }
      FinishStreaming();
    });
    return absl::OkStatus();
  }

  // Tiles are taken in order, so whoever waits to know where a tile belongs
  // waits for a thread that is counting, however many threads there really are.
  template <typename T>
  void WriteTiles(const Circle<T>& circle, const MarkedSums& marked,
                  T* spectrum, bool stream) {
    using Mass = typename Circle<T>::Mass;
    // Of each tile's first value; 0 for what is not known yet.
    std::vector<std::atomic<std::int64_t>> ranks(MarkedTiles(circle) + 1);
    const auto write = [&](std::size_t tile, Mass first,
                           const std::uint32_t* counts, Mass values) {
      std::int64_t rank = 0;
      for (Backoff backoff; tile > 0; backoff.Wait()) {
        rank = ranks[tile].load(std::memory_order_acquire);
        if (rank > 0) break;
      }
      ranks[tile + 1].store(std::accumulate(counts, counts + values, rank),
                            std::memory_order_release);
      SpectrumSink<T>(circle, spectrum, rank, stream)
          .AddRuns(first, counts, values);
    };
    ForEachTile(circle, marked, write);
  }

  template <typename T>
  absl::Status WriteHistogram(const Circle<T>& circle, ArrayView out,
                              ArrayView counts, ArrayView distinct) {
    using Mass = typename Circle<T>::Mass;
    using Entries = typename HistogramSink<T>::Entries;
    std::vector<Entries> parts;
    if (circle.total() == 0) {
      parts = {{{0, circle.size()}}};
    } else if (const auto marked = MarkedSums::Of(circle); marked.has_value()) {
      parts.resize(MarkedTiles(circle));
      ForEachTile(
          circle, *marked,
          [&](std::size_t tile, Mass first, const std::uint32_t* counts_of,
              Mass values) {
            HistogramSink<T>(parts[tile]).AddRuns(first, counts_of, values);
          });
    } else {
      const auto ranges = RangesOf(circle);
      parts.resize(ranges.size());
      backend().ForEach(ranges.size(), [&](std::int64_t i) {
        HistogramSink<T> sink(parts[i]);
        RangeWorker<T>(circle).Run(ranges[i], sink);
      });
    }
    // Where the entries of each part go. The last part may have none.
    std::vector<std::int64_t> starts = {0};
    Mass heaviest = 0;
    for (const Entries& part : parts) {
      starts.push_back(starts.back() + static_cast<std::int64_t>(part.size()));
      if (!part.empty()) heaviest = part.back().first;
    }
    // Half of the total mirrors itself.
    const bool has_middle = heaviest == circle.total() - heaviest;
    const std::int64_t entries = 2 * starts.back() - (has_middle ? 1 : 0);
    *distinct.data<std::int64_t>() = entries;
    if (entries > out.size()) {
      return absl::InvalidArgumentError("'out' has no room for the histogram");
    }
    T* const values = out.data<T>();
    auto* const occurrences = counts.data<std::int64_t>();
    backend().ForEach(parts.size(), [&](std::int64_t part) {
      std::int64_t up = starts[part];
      std::int64_t down = entries - 1 - up;
      for (const auto& [value, count] : parts[part]) {
        values[up] = static_cast<T>(value);
        values[down] = static_cast<T>(circle.total() - value);
        occurrences[up++] = occurrences[down--] = count;
      }
    });
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<Cyclospectrum>::Get().Add<CyclospectrumTbb>(
    "tbb", "value_tiles", /*rank=*/10,
    "ranges of values, counted or sorted in the cache, and their mirror images",
    Contract()
        .Boundaries({kSortedPieces, 16 * kSortedPieces, 32 * kSortedPieces})
        .Notes("counts where pieces are many for their masses, sorts in the "
               "cache where they are few"));

}  // namespace
}  // namespace concord::cyclospectrum
