// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/tensor_sketch/cuda/pieces.cuh"
#include "concord/algorithms/tensor_sketch/cuda/places.cuh"
#include "concord/algorithms/tensor_sketch/cuda/run.cuh"
#include "concord/algorithms/tensor_sketch/cuda/thread_words.cuh"

namespace concord::tensor_sketch {
namespace {

// A block has no more threads, so there are no more words of t - 1 letters.
constexpr int64_t kMostPrefixes = 1024;
// Longer words need more registers than so many threads have.
constexpr int kMostLevels = 11;
// Spans are not cut shorter than this: joining two costs as much as counting
// some hundred letters.
constexpr int64_t kLeastSpan = 4096;

template <int kLevels, typename Count>
__global__ void __launch_bounds__(kMostPrefixes)
    CountWords(SketchProblem problem, Line line, Words words, uint64_t* slots,
               unsigned* arrivals) {
  const Tables& tables = problem.tables;
  extern __shared__ uint64_t last[];
  ThreadWorker<kLevels, Count> worker(words, tables, last, slots);
  CountSpan(problem.letters, line, blockIdx.x, arrivals, &worker,
            [&](int64_t row) { worker.Hash(problem.out, row * tables.dim); });
}

using Kernel = void (*)(SketchProblem, Line, Words, uint64_t*, unsigned*);

// Words of up to 4, 6 and 12 letters: a level costs a comparison and an
// addition for each letter whether it is used or not.
template <typename Count>
Kernel KernelFor(int t) {
  if (t <= 4) return CountWords<3, Count>;
  if (t <= 6) return CountWords<5, Count>;
  return CountWords<kMostLevels, Count>;
}

// Whether the words can be counted; if so, how many there are.
bool CountsOf(const Tables& tables, int64_t most_words, Words* words) {
  if (tables.t > kMostLevels + 1) return false;
  int64_t prefixes = 1;
  int64_t all = 0;
  for (int k = 1; k < tables.t; ++k) {
    prefixes *= tables.alphabet_size;
    if (prefixes > kMostPrefixes) return false;
    all += prefixes;
  }
  const int64_t size = prefixes * tables.alphabet_size;
  if (size > most_words) return false;
  words->prefixes = static_cast<int>(prefixes);
  words->whole = static_cast<int>(size);
  words->all = static_cast<int>(all + size);
  return true;
}

class ThreadWords : public TensorSketchOnCuda {
 public:
  using TensorSketchOnCuda::TensorSketchOnCuda;

  absl::Status Launch(const SketchProblem& problem) override {
    Words words;
    // What the loaded letters and a few words of the compiler leave.
    const int64_t most_words =
        (backend()->max_shared_memory_per_block() - kLoadedLetters - 1024) /
        static_cast<int64_t>(sizeof(uint64_t));
    if (!LineFits(problem) || !CountsOf(problem.tables, most_words, &words)) {
      return LaunchInstead("cached", problem);
    }
    const Kernel kernel = problem.normalized
                              ? KernelFor<double>(problem.tables.t)
                              : KernelFor<uint64_t>(problem.tables.t);
    const int threads =
        static_cast<int>(DivideUp(words.prefixes, kWarpSize) * kWarpSize);
    const int shared_bytes = words.whole * static_cast<int>(sizeof(uint64_t));
    int blocks = 0;
    absl::Status status = AllowSharedMemory(kernel, shared_bytes, name());
    status.Update(CudaStatus(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                 &blocks, kernel, threads, shared_bytes),
                             "blocks that count words"));
    if (!status.ok()) return status;

    const Cut cut =
        CutLine(problem, kLeastSpan,
                int64_t{std::max(1, blocks)} * backend()->multiprocessors());
    status = memory_.Prepare(cut.spans, words.all);
    if (status.ok()) status = ClearSketches(problem);
    if (!status.ok()) return status;
    return Queue(kernel, {cut.spans, threads, shared_bytes}, problem,
                 {problem.rows, cut.span, 0}, words, memory_.slots(),
                 memory_.arrivals());
  }

 protected:
  bool Normalizes() const override { return true; }

 private:
  PieceMemory memory_{backend()};
};

const bool kRegistered = RegisterOnCuda<ThreadWords>(
    "thread_words", /*rank=*/5,
    "words of any alphabet, each thread those with one beginning",
    Contract()
        .Types({ElementType::kUInt8, ElementType::kFloat64})
        // Of normalized sketches, to which words are added in any order.
        .Determined(Determinism::kNone)
        .Boundaries({kLoadedLetters, kLeastSpan})
        .Notes(
            "counts words where alphabet_size^(t-1) <= 1024, t <= 12 and "
            "the alphabet_size^t counts fit in shared memory; otherwise, and "
            "where windows times their length is 2^62 and more, it is cached"));

}  // namespace
}  // namespace concord::tensor_sketch
