// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of reduce.h over the stretches of all ranks. A chunk belongs to the
// rank that has its first element; the elements of it that others have are sent
// there. Every rank then learns the results of all chunks, and they are an
// array that is reduced by the same rules, by everybody. So the bits do not
// depend on how many ranks there are or where the stretches end.
//
// Integers, minima and maxima come out the same in any order: a rank's stretch
// is as good as a chunk.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/reduce/mpi/chunks.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/backends/mpi/chunk_shares.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::reduce {
namespace {

bool OrderMatters(Reduce::Op op, ElementType type) {
  return IsFloat(type) && (op == Reduce::Op::kAdd || op == Reduce::Op::kMul);
}

class ReduceTeam : public OnTeam<Reduce> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    const bool by_chunks = OrderMatters(options.op, in.type());
    absl::Status status = Prepare(in, out, by_chunks);
    RETURN_IF_ERROR(backend().team().AgreeOn(
        absl::StrCat("reduce op=", static_cast<int>(options.op), " of ",
                     in.size(), " ", Name(in.type())),
        status));
    if (by_chunks) {
      RETURN_IF_ERROR(ReduceChunks(in, options));
    } else {
      RETURN_IF_ERROR(ReduceStretch(in, options));
    }
    // The results of parts, which every rank has now, are an array themselves.
    const Range mine = backend().Mine(out_stretches_);
    ArrayView total = backend().Here(out, mine);
    if (mine.empty()) total = spare_.view();
    status = local_->Run(parts_.view(), total, options);
    // Nothing can fail in host memory.
    return backend().local()->memory().is_host()
               ? status
               : backend().team().Agree(status);
  }

 private:
  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView in, ArrayView out, bool by_chunks) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(in));
    ASSIGN_OR_RETURN(out_stretches_, backend().Stretches(out));
    if (local_ == nullptr) {
      ASSIGN_OR_RETURN(local_,
                       Registry<Reduce>::Get().Create(backend().local()));
    }
    RETURN_IF_ERROR(workers_.Make(backend()));
    Backend& local = *backend().local();
    if (local.info().name == "cuda" && chunks_ == nullptr) {
      ASSIGN_OR_RETURN(chunks_,
                       Registry<Chunks>::Get().Create(backend().local()));
    }
    ASSIGN_OR_RETURN(spare_, local.Allocate(in.type(), 1));
    const std::int64_t chunk = Reduce::kChunkBytes / SizeOf(in.type());
    shares_ = ShareChunks(stretches_, in.size(), chunk);
    if (!by_chunks) {
      // One part of each rank that has any element.
      std::int64_t parts = 0;
      for (Range& stretch : shares_.chunks) stretch = {parts, parts};
      for (std::size_t r = 0; r < stretches_.size(); ++r) {
        shares_.chunks[r] = {parts, parts + (stretches_[r].empty() ? 0 : 1)};
        parts = shares_.chunks[r].last;
      }
    }
    ASSIGN_OR_RETURN(own_parts_,
                     local.Allocate(in.type(), Mine(shares_.chunks).size()));
    ASSIGN_OR_RETURN(parts_,
                     local.Allocate(in.type(), shares_.chunks.back().last));
    ASSIGN_OR_RETURN(border_, local.Allocate(in.type(), by_chunks ? chunk : 0));
    return absl::OkStatus();
  }

  absl::Status ReduceStretch(ConstArrayView in, const Options& options) {
    const Range mine = Mine(stretches_);
    absl::Status status;
    if (!mine.empty()) {
      status =
          local_->Run(backend().Here(in, mine), own_parts_.view(), options);
    }
    RETURN_IF_ERROR(backend().team().Agree(status));
    return TellParts(in.type());
  }

  absl::Status ReduceChunks(ConstArrayView in, const Options& options) {
    const std::int64_t width = SizeOf(in.type());
    const std::int64_t chunk = Reduce::kChunkBytes / width;
    const Range mine = Mine(stretches_);
    const Range chunks = Mine(shares_.chunks);
    const Range tail = Mine(shares_.tails);
    // The last chunk is put together in one place if it is in two.
    const std::int64_t border = (chunks.last - 1) * chunk;
    const std::int64_t before = tail.empty() ? 0 : mine.last - border;
    absl::Status status;
    if (!tail.empty()) {
      status = backend().local()->Copy(backend().Here(in, {border, mine.last}),
                                       border_.view().Slice(0, before));
    }
    RETURN_IF_ERROR(backend().team().Agree(status));
    RETURN_IF_ERROR(Redistribute(backend().carrier(), stretches_,
                                 backend().Here(in, mine).data(), shares_.tails,
                                 border_.data<char>() + before * width, width));
    const std::int64_t whole = chunks.last - (tail.empty() ? 0 : 1);
    const Range elements = {
        std::min(chunks.first * chunk, in.size()),
        std::min(std::max(whole, chunks.first) * chunk, in.size())};
    status =
        ReduceRow(backend().Here(in, elements),
                  own_parts_.view().Slice(0, whole - chunks.first), options);
    if (!tail.empty()) {
      status.Update(ReduceRow(border_.view().Slice(0, before + tail.size()),
                              own_parts_.view().Slice(whole - chunks.first, 1),
                              options));
    }
    RETURN_IF_ERROR(backend().team().Agree(status));
    return TellParts(in.type());
  }

  // The results of chunks that follow each other.
  absl::Status ReduceRow(ConstArrayView in, ArrayView results,
                         const Options& options) {
    if (chunks_ != nullptr) return chunks_->Run(in, results, options.op);
    const std::int64_t chunk = Reduce::kChunkBytes / SizeOf(in.type());
    std::vector<absl::Status> statuses(
        static_cast<std::size_t>(backend().workers()));
    backend().ForEachWorker([&](int w) {
      const Range share = ShareOf({0, results.size()}, w, backend().workers());
      for (std::int64_t c = share.first; c < share.last; ++c) {
        const std::int64_t first = c * chunk;
        statuses[static_cast<std::size_t>(w)].Update(
            workers_[w].Run(in.Slice(first, std::min(chunk, in.size() - first)),
                            results.Slice(c, 1), options));
      }
    });
    absl::Status status;
    for (const absl::Status& of_worker : statuses) status.Update(of_worker);
    return status;
  }

  // Everybody learns the results of all parts.
  absl::Status TellParts(ElementType type) {
    return Redistribute(
        backend().carrier(), shares_.chunks, own_parts_.view().data(),
        AllOf(shares_.chunks.back().last, backend().team().size()),
        parts_.view().data(), SizeOf(type));
  }

  Range Mine(const Ranges& ranges) const { return backend().Mine(ranges); }

  // Of the current call.
  Ranges stretches_;
  Ranges out_stretches_;
  ChunkShares shares_;
  Array own_parts_;
  Array parts_;
  Array border_;
  Array spare_;
  // From call to call.
  std::unique_ptr<Reduce> local_;
  OfWorkers<Reduce> workers_;
  std::unique_ptr<Chunks> chunks_;  // on a GPU
};

const bool kRegistered = Registry<Reduce>::Get().Add<ReduceTeam>(
    "mpi", "fixed_tree", /*rank=*/10,
    "each rank its chunks of the tree; all results told to all",
    Contract()
        .SpecialValues("add, mul: IEEE 754 arithmetic in the order of the "
                       "tree; min, max: NaN if any is, -0.0 < +0.0")
        .Boundaries({Reduce::kChunkBytes, 2 * Reduce::kChunkBytes,
                     3 * Reduce::kChunkBytes},
                    {1, 4, 8})
        .Notes("every rank has the results of all chunks of 256 KiB"));

}  // namespace
}  // namespace concord::reduce
