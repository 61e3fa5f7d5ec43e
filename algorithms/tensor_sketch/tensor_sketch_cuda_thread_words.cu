// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/tensor_sketch/tensor_sketch.h"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_pieces.cuh"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_places.cuh"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_thread_words.cuh"
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
using sketch_places::Tables;
using thread_words::kLoad;
using thread_words::Words;
using thread_words::Worker;

// A block has no more threads, so there are no more words of t - 1 letters.
constexpr int64_t kMostPrefixes = 1024;
// Longer words need more registers than so many threads have.
constexpr int kMostLevels = 11;
// Spans are not cut shorter than this: joining two costs as much as counting
// some hundred letters.
constexpr int64_t kLeastSpan = 4096;

template <int kLevels>
__global__ void __launch_bounds__(kMostPrefixes)
    CountWords(const uint8_t* letters, Line line, Words words, Tables tables,
               uint64_t* slots, unsigned* arrivals, uint64_t* out) {
  extern __shared__ uint64_t last[];
  Worker<kLevels> worker(words, tables, last, slots);
  const int64_t span = blockIdx.x;
  const int64_t end = (span + 1) * line.span;
  for (int64_t i = SequenceAt(line, span * line.span);
       i < line.sequences && line.Start(i) < end; ++i) {
    const Piece piece = PieceOf(line, i, span);
    worker.Count(letters + piece.begin, letters + piece.end);
    if (JoinPieces(piece, arrivals, &worker)) worker.Hash(out + i * tables.dim);
  }
}

using Kernel = void (*)(const uint8_t*, Line, Words, Tables, uint64_t*,
                        unsigned*, uint64_t*);

// Words of up to 4, 6 and 12 letters: a level costs a comparison and an
// addition for each letter whether it is used or not.
Kernel KernelFor(int t) {
  if (t <= 4) return CountWords<3>;
  if (t <= 6) return CountWords<5>;
  return CountWords<kMostLevels>;
}

// Whether the words can be counted; if so, how many there are.
bool CountsOf(const TensorSketch::Options& options, int64_t most_words,
              Words* words) {
  if (options.t > kMostLevels + 1) return false;
  int64_t prefixes = 1;
  int64_t all = 0;
  for (int k = 1; k < options.t; ++k) {
    prefixes *= options.alphabet_size;
    if (prefixes > kMostPrefixes) return false;
    all += prefixes;
  }
  const int64_t size = prefixes * options.alphabet_size;
  if (size > most_words) return false;
  words->prefixes = static_cast<int>(prefixes);
  words->whole = static_cast<int>(size);
  words->all = static_cast<int>(all + size);
  return true;
}

class TensorSketchCudaThreadWords : public TensorSketch {
 public:
  explicit TensorSketchCudaThreadWords(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  absl::Status Run(ConstArrayView letters, ConstArrayView offsets,
                   ConstArrayView hashes, ConstArrayView signs, ArrayView out,
                   const Options& options) override {
    absl::Status status = CheckTensorSketchArguments(
        letters, offsets, hashes, signs, out, options, backend_->memory(),
        "tensor_sketch/cuda/thread_words");
    if (!status.ok()) return status;
    Words words;
    // What the loaded letters and a few words of the compiler leave.
    const int64_t most_words =
        (backend_->max_shared_memory_per_block() - kLoad - 1024) /
        static_cast<int64_t>(sizeof(uint64_t));
    if (!CountsOf(options, most_words, &words)) {
      return RunRecurrence(letters, offsets, hashes, signs, out, options);
    }
    status = backend_->Activate();
    if (!status.ok() || out.empty()) return status;

    const Kernel kernel = KernelFor(options.t);
    const int threads = static_cast<int>(DivideUp(words.prefixes, 32) * 32);
    const int shared_bytes = words.whole * static_cast<int>(sizeof(uint64_t));
    int blocks = 0;
    status = CudaStatus(
        cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "shared memory for the words of tensor_sketch");
    status.Update(CudaStatus(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                 &blocks, kernel, threads, shared_bytes),
                             "blocks that count words"));
    if (!status.ok()) return status;

    const int64_t sequences = offsets.size() - 1;
    const Cut cut =
        CutLine(letters.size(), sequences, kLeastSpan,
                int64_t{std::max(1, blocks)} * backend_->multiprocessors());
    status = Reserve(cut.spans, 2 * cut.spans * words.all);
    if (!status.ok()) return status;

    cudaStream_t stream = backend_->stream();
    status = CudaStatus(cudaMemsetAsync(out.data(), 0, out.bytes(), stream),
                        "clearing the sketches");
    status.Update(
        CudaStatus(cudaMemsetAsync(arrivals_.view().data(), 0,
                                   cut.spans * sizeof(unsigned), stream),
                   "clearing the counters"));
    if (!status.ok()) return status;
    kernel<<<static_cast<unsigned>(cut.spans), threads, shared_bytes, stream>>>(
        letters.data<uint8_t>(), {offsets.data<int64_t>(), sequences, cut.span},
        words,
        {hashes.data<int>(), signs.data<int>(), options.alphabet_size,
         options.t, options.dim},
        slots_.data<uint64_t>(), arrivals_.data<unsigned>(),
        out.data<uint64_t>());
    return LaunchStatus("tensor_sketch/cuda/thread_words");
  }

 private:
  absl::Status Reserve(int64_t spans, int64_t counts) {
    if (arrivals_.size() < spans) {
      absl::StatusOr<Array> arrivals =
          backend_->Allocate(ElementType::kUInt32, spans);
      if (!arrivals.ok()) return arrivals.status();
      arrivals_ = *std::move(arrivals);
    }
    if (slots_.size() < counts) {
      absl::StatusOr<Array> slots =
          backend_->Allocate(ElementType::kUInt64, counts);
      if (!slots.ok()) return slots.status();
      slots_ = *std::move(slots);
    }
    return absl::OkStatus();
  }

  absl::Status RunRecurrence(ConstArrayView letters, ConstArrayView offsets,
                             ConstArrayView hashes, ConstArrayView signs,
                             ArrayView out, const Options& options) {
    if (recurrence_ == nullptr) {
      absl::StatusOr<std::unique_ptr<TensorSketch>> made =
          Registry<TensorSketch>::Get().Create(backend_, "shared_memory");
      if (!made.ok()) return made.status();
      recurrence_ = *std::move(made);
    }
    return recurrence_->Run(letters, offsets, hashes, signs, out, options);
  }

  const std::shared_ptr<CudaBackend> backend_;
  std::unique_ptr<TensorSketch> recurrence_;
  Array slots_, arrivals_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kUInt8};
  contract.determinism = Determinism::kBitwiseAcrossBackends;
  contract.boundaries = {kLoad, kLeastSpan};
  contract.notes =
      "counts words where alphabet_size^(t-1) <= 1024, t <= 12 and the "
      "alphabet_size^t counts fit in shared memory; otherwise it is "
      "shared_memory";
  return contract;
}

const bool kRegistered = Registry<TensorSketch>::Get().Add(
    "cuda", "thread_words", /*rank=*/5,
    "words of any alphabet, each thread those with one beginning",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<TensorSketchCudaThreadWords>(
          AsCuda(std::move(backend)));
    });

}  // namespace
}  // namespace concord
