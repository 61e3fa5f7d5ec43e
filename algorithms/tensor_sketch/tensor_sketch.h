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
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/implementation.h"

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
// Normalized sketches are divided by binomial(n, t), the number of subsequences
// of t letters of a sequence of n (without those that are skipped): the mean of
// what they add, from -1 to 1 everywhere, and zeros when n < t. They are
// float64 and never overflow. In closed form place l is the sum of sign(w) n(w)
// / binomial(n, t) over the words w with place(w) = l, and an implementation
// may be off by (3 n + 2^15) 2^-53 times the same sum without the signs. The
// recurrence becomes
//
//   for the m-th letter c that counts, m = 1, 2, ...:
//     for k = min(t, m) - 1, ..., 0:
//       keep = (m - (k + 1)) / m, enter = signs[c][k] * (k + 1) / m
//       for l = 0, ..., dim - 1:
//         T[k + 1][l] = keep * T[k + 1][l] + enter * T[k][(l - h) mod dim]
//
// since binomial(m - 1, k + 1) / binomial(m, k + 1) is `keep` and the rest
// comes from the subsequences that end with c.
//
// With a window of W > 0 letters there is a sketch for each window instead of
// one for each sequence. The windows of a sequence of L letters (all of them,
// also those that are skipped) begin at 0, stride, 2 stride, ... as long as all
// W letters are there: 1 + (L - W) / stride windows, rounded down. A sequence
// of fewer than W letters has one window, which is all of it.
//
// Source: A. Joudaki, G. Raetsch, A. Kahles, "Fast alignment-free similarity
// estimation by tensor sketching" (bioRxiv 2020.11.13.381814). Normalized
// sketches are what the authors compute; windows are their Tensor Slide Sketch.
class TensorSketch : public Implementation {
 public:
  static constexpr char kName[] = "tensor_sketch";
  // Far beyond any use, and small enough that no index overflows.
  static constexpr int kMostT = 1024;
  static constexpr int kMostDim = 1 << 24;

  struct Options {
    int alphabet_size = 4;  // from 1 to 256
    int t = 4;              // letters in a word, from 1 to kMostT
    int dim = 96;           // integers in a sketch, from 1 to kMostDim
    bool normalized = false;
    // Letters of a window, or 0 for whole sequences; without windows the stride
    // is 1.
    std::int64_t window = 0;
    std::int64_t stride = 1;
  };

  // letters: uint8, the letters of all sequences one after the other. A letter
  //   >= alphabet_size is skipped, as if it were not there.
  // offsets: int64 [sequences + 1]. Sequence i is [offsets[i], offsets[i + 1]);
  //   they begin with 0, never decrease and end with letters.size().
  // hashes: int32 [alphabet_size, t], from 0 to dim - 1.
  // signs: int32 [alphabet_size, t], each -1 or +1.
  // out: int64, or float64 when normalized, [sequences or windows, dim]: the
  //   sketches in order, and no other array's memory.
  //
  // All arrays live in the backend's memory. A sequence of fewer than t letters
  // has a sketch of zeros; no sequences at all are fine.
  //
  // InvalidArgument: a wrong element type, size or memory, or an option out of
  // range. On the CPU also values of offsets and tables that break the rules
  // above, and a number of windows that is not the one `out` has room for; a
  // GPU does not check these, because the host would have to wait for it, and
  // nothing is promised there where they are broken.
  // Unimplemented: this implementation does not normalize; its contract then
  // has no float64.
  absl::Status Run(ConstArrayView letters, ConstArrayView offsets,
                   ConstArrayView hashes, ConstArrayView signs, ArrayView out,
                   const Options& options);

  static const Signature<TensorSketch>& GetSignature();

 protected:
  // Run, when the arguments have been checked, but for elements and what
  // follows from them.
  virtual absl::Status Compute(ConstArrayView letters, ConstArrayView offsets,
                               ConstArrayView hashes, ConstArrayView signs,
                               ArrayView out, const Options& options) = 0;

  // The same with arrays in host memory, and complete when it returns, for an
  // implementation with memory of its own that overlaps the copies there and
  // back with its work.
  virtual absl::Status ComputeFromHost(ConstArrayView /*letters*/,
                                       ConstArrayView /*offsets*/,
                                       ConstArrayView /*hashes*/,
                                       ConstArrayView /*signs*/,
                                       ArrayView /*out*/,
                                       const Options& /*options*/) {
    return absl::UnimplementedError("no way of its own from host memory");
  }
};

}  // namespace concord

namespace concord::tensor_sketch {

struct LetterRange {
  std::int64_t begin, end;

  std::int64_t size() const { return end - begin; }
};

}  // namespace concord::tensor_sketch

namespace concord {

// What there is a sketch of, in order: sequences or windows.
class SketchRows {
 public:
  // The offsets must stay where they are.
  SketchRows(absl::Span<const std::int64_t> offsets,
             const TensorSketch::Options& options);

  std::int64_t size() const {
    return windows_.empty() ? static_cast<std::int64_t>(offsets_.size()) - 1
                            : static_cast<std::int64_t>(windows_.size());
  }
  tensor_sketch::LetterRange operator[](std::int64_t row) const {
    if (windows_.empty()) return {offsets_[row], offsets_[row + 1]};
    return windows_[row];
  }

  // How many windows a sequence of that many letters has.
  static std::int64_t WindowsOf(std::int64_t letters,
                                const TensorSketch::Options& options);

 private:
  absl::Span<const std::int64_t> offsets_;
  std::vector<tensor_sketch::LetterRange> windows_;
};

// The number of rows without making them.
std::int64_t CountSketchRows(absl::Span<const std::int64_t> offsets,
                             const TensorSketch::Options& options);

// --- For callers with host data ---

// The two tables, [alphabet_size, t] each.
struct SketchTables {
  std::vector<std::int32_t> hashes;
  std::vector<std::int32_t> signs;
};

// Independent and uniform; the same for the same seed on every machine.
// InvalidArgument: options out of range.
absl::StatusOr<SketchTables> RandomSketchTables(
    const TensorSketch::Options& options, std::uint64_t seed);

// Sketches host data on `backend`: copies there, runs, waits and copies back.
// The first function returns integers, so `options` must not ask for normalized
// sketches. The second one always returns normalized sketches.
//
// Example:
//   TensorSketch::Options options;                 // DNA, t = 4, dim = 96
//   absl::StatusOr<SketchTables> tables =
//       RandomSketchTables(options, /*seed=*/1);
//   std::vector<uint8_t> letters = {0, 1, 2, 3, 3, 2};  // ACGT, TG
//   std::vector<int64_t> offsets = {0, 4, 6};
//   absl::StatusOr<std::vector<int64_t>> sketches =
//       ComputeTensorSketch(backend, letters, offsets, *tables, options);
absl::StatusOr<std::vector<std::int64_t>> ComputeTensorSketch(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::uint8_t> letters,
    absl::Span<const std::int64_t> offsets, const SketchTables& tables,
    const TensorSketch::Options& options, absl::string_view variant = "");

absl::StatusOr<std::vector<double>> ComputeNormalizedTensorSketch(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::uint8_t> letters,
    absl::Span<const std::int64_t> offsets, const SketchTables& tables,
    const TensorSketch::Options& options, absl::string_view variant = "");

}  // namespace concord

// --- For implementations ---

namespace concord::tensor_sketch {

// The elements of the tables, in host memory.
absl::Status CheckSketchTables(absl::Span<const std::int32_t> hashes,
                               absl::Span<const std::int32_t> signs,
                               const TensorSketch::Options& options);

// What Run has to refuse by elements, of arrays in host memory.
absl::Status CheckSketchElements(const ConstArrayView& letters,
                                 const ConstArrayView& offsets,
                                 const ConstArrayView& hashes,
                                 const ConstArrayView& signs,
                                 const ConstArrayView& out,
                                 const TensorSketch::Options& options);

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_H_
