// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each rank adds up its stretch of the lengths and hears the sums of the
// others, so it knows which results are its runs'. Runs go to the ranks that
// have these results: one may go to many of them, none is decoded but where its
// results are wanted. Runs without results stay, so no rank gets more runs than
// it has results.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/spread_results.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::run_length_decode {
namespace {

// Runs of one rank for another: the first of them, how many, and how many
// results of the first one belong to ranks before.
struct Part {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t skipped = 0;
};

// The parts for those who have the stretches of the output, of runs that all
// have results, the first of which is number `size`.
template <typename Length>
std::vector<Part> PartsFor(const Ranges& outputs, const Length* lengths,
                           std::int64_t runs, std::int64_t size) {
  std::vector<Part> parts(outputs.size());
  std::int64_t k = 0;
  for (std::size_t r = 0; r < outputs.size(); ++r) {
    if (outputs[r].empty()) continue;
    const auto end = [&] { return size + std::int64_t{lengths[k]}; };
    for (; k < runs && end() <= outputs[r].first; ++k) size += lengths[k];
    if (k == runs) break;
    parts[r].first = k;
    parts[r].skipped = std::max<std::int64_t>(outputs[r].first - size, 0);
    for (; k < runs && end() <= outputs[r].last; ++k) size += lengths[k];
    // The last one may go on in later stretches.
    const bool is_cut = k < runs && size < outputs[r].last;
    parts[r].count = k + (is_cut ? 1 : 0) - parts[r].first;
  }
  return parts;
}

class RunLengthDecodeTeam : public OnTeam<RunLengthDecode> {
 public:
  absl::Status Compute(const Runs& runs, const Outputs& out) override {
    const absl::Status prepared = Prepare(runs, out);
    RETURN_IF_ERROR(team().AgreeOn(
        absl::StrCat("run_length_decode of ", runs.values.size(), " ",
                     Name(runs.values.type()), ", lengths ",
                     Name(runs.lengths.type()), ", room for ", out.out.size()),
        prepared));
    ASSIGN_OR_RETURN(const ConstArrayView values, values_.Fetch(backend()));
    return run_length_encode::DispatchRunLengths(
        runs.values.type(), runs.lengths.type(), [&](auto word, auto length) {
          return Decode<typename decltype(word)::type,
                        typename decltype(length)::type>(
              values, OnHost(runs.lengths, backend().Mine(stretches_)), out);
        });
  }

 private:
  Team& team() const { return backend().team(); }

  // Whatever can fail on one rank alone, but for the room for others' runs.
  absl::Status Prepare(const Runs& runs, const Outputs& out) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(runs.lengths));
    ASSIGN_OR_RETURN(outputs_, backend().Stretches(out.out));
    RETURN_IF_ERROR(values_.Prepare(backend(), runs.values, stretches_));
    if (local_ == nullptr) {
      ASSIGN_OR_RETURN(
          local_, Registry<RunLengthDecode>::Get().Create(backend().local()));
    }
    Backend& local = *backend().local();
    const std::int64_t count = backend().Mine(stretches_).size();
    ASSIGN_OR_RETURN(own_values_, local.Allocate(runs.values.type(), count));
    ASSIGN_OR_RETURN(own_lengths_, local.Allocate(runs.lengths.type(), count));
    ASSIGN_OR_RETURN(size_, local.Allocate(ElementType::kInt64, 1));
    return absl::OkStatus();
  }

  template <typename Word, typename Length>
  absl::Status Decode(const ConstArrayView& values,
                      const ConstArrayView& lengths, const Outputs& out) {
    const absl::StatusOr<std::int64_t> sum = SumOfLengths(lengths);
    ASSIGN_OR_RETURN(const std::vector<std::int64_t> sums,
                     team().AllGather(sum.value_or(-1)));
    std::int64_t before = 0;
    std::int64_t size = 0;
    for (std::size_t r = 0; r < sums.size(); ++r) {
      if (r == static_cast<std::size_t>(team().rank())) before = size;
      if (sums[r] < 0 || __builtin_add_overflow(size, sums[r], &size)) {
        return LengthsTooLarge();
      }
    }
    const std::int64_t kept =
        KeepOwn(values.data<Word>(), lengths.data<Length>(), lengths.size());
    RETURN_IF_ERROR(Spread<Length>(
        PartsFor(outputs_, own_lengths_.data<Length>(), kept, before)));
    const absl::Status decoded =
        local_->Run({got_values_.view(), got_lengths_.view()},
                    {OnHost(out.out, backend().Mine(outputs_)), size_.view()});
    RETURN_IF_ERROR(team().Agree(decoded));
    return Tell(backend(), size, out.size);
  }

  // This rank's runs that have results, to own_values_ and own_lengths_.
  template <typename Word, typename Length>
  std::int64_t KeepOwn(const Word* values, const Length* lengths,
                       std::int64_t count) {
    auto* const kept_values = own_values_.data<Word>();
    auto* const kept_lengths = own_lengths_.data<Length>();
    std::int64_t kept = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      kept_values[kept] = values[k];
      kept_lengths[kept] = lengths[k];
      kept += lengths[k] > 0 ? 1 : 0;
    }
    return kept;
  }

  // Runs to the ranks that decode them, to got_values_ and got_lengths_.
  template <typename Length>
  absl::Status Spread(const std::vector<Part>& parts) {
    std::vector<Part> theirs(parts.size());
    std::vector<Parcel> heads;
    for (const Part& part : parts) heads.push_back({&part, sizeof(Part)});
    std::vector<Slot> slots;
    for (Part& part : theirs) slots.push_back({&part, sizeof(Part)});
    RETURN_IF_ERROR(team().Exchange(heads, slots));
    std::int64_t count = 0;
    for (const Part& part : theirs) count += part.count;
    RETURN_IF_ERROR(team().Agree(MakeRoom(count)));
    RETURN_IF_ERROR(
        Send(own_values_.view(), parts, theirs, got_values_.view()));
    RETURN_IF_ERROR(
        Send(own_lengths_.view(), parts, theirs, got_lengths_.view()));
    auto* length = got_lengths_.data<Length>();
    for (const Part& part : theirs) {
      if (part.count > 0) *length -= static_cast<Length>(part.skipped);
      length += part.count;
    }
    return absl::OkStatus();
  }

  absl::Status MakeRoom(std::int64_t count) {
    Backend& local = *backend().local();
    ASSIGN_OR_RETURN(got_values_, local.Allocate(own_values_.type(), count));
    ASSIGN_OR_RETURN(got_lengths_, local.Allocate(own_lengths_.type(), count));
    return absl::OkStatus();
  }

  absl::Status Send(const ConstArrayView& from, const std::vector<Part>& parts,
                    const std::vector<Part>& theirs, const ArrayView& to) {
    std::vector<Parcel> parcels;
    std::vector<Slot> slots;
    std::int64_t at = 0;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const ConstArrayView sent = from.Slice(parts[r].first, parts[r].count);
      parcels.push_back({sent.data(), sent.bytes()});
      const ArrayView got = to.Slice(at, theirs[r].count);
      slots.push_back({got.data(), got.bytes()});
      at += theirs[r].count;
    }
    return team().Exchange(parcels, slots);
  }

  // Of the current call.
  Ranges stretches_;  // of the runs, by their lengths
  Ranges outputs_;
  MovedInput values_;
  Array own_values_;
  Array own_lengths_;
  Array got_values_;
  Array got_lengths_;
  Array size_;
  // From call to call.
  std::unique_ptr<RunLengthDecode> local_;
};

const bool kRegistered =
    Registry<RunLengthDecode>::Get().Add<RunLengthDecodeTeam>(
        "mpi", "stretches", /*rank=*/10,
        "runs go to the ranks that have their results, which decode them",
        Contract()
            .SpecialValues("copied bit for bit")
            .Notes("each rank needs scratch memory for its stretch of the runs "
                   "and for the runs of its stretch of the output"),
        RanksOnCpus());

}  // namespace
}  // namespace concord::run_length_decode
