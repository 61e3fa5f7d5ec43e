// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstring>
#include <memory>

#include "algorithms/tensor_sketch/tensor_sketch_cuda_pieces.cuh"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_places.cuh"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_variant.cuh"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_words.cuh"

namespace concord {
namespace {

using sketch_pieces::Cut;
using sketch_pieces::CutLine;
using sketch_pieces::Line;
using sketch_pieces::Piece;
using sketch_pieces::PieceMemory;
using sketch_places::Place;
using sketch_places::Tables;
using word_counts::Counts;
using word_counts::Lane;
using word_counts::WarpScratch;

// What the matrix products are made for: words of at most four letters of at
// most four. A smaller alphabet's words are some of them.
constexpr int kLetters = 4;
constexpr int kLongestWord = 4;
constexpr int kWords = 256;

// Sixteen warps on a multiprocessor, for a thread needs 128 registers. More
// warps with fewer registers were slower.
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarpSize;
constexpr int kBlocksPerMultiprocessor = 2;
// Spans are not cut shorter than this: to join two costs as much as to count a
// few blocks of letters.
constexpr int64_t kLeastSpan = 1024;

constexpr int kCountsPerLane = sizeof(Counts) / sizeof(uint64_t);
constexpr int64_t kSlotSize = kCountsPerLane * kWarpSize;

// A warp that counts the letters of pieces and hashes the counts of sequences.
class Worker {
 public:
  __device__ Worker(WarpScratch* scratch, uint64_t* slots)
      : lane_(LaneId()), scratch_(scratch), slots_(slots) {}

  __device__ void Count(const uint8_t* begin, const uint8_t* end) {
    counts_ = CountLetters(begin, end, lane_, scratch_);
  }

  __device__ void Store(int64_t slot) {
    uint64_t values[kCountsPerLane];
    memcpy(values, &counts_, sizeof(values));
#pragma unroll
    for (int i = 0; i < kCountsPerLane; ++i) __stcg(At(slot, i), values[i]);
  }
  __device__ void Load(int64_t slot) {
    uint64_t values[kCountsPerLane];
#pragma unroll
    for (int i = 0; i < kCountsPerLane; ++i) values[i] = __ldcg(At(slot, i));
    memcpy(&other_, values, sizeof(values));
  }
  __device__ unsigned Arrive(unsigned* counter) {
    __threadfence();
    __syncwarp();
    unsigned before = 0;
    if (lane_.index == 0) before = atomicAdd(counter, 1);
    before = ShuffleFrom(before, 0);
    __threadfence();
    return before;
  }
  __device__ void Append() { AppendPart(other_, lane_, scratch_, &counts_); }
  __device__ void Prepend() {
    AppendPart(counts_, lane_, scratch_, &other_);
    counts_ = other_;
  }

  // Of the lanes that have the count of a word, one adds it to the sketch.
  __device__ void Hash(const Place* places, int t, uint64_t* sketch) const {
    for (int k = 0; k < 2; ++k) {
      const int a = lane_.A(k);
      if (t == 1 && lane_.b == 0 && lane_.c == 0 && lane_.d == 0) {
        AddAt(places[a], counts_.n1[k], sketch);
      }
      for (int i = 0; i < 2; ++i) {
        const int ab = kLetters * a + lane_.B(i);
        const int abc = kLetters * ab + lane_.c;
        if (t == 2 && lane_.c == 0 && lane_.d == 0) {
          AddAt(places[ab], counts_.n2[k][i], sketch);
        }
        if (t == 3 && lane_.d == 0) {
          AddAt(places[abc], counts_.n3[k][i], sketch);
        }
        for (int r = 0; r < 2 && t == kLongestWord; ++r) {
          AddAt(places[kLetters * abc + lane_.D(r)], counts_.n4[k][r][i],
                sketch);
        }
      }
    }
  }

 private:
  __device__ uint64_t* At(int64_t slot, int i) const {
    return slots_ + slot * kSlotSize + i * kWarpSize + lane_.index;
  }

  const Lane lane_;
  WarpScratch* const scratch_;
  uint64_t* const slots_;
  Counts counts_, other_;
};

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    CountWords(SketchProblem problem, Line line, int64_t spans, uint64_t* slots,
               unsigned* arrivals) {
  const Tables& tables = problem.tables;
  __shared__ WarpScratch scratch[kWarps];
  __shared__ Place places[kWords];
  for (int word = threadIdx.x; word < 1 << (2 * tables.t); word += kThreads) {
    places[word] = PlaceOf(word, kLetters, tables);
  }
  __syncthreads();

  const int64_t span = int64_t{blockIdx.x} * kWarps + WarpId();
  if (span >= spans) return;
  Worker worker(&scratch[WarpId()], slots);
  const int64_t end = (span + 1) * line.span;
  for (int64_t i = SequenceAt(line, span * line.span);
       i < line.sequences && line.Start(i) < end; ++i) {
    const Piece piece = PieceOf(line, i, span);
    worker.Count(problem.letters + piece.begin, problem.letters + piece.end);
    if (JoinPieces(piece, arrivals, &worker)) {
      worker.Hash(places, tables.t, problem.out + i * tables.dim);
    }
  }
}

class WordCounts : public TensorSketchOnGpu {
 public:
  explicit WordCounts(std::shared_ptr<CudaBackend> backend)
      : TensorSketchOnGpu(backend, "word_counts"), memory_(backend) {}

  absl::Status Launch(const SketchProblem& problem) override {
    if (problem.tables.alphabet_size > kLetters ||
        problem.tables.t > kLongestWord) {
      return LaunchInstead("thread_words", problem);
    }
    const int64_t most_spans = int64_t{kWarps} * kBlocksPerMultiprocessor *
                               backend_->multiprocessors();
    const Cut cut =
        CutLine(problem.size, problem.sequences, kLeastSpan, most_spans);
    // As much as any call needs: it depends on the device alone.
    absl::Status status = memory_.Prepare(most_spans, kSlotSize);
    if (status.ok()) status = ClearSketches(problem);
    if (!status.ok()) return status;
    CountWords<<<static_cast<unsigned>(DivideUp(cut.spans, kWarps)), kThreads,
                 0, backend_->stream()>>>(
        problem, {problem.offsets, problem.sequences, cut.span}, cut.spans,
        memory_.slots(), memory_.arrivals());
    return LaunchStatus(name_);
  }

 private:
  PieceMemory memory_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kUInt8};
  contract.determinism = Determinism::kBitwiseAcrossBackends;
  contract.boundaries = {word_counts::kBlockLetters / word_counts::kStretches,
                         word_counts::kBlockLetters,
                         word_counts::kBlockLetters * word_counts::kLoadBlocks};
  contract.notes =
      "for alphabets of at most 4 letters and t <= 4; otherwise it is "
      "thread_words";
  return contract;
}

const bool kRegistered = RegisterOnGpu<WordCounts>(
    "word_counts", /*rank=*/10,
    "words counted on the matrix units, in pieces of equal length",
    MakeContract());

}  // namespace
}  // namespace concord
