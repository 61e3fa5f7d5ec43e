// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The method of tbb/value_tiles works out any range of values by itself, and
// how many pieces are smaller is known without them. So each rank has all
// masses, which are few for their spectrum, finds the values of its stretch of
// it, and writes those. Two ranks whose stretches mirror each other would work
// out the same values. Where values are counted by hundreds, they do: that
// takes less than to send them. Elsewhere each works out half of them, and gets
// the others from the other rank.
//
// Of a histogram nobody knows before how many entries there are. There each
// rank works out a share of the lower half, hears how many entries the others
// have, and sends its own and what mirrors them to where they belong.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/cyclospectrum/mpi/parts.h"
#include "concord/algorithms/cyclospectrum/mpi/pieces.h"
#include "concord/backends/mpi/spread_results.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/registry.h"

namespace concord::cyclospectrum {
namespace {

using concord::Range;

class CyclospectrumTeam : public OnTeam<Cyclospectrum> {
 public:
  absl::Status Compute(ConstArrayView masses, ArrayView out, ArrayView counts,
                       ArrayView distinct, const Options& options) override {
    const absl::Status prepared = Prepare(masses, out);
    RETURN_IF_ERROR(team().AgreeOn(
        absl::StrCat("cyclospectrum as=", static_cast<int>(options.as), " of ",
                     masses.size(), " ", Name(masses.type()), ", room for ",
                     out.size()),
        prepared));
    RETURN_IF_ERROR(backend().Copy(masses, masses_.view()));
    ASSIGN_OR_RETURN(const std::int64_t total, TotalMass(masses_.view()));
    return DispatchMasses(masses.type(), [&](auto tag) {
      using T = decltype(tag);
      return options.as == As::kSpectrum
                 ? WriteSpectrum<T>(static_cast<T>(total), out)
                 : WriteHistogram<T>(static_cast<T>(total), out, counts,
                                     distinct);
    });
  }

 private:
  template <typename T>
  using Entries = typename HistogramSink<T>::Entries;

  // What ranks tell of their entries.
  struct Told {
    std::int64_t entries = 0;
    std::uint64_t heaviest = 0;
  };

  Team& team() const { return backend().team(); }

  // Whatever can fail on one rank alone before it works anything out.
  absl::Status Prepare(ConstArrayView masses, ArrayView out) {
    ASSIGN_OR_RETURN(outputs_, backend().Stretches(out));
    ASSIGN_OR_RETURN(masses_,
                     backend().local()->Allocate(masses.type(), masses.size()));
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status WriteSpectrum(T total, ArrayView out) {
    std::vector<Trade> trades;
    bool are_traded = false;
    RETURN_IF_ERROR(team().Agree(Guarded([&] {
      const Range mine = backend().Mine(outputs_);
      if (total == 0) {
        std::fill_n(OnHost(out, mine).template data<T>(), mine.size(), T{0});
        return absl::OkStatus();
      }
      const Pieces<T> pieces(masses_.view().template span<T>(), total);
      are_traded = !pieces.is_marked();
      Trades wanted = {PartsOf(mine, out.size()), {}};
      if (are_traded) {
        wanted = TradesOf(outputs_, static_cast<std::size_t>(team().rank()),
                          out.size());
      }
      trades = std::move(wanted.with);
      const bool stream =
          mine.size() * std::int64_t{sizeof(T)} >= kStreamingBytes;
      backend().ForEachWorker([&](int w) {
        for (const Part& part : wanted.parts) {
          const Range share = ShareOf(part.places, w, backend().workers());
          if (share.empty()) continue;
          pieces.Write({share, part.halves}, out.data<T>(), stream);
        }
      });
      return absl::OkStatus();
    })));
    return are_traded ? Exchange(trades, total, out.data<T>())
                      : absl::OkStatus();
  }

  // Sends what others wait for, and mirrors what they send.
  template <typename T>
  absl::Status Exchange(const std::vector<Trade>& trades, T total,
                        T* spectrum) {
    std::vector<Parcel> parcels(outputs_.size());
    std::vector<Slot> slots(outputs_.size());
    const auto bytes = [](const Range& range) {
      return range.size() * std::int64_t{sizeof(T)};
    };
    for (const Trade& trade : trades) {
      parcels[trade.rank] = {spectrum + trade.sent.first, bytes(trade.sent)};
      slots[trade.rank] = {spectrum + trade.got.first, bytes(trade.got)};
    }
    RETURN_IF_ERROR(team().Exchange(parcels, slots));
    for (const Trade& trade : trades) {
      Mirror(total, spectrum + trade.got.first, trade.got.size());
    }
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status WriteHistogram(T total, ArrayView out, ArrayView counts,
                              ArrayView distinct) {
    RETURN_IF_ERROR(team().Agree(Guarded([&] { return Collect(total); })));
    ASSIGN_OR_RETURN(const std::vector<Told> told, team().AllGather(told_));
    std::vector<std::int64_t> sizes;
    std::uint64_t heaviest = 0;
    for (const Told& rank : told) {
      sizes.push_back(rank.entries);
      heaviest = std::max(heaviest, rank.heaviest);
    }
    Ranges held = InOrder(sizes);
    const std::int64_t lower = held.back().last;
    // Half of the total mirrors itself.
    const bool has_middle =
        heaviest == static_cast<std::uint64_t>(total) - heaviest;
    const std::int64_t entries = 2 * lower - (has_middle ? 1 : 0);
    if (entries > out.size()) {
      return absl::InvalidArgumentError("'out' has no room for the histogram");
    }
    RETURN_IF_ERROR(Give(backend(), values_.view(), held, out));
    RETURN_IF_ERROR(Give(backend(), occurrences_.view(), held, counts));
    for (Range& range : held) {
      range = {std::max(entries - range.last, lower), entries - range.first};
    }
    Mirror(total, values_.data<T>(), values_.size());
    std::reverse(occurrences_.data<std::int64_t>(),
                 occurrences_.data<std::int64_t>() + occurrences_.size());
    // Without the middle, which is the first of its rank now.
    const Range mine = backend().Mine(held);
    const std::int64_t left_out = values_.size() - mine.size();
    const auto kept = [&](const Array& all) {
      return all.view().Slice(left_out, mine.size());
    };
    RETURN_IF_ERROR(Give(backend(), kept(values_), held, out));
    RETURN_IF_ERROR(Give(backend(), kept(occurrences_), held, counts));
    return Tell(backend(), entries, distinct);
  }

  // This rank's entries, to values_ and occurrences_.
  template <typename T>
  absl::Status Collect(T total) {
    std::vector<Entries<T>> found(
        static_cast<std::size_t>(backend().workers()));
    if (total > 0) {
      const Pieces<T> pieces(masses_.view().template span<T>(), total);
      backend().ForEachWorker([&](int w) {
        CollectShare(pieces, w, found[static_cast<std::size_t>(w)]);
      });
    } else if (team().rank() == 0) {
      const std::int64_t n = masses_.size();
      found[0].push_back({0, n * (n - 1) + 2});
    }
    told_ = {};
    for (const Entries<T>& entries : found) {
      told_.entries += static_cast<std::int64_t>(entries.size());
      if (!entries.empty()) told_.heaviest = entries.back().first;
    }
    Backend& local = *backend().local();
    ASSIGN_OR_RETURN(values_, local.Allocate(masses_.type(), told_.entries));
    ASSIGN_OR_RETURN(occurrences_,
                     local.Allocate(ElementType::kInt64, told_.entries));
    T* value = values_.data<T>();
    auto* count = occurrences_.data<std::int64_t>();
    for (const Entries<T>& entries : found) {
      for (const auto& [mass, times] : entries) {
        *value++ = static_cast<T>(mass);
        *count++ = times;
      }
    }
    return absl::OkStatus();
  }

  // The lower half is shared out by places, between two values.
  template <typename T>
  void CollectShare(const Pieces<T>& pieces, int worker,
                    Entries<T>& entries) const {
    using Mass = typename Circle<T>::Mass;
    const Circle<T>& circle = pieces.circle();
    const std::int64_t half = circle.size() / 2;
    const std::int64_t most =
        std::max(kSortedPieces, half / (kNarrow * team().size()));
    const Range mine = ShareOf({0, half}, team().rank(), team().size());
    const Range share = ShareOf(mine, worker, backend().workers());
    const auto cut = [&](std::int64_t place) -> Cut<Mass> {
      if (place < half) return CutBefore(circle, place, most);
      return {circle.half(), circle.Rank(circle.half())};
    };
    const Cut<Mass> low = cut(share.first);
    const Cut<Mass> high = cut(share.last);
    if (low.rank == high.rank) return;
    HistogramSink<T> sink(entries);
    pieces.Run({low.value, high.value, low.rank, high.rank}, sink);
  }

  // Turns values into those that mirror them.
  template <typename T>
  void Mirror(T total, T* values, std::int64_t size) {
    backend().ForEachWorker([&](int w) {
      const Range share = ShareOf({0, (size + 1) / 2}, w, backend().workers());
      for (std::int64_t i = share.first; i < share.last; ++i) {
        const T value = values[i];
        values[i] = static_cast<T>(total - values[size - 1 - i]);
        values[size - 1 - i] = static_cast<T>(total - value);
      }
    });
  }

  // Shares differ by less than one part in so many of one.
  static constexpr std::int64_t kNarrow = 64;

  // Of the current call.
  Ranges outputs_;
  Array masses_;
  Array values_;
  Array occurrences_;
  Told told_;
};

const bool kRegistered = Registry<Cyclospectrum>::Get().Add<CyclospectrumTeam>(
    "mpi", "value_tiles", /*rank=*/10,
    "each rank works out the values of its stretch of the spectrum, or half of "
    "them",
    Contract()
        .Boundaries({kSortedPieces, 2 * kSortedPieces, 16 * kSortedPieces})
        .Notes("each rank has all masses and their sums. A histogram moves "
               "once, and each rank needs scratch memory for its entries"),
    RanksOnCpus());

}  // namespace
}  // namespace concord::cyclospectrum
