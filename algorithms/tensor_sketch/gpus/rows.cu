// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Each member sketches rows that follow each other, which cost as much as those
// of any other (cuts.h), as one GPU would sketch them alone: a long sequence is
// cut between any two of its windows, and a row is never shared. So letters and
// sketches cross a link once, or never where they lie with the member.
//
// From host memory each member fetches its own letters, all at the same time.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/tensor_sketch/cuts.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/core/errors.h"
#include "concord/core/registry.h"
#include "concord/core/signature.h"

namespace concord::tensor_sketch {
namespace {

// Rows are cut by the elements of the offsets, which had better be right.
absl::Status CheckOffsets(absl::Span<const std::int64_t> offsets,
                          std::int64_t letters) {
  const bool are_in_order =
      std::is_sorted(offsets.begin(), offsets.end()) && offsets.front() == 0;
  if (are_in_order && offsets.back() == letters) return absl::OkStatus();
  return InvalidArgumentError(
      are_in_order ? "the last of the offsets is not the number of letters"
                   : "the offsets do not begin with 0, or decrease");
}

class TensorSketchRows : public OnGpus<TensorSketch> {
 public:
  using OnGpus<TensorSketch>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView letters, ConstArrayView offsets,
                       ConstArrayView hashes, ConstArrayView signs,
                       ArrayView out, const Options& options) override {
    std::vector<std::int64_t> on_host(static_cast<std::size_t>(offsets.size()));
    RETURN_IF_ERROR(
        backend()->Copy(offsets, ArrayView(absl::MakeSpan(on_host))));
    RETURN_IF_ERROR(CheckOffsets(on_host, letters.size()));
    RETURN_IF_ERROR(
        CheckSize("out", out, CountSketchRows(on_host, options) * options.dim));
    if (out.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(PrepareParts(on_host, options));
    return backend()->RunTogether(
        SetOf(backend()->members(), [&](int i) { return parts_[i].rows > 0; }),
        [&](int i) -> absl::Status {
          const LetterRange& own = parts_[i].letters;
          const Memory memory = backend()->member(i)->memory();
          ASSIGN_OR_RETURN(const Brought brought,
                           Bring(i, parts_[i].offsets, hashes, signs));
          // What lies elsewhere is reached as if it lay with the member.
          return Alone(i, options)
              .Run({letters.data<std::uint8_t>() + own.begin, own.size(),
                    memory},
                   brought.offsets, brought.hashes, brought.signs,
                   SketchesOf(parts_[i], out, memory, options), options);
        });
  }

  absl::Status ComputeFromHost(ConstArrayView letters, ConstArrayView offsets,
                               ConstArrayView hashes, ConstArrayView signs,
                               ArrayView out, const Options& options) override {
    RETURN_IF_ERROR(
        CheckSketchElements(letters, offsets, hashes, signs, out, options));
    if (out.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(PrepareParts(offsets.span<std::int64_t>(), options));
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

  // Shares the rows out, and makes what sketches them on each member: for
  // integers the default one. Floats are rounded as the definition has it by
  // the recurrence alone.
  absl::Status PrepareParts(absl::Span<const std::int64_t> offsets,
                            const Options& options) {
    parts_ = ShareRows(offsets, options, backend()->members());
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

  // Queues copies for a member. The offsets have been read when this returns.
  absl::StatusOr<Brought> Bring(int member, absl::Span<const std::int64_t> own,
                                const ConstArrayView& hashes,
                                const ConstArrayView& signs) {
    Scratch& scratch = scratch_[member];
    const ConstArrayView offsets(own);
    RETURN_IF_ERROR(
        scratch.Reserve(offsets.bytes() + hashes.bytes() + signs.bytes()));
    std::int64_t at = 0;
    absl::Status status;
    const auto bring = [&](const ConstArrayView& from) {
      char* const to = scratch.data(at);
      at += from.bytes();
      status.Update(QueueCopy(*backend()->member(member), from.data(), to,
                              from.bytes(), name()));
      return ConstArrayView(to, from.type(), from.shape(),
                            backend()->member(member)->memory());
    };
    const Brought brought = {bring(offsets), bring(hashes), bring(signs)};
    if (!status.ok()) return status;
    return brought;
  }

  static ArrayView SketchesOf(const RowPart& part, const ArrayView& out,
                              Memory memory, const Options& options) {
    const ArrayView rows =
        out.Slice(part.first_row * options.dim, part.rows * options.dim);
    return {rows.data(), rows.type(), rows.shape(), memory};
  }

  // Of the current call.
  std::vector<RowPart> parts_;
  // From call to call, for each member.
  std::vector<Scratch> scratch_ = ScratchOfMembers(*backend());
  std::vector<std::unique_ptr<TensorSketch>> integers_;
  std::vector<std::unique_ptr<TensorSketch>> normalized_;
};

const bool kRegistered = RegisterOnGpus<TensorSketchRows>(
    "rows", /*rank=*/10,
    "each member the rows that have its share of the letters",
    Contract()
        .Types({ElementType::kUInt8, ElementType::kFloat64})
        .Boundaries(StripeBoundaries())
        .Keeps("in each member's memory what the implementation for one GPU "
               "keeps, its offsets and the tables")
        .Notes(
            "waits for the offsets, and refuses those that break the rules. A "
            "row lies on one member as a whole: letters are shared out as "
            "evenly as the longest sequence, or window, allows. Integers by "
            "cuda/word_counts. Normalized sketches by the recurrence of "
            "cuda/cached, so that they have the bits of the reference; that "
            "takes as long as the longest sequence of any member. From host "
            "memory each member fetches its own letters"));

}  // namespace
}  // namespace concord::tensor_sketch
