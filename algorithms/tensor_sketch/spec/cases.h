// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_SPEC_CASES_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_SPEC_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/options.h"
#include "concord/core/spec.h"

namespace concord::tensor_sketch {

// The error that tensor_sketch.h allows a normalized sketch of `letters`
// letters, plus the rounding of the value that it is compared with. `mass` is
// the same sum without the signs.
inline double SketchTolerance(double letters, double mass) {
  return (3 * letters + 0x1p15 + 2) * 0x1p-53 * mass;
}

// A case as data that is easy to change. Its options are complete.
struct SketchCase {
  OptionMap options;
  std::vector<std::uint8_t> letters;
  std::vector<std::int64_t> offsets = {0};
  SketchTables tables;

  // The case must have the right types and sizes.
  static SketchCase Of(const Case& test_case);
  Case ToCase(std::string label) const;

  std::int64_t sequences() const {
    return static_cast<std::int64_t>(offsets.size()) - 1;
  }
  int alphabet_size() const {
    return static_cast<int>(options.at("alphabet").size());
  }
  int t() const { return static_cast<int>(NumberOption(options, "t")); }
  int dim() const { return static_cast<int>(NumberOption(options, "dim")); }
  std::int64_t window() const { return NumberOption(options, "window"); }
  bool normalized() const { return SwitchOption(options, "normalized"); }

  // The same with parts left out. At least one letter of the alphabet, letter
  // of a word or place of a sketch has to stay.
  SketchCase WithoutSequences(std::int64_t first, std::int64_t last) const;
  SketchCase WithoutLetters(std::int64_t first, std::int64_t last) const;
  SketchCase WithoutAlphabet(int first, int last) const;
  SketchCase WithoutColumns(int first, int last) const;
  SketchCase WithDim(int dim) const;
  // The same sequences without windows, or as integers.
  SketchCase WithoutWindows() const;
  SketchCase WithoutNormalization() const;
};

// Names of distributions:
//   uniform             one sequence of independent, equally likely letters
//   equal_lengths       the same in sequences of equal length
//   log_normal_lengths  the same in sequences whose lengths differ by orders
//                       of magnitude
//   short_sequences     the same in up to 1000 sequences of 0 to 2 t letters,
//                       and one of all letters that are left over
//   homopolymer         one sequence of a single letter
//   repeats             one sequence of a short unit over and over, changed
//                       here and there
//   invalid_letters     uniform, but one letter in eight is not in the
//                       alphabet
const std::vector<std::string>& SketchDistributions();

// Of complete options.
absl::StatusOr<Case> GenerateSketchCase(const CaseRequest& request);

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_SPEC_CASES_H_
