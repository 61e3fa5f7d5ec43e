// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/tbb/windows.h"

#include <algorithm>
#include <vector>

namespace concord::tensor_sketch {
namespace {

// With so many runs of windows for each thread, the one that finishes last
// keeps the others waiting for some per cent of the time; and a run begins with
// a window that is counted anew.
constexpr std::int64_t kRunsPerThread = 8;

class WindowSketcher {
 public:
  WindowSketcher(const std::uint8_t* letters, const SketchRows& rows,
                 const WordCounter& counter, const WordHasher& hasher,
                 const TensorSketch::Options& options, ArrayView out)
      : letters_(letters),
        rows_(rows),
        counter_(counter),
        hasher_(hasher),
        options_(options),
        out_(out),
        exact_(!options.normalized ||
               Binomial(static_cast<double>(options.window), options.t) <
                   0x1p63) {}

  void Run(std::int64_t first, std::int64_t last) const {
    if (!exact_) return RunInDoubles(first, last);
    std::vector<std::uint64_t> counts(counter_.shape().size());
    std::vector<std::uint64_t> some(counts.size());
    for (std::int64_t row = first; row < last; ++row) {
      const LetterRange now = rows_[row];
      if (row > first && Slides(rows_[row - 1], now)) {
        const LetterRange before = rows_[row - 1];
        counter_.Count(Letters({before.end, now.end}), some.data());
        AppendWords(counter_.shape(), counts.data(), some.data());
        counter_.Count(Letters({before.begin, now.begin}), some.data());
        RemoveWords(counter_.shape(), counts.data(), some.data());
      } else {
        counter_.Count(Letters(now), counts.data());
      }
      if (options_.normalized) {
        hasher_.SketchNormalized(counts.data(), Out<double>(row));
      } else {
        hasher_.Sketch(counts.data(), Out<std::int64_t>(row));
      }
    }
  }

 private:
  void RunInDoubles(std::int64_t first, std::int64_t last) const {
    std::vector<double> counts(counter_.shape().size());
    for (std::int64_t row = first; row < last; ++row) {
      counter_.Count(Letters(rows_[row]), counts.data());
      hasher_.SketchNormalized(counts.data(), Out<double>(row));
    }
  }

  // Whether it is cheaper to come from the window before. Each of the t levels
  // is appended and removed once for each shorter level.
  bool Slides(const LetterRange& before, const LetterRange& now) const {
    const double merges = 2.0 * options_.t *
                          static_cast<double>(counter_.shape().size()) /
                          counter_.additions_per_letter();
    const std::int64_t change = now.begin - before.begin + now.end - before.end;
    return now.begin < before.end && static_cast<double>(change) + merges <
                                         static_cast<double>(now.size());
  }

  absl::Span<const std::uint8_t> Letters(const LetterRange& range) const {
    return {letters_ + range.begin, static_cast<std::size_t>(range.size())};
  }
  template <typename Value>
  Value* Out(std::int64_t row) const {
    return out_.data<Value>() + row * options_.dim;
  }

  const std::uint8_t* letters_;
  const SketchRows& rows_;
  const WordCounter& counter_;
  const WordHasher& hasher_;
  const TensorSketch::Options& options_;
  const ArrayView out_;
  const bool exact_;
};

}  // namespace

void SketchWindows(TbbBackend& backend, const std::uint8_t* letters,
                   const SketchRows& rows, const WordCounter& counter,
                   const WordHasher& hasher,
                   const TensorSketch::Options& options, ArrayView out) {
  const WindowSketcher sketcher(letters, rows, counter, hasher, options, out);
  const std::int64_t runs =
      backend.threads() == 1
          ? 1
          : std::min(rows.size(), kRunsPerThread * backend.threads());
  if (runs <= 1) return sketcher.Run(0, rows.size());
  backend.ForEach(runs, [&](std::int64_t i) {
    sketcher.Run(rows.size() * i / runs, rows.size() * (i + 1) / runs);
  });
}

}  // namespace concord::tensor_sketch
