// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of DNA of whole sequences whose letters are in page-locked memory
// of the host. One thread queues the work of all members, a piece of each in
// turn: copies begin at once, and letters are counted while the next ones are
// on their way, as by cuda/word_counts. Sketches are stored in page-locked
// memory as they are complete; to other memory they are copied at the end.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_GPUS_ROWS_FROM_HOST_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_GPUS_ROWS_FROM_HOST_CUH_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/tensor_sketch/cuda/branch.cuh"
#include "concord/algorithms/tensor_sketch/cuts.h"
#include "concord/algorithms/tensor_sketch/gpus/own_rows.cuh"
#include "concord/backends/cuda/cuda_address.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/gpus/gpus_backend.h"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/core/array.h"
#include "concord/core/errors.h"

namespace concord::tensor_sketch {

// Spans [first, last) of the line of a member's rows.
template <typename = void>
__global__ void __launch_bounds__(kWordThreads, kWordBlocks)
    CountSpansOfRows(const __grid_constant__ SketchProblem problem,
                     const __grid_constant__ Line line, int64_t first,
                     int64_t last, uint64_t* slots, unsigned* arrivals) {
  __shared__ WarpScratch<uint64_t> scratch[kWordWarps];
  __shared__ Place places[kWords];
  FindPlaces(problem.tables, places);
  __syncthreads();
  const int64_t span = first + int64_t{blockIdx.x} * kWordWarps + WarpId();
  if (span >= last) return;
  SketchSpan(problem, line, 0, span, places, scratch, slots, arrivals);
}

class RowsFromHost {
 public:
  explicit RowsFromHost(std::shared_ptr<GpusBackend> backend)
      : backend_(std::move(backend)) {
    for (int i = 0; i < backend_->members(); ++i) {
      members_.emplace_back(backend_->member(i));
    }
  }

  // Whether it can make these sketches of these letters.
  static bool Makes(const TensorSketch::Options& options,
                    const ConstArrayView& letters) {
    return OwnRows::Makes(options) && IsPageLocked(letters.data());
  }

  // `parts` has the rows of each member. Returns when `out` is complete.
  absl::Status Run(const std::vector<RowPart>& parts,
                   const ConstArrayView& letters, const ConstArrayView& hashes,
                   const ConstArrayView& signs, const ArrayView& out,
                   const TensorSketch::Options& options,
                   absl::string_view what) {
    int rounds = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Member& member = members_[i];
      member.part = &parts[i];
      member.letters_from = letters.data<uint8_t>() + parts[i].letters.begin;
      member.Begin();
      rounds = std::max(rounds, member.Pieces());
    }
    const Call call = {hashes,  signs, out,
                       options, what,  IsPageLocked(out.data())};
    absl::Status status = backend_->RunInRounds(
        SetOf(backend_->members(), [&](int i) { return parts[i].rows > 0; }),
        rounds + 3, [&](int i, int round) -> absl::Status {
          Member& member = members_[i];
          if (round == 0) return member.CopyFirst();
          if (round == 1) {
            RETURN_IF_ERROR(member.Bring(call));
            return member.Count(call);
          }
          if (member.span < member.spans) {
            RETURN_IF_ERROR(member.CopyPiece());
            return member.Count(call);
          }
          return round == rounds + 2 ? member.Return(call) : absl::OkStatus();
        });
    status.Update(Finish(!status.ok()));
    return status;
  }

 private:
  // Letters that are copied together: many, for a copy costs some microseconds
  // beside its letters, but of the last ones fewer, as they are counted when
  // all have come.
  static constexpr int64_t kMostPiece = int64_t{1} << 24;
  static constexpr int64_t kLeastPiece = int64_t{1} << 22;
  // Of a span: a piece of kMostPiece has one for each warp of a large device.
  static constexpr int64_t kSpan = int64_t{1} << 13;

  struct Call {
    const ConstArrayView& hashes;
    const ConstArrayView& signs;
    const ArrayView& out;
    const TensorSketch::Options& options;
    absl::string_view what;
    // Where kernels can store.
    bool out_is_page_locked;

    int64_t* SketchesOf(const RowPart& part) const {
      return out.data<int64_t>() + part.first_row * options.dim;
    }
  };

  static bool IsPageLocked(const void* data) {
    const absl::StatusOr<CudaAddress> address = LookUpCudaAddress(data);
    return address.ok() && address->kind == CudaAddress::Kind::kHost;
  }

  struct Member {
    explicit Member(std::shared_ptr<CudaBackend> of_gpu)
        : gpu(std::move(of_gpu)), memory(gpu) {}

    void Begin() {
      copied = span = 0;
      const int64_t length = part->letters.size() + kRowCost * part->rows;
      spans = DivideUp(length, kSpan);
    }

    // The span behind the next piece.
    int64_t EndOfPiece(int64_t from) const {
      const int64_t rest = spans - from;
      constexpr int64_t kMost = kMostPiece / kSpan;
      constexpr int64_t kLeast = kLeastPiece / kSpan;
      return from + std::min(rest, std::clamp(rest / 2, kLeast, kMost));
    }
    // Beside the first one.
    int Pieces() const {
      int pieces = 0;
      for (int64_t at = EndOfPiece(0); at < spans; at = EndOfPiece(at)) {
        ++pieces;
      }
      return pieces;
    }

    absl::Status CopyFirst() {
      ASSIGN_OR_RETURN(
          letters, gpu->Allocate(ElementType::kUInt8, part->letters.size()));
      RETURN_IF_ERROR(copies.Fork(gpu->stream()));
      return CopyPiece();
    }

    // Spans need no letter from behind their end.
    absl::Status CopyPiece() {
      const int64_t needed =
          std::min(part->letters.size(), EndOfPiece(span) * kSpan);
      const int64_t bytes = needed - copied;
      if (bytes <= 0) return absl::OkStatus();
      const auto* const from = letters_from + copied;
      auto* const to = letters.data<uint8_t>() + copied;
      copied = needed;
      return CudaStatus(
          cudaMemcpyAsync(to, from, static_cast<size_t>(bytes),
                          cudaMemcpyHostToDevice, copies.stream()),
          "copying letters");
    }

    // Offsets and tables, and room for sketches.
    absl::Status Bring(const Call& call) {
      const auto offsets = static_cast<int64_t>(part->offsets.size());
      const int64_t hashes_at = offsets * int64_t{sizeof(int64_t)};
      const int64_t signs_at = hashes_at + call.hashes.bytes();
      const int dim = call.options.dim;
      ASSIGN_OR_RETURN(small, gpu->Allocate(ElementType::kUInt8,
                                            signs_at + call.signs.bytes()));
      int64_t* out = call.SketchesOf(*part);
      if (!call.out_is_page_locked) {
        ASSIGN_OR_RETURN(sketches,
                         gpu->Allocate(ElementType::kInt64, part->rows * dim));
        out = sketches.data<int64_t>();
      }
      auto* const at = small.data<char>();
      const auto bring = [&](const void* from, int64_t to, int64_t bytes) {
        return QueueCopy(*gpu, from, at + to, bytes, call.what);
      };
      RETURN_IF_ERROR(bring(part->offsets.data(), 0, hashes_at));
      RETURN_IF_ERROR(
          bring(call.hashes.data(), hashes_at, call.hashes.bytes()));
      RETURN_IF_ERROR(bring(call.signs.data(), signs_at, call.signs.bytes()));
      const auto* const begins = reinterpret_cast<const int64_t*>(at);
      problem = {letters.data<uint8_t>(),
                 part->letters.size(),
                 {begins, begins + 1, part->rows, 0},
                 {reinterpret_cast<const int*>(at + hashes_at),
                  reinterpret_cast<const int*>(at + signs_at),
                  call.options.alphabet_size, call.options.t, dim},
                 /*normalized=*/false,
                 out};
      return memory.Prepare(spans, kSlotSize);
    }

    // What has been copied.
    absl::Status Count(const Call& call) {
      const int64_t end = EndOfPiece(span);
      RETURN_IF_ERROR(copies.Join(gpu->stream()));
      RETURN_IF_ERROR(
          QueueKernel(*gpu, call.what, CountSpansOfRows<>,
                      {DivideUp(end - span, kWordWarps), kWordThreads}, problem,
                      {problem.rows, kSpan, 0}, span, end, memory.slots(),
                      memory.arrivals()));
      span = end;
      return absl::OkStatus();
    }

    absl::Status Return(const Call& call) {
      if (call.out_is_page_locked) return absl::OkStatus();
      return QueueCopy(*gpu, sketches.data<int64_t>(), call.SketchesOf(*part),
                       sketches.view().bytes(), call.what);
    }

    void Abandon() {
      (void)cudaStreamSynchronize(copies.stream());
      (void)gpu->Synchronize();
      // Pieces that nobody came to join are still counted as there.
      memory = PieceMemory(gpu);
    }

    // From call to call.
    std::shared_ptr<CudaBackend> gpu;
    PieceMemory memory;
    Branch copies;
    // Of the current call.
    const RowPart* part = nullptr;
    const uint8_t* letters_from = nullptr;
    int64_t spans = 0;
    int64_t span = 0;    // the first one that is not counted
    int64_t copied = 0;  // letters
    Array letters, small, sketches;
    SketchProblem problem = {};
  };

  // Waits, also after an error, when copies may still be reading letters.
  absl::Status Finish(bool failed) {
    if (failed) {
      for (Member& member : members_) member.Abandon();
    }
    const absl::Status status = backend_->Synchronize();
    for (Member& member : members_) {
      member.letters = Array();
      member.small = Array();
      member.sketches = Array();
    }
    return status;
  }

  const std::shared_ptr<GpusBackend> backend_;
  // They do not move.
  std::deque<Member> members_;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_GPUS_ROWS_FROM_HOST_CUH_
