// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each rank holds a stretch of the rows, and those of half of the other ranks
// come by, a piece at a time (ring.h). A pair goes to the rank that has the
// lower row. That puts its pairs in order, and counts tell where they belong.

#include "concord/algorithms/similar_pairs/mpi/ring.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_format.h"
#include "concord/algorithms/similar_pairs/blocks.h"
#include "concord/algorithms/similar_pairs/mpi/first_pairs.h"
#include "concord/algorithms/similar_pairs/serial/plain_pairs.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/algorithms/similar_pairs/tbb/tiled_pairs.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/spread_results.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/registry.h"

namespace concord::similar_pairs {
namespace {

// What comes by at a time, at most. Ranks wait for each other after each piece,
// and no wait is longer than the comparison of one.
constexpr std::int64_t kPieceBytes = std::int64_t{4} << 20;

class SimilarPairsTeam : public OnTeam<SimilarPairs> {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    room_ = outputs.pairs.size() / 2;
    const absl::Status prepared =
        Guarded([&] { return Prepare(in, outputs, options); });
    RETURN_IF_ERROR(team().AgreeOn(
        absl::StrFormat("similar_pairs distance2=%.17g dim=%d of %d %s, room "
                        "for %d%s",
                        options.distance2, options.dim, in.size(),
                        Name(in.type()), room_,
                        outputs.distances.has_value() ? ", distances" : ""),
        prepared));
    ASSIGN_OR_RETURN(const ConstArrayView own, own_.Fetch(backend()));
    RETURN_IF_ERROR(Search(own));
    RETURN_IF_ERROR(SendToOwners());
    return Write(outputs);
  }

 private:
  Team& team() { return backend().team(); }
  int rank() { return team().rank(); }
  std::size_t index() { return static_cast<std::size_t>(team().rank()); }
  std::size_t ranks() { return static_cast<std::size_t>(team().size()); }

  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView in, const Outputs& outputs,
                       const Options& options) {
    dim_ = options.dim;
    // A row belongs to the rank that has its first number.
    ASSIGN_OR_RETURN(const Ranges stretches, backend().Stretches(in));
    RETURN_IF_ERROR(backend().Stretches(outputs.pairs).status());
    Ranges numbers;
    rows_.clear();
    for (const Range& stretch : stretches) {
      const Range rows = {(stretch.first + dim_ - 1) / dim_,
                          (stretch.last + dim_ - 1) / dim_};
      rows_.push_back(rows);
      numbers.push_back({rows.first * dim_, rows.last * dim_});
    }
    RETURN_IF_ERROR(own_.Prepare(backend(), in, numbers));
    const std::int64_t row_bytes = dim_ * SizeOf(in.type());
    piece_rows_ = std::max<std::int64_t>(kPieceBytes / row_bytes, 1);
    std::int64_t most = 0;
    for (const Range& rows : rows_) most = std::max(most, rows.size());
    ASSIGN_OR_RETURN(passing_,
                     backend().local()->Allocate(
                         in.type(), std::min(most, piece_rows_) * dim_));
    auto* const tbb = dynamic_cast<TbbBackend*>(backend().local().get());
    block_pairs_ = tbb == nullptr ? NewPlainPairs(in.type(), options)
                                  : NewTiledPairs(*tbb, in.type(), options);
    counts_.assign(ranks(), 0);
    found_.Clear(room_);
    return absl::OkStatus();
  }

  // Finds this rank's part of the pairs. If it fails on one rank, all stop.
  absl::Status Search(const ConstArrayView& own) {
    const Ring ring(rows_);
    for (int step = 0; step < ring.steps(); ++step) {
      absl::Status status;
      if (step == 0 || ring.IsHalved(step)) {
        status = Guarded([&] {
          return block_pairs_->Hold(BlockOf(own, ring.Held(rank(), step)));
        });
      }
      const std::int64_t pieces = ring.Pieces(step, piece_rows_);
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        const Range passing = ring.Passing(rank(), step, piece, pieces);
        Block block = BlockOf(own, passing);
        if (step > 0) {
          RETURN_IF_ERROR(Pass(ring, own, step, piece, pieces));
          block = {
              ConstArrayView(passing_.view()).Slice(0, passing.size() * dim_),
              passing.first};
        }
        if (status.ok()) status = Compare(block, ring.OtherOf(rank(), step));
        RETURN_IF_ERROR(team().Agree(status));
      }
      // Where there are no rows.
      if (pieces == 0) RETURN_IF_ERROR(team().Agree(status));
    }
    return absl::OkStatus();
  }

  // A part of this rank's rows; `rows` of another rank are none.
  Block BlockOf(const ConstArrayView& own, Range rows) {
    const Range mine = Intersection(backend().Mine(rows_), rows);
    if (mine.empty()) return {own.Slice(0, 0), rows.first};
    return {own.Slice((mine.first - backend().Mine(rows_).first) * dim_,
                      mine.size() * dim_),
            mine.first};
  }

  // The piece that this rank is to compare comes, and goes to whoever is to
  // compare this rank's.
  absl::Status Pass(const Ring& ring, const ConstArrayView& own, int step,
                    std::int64_t piece, std::int64_t pieces) {
    const int reader = ring.ReaderOf(rank(), step);
    const ConstArrayView sent =
        BlockOf(own, ring.Passing(reader, step, piece, pieces)).sketches;
    const Range passing = ring.Passing(rank(), step, piece, pieces);
    std::vector<Parcel> parcels(ranks());
    std::vector<Slot> slots(ranks());
    parcels[static_cast<std::size_t>(reader)] = {sent.data(), sent.bytes()};
    slots[static_cast<std::size_t>(ring.OtherOf(rank(), step))] = {
        passing_.view().data(),
        passing.size() * dim_ * SizeOf(passing_.view().type())};
    return team().Exchange(parcels, slots);
  }

  // With a block of the rank `other`.
  absl::Status Compare(const Block& block, int other) {
    return Guarded([&]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::int64_t count,
                       block_pairs_->Find(
                           block, [&](std::int64_t i, std::int64_t place,
                                      absl::Span<const Neighbour> neighbours) {
                             found_.Add(i, place, neighbours);
                           }));
      counts_[static_cast<std::size_t>(std::min(rank(), other))] += count;
      found_.Prune();
      return absl::OkStatus();
    });
  }

  // Each pair to the rank that has its lower row, in order there.
  absl::Status SendToOwners() {
    const std::vector<Pair>& found = found_.Sorted();
    // Of each rank's pairs, how many were found here, and how many are here.
    std::vector<std::int64_t> mine = counts_;
    std::vector<Parcel> parcels;
    auto next = found.begin();
    for (const Range& rows : rows_) {
      const auto last =
          std::lower_bound(next, found.end(), Pair{rows.last, 0, 0});
      mine.push_back(last - next);
      parcels.push_back({found.data() + (next - found.begin()),
                         mine.back() * std::int64_t{sizeof(Pair)}});
      next = last;
    }
    std::vector<std::int64_t> all(ranks() * mine.size());
    RETURN_IF_ERROR(team().AllGather(
        mine.data(), static_cast<std::int64_t>(mine.size() * sizeof(mine[0])),
        all.data()));
    std::vector<std::int64_t> here;
    counts_.assign(ranks(), 0);
    for (std::size_t r = 0; r < ranks(); ++r) {
      for (std::size_t owner = 0; owner < ranks(); ++owner) {
        counts_[owner] += all[r * mine.size() + owner];
      }
      here.push_back(all[r * mine.size() + ranks() + index()]);
    }
    const Ranges places = InOrder(here);
    RETURN_IF_ERROR(team().Agree(Guarded([&] {
      pairs_.assign(static_cast<std::size_t>(places.back().last), Pair());
      return absl::OkStatus();
    })));
    std::vector<Slot> slots;
    for (const Range& place : places) {
      slots.push_back({pairs_.data() + place.first,
                       place.size() * std::int64_t{sizeof(Pair)}});
    }
    RETURN_IF_ERROR(team().Exchange(parcels, slots));
    std::sort(pairs_.begin(), pairs_.end());
    return absl::OkStatus();
  }

  // The pairs of each rank follow those of the ranks before, as far as there is
  // room.
  absl::Status Write(const Outputs& outputs) {
    Ranges held = InOrder(counts_);
    const std::int64_t count = held.back().last;
    for (Range& range : held) {
      range = {std::min(range.first, room_), std::min(range.last, room_)};
    }
    RETURN_IF_ERROR(team().Agree(Split(backend().Mine(held).size())));
    if (outputs.distances.has_value()) {
      RETURN_IF_ERROR(
          Give(backend(), distances_.view(), held, *outputs.distances));
    }
    for (Range& range : held) range = {2 * range.first, 2 * range.last};
    RETURN_IF_ERROR(Give(backend(), ends_.view(), held, outputs.pairs));
    RETURN_IF_ERROR(Tell(backend(), count, outputs.count));
    return CheckPairsFit(count, room_);
  }

  // The first of this rank's pairs as the outputs have them.
  absl::Status Split(std::int64_t size) {
    Backend& local = *backend().local();
    ASSIGN_OR_RETURN(ends_, local.Allocate(ElementType::kInt64, 2 * size));
    ASSIGN_OR_RETURN(distances_, local.Allocate(ElementType::kFloat64, size));
    if (size > static_cast<std::int64_t>(pairs_.size())) {
      return InternalError("rank ", rank(), " lacks pairs of its rows");
    }
    for (std::int64_t p = 0; p < size; ++p) {
      const Pair& pair = pairs_[static_cast<std::size_t>(p)];
      ends_.data<std::int64_t>()[2 * p] = pair.i;
      ends_.data<std::int64_t>()[2 * p + 1] = pair.j;
      distances_.data<double>()[p] = pair.distance2;
    }
    return absl::OkStatus();
  }

  // Of the current call.
  std::int64_t dim_ = 1;
  std::int64_t room_ = 0;
  std::int64_t piece_rows_ = 1;
  // The rows of each rank.
  Ranges rows_;
  MovedInput own_;
  Array passing_;
  std::unique_ptr<BlockPairs> block_pairs_;
  // How many pairs there are whose lower row is each rank's: first of those
  // found here, then of all.
  std::vector<std::int64_t> counts_;
  FirstPairs found_;
  // Those of this rank's rows.
  std::vector<Pair> pairs_;
  Array ends_;
  Array distances_;
};

const bool kRegistered = Registry<SimilarPairs>::Get().Add<SimilarPairsTeam>(
    "mpi", "ring", /*rank=*/10,
    "each rank's rows beside those of half of the others, which come by",
    SimilarPairsContract({kPanel, kBand})
        .Notes("each rank needs scratch memory for its rows and a float32 "
               "copy of them, for a few MiB of other ranks' rows, and for the "
               "pairs that it finds and those of its rows, 24 bytes each; "
               "never for more than there is room for from each rank"),
    RanksOnCpus());

}  // namespace
}  // namespace concord::similar_pairs
