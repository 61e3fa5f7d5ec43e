// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each rank sketches rows that follow each other, as many as have its share of
// the letters, and a long sequence is cut between any two of its windows. Ranks
// find the cuts together, each among the sequences whose offsets it has. Then
// letters and offsets move to whoever sketches them, and sketches to whoever
// has that part of the output. A row is never shared: whatever the ranks and
// the stretches are, it is computed as by one process alone.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/algorithms/tensor_sketch/cuts.h"
#include "concord/algorithms/tensor_sketch/offsets.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/registry.h"

namespace concord::tensor_sketch {
namespace {

class TensorSketchTeam : public OnTeam<TensorSketch> {
 public:
  absl::Status Compute(ConstArrayView letters, ConstArrayView offsets,
                       ConstArrayView hashes, ConstArrayView signs,
                       ArrayView out, const Options& options) override {
    const absl::Status status = Prepare(offsets, hashes, signs, options);
    RETURN_IF_ERROR(team().AgreeOn(
        absl::StrCat("tensor_sketch t=", options.t, " dim=", options.dim,
                     " alphabet=", options.alphabet_size,
                     " normalized=", static_cast<int>(options.normalized),
                     " window=", options.window, " stride=", options.stride,
                     " of ", letters.size(), " letters, ", offsets.size(),
                     " offsets"),
        status));
    Tables tables;
    ASSIGN_OR_RETURN(tables.hashes, hashes_.Fetch(backend()));
    ASSIGN_OR_RETURN(tables.signs, signs_.Fetch(backend()));
    RETURN_IF_ERROR(
        FindCuts(letters.size(), offsets.size() - 1, tables, out, options));

    RETURN_IF_ERROR(team().Agree(
        Guarded([&] { return PrepareShare(letters, offsets, out, options); })));
    ASSIGN_OR_RETURN(const ConstArrayView letters_here,
                     letters_.Fetch(backend()));
    ASSIGN_OR_RETURN(const ConstArrayView inner,
                     inner_offsets_.Fetch(backend()));
    const bool stays = rows_ == out_stretches_;
    const ArrayView sketches =
        stays ? backend().Here(out, backend().Mine(rows_)) : sketches_.view();
    RETURN_IF_ERROR(team().Agree(Guarded([&] {
      return SketchOwn(letters_here, inner, tables, sketches, options);
    })));
    if (stays) return absl::OkStatus();
    return Redistribute(
        backend().carrier(), rows_, sketches.data(), out_stretches_,
        backend().Here(out, backend().Mine(out_stretches_)).data(),
        SizeOf(out.type()));
  }

 private:
  struct Tables {
    ConstArrayView hashes;
    ConstArrayView signs;
  };

  Team& team() { return backend().team(); }
  std::size_t rank() { return static_cast<std::size_t>(team().rank()); }

  // The default one gives the bits of the definition for integers. Floats are
  // rounded as the definition has it by the recurrence alone.
  TensorSketch& Implementation(const Options& options) {
    return options.normalized ? *recurrence_ : *local_;
  }

  // Whatever can fail on one rank alone, before rows are shared out.
  absl::Status Prepare(ConstArrayView offsets, ConstArrayView hashes,
                       ConstArrayView signs, const Options& options) {
    if (local_ == nullptr) {
      const Registry<TensorSketch>& all = Registry<TensorSketch>::Get();
      ASSIGN_OR_RETURN(local_, all.Create(backend().local()));
      // Its best form on a GPU has a name of its own.
      const bool on_gpu = backend().local()->info().name == "cuda";
      ASSIGN_OR_RETURN(
          recurrence_,
          all.Create(backend().local(), on_gpu ? "cached" : "recurrence"));
    }
    // With the offset behind those that a rank has, where its last sequence
    // ends.
    ASSIGN_OR_RETURN(Ranges held, backend().Stretches(offsets));
    for (Range& range : held) {
      if (!range.empty()) range.last = std::min(range.last + 1, offsets.size());
    }
    own_offsets_ = backend().Mine(held);
    RETURN_IF_ERROR(offsets_.Prepare(backend(), offsets, std::move(held)));
    const std::int64_t entries =
        std::int64_t{options.alphabet_size} * options.t;
    const Ranges all_entries = AllOf(entries, team().size());
    RETURN_IF_ERROR(hashes_.Prepare(backend(), hashes, all_entries));
    return signs_.Prepare(backend(), signs, all_entries);
  }

  // Checks what ranks know together, and shares the rows out.
  absl::Status FindCuts(std::int64_t letters, std::int64_t sequences,
                        const Tables& tables, const ArrayView& out,
                        const Options& options) {
    ASSIGN_OR_RETURN(const ConstArrayView fetched, offsets_.Fetch(backend()));
    const absl::StatusOr<ConstArrayView> on_host =
        ToHost(*backend().local(), fetched, host_offsets_);
    absl::Status status = on_host.status();
    if (status.ok()) {
      status = CheckOffsets(
          on_host->span<std::int64_t>(), own_offsets_.first,
          !on_host->empty() && own_offsets_.last == sequences + 1, letters);
    }
    status.Update(CheckTables(tables, options));
    RETURN_IF_ERROR(team().Agree(status));

    const auto offsets = on_host->span<std::int64_t>();
    ASSIGN_OR_RETURN(const std::vector<std::int64_t> rows_of_ranks,
                     team().AllGather(CountSketchRows(offsets, options)));
    std::int64_t rows = 0;
    std::int64_t rows_before = 0;
    for (std::size_t r = 0; r < rows_of_ranks.size(); ++r) {
      if (r < rank()) rows_before += rows_of_ranks[r];
      rows += rows_of_ranks[r];
    }
    std::optional<SequenceCosts> own;
    RETURN_IF_ERROR(team().Agree(Guarded([&] {
      own.emplace(offsets, own_offsets_.first, rows_before, options);
      return CheckSize("out", out, rows * options.dim);
    })));
    return AgreeOnCuts(*own, {rows, sequences, letters, letters, 0});
  }

  absl::Status CheckTables(const Tables& tables, const Options& options) {
    Backend& local = *backend().local();
    ASSIGN_OR_RETURN(const ConstArrayView hashes,
                     ToHost(local, tables.hashes, host_hashes_));
    ASSIGN_OR_RETURN(const ConstArrayView signs,
                     ToHost(local, tables.signs, host_signs_));
    return CheckSketchTables(hashes.span<std::int32_t>(),
                             signs.span<std::int32_t>(), options);
  }

  // The cuts_, one in front of each rank's rows and one behind all.
  absl::Status AgreeOnCuts(const SequenceCosts& own, const RowCut& end) {
    const auto ranks = static_cast<std::size_t>(team().size());
    std::vector<RowCut> mine(ranks);
    for (std::size_t r = 1; r < ranks; ++r) {
      (void)own.Find(
          CostOfParts(end, static_cast<std::int64_t>(r), team().size()),
          mine[r]);
    }
    std::vector<RowCut> all(ranks * ranks);
    RETURN_IF_ERROR(team().AllGather(
        mine.data(), static_cast<std::int64_t>(ranks * sizeof(RowCut)),
        all.data()));
    cuts_.assign(ranks + 1, RowCut{});
    cuts_[ranks] = end;
    // The last rank that begins before the place has it among its sequences.
    for (std::size_t i = 0; i < all.size(); ++i) {
      RowCut& cut = cuts_[i % ranks];
      if (i % ranks != 0 && all[i].row >= cut.row) cut = all[i];
    }
    return absl::OkStatus();
  }

  // Whether the rank has any rows.
  bool HasRows(std::size_t r) const { return cuts_[r].row < cuts_[r + 1].row; }

  // Whatever can fail on one rank alone, when it is known which rows it has.
  absl::Status PrepareShare(ConstArrayView letters, ConstArrayView offsets,
                            const ArrayView& out, const Options& options) {
    Ranges of_letters, of_offsets;
    rows_.clear();
    for (std::size_t r = 0; r + 1 < cuts_.size(); ++r) {
      const RowCut& begin = cuts_[r];
      const RowCut& end = cuts_[r + 1];
      rows_.push_back({begin.row * options.dim, end.row * options.dim});
      // Those between its sequences: where the first one begins and the last
      // one ends, the cuts say.
      of_offsets.push_back(
          HasRows(r) ? Range{begin.sequence + 1, end.sequence + end.inside}
                     : Range{});
      of_letters.push_back(HasRows(r) ? Range{begin.letter, end.end_before}
                                      : Range{});
    }
    RETURN_IF_ERROR(
        inner_offsets_.Prepare(backend(), offsets, std::move(of_offsets)));
    RETURN_IF_ERROR(
        letters_.Prepare(backend(), letters, std::move(of_letters)));
    ASSIGN_OR_RETURN(out_stretches_, backend().Stretches(out));
    const std::int64_t sketches =
        rows_ == out_stretches_ ? 0 : backend().Mine(rows_).size();
    ASSIGN_OR_RETURN(sketches_,
                     backend().local()->Allocate(out.type(), sketches));
    return absl::OkStatus();
  }

  // Sketches this rank's part of the letters.
  absl::Status SketchOwn(const ConstArrayView& letters,
                         const ConstArrayView& inner, const Tables& tables,
                         const ArrayView& sketches, const Options& options) {
    ASSIGN_OR_RETURN(const ConstArrayView inner_on_host,
                     ToHost(*backend().local(), inner, host_inner_));
    ASSIGN_OR_RETURN(const ConstArrayView offsets,
                     ToLocal(*backend().local(), LocalOffsets(inner_on_host),
                             offsets_there_));
    return Implementation(options).Run(letters, offsets, tables.hashes,
                                       tables.signs, sketches, options);
  }

  // The offsets of this rank's part of the letters.
  ConstArrayView LocalOffsets(const ConstArrayView& inner) {
    local_offsets_.assign(1, 0);
    if (HasRows(rank())) {
      const std::int64_t base = cuts_[rank()].letter;
      for (const std::int64_t offset : inner.span<std::int64_t>()) {
        local_offsets_.push_back(offset - base);
      }
      local_offsets_.push_back(cuts_[rank() + 1].end_before - base);
    }
    return absl::MakeConstSpan(local_offsets_);
  }

  // Of the current call.
  MovedInput offsets_;
  MovedInput hashes_;
  MovedInput signs_;
  MovedInput inner_offsets_;
  MovedInput letters_;
  Range own_offsets_;
  std::vector<RowCut> cuts_;
  // Elements of the output that each rank computes, and that it has.
  Ranges rows_;
  Ranges out_stretches_;
  std::vector<std::int64_t> local_offsets_;
  Array sketches_;
  // From call to call: what the host looks at where a rank computes elsewhere,
  // and its offsets there.
  Array host_offsets_;
  Array host_hashes_;
  Array host_signs_;
  Array host_inner_;
  Array offsets_there_;
  std::unique_ptr<TensorSketch> local_;
  std::unique_ptr<TensorSketch> recurrence_;
};

const bool kRegistered = Registry<TensorSketch>::Get().Add<TensorSketchTeam>(
    "mpi", "rows", /*rank=*/10,
    "each rank the rows that have its share of the letters",
    Contract().Notes(
        "a row lies on one rank as a whole: letters are shared out as evenly "
        "as "
        "the longest sequence, or window, allows. Each rank needs scratch "
        "memory for its letters and sketches. Normalized sketches are computed "
        "by the recurrence, so that their bits depend on nothing"));

}  // namespace
}  // namespace concord::tensor_sketch
