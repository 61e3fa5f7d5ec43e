// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_MPI_PIECES_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_MPI_PIECES_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "concord/algorithms/cyclospectrum/mpi/parts.h"
#include "concord/algorithms/cyclospectrum/tbb/circle.h"
#include "concord/algorithms/cyclospectrum/tbb/sinks.h"
#include "concord/algorithms/cyclospectrum/tbb/windows.h"
#include "concord/algorithms/cyclospectrum/tbb/worker.h"
#include "concord/backends/mpi/stretches.h"
#include "concord/backends/tbb/streaming.h"

namespace concord::cyclospectrum {

// The pieces of a circle with some mass, by their values.
template <typename T>
class Pieces {
 public:
  using Mass = typename Circle<T>::Mass;

  Pieces(absl::Span<const T> masses, T total)
      : circle_(masses, total), marked_(MarkedSums::Of(circle_)) {}

  const Circle<T>& circle() const { return circle_; }

  // Whether pieces are counted some hundred values at a time.
  bool is_marked() const { return marked_.has_value(); }

  // Takes the values of the range to the sink in ascending order.
  template <typename Sink>
  void Run(const Range<Mass>& range, Sink& sink) const {
    if (is_marked()) {
      CountTiles(range, sink);
    } else {
      RangeWorker<T>(circle_).Run(range, sink);
    }
  }

  // Writes those elements of the spectrum that are at these places of its lower
  // half, of which there are some, or mirror them.
  void Write(const Part& part, T* spectrum, bool stream) const {
    const concord::Range& places = part.places;
    const Range<Mass> range =
        RangeWith(circle_, places.first, places.last,
                  std::max(kSortedPieces, places.size() / kMoreWork));
    {
      SpectrumSink<T> sink(circle_, spectrum, places.first, stream,
                           part.halves);
      PlacesSink<T> here(sink, range.first_rank, places.first, places.last);
      Run(range, here);
    }
    FinishStreaming();
  }

 private:
  // What may be worked out beyond what is wanted, as a part of it: a sweep over
  // all starts finds half of that.
  static constexpr std::int64_t kMoreWork = 64;

  template <typename Sink>
  void CountTiles(const Range<Mass>& range, Sink& sink) const {
    alignas(64) std::uint32_t counts[MarkedSums::kValues];
    // Tiles begin at multiples of 8.
    const Mass before = range.begin % 8;
    for (Mass at = range.begin - before; at < range.end;) {
      marked_->Count(at, counts);
      // The piece of no masses is the same for all starts.
      if (at == 0) counts[0] = 1;
      const Mass skipped = at < range.begin ? before : 0;
      const Mass values = std::min<Mass>(range.end - at, MarkedSums::kValues);
      sink.AddRuns(at + skipped, counts + skipped, values - skipped);
      at += values;
    }
  }

  const Circle<T> circle_;
  const std::optional<MarkedSums> marked_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_MPI_PIECES_H_
