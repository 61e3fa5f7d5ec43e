// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each member sketches rows that follow each other, which cost as much as those
// of any other (cuts.h), as one GPU would sketch them alone: a long sequence is
// cut between any two of its windows, and a row is never shared. So letters and
// sketches cross a link once, or never where they lie with the member.
//
// The words of DNA of whole sequences are sketched without the host's knowing
// which rows are whose (own_rows.cuh), and from page-locked memory while
// letters are copied (rows_from_host.cuh). From other host memory each member
// fetches its own letters, all at the same time.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/tensor_sketch/cuts.h"
#include "concord/algorithms/tensor_sketch/gpus/own_rows.cuh"
#include "concord/algorithms/tensor_sketch/gpus/rows_from_host.cuh"
#include "concord/algorithms/tensor_sketch/gpus/sequence_cuts.cuh"
#include "concord/algorithms/tensor_sketch/offsets.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/group_spec.h"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/backends/gpus/stores.cuh"
#include "concord/backends/gpus/worth_sharing.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"
#include "concord/core/signature.h"

namespace concord::tensor_sketch {
namespace {

// Letters that four GPUs take as long for as one.
constexpr std::int64_t kLeastShared = std::int64_t{1} << 23;

class TensorSketchRows : public OnGpus<TensorSketch> {
 public:
  using OnGpus<TensorSketch>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView letters, ConstArrayView offsets,
                       ConstArrayView hashes, ConstArrayView signs,
                       ArrayView out, const Options& options) override {
    if (out.empty()) return absl::OkStatus();
    if (OwnRows::Makes(options)) {
      if (!IsWorthSharing(*backend(), letters.size(), kLeastShared)) {
        ASSIGN_OR_RETURN(TensorSketch* const one, OnOneMember());
        return one->Run(letters, offsets, hashes, signs, out, options);
      }
      return own_rows_.Queue(letters, offsets, hashes, signs, out, options,
                             name());
    }
    RETURN_IF_ERROR(options.window == 0
                        ? ShareSequences(letters.size(), offsets)
                        : ShareWindows(letters.size(), offsets, out, options));
    RETURN_IF_ERROR(MakeAlone(options));
    return backend()->RunTogether(
        SetOf(backend()->members(), [&](int i) { return parts_[i].rows > 0; }),
        [&](int i) -> absl::Status {
          const LetterRange& own = parts_[i].letters;
          const CudaBackend& member = *backend()->member(i);
          const ArrayView rows =
              SketchesOf(parts_[i], out, member.memory(), options);
          ASSIGN_OR_RETURN(const Brought brought,
                           Bring(i, offsets, hashes, signs, options));
          ASSIGN_OR_RETURN(const ArrayView sketches, AtHome(i, rows));
          // Letters that lie elsewhere are reached as if they did not.
          RETURN_IF_ERROR(Alone(i, options)
                              .Run({letters.data<std::uint8_t>() + own.begin,
                                    own.size(), member.memory()},
                                   brought.offsets, brought.hashes,
                                   brought.signs, sketches, options));
          if (sketches.data() == rows.data()) return absl::OkStatus();
          return QueueStores(
              member, static_cast<const std::uint64_t*>(sketches.data()),
              static_cast<std::uint64_t*>(rows.data()), rows.size(), name());
        });
  }

  absl::Status ComputeFromHost(ConstArrayView letters, ConstArrayView offsets,
                               ConstArrayView hashes, ConstArrayView signs,
                               ArrayView out, const Options& options) override {
    RETURN_IF_ERROR(
        CheckSketchElements(letters, offsets, hashes, signs, out, options));
    if (out.empty()) return absl::OkStatus();
    parts_ =
        ShareRows(offsets.span<std::int64_t>(), options, backend()->members());
    if (RowsFromHost::Makes(options, letters)) {
      return from_host_.Run(parts_, letters, hashes, signs, out, options,
                            name());
    }
    RETURN_IF_ERROR(MakeAlone(options));
    const auto sketch = [&](int i) {
      const RowPart& part = parts_[i];
      return GetSignature().RunFromHost(
          Alone(i, options),
          {letters.Slice(part.letters.begin, part.letters.size()),
           absl::MakeConstSpan(part.offsets), hashes, signs},
          {SketchesOf(part, out, Memory::Host(), options)}, options);
    };
    // Memory that members get may be in use by work of all of them.
    RETURN_IF_ERROR(backend()->Meet());
    // Each call waits for its member, so each has a thread.
    std::vector<std::future<absl::Status>> others;
    for (int i = 1; i < backend()->members(); ++i) {
      if (parts_[i].rows == 0) continue;
      others.push_back(std::async(std::launch::async, sketch, i));
    }
    absl::Status status;
    if (parts_[0].rows > 0) status = sketch(0);
    for (std::future<absl::Status>& other : others) {
      status.Update(other.get());
    }
    return status;
  }

 private:
  // What a member has copies of.
  struct Brought {
    ConstArrayView offsets;
    ConstArrayView hashes;
    ConstArrayView signs;
  };

  // Shares whole sequences out, of which the host need not see the offsets.
  absl::Status ShareSequences(std::int64_t letters, ConstArrayView offsets) {
    const int members = backend()->members();
    const std::int64_t sequences = offsets.size() - 1;
    const RowCut end = {sequences, sequences, letters, letters, 0};
    CutCosts costs = {};
    for (int i = 1; i < members; ++i) {
      costs.of[costs.cuts++] = CostOfParts(end, i, members);
    }
    // Two numbers each: the first sequence and its first letter.
    std::vector<std::int64_t> cuts(2 * static_cast<std::size_t>(costs.cuts));
    if (costs.cuts > 0) {
      RETURN_IF_ERROR(cuts_.Reserve<SequenceCut>(kMostMembers));
      RETURN_IF_ERROR(QueueKernel(*backend()->member(0), name(), FindCuts<>,
                                  {1, kMostMembers},
                                  offsets.data<std::int64_t>(), sequences,
                                  costs, cuts_.data<SequenceCut>()));
      RETURN_IF_ERROR(backend()->member(0)->Copy(
          ConstArrayView(cuts_.data<std::int64_t>(),
                         static_cast<std::int64_t>(cuts.size()),
                         backend()->member(0)->memory()),
          ArrayView(absl::MakeSpan(cuts))));
    }
    std::vector<std::int64_t> begins = {0};
    for (std::size_t i = 1; i < cuts.size(); i += 2) begins.push_back(cuts[i]);
    begins.push_back(letters);
    // Of the offsets, nothing else is known here.
    if (!std::is_sorted(begins.begin(), begins.end())) {
      return InvalidArgumentError("the offsets decrease, or exceed the ",
                                  letters, " letters");
    }
    parts_.assign(static_cast<std::size_t>(members), RowPart());
    for (int i = 0; i < members; ++i) {
      RowPart& part = parts_[i];
      part.first_row = i == 0 ? 0 : cuts[2 * (i - 1)];
      part.rows = (i + 1 == members ? sequences : cuts[2 * i]) - part.first_row;
      part.letters = {begins[i], begins[i + 1]};
    }
    return absl::OkStatus();
  }

  // How many windows sequences have, the host adds up.
  absl::Status ShareWindows(std::int64_t letters, ConstArrayView offsets,
                            const ArrayView& out, const Options& options) {
    std::vector<std::int64_t> on_host(static_cast<std::size_t>(offsets.size()));
    RETURN_IF_ERROR(
        backend()->Copy(offsets, ArrayView(absl::MakeSpan(on_host))));
    RETURN_IF_ERROR(
        CheckOffsets(on_host, /*first=*/0, /*to_end=*/true, letters));
    RETURN_IF_ERROR(
        CheckSize("out", out, CountSketchRows(on_host, options) * options.dim));
    parts_ = ShareRows(on_host, options, backend()->members());
    return absl::OkStatus();
  }

  // What sketches rows on each member: for integers the default one. Floats are
  // rounded as the definition has it by the recurrence alone.
  absl::Status MakeAlone(const Options& options) {
    std::vector<std::unique_ptr<TensorSketch>>& alone =
        options.normalized ? normalized_ : integers_;
    while (static_cast<int>(alone.size()) < backend()->members()) {
      const auto member = static_cast<int>(alone.size());
      ASSIGN_OR_RETURN(
          std::unique_ptr<TensorSketch> made,
          Registry<TensorSketch>::Get().Create(
              backend()->member(member), options.normalized ? "cached" : ""));
      alone.push_back(std::move(made));
    }
    return absl::OkStatus();
  }
  TensorSketch& Alone(int member, const Options& options) {
    return *(options.normalized ? normalized_ : integers_)[member];
  }

  // Queues what gives a member the tables, and the offsets of its part, in its
  // own memory.
  absl::StatusOr<Brought> Bring(int i, const ConstArrayView& all_offsets,
                                const ConstArrayView& hashes,
                                const ConstArrayView& signs,
                                const Options& options) {
    const CudaBackend& member = *backend()->member(i);
    const RowPart& part = parts_[i];
    Scratch& scratch = scratch_[i];
    const std::int64_t offsets =
        options.window == 0 ? part.rows + 1
                            : static_cast<std::int64_t>(part.offsets.size());
    const std::int64_t hashes_at = offsets * int64_t{sizeof(std::int64_t)};
    const std::int64_t signs_at = hashes_at + hashes.bytes();
    RETURN_IF_ERROR(scratch.Reserve(signs_at + signs.bytes()));
    auto* const own = scratch.data<std::int64_t>();
    RETURN_IF_ERROR(
        options.window == 0
            ? QueueKernel(member, name(), Rebase<>,
                          {DivideUp(offsets, kRebaseThreads), kRebaseThreads},
                          all_offsets.data<std::int64_t>() + part.first_row,
                          offsets, part.letters.begin, own)
            : QueueCopy(member, part.offsets.data(), own, hashes_at, name()));
    const auto bring = [&](const ConstArrayView& table, std::int64_t at) {
      return QueueCopy(member, table.data(), scratch.data(at), table.bytes(),
                       name());
    };
    RETURN_IF_ERROR(bring(hashes, hashes_at));
    RETURN_IF_ERROR(bring(signs, signs_at));
    const Memory memory = member.memory();
    return Brought{ConstArrayView(own, offsets, memory),
                   ConstArrayView(scratch.data(hashes_at), hashes.type(),
                                  hashes.shape(), memory),
                   ConstArrayView(scratch.data(signs_at), signs.type(),
                                  signs.shape(), memory)};
  }

  static ArrayView SketchesOf(const RowPart& part, const ArrayView& out,
                              Memory memory, const Options& options) {
    const ArrayView rows =
        out.Slice(part.first_row * options.dim, part.rows * options.dim);
    return {rows.data(), rows.type(), rows.shape(), memory};
  }

  // These rows, or room for them where they do not all lie with the member:
  // words are added to sketches one by one.
  absl::StatusOr<ArrayView> AtHome(int i, const ArrayView& rows) {
    const GroupPlace place = Locate(rows.data(), backend()->members()).place;
    const std::int64_t first = place.offset / place.stripes.stripe;
    const std::int64_t last =
        (place.offset + rows.bytes() - 1) / place.stripes.stripe;
    if (first == last && first % backend()->members() == i) return rows;
    RETURN_IF_ERROR(sketches_[i].Reserve(rows.bytes()));
    return ArrayView(sketches_[i].data(), rows.type(), rows.shape(),
                     rows.memory());
  }

  // Of the current call.
  std::vector<RowPart> parts_;
  // From call to call.
  OwnRows own_rows_{backend()};
  RowsFromHost from_host_{backend()};
  // The same for each member.
  Scratch cuts_{backend()->member(0)};
  std::vector<Scratch> scratch_ = ScratchOfMembers(*backend());
  std::vector<Scratch> sketches_ = ScratchOfMembers(*backend());
  std::vector<std::unique_ptr<TensorSketch>> integers_;
  std::vector<std::unique_ptr<TensorSketch>> normalized_;
};

const bool kRegistered = RegisterOnGpus<TensorSketchRows>(
    "rows", /*rank=*/10,
    "each member the rows that have its share of the letters",
    Contract()
        .Types({ElementType::kUInt8, ElementType::kFloat64})
        // Sketches of windows of so many letters, or of short sequences, reach
        // another member's memory.
        .Boundaries({kGranuleBytes / 8})
        .Keeps("in each member's memory what the implementation for one GPU "
               "keeps, its offsets, the tables, and sketches whose place is in "
               "another member's")
        .Notes("a row lies on one member as a whole: letters are shared out as "
               "evenly as the longest sequence, or window, allows. Integers as "
               "by cuda/word_counts, whole sequences of fewer than 2^23 "
               "letters by one member. Where it is windows, more than four "
               "letters, longer words or more than 532 places, the host waits "
               "until it knows which rows are whose. Normalized sketches by "
               "the recurrence of cuda/cached, so that they have the bits of "
               "the reference; that takes as long as the longest sequence of "
               "any member. Letters in page-locked memory are counted while "
               "others are copied; from other host memory each member fetches "
               "its own"));

}  // namespace
}  // namespace concord::tensor_sketch
