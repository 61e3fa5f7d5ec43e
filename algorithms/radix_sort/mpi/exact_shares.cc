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
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::radix_sort {
namespace {

// What a sort looks at of a key, as a number.
template <typename Bits>
struct Digit {
  KeyMap<Bits> map;
  RadixSortBits bits;

  std::uint64_t operator()(Bits key) const {
    const int width = bits.end - bits.first;
    if (width == 0) return 0;
    const std::uint64_t mapped = std::uint64_t{map.Map(key)} >> bits.first;
    return width == 64 ? mapped : mapped & ((std::uint64_t{1} << width) - 1);
  }
};

// Sorted keys of one rank, by what a sort looks at.
template <typename Bits>
class SortedKeys {
 public:
  SortedKeys(const Bits* keys, std::int64_t size, Digit<Bits> digit)
      : keys_(keys), size_(size), digit_(digit) {}

  std::int64_t Smaller(std::uint64_t than) const {
    return Count([=](Bits key) { return digit_(key) < than; });
  }
  std::int64_t SmallerOrEqual(std::uint64_t than) const {
    return Count([=](Bits key) { return digit_(key) <= than; });
  }

 private:
  template <typename F>
  std::int64_t Count(const F& precedes) const {
    return std::partition_point(keys_, keys_ + size_, precedes) - keys_;
  }

  const Bits* keys_;
  std::int64_t size_;
  Digit<Bits> digit_;
};

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
    RETURN_IF_ERROR(backend().team().Agree(
        SortStretch(OnHost(keys_in, mine), values, mine.first, options)));
    RETURN_IF_ERROR(ExchangeShares(keys_in.type(), options.order, bits));
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
    const auto move = [&](auto* positions) {
      for (std::int64_t i = 0; i < keys.size(); ++i) positions[i] += begin;
    };
    sorted_values_.type() == ElementType::kUInt32
        ? move(sorted_values_.data<std::uint32_t>())
        : move(sorted_values_.data<std::int64_t>());
    return absl::OkStatus();
  }

  // Where the keys of this rank are cut for each rank, and its own end.
  template <typename Bits>
  absl::StatusOr<std::vector<std::int64_t>> FindCuts(
      const SortedKeys<Bits>& keys, int width) {
    Team& team = backend().team();
    const auto ranks = static_cast<std::size_t>(team.size());
    // For each border, the largest number that no more keys are smaller than
    // than come before the border: that of the key that stands there.
    std::vector<std::uint64_t> border(ranks, 0);
    std::vector<std::int64_t> counts(ranks);
    std::vector<std::int64_t> of_all(ranks * ranks);
    for (int bit = width - 1; bit >= 0; --bit) {
      for (std::size_t b = 1; b < ranks; ++b) {
        counts[b] = keys.Smaller(border[b] | std::uint64_t{1} << bit);
      }
      RETURN_IF_ERROR(team.AllGather(
          counts.data(),
          static_cast<std::int64_t>(ranks * sizeof(std::int64_t)),
          of_all.data()));
      for (std::size_t b = 1; b < ranks; ++b) {
        std::int64_t smaller = 0;
        for (std::size_t r = 0; r < ranks; ++r)
          smaller += of_all[r * ranks + b];
        if (smaller <= out_[b].first) border[b] |= std::uint64_t{1} << bit;
      }
    }
    // Of the keys that equal the one at the border, those of the lower ranks
    // come first.
    std::vector<std::int64_t> cuts(ranks + 1, 0);
    cuts[ranks] = backend().Mine(in_).size();
    for (std::size_t b = 1; b < ranks; ++b) {
      struct Counts {
        std::int64_t smaller, equal;
      };
      const std::int64_t smaller = keys.Smaller(border[b]);
      ASSIGN_OR_RETURN(const std::vector<Counts> all,
                       team.AllGather(Counts{
                           smaller, keys.SmallerOrEqual(border[b]) - smaller}));
      std::int64_t missing = out_[b].first;
      for (const Counts& of_rank : all) missing -= of_rank.smaller;
      std::int64_t taken = 0;
      for (int r = 0; r <= team.rank(); ++r) {
        taken = std::min(missing, all[static_cast<std::size_t>(r)].equal);
        missing -= taken;
      }
      cuts[b] = smaller + taken;
    }
    return cuts;
  }

  template <typename Bits>
  absl::Status ExchangeSorted(const SortedKeys<Bits>& keys, int width) {
    ASSIGN_OR_RETURN(const std::vector<std::int64_t> cuts,
                     FindCuts(keys, width));
    Team& team = backend().team();
    const std::size_t each = cuts.size();
    std::vector<std::int64_t> of_all(each * (each - 1));
    RETURN_IF_ERROR(team.AllGather(
        cuts.data(), static_cast<std::int64_t>(each * sizeof(std::int64_t)),
        of_all.data()));
    RETURN_IF_ERROR(
        Send(cuts, of_all, sorted_keys_.view(), share_keys_.view()));
    if (!has_values_) return absl::OkStatus();
    return Send(cuts, of_all, sorted_values_.view(), share_values_.view());
  }

  absl::Status ExchangeShares(ElementType type, Order order,
                              const RadixSortBits& bits) {
    return DispatchWidth(type, [&](auto width) -> absl::Status {
      using Bits = decltype(width);
      const Digit<Bits> digit = {
          KeyMapOf<Bits>(type, order == Order::kDescending), bits};
      return ExchangeSorted(SortedKeys<Bits>(sorted_keys_.data<Bits>(),
                                             backend().Mine(in_).size(), digit),
                            bits.end - bits.first);
    });
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
    return backend().team().Exchange(parcels, slots);
  }

  absl::Status SortShare(ArrayView keys_out, ArrayView values_out,
                         const Options& options) {
    const Range mine = backend().Mine(out_);
    const ArrayView keys = OnHost(keys_out, mine);
    Options local = options;
    local.argsort = false;
    if (!has_values_) {
      return local_->Run(share_keys_.view(), ConstArrayView(), keys, NoValues(),
                         local);
    }
    const bool moves = values_out_ != out_;
    const absl::Status sorted = local_->Run(
        share_keys_.view(), share_values_.view(), keys,
        moves ? moved_values_.view() : OnHost(values_out, mine), local);
    RETURN_IF_ERROR(backend().team().Agree(sorted));
    if (!moves) return absl::OkStatus();
    return Redistribute(backend().team(), out_, moved_values_.view().data(),
                        values_out_,
                        OnHost(values_out, backend().Mine(values_out_)).data(),
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
};

const bool kRegistered = Registry<RadixSort>::Get().Add<RadixSortTeam>(
    "mpi", "exact_shares", /*rank=*/10,
    "borders by bisection over the bits; each rank sorts before and after",
    RadixSortContract().Notes(
        "each rank needs scratch memory for its stretches of keys and values, "
        "twice"));

}  // namespace
}  // namespace concord::radix_sort
