// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "algorithms/tensor_sketch/tensor_sketch.h"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_pieces.cuh"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_places.cuh"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_words.cuh"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "core/registry.h"

namespace concord {
namespace {

using sketch_pieces::Cut;
using sketch_pieces::CutLine;
using sketch_pieces::DivideUp;
using sketch_pieces::Line;
using sketch_pieces::Piece;
using sketch_places::Place;
using sketch_places::Tables;
using word_counts::Counts;
using word_counts::Lane;
using word_counts::Scratch;

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
  __device__ Worker(Scratch* scratch, uint64_t* slots)
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
  Scratch* const scratch_;
  uint64_t* const slots_;
  Counts counts_, other_;
};

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    CountWords(const uint8_t* letters, Line line, int64_t spans, Tables tables,
               uint64_t* slots, unsigned* arrivals, uint64_t* out) {
  __shared__ Scratch scratch[kWarps];
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
    worker.Count(letters + piece.begin, letters + piece.end);
    if (JoinPieces(piece, arrivals, &worker)) {
      worker.Hash(places, tables.t, out + i * tables.dim);
    }
  }
}

class TensorSketchCuda : public TensorSketch {
 public:
  explicit TensorSketchCuda(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  absl::Status Run(ConstArrayView letters, ConstArrayView offsets,
                   ConstArrayView hashes, ConstArrayView signs, ArrayView out,
                   const Options& options) override {
    absl::Status status = CheckTensorSketchArguments(
        letters, offsets, hashes, signs, out, options, backend_->memory(),
        "tensor_sketch/cuda/word_counts");
    if (!status.ok()) return status;
    if (options.alphabet_size > kLetters || options.t > kLongestWord) {
      return RunOther(letters, offsets, hashes, signs, out, options);
    }
    status = backend_->Activate();
    if (!status.ok() || out.empty()) return status;

    const int64_t sequences = offsets.size() - 1;
    const int64_t most_spans = int64_t{kWarps} * kBlocksPerMultiprocessor *
                               backend_->multiprocessors();
    const Cut cut = CutLine(letters.size(), sequences, kLeastSpan, most_spans);
    status = Reserve(most_spans);
    if (!status.ok()) return status;

    cudaStream_t stream = backend_->stream();
    status = CudaStatus(cudaMemsetAsync(out.data(), 0, out.bytes(), stream),
                        "clearing the sketches");
    status.Update(
        CudaStatus(cudaMemsetAsync(arrivals_.view().data(), 0,
                                   cut.spans * sizeof(unsigned), stream),
                   "clearing the counters"));
    if (!status.ok()) return status;
    CountWords<<<static_cast<unsigned>(DivideUp(cut.spans, kWarps)), kThreads,
                 0, stream>>>(letters.data<uint8_t>(),
                              {offsets.data<int64_t>(), sequences, cut.span},
                              cut.spans,
                              {hashes.data<int>(), signs.data<int>(),
                               options.alphabet_size, options.t, options.dim},
                              slots_.data<uint64_t>(),
                              arrivals_.data<unsigned>(), out.data<uint64_t>());
    return LaunchStatus("tensor_sketch/cuda/word_counts");
  }

 private:
  // As much as any call needs: it depends on the device alone.
  absl::Status Reserve(int64_t spans) {
    if (slots_.size() > 0) return absl::OkStatus();
    absl::StatusOr<Array> arrivals =
        backend_->Allocate(ElementType::kUInt32, spans);
    if (!arrivals.ok()) return arrivals.status();
    absl::StatusOr<Array> slots =
        backend_->Allocate(ElementType::kUInt64, 2 * spans * kSlotSize);
    if (!slots.ok()) return slots.status();
    arrivals_ = *std::move(arrivals);
    slots_ = *std::move(slots);
    return absl::OkStatus();
  }

  absl::Status RunOther(ConstArrayView letters, ConstArrayView offsets,
                        ConstArrayView hashes, ConstArrayView signs,
                        ArrayView out, const Options& options) {
    if (other_ == nullptr) {
      absl::StatusOr<std::unique_ptr<TensorSketch>> other =
          Registry<TensorSketch>::Get().Create(backend_, "thread_words");
      if (!other.ok()) return other.status();
      other_ = *std::move(other);
    }
    return other_->Run(letters, offsets, hashes, signs, out, options);
  }

  const std::shared_ptr<CudaBackend> backend_;
  std::unique_ptr<TensorSketch> other_;
  Array slots_, arrivals_;
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

const bool kRegistered = Registry<TensorSketch>::Get().Add(
    "cuda", "word_counts", /*rank=*/10,
    "words counted on the matrix units, in pieces of equal length",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<TensorSketchCuda>(AsCuda(std::move(backend)));
    });

}  // namespace
}  // namespace concord
