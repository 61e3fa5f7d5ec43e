// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/array.h"
#include "core/backend.h"

namespace concord {

// Tensor Sketch: turns each sequence into `dim` integers such that sequences
// with many subsequences in common have sketches close to each other, without
// aligning them. A subsequence keeps the order but need not be contiguous.
//
// For one sequence s over the letters 0 .. alphabet_size - 1:
//
//   T[0] = (1, 0, ..., 0), T[1] = ... = T[t] = 0      // each of dim integers
//   for c in s:
//     for k = t - 1, ..., 0:
//       for l = 0, ..., dim - 1:
//         T[k + 1][l] += signs[c][k] * T[k][(l - hashes[c][k]) mod dim]
//   the sketch is T[t]
//
// In closed form, with n(w) the number of subsequences of s that spell the word
// w = w_0 ... w_{t-1}: every word adds sign(w) * n(w) at place(w), where
// sign(w) is the product of signs[w_k][k] and place(w) the sum of
// hashes[w_k][k] mod dim.
//
// The roll moves values up: what stood at 0 arrives at hashes[c][k]. This is
// the direction of the authors of the method and of numpy.roll. Code that reads
// T[k][(l + h) mod dim] instead gives the mirror image: its value at l is ours
// at (dim - l) mod dim.
//
// All arithmetic is on integers modulo 2^64, so the result does not depend on
// the order of operations: every implementation gives the same bits.
//
// Source: A. Joudaki, G. Raetsch, A. Kahles, "Fast alignment-free similarity
// estimation by tensor sketching" (bioRxiv 2020.11.13.381814). The authors
// divide by the number of subsequences, binomial(n, t); we leave the integers.
class TensorSketch {
 public:
  static constexpr char kName[] = "tensor_sketch";
  // Far beyond any use, and small enough that no index overflows.
  static constexpr int kMostT = 1024;
  static constexpr int kMostDim = 1 << 24;

  struct Options {
    int alphabet_size = 4;  // from 1 to 256
    int t = 4;              // letters in a word, from 1 to kMostT
    int dim = 96;           // integers in a sketch, from 1 to kMostDim
  };

  virtual ~TensorSketch() = default;

  // letters: uint8, the letters of all sequences one after the other. A letter
  //   >= alphabet_size is skipped, as if it were not there.
  // offsets: int64 [sequences + 1]. Sequence i is [offsets[i], offsets[i + 1]);
  //   they begin with 0, never decrease and end with letters.size().
  // hashes: int32 [alphabet_size, t], from 0 to dim - 1.
  // signs: int32 [alphabet_size, t], each -1 or +1.
  // out: int64 [sequences, dim], the sketches, and no other array's memory.
  //
  // All arrays live in the backend's memory. A sequence of fewer than t letters
  // has a sketch of zeros; no sequences at all are fine.
  //
  // InvalidArgument: a wrong element type, size or memory or an option out of
  // range; on the CPU also values of offsets and tables that break the rules
  // above, which a GPU would have to be waited for to see.
  virtual absl::Status Run(ConstArrayView letters, ConstArrayView offsets,
                           ConstArrayView hashes, ConstArrayView signs,
                           ArrayView out, const Options& options) = 0;
};

// --- For callers with host data ---

// The two tables, [alphabet_size, t] each.
struct SketchTables {
  std::vector<std::int32_t> hashes;
  std::vector<std::int32_t> signs;
};

// Independent and uniform; the same for the same seed on every machine. The
// options must be in range.
SketchTables RandomSketchTables(const TensorSketch::Options& options,
                                std::uint64_t seed);

// Sketches host data on `backend`: copies there, runs, waits and copies back.
//
// Example:
//   TensorSketch::Options options;                 // DNA, t = 4, dim = 96
//   SketchTables tables = RandomSketchTables(options, /*seed=*/1);
//   std::vector<uint8_t> letters = {0, 1, 2, 3, 3, 2};  // ACGT, TG
//   std::vector<int64_t> offsets = {0, 4, 6};
//   absl::StatusOr<std::vector<int64_t>> sketches =
//       ComputeTensorSketch(backend, letters, offsets, tables, options);
absl::StatusOr<std::vector<std::int64_t>> ComputeTensorSketch(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::uint8_t> letters,
    absl::Span<const std::int64_t> offsets, const SketchTables& tables,
    const TensorSketch::Options& options, absl::string_view variant = "");

// --- For implementations ---

// Everything about the arguments that does not need their elements. `where`
// names the implementation in errors, `memory` is what its backend computes in.
absl::Status CheckTensorSketchArguments(const ConstArrayView& letters,
                                        const ConstArrayView& offsets,
                                        const ConstArrayView& hashes,
                                        const ConstArrayView& signs,
                                        const ConstArrayView& out,
                                        const TensorSketch::Options& options,
                                        Memory memory, absl::string_view where);

// The elements of the tables, in host memory, after the check above.
absl::Status CheckSketchTables(absl::Span<const std::int32_t> hashes,
                               absl::Span<const std::int32_t> signs,
                               const TensorSketch::Options& options);

// Both, and the elements of offsets: all that can be wrong with arguments in
// host memory.
absl::Status CheckTensorSketchOnHost(const ConstArrayView& letters,
                                     const ConstArrayView& offsets,
                                     const ConstArrayView& hashes,
                                     const ConstArrayView& signs,
                                     const ConstArrayView& out,
                                     const TensorSketch::Options& options,
                                     absl::string_view where);

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_H_
