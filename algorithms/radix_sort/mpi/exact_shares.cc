// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each rank sorts its stretch. For every border between two stretches of the
// output, ranks find by bisection over the bits of the keys which key belongs
// there, and how many of the equal ones before it: each tells how many smaller
// keys it has, bit for bit. So every rank gets exactly the keys of its stretch,
// whatever the keys are, and sorts them once more. Equal keys arrive in the
// order of ranks, which is that of the input, so the sort is stable.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/radix_sort/mpi/key_counts.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/positions.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/element_width.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::radix_sort {
namespace {

class RadixSortTeam : public OnTeam<RadixSort> {
 public:
  absl::Status Compute(ConstArrayView keys_in, ConstArrayView values_in,
                       ArrayView keys_out, ArrayView values_out,
                       const Options& options) override {
    has_values_ = values_in.given() || (options.argsort && values_out.given());
    const absl::Status status =
        Prepare(keys_in, values_in, keys_out, values_out);
    const RadixSortBits bits = RadixSortBitsOf(options, keys_in.type());
    RETURN_IF_ERROR(backend().team().AgreeOn(
        absl::StrCat("radix_sort order=", static_cast<int>(options.order),
                     " bits=", bits.first, ",", bits.end,
                     has_values_ ? " with " : "",
                     has_values_ ? Name(values_out.type()) : "", " of ",
                     keys_in.size(), " ", Name(keys_in.type())),
        status));
    const Range mine = backend().Mine(in_);
    ConstArrayView values;
    if (values_in.given()) {
      ASSIGN_OR_RETURN(values, values_.Fetch(backend()));
    }
    RETURN_IF_ERROR(backend().team().Agree(SortStretch(
        backend().Here(keys_in, mine), values, mine.first, options)));
    RETURN_IF_ERROR(ExchangeShares(options.order, bits));
    return SortShare(keys_out, values_out, options);
  }

 private:
  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView keys_in, ConstArrayView values_in,
                       ArrayView keys_out, ArrayView values_out) {
    ASSIGN_OR_RETURN(in_, backend().Stretches(keys_in));
    ASSIGN_OR_RETURN(out_, backend().Stretches(keys_out));
    if (local_ == nullptr) {
      ASSIGN_OR_RETURN(local_,
                       Registry<RadixSort>::Get().Create(backend().local()));
    }
    if (values_in.given()) {
      RETURN_IF_ERROR(values_.Prepare(backend(), values_in, in_));
    }
    Backend& local = *backend().local();
    if (local.info().name == "cuda" && counts_ == nullptr) {
      ASSIGN_OR_RETURN(counts_,
                       Registry<KeyCounts>::Get().Create(backend().local()));
    }
    if (counts_ != nullptr) {
      RETURN_IF_ERROR(
          counts_->Reserve(2 * static_cast<std::int64_t>(out_.size())));
    }
    const std::int64_t size_in = backend().Mine(in_).size();
    const std::int64_t size_out = backend().Mine(out_).size();
    ASSIGN_OR_RETURN(sorted_keys_, local.Allocate(keys_in.type(), size_in));
    ASSIGN_OR_RETURN(share_keys_, local.Allocate(keys_in.type(), size_out));
    if (!has_values_) return absl::OkStatus();
    const ElementType type = values_out.type();
    ASSIGN_OR_RETURN(values_out_, backend().Stretches(values_out));
    ASSIGN_OR_RETURN(sorted_values_, local.Allocate(type, size_in));
    ASSIGN_OR_RETURN(share_values_, local.Allocate(type, size_out));
    ASSIGN_OR_RETURN(moved_values_,
                     local.Allocate(type, values_out_ == out_ ? 0 : size_out));
    return absl::OkStatus();
  }

  absl::Status SortStretch(ConstArrayView keys, ConstArrayView values,
                           std::int64_t begin, const Options& options) {
    Options local = options;
    local.argsort = has_values_ && !values.given();
    RETURN_IF_ERROR(
        local_->Run(keys, values, sorted_keys_.view(),
                    has_values_ ? sorted_values_.view() : NoValues(), local));
    if (!local.argsort) return absl::OkStatus();
    // Positions in the whole input.
    return ShiftPositions(*backend().local(), sorted_values_.view(), begin);
  }

  // For each of these numbers, how many of this rank's sorted keys have a
  // smaller digit.
  absl::StatusOr<std::vector<std::int64_t>> CountSmallerThan(
      absl::Span<const std::uint64_t> than, Order order,
      const RadixSortBits& bits) {
    std::vector<std::int64_t> smaller(than.size());
    const ConstArrayView keys = sorted_keys_.view();
    if (counts_ != nullptr) {
      RETURN_IF_ERROR(
          counts_->Run(keys, order, bits, than, absl::MakeSpan(smaller)));
      return smaller;
    }
    DispatchWidth(keys.type(), [&](auto width) {
      using Bits = decltype(width);
      const Digit<Bits> digit = {
          KeyMapOf<Bits>(keys.type(), order == Order::kDescending), bits};
      for (std::size_t i = 0; i < than.size(); ++i) {
        smaller[i] =
            CountSmaller(keys.data<Bits>(), keys.size(), digit, than[i]);
      }
    });
    return smaller;
  }

  // Where the keys of this rank are cut for each rank, and its own end.
  absl::StatusOr<std::vector<std::int64_t>> FindCuts(
      Order order, const RadixSortBits& bits) {
    Team& team = backend().team();
    const auto ranks = static_cast<std::size_t>(team.size());
    const std::size_t borders = ranks - 1;
    // What all ranks have smaller than `than`, [rank * than.size() + i].
    const auto counts_of_all = [&](absl::Span<const std::uint64_t> than)
        -> absl::StatusOr<std::vector<std::int64_t>> {
      const auto mine = CountSmallerThan(than, order, bits);
      // Nothing can fail in host memory.
      if (counts_ != nullptr) RETURN_IF_ERROR(team.Agree(mine.status()));
      std::vector<std::int64_t> all(ranks * than.size());
      RETURN_IF_ERROR(team.AllGather(
          mine->data(),
          static_cast<std::int64_t>(than.size() * sizeof(std::int64_t)),
          all.data()));
      return all;
    };
    std::vector<std::int64_t> cuts(ranks + 1, 0);
    cuts[ranks] = backend().Mine(in_).size();
    if (borders == 0) return cuts;
    // For each border, the largest number that no more keys are smaller than
    // than come before the border: that of the key that stands there.
    std::vector<std::uint64_t> border(borders, 0);
    for (int bit = bits.end - bits.first - 1; bit >= 0; --bit) {
      std::vector<std::uint64_t> than = border;
      for (std::uint64_t& number : than) number |= std::uint64_t{1} << bit;
      ASSIGN_OR_RETURN(const std::vector<std::int64_t> all,
                       counts_of_all(than));
      for (std::size_t b = 0; b < borders; ++b) {
        std::int64_t smaller = 0;
        for (std::size_t r = 0; r < ranks; ++r) smaller += all[r * borders + b];
        if (smaller <= out_[b + 1].first) border[b] = than[b];
      }
    }
    // Of the keys that equal the one at the border, those of the lower ranks
    // come first.
    std::vector<std::uint64_t> than = border;
    for (const std::uint64_t number : border) than.push_back(number + 1);
    ASSIGN_OR_RETURN(std::vector<std::int64_t> all, counts_of_all(than));
    for (std::size_t b = 0; b < borders; ++b) {
      const auto smaller = [&](std::size_t r) {
        return all[r * 2 * borders + b];
      };
      const auto equal = [&](std::size_t r) {
        // Nothing is larger than the largest number: all that is left.
        const std::int64_t not_larger =
            than[borders + b] == 0 ? in_[r].size()
                                   : all[r * 2 * borders + borders + b];
        return not_larger - smaller(r);
      };
      std::int64_t missing = out_[b + 1].first;
      for (std::size_t r = 0; r < ranks; ++r) missing -= smaller(r);
      const auto self = static_cast<std::size_t>(team.rank());
      std::int64_t taken = 0;
      for (std::size_t r = 0; r <= self; ++r) {
        taken = std::min(missing, equal(r));
        missing -= taken;
      }
      cuts[b + 1] = smaller(self) + taken;
    }
    return cuts;
  }

  absl::Status ExchangeShares(Order order, const RadixSortBits& bits) {
    ASSIGN_OR_RETURN(const std::vector<std::int64_t> cuts,
                     FindCuts(order, bits));
    const std::size_t each = cuts.size();
    std::vector<std::int64_t> of_all(each * (each - 1));
    RETURN_IF_ERROR(backend().team().AllGather(
        cuts.data(), static_cast<std::int64_t>(each * sizeof(std::int64_t)),
        of_all.data()));
    RETURN_IF_ERROR(
        Send(cuts, of_all, sorted_keys_.view(), share_keys_.view()));
    if (!has_values_) return absl::OkStatus();
    return Send(cuts, of_all, sorted_values_.view(), share_values_.view());
  }

  // To each rank its part of `from`; what comes lies in order of ranks.
  absl::Status Send(const std::vector<std::int64_t>& cuts,
                    const std::vector<std::int64_t>& of_all,
                    const ConstArrayView& from, const ArrayView& to) {
    const auto self = static_cast<std::size_t>(backend().team().rank());
    const std::int64_t width = SizeOf(from.type());
    const std::size_t ranks = cuts.size() - 1;
    std::vector<Parcel> parcels(ranks);
    std::vector<Slot> slots(ranks);
    std::int64_t at = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      parcels[r] = {from.data<char>() + cuts[r] * width,
                    (cuts[r + 1] - cuts[r]) * width};
      const std::int64_t* const theirs = of_all.data() + r * (ranks + 1);
      const std::int64_t bytes = (theirs[self + 1] - theirs[self]) * width;
      slots[r] = {to.data<char>() + at, bytes};
      at += bytes;
    }
    return backend().carrier().Exchange(parcels, slots);
  }

  absl::Status SortShare(ArrayView keys_out, ArrayView values_out,
                         const Options& options) {
    const Range mine = backend().Mine(out_);
    const ArrayView keys = backend().Here(keys_out, mine);
    Options local = options;
    local.argsort = false;
    if (!has_values_) {
      return backend().team().Agree(local_->Run(
          share_keys_.view(), ConstArrayView(), keys, NoValues(), local));
    }
    const bool moves = values_out_ != out_;
    const absl::Status sorted = local_->Run(
        share_keys_.view(), share_values_.view(), keys,
        moves ? moved_values_.view() : backend().Here(values_out, mine), local);
    RETURN_IF_ERROR(backend().team().Agree(sorted));
    if (!moves) return absl::OkStatus();
    return Redistribute(
        backend().carrier(), out_, moved_values_.view().data(), values_out_,
        backend().Here(values_out, backend().Mine(values_out_)).data(),
        SizeOf(values_out.type()));
  }

  // Of the current call.
  bool has_values_ = false;
  Ranges in_;
  Ranges out_;
  Ranges values_out_;
  MovedInput values_;
  Array sorted_keys_;
  Array sorted_values_;
  Array share_keys_;
  Array share_values_;
  Array moved_values_;
  // From call to call.
  std::unique_ptr<RadixSort> local_;
  std::unique_ptr<KeyCounts> counts_;  // on a GPU
};

const bool kRegistered = Registry<RadixSort>::Get().Add<RadixSortTeam>(
    "mpi", "exact_shares", /*rank=*/10,
    "borders by bisection over the bits; each rank sorts before and after",
    RadixSortContract().Notes(
        "each rank needs scratch memory for its stretches of keys and values, "
        "twice"));

}  // namespace
}  // namespace concord::radix_sort
