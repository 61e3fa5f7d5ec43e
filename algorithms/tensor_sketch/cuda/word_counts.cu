// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The words of DNA (words.cuh) of pieces of equal length (pieces.cuh), a warp
// for each; from host memory while the letters are still being copied.

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/tensor_sketch/cuda/branch.cuh"
#include "concord/algorithms/tensor_sketch/cuda/pieces.cuh"
#include "concord/algorithms/tensor_sketch/cuda/places.cuh"
#include "concord/algorithms/tensor_sketch/cuda/run.cuh"
#include "concord/algorithms/tensor_sketch/cuda/word_worker.cuh"

namespace concord::tensor_sketch {
namespace {

// Letters that are copied at a time while those before them are counted: some
// 150 us over PCI Express 5, several times what a launch costs.
constexpr int64_t kCopiedTogether = int64_t{1} << 23;

template <typename Count>
__global__ void __launch_bounds__(kWordThreads, kWordBlocks)
    CountWords(SketchProblem problem, Line line, int64_t first_span,
               int64_t last_span, uint64_t* slots, unsigned* arrivals) {
  const Tables& tables = problem.tables;
  __shared__ WarpScratch<Count> scratch[kWordWarps];
  __shared__ Place places[kWords];
  FindPlaces(tables, places);
  __syncthreads();

  const int64_t span = first_span + int64_t{blockIdx.x} * kWordWarps + WarpId();
  if (span >= last_span) return;
  WordWorker<Count> worker(&scratch[WarpId()], slots);
  CountSpan(problem.letters, line, span, arrivals, &worker, [&](int64_t row) {
    worker.Hash(places, tables.t, problem.out, row * tables.dim);
  });
}

class WordCounts : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) override {
    if (!Counts(problem)) return LaunchInstead("thread_words", problem);
    const Cut cut = CutLine(problem, kLeastWordSpan, MostWarps());
    // As much as any call needs: it depends on the device alone.
    absl::Status status = memory_.Prepare(MostWarps(), kSlotSize);
    if (status.ok()) status = ClearSketches(problem);
    if (status.ok()) status = LaunchSpans(problem, cut, 0, cut.spans);
    return status;
  }

  bool LaunchesInParts(const SketchProblem& problem) const override {
    return Counts(problem) && problem.rows.window == 0 &&
           problem.size >= 2 * kCopiedTogether;
  }

  // What has been copied is counted in short spans, half as many at a time as
  // there can be warps: they keep up with the copy, and the last of them is
  // soon done. Spans need no letter from behind their end, for a place on the
  // line never comes before the letter of that number.
  absl::Status LaunchInParts(const SketchProblem& problem,
                             const uint8_t* host_letters) override {
    const int64_t together = MostWarps() / 2;
    const int64_t parts = DivideUp(problem.size, kCopiedTogether);
    const Cut cut = CutLine(problem, kLeastWordSpan, parts * together);
    absl::Status status = memory_.Prepare(cut.spans, kSlotSize);
    if (status.ok()) status = ClearSketches(problem);
    if (status.ok()) status = copies_.Fork(stream());
    int64_t copied = 0;
    for (int64_t span = 0; span < cut.spans && status.ok(); span += together) {
      const int64_t last = std::min(span + together, cut.spans);
      const int64_t needed = std::min(problem.size, last * cut.span);
      status = CudaStatus(
          cudaMemcpyAsync(const_cast<uint8_t*>(problem.letters) + copied,
                          host_letters + copied, needed - copied,
                          cudaMemcpyHostToDevice, copies_.stream()),
          "copying letters");
      copied = needed;
      status.Update(copies_.Join(stream()));
      if (status.ok()) status = LaunchSpans(problem, cut, span, last);
    }
    // Pieces that nobody came to join are still counted as there.
    if (!status.ok()) memory_ = PieceMemory(backend());
    return status;
  }

 protected:
  bool Normalizes() const override { return true; }

 private:
  static bool Counts(const SketchProblem& problem) {
    return AreWordsOfDna(problem.tables.alphabet_size, problem.tables.t) &&
           LineFits(problem);
  }
  int64_t MostWarps() const {
    return int64_t{kWordWarps} * kWordBlocks * backend()->multiprocessors();
  }

  absl::Status LaunchSpans(const SketchProblem& problem, const Cut& cut,
                           int64_t first, int64_t last) {
    const auto kernel =
        problem.normalized ? CountWords<double> : CountWords<uint64_t>;
    return Queue(kernel, {DivideUp(last - first, kWordWarps), kWordThreads},
                 problem, {problem.rows, cut.span, 0}, first, last,
                 memory_.slots(), memory_.arrivals());
  }

  PieceMemory memory_{backend()};
  Branch copies_;
};

const bool kRegistered = RegisterOnCuda<WordCounts>(
    "word_counts", /*rank=*/10,
    "words counted on the matrix units, in pieces of equal length",
    Contract()
        .Types({ElementType::kUInt8, ElementType::kFloat64})
        // Of normalized sketches, to which words are added in any order.
        .Determined(Determinism::kNone)
        .Boundaries({kBlockLetters / kStretches, kBlockLetters,
                     (kBlockLetters * kLoadBlocks)})
        .Notes("for alphabets of at most 4 letters and t <= 4; otherwise it is "
               "thread_words; from host memory it counts while letters are "
               "copied"));

}  // namespace
}  // namespace concord::tensor_sketch
