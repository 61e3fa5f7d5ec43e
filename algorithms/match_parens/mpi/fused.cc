// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each rank reduces its stretch, by chunks as tbb/fused does, and tells the
// others what is left of it. So every rank knows on which one the first fault
// is, and that one looks for its place.
//
// One kind: two numbers are left, what the stretch does to the depth.
//
// Several kinds: brackets without a partner are left, ")))(((". By their
// numbers alone, up to the first fault, every rank knows which closing ones
// meet which opening ones. The kinds of those go to the rank that closes them,
// once.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/match_parens/mpi/kinds_of_stretch.h"
#include "concord/algorithms/match_parens/tbb/depths.h"
#include "concord/backends/mpi/spread_results.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::match_parens {
namespace {

// What ranks tell of their stretches.
struct Counts {
  std::int64_t closing;
  std::int64_t opening;
  std::int64_t has_fault;  // behind the closing ones
};

// Opening brackets of a rank that others close.
struct Opening {
  std::size_t rank;
  Range numbers;
};

// Who closes what, up to the first fault that numbers show.
struct Meetings {
  // What each rank closes, from the brackets that it closes first; of a range
  // the last one first.
  std::vector<std::vector<Opening>> closed_by;
  // Whose lowest bracket is never closed; -1 where there is no such rank, or a
  // fault before.
  int never_closed = -1;
};

Meetings Meet(const std::vector<Counts>& ranks) {
  Meetings meetings;
  meetings.closed_by.resize(ranks.size());
  std::vector<Opening> open;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::int64_t left = ranks[r].closing;
    while (left > 0 && !open.empty()) {
      Range& numbers = open.back().numbers;
      const std::int64_t first = std::max(numbers.first, numbers.last - left);
      meetings.closed_by[r].push_back(
          {open.back().rank, {first, numbers.last}});
      left -= numbers.last - first;
      numbers.last = first;
      if (numbers.empty()) open.pop_back();
    }
    if (left > 0 || ranks[r].has_fault != 0) return meetings;
    if (ranks[r].opening > 0) open.push_back({r, {0, ranks[r].opening}});
  }
  if (!open.empty()) meetings.never_closed = static_cast<int>(open[0].rank);
  return meetings;
}

class MatchParensTeam : public OnTeam<MatchParens> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView fault,
                       const Options& options) override {
    brackets_ = *BracketsOf(options, in.type());
    const absl::Status prepared = Prepare(in);
    RETURN_IF_ERROR(
        team().AgreeOn(absl::StrCat("match_parens kinds=", options.kinds,
                                    " of ", in.size(), " ", Name(in.type())),
                       prepared));
    const Range mine = backend().Mine(stretches_);
    const auto* const bytes =
        static_cast<const std::uint8_t*>(OnHost(in, mine).data());
    ASSIGN_OR_RETURN(const std::int64_t found, brackets_.kinds == 1
                                                   ? FaultOfOneKind(bytes, mine)
                                                   : FaultOfKinds(bytes, mine));
    return Tell(backend(), found, fault);
  }

 private:
  Team& team() const { return backend().team(); }

  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView in) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(in));
    const std::int64_t n = backend().Mine(stretches_).size();
    Backend& local = *backend().local();
    if (brackets_.kinds == 1) {
      const std::int64_t chunks = (n + kChunk - 1) / kChunk;
      ASSIGN_OR_RETURN(depths_,
                       local.Allocate(ElementType::kInt64, 2 * chunks));
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(kinds_.Prepare(local, n));
    ASSIGN_OR_RETURN(met_, local.Allocate(ElementType::kUInt8, n));
    return absl::OkStatus();
  }

  absl::StatusOr<std::int64_t> FaultOfOneKind(const std::uint8_t* in,
                                              Range mine) {
    auto* const chunks =
        reinterpret_cast<Depths*>(depths_.data<std::int64_t>());
    const std::int64_t count = depths_.size() / 2;
    const OneKind kind(in, mine.size(), brackets_);
    backend().ForEachWorker([&](int w) {
      const Range share = ShareOf({0, count}, w, backend().workers());
      for (std::int64_t c = share.first; c < share.last; ++c) {
        chunks[c] = kind.DepthsOfChunk(c);
      }
    });
    Depths whole;
    for (std::int64_t c = 0; c < count; ++c) whole.Append(chunks[c]);
    ASSIGN_OR_RETURN(const std::vector<Depths> all, team().AllGather(whole));
    const FaultyStretch faulty = FindFaultyStretch(all, /*depth=*/0);
    std::int64_t found = -1;
    if (faulty.number == team().rank()) {
      found = mine.first +
              kind.FirstFault({chunks, static_cast<std::size_t>(count)},
                              faulty.depth);
    }
    return First(found);
  }

  absl::StatusOr<std::int64_t> FaultOfKinds(const std::uint8_t* in,
                                            Range mine) {
    kinds_.Reduce(backend(), in, mine.size(), brackets_);
    ASSIGN_OR_RETURN(
        const std::vector<Counts> counts,
        team().AllGather(Counts{kinds_.closing_count(), kinds_.opening_count(),
                                kinds_.fault() >= 0}));
    const Meetings meetings = Meet(counts);
    RETURN_IF_ERROR(FetchMet(meetings));
    std::int64_t found = FaultHere(meetings);
    ASSIGN_OR_RETURN(const std::int64_t wrong,
                     First(found < 0 ? -1 : mine.first + found));
    if (wrong >= 0 || meetings.never_closed < 0) return wrong;
    found = meetings.never_closed == team().rank()
                ? mine.first + kinds_.PlaceOfLowest()
                : -1;
    return First(found);
  }

  // The kinds that this rank's closing brackets meet, to met_.
  absl::Status FetchMet(const Meetings& meetings) {
    const auto self = static_cast<std::size_t>(team().rank());
    std::vector<Parcel> parcels(meetings.closed_by.size());
    std::vector<Slot> slots(meetings.closed_by.size());
    for (std::size_t r = 0; r < meetings.closed_by.size(); ++r) {
      for (const Opening& opening : meetings.closed_by[r]) {
        if (opening.rank != self) continue;
        parcels[r] = {kinds_.opening() + opening.numbers.first,
                      opening.numbers.size()};
      }
    }
    auto* to = met_.data<std::uint8_t>();
    for (const Opening& opening : meetings.closed_by[self]) {
      slots[opening.rank] = {to, opening.numbers.size()};
      to += opening.numbers.size();
    }
    return team().Exchange(parcels, slots);
  }

  // The first wrong closing bracket of the stretch, by its place there, or -1.
  // On ranks behind one that has such a bracket it may be any other.
  std::int64_t FaultHere(const Meetings& meetings) {
    const std::uint8_t* met = met_.data<std::uint8_t>();
    std::int64_t number = 0;
    for (const Opening& opening :
         meetings.closed_by[static_cast<std::size_t>(team().rank())]) {
      for (std::int64_t k = opening.numbers.size() - 1; k >= 0; --k, ++number) {
        if (met[k] != kinds_.closing()[number]) {
          return kinds_.PlaceOfClosing(number);
        }
      }
      met += opening.numbers.size();
    }
    // What meets nothing.
    if (number < kinds_.closing_count()) return kinds_.PlaceOfClosing(number);
    return kinds_.fault();
  }

  // The first position that a rank has found, or -1.
  absl::StatusOr<std::int64_t> First(std::int64_t found) {
    ASSIGN_OR_RETURN(const std::vector<std::int64_t> all,
                     team().AllGather(found));
    const auto first = std::find_if(all.begin(), all.end(),
                                    [](std::int64_t p) { return p >= 0; });
    return first == all.end() ? -1 : *first;
  }

  // Of the current call.
  Brackets brackets_;
  Ranges stretches_;
  Array depths_;  // of chunks
  KindsOfStretch kinds_;
  Array met_;
};

const bool kRegistered = Registry<MatchParens>::Get().Add<MatchParensTeam>(
    "mpi", "fused", /*rank=*/10,
    "each rank reduces its stretch; one kind: two numbers told to all, "
    "several: "
    "kinds that others close sent once",
    Contract()
        .Boundaries({kChunk, 2 * kChunk})
        .Notes("several kinds: each rank needs scratch memory of twice its "
               "stretch"),
    RanksOnCpus());

}  // namespace
}  // namespace concord::match_parens
