// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Word counts (words.h) on many cores. The letters of all sequences are
// cut into tiles of equal cost, without regard to where sequences end, so that
// a long sequence and a million short ones are shared out alike. A sequence
// that lies within a tile is sketched at once; the pieces of one that was cut
// are put together at the end by Chen's identity.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "concord/algorithms/tensor_sketch/tbb/dna_words.h"
#include "concord/algorithms/tensor_sketch/tbb/recurrence.h"
#include "concord/algorithms/tensor_sketch/tbb/windows.h"
#include "concord/algorithms/tensor_sketch/tbb/words.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::tensor_sketch {
namespace {

// Letters of the smallest tile: 10 microseconds of DNA, which hides what a task
// costs and what it costs to put its pieces together.
constexpr std::int64_t kLeastTile = 16 * kDnaBlock;
// With so many tiles for each thread, the one that finishes last keeps the
// others waiting for some per cent of the time.
constexpr std::int64_t kTilesPerThread = 8;

// To clear, hash or write the count of a word costs about as much as this many
// additions of counts, which run in vectors.
constexpr double kAdditionsPerWord = 4;
// An addition of the recurrence costs as much as so many of word counts: it
// reads unaligned and mostly stores twice. Measured 0.9 to 2.5 for alphabets of
// 2 to 20 letters and t from 3 to 10.
constexpr double kRecurrencePenalty = 1.5;

// The sequences, and the cost of what comes before a place in them.
struct Batch {
  const std::uint8_t* letters;
  absl::Span<const std::int64_t> offsets;
  // What to begin and end a sequence costs, in letters.
  std::int64_t sequence_cost;

  std::int64_t sequences() const {
    return static_cast<std::int64_t>(offsets.size()) - 1;
  }
  std::int64_t cost_before(std::int64_t sequence) const {
    return offsets[sequence] + sequence * sequence_cost;
  }
  std::int64_t cost() const { return cost_before(sequences()); }
  absl::Span<const std::uint8_t> Letters(std::int64_t first,
                                         std::int64_t last) const {
    return {letters + first, static_cast<std::size_t>(last - first)};
  }
};

// A place where the sequences are cut: before this letter, which belongs to
// this sequence or is where it begins.
struct Cut {
  std::int64_t sequence;
  std::int64_t letter;
};

// Where the cost of what comes before reaches `cost`.
Cut CutAt(const Batch& batch, std::int64_t cost) {
  if (cost == 0) return {0, 0};
  std::int64_t first = 0;
  std::int64_t last = batch.sequences();
  while (last - first > 1) {
    const std::int64_t middle = first + (last - first) / 2;
    (batch.cost_before(middle) <= cost ? first : last) = middle;
  }
  const std::int64_t end = batch.offsets[first + 1];
  const std::int64_t letter =
      batch.offsets[first] + cost - batch.cost_before(first);
  if (letter >= end) return {first + 1, end};
  return {first, letter};
}

// The counts of a part of a sequence: integers, or doubles for normalized
// sketches.
template <typename Count>
struct Piece {
  std::int64_t sequence;
  std::vector<Count> counts;
};

template <typename Count>
class WordSketcher {
 public:
  using Pieces = std::vector<Piece<Count>>;

  WordSketcher(const WordCounter& counter, const WordHasher& hasher,
               const Batch& batch, const TensorSketch::Options& options,
               ArrayView out)
      : counter_(counter),
        hasher_(hasher),
        batch_(batch),
        options_(options),
        out_(out) {}

  // Sketches the sequences that lie between the cuts and returns the counts of
  // those that are cut, in order.
  Pieces Tile(Cut from, Cut to) const {
    Pieces pieces;
    std::vector<Count> counts(counter_.shape().size());
    for (std::int64_t s = from.sequence; s < batch_.sequences(); ++s) {
      const std::int64_t begin = batch_.offsets[s];
      const std::int64_t end = batch_.offsets[s + 1];
      const std::int64_t first = s == from.sequence ? from.letter : begin;
      const std::int64_t last = s == to.sequence ? to.letter : end;
      if (s > to.sequence || (s == to.sequence && first == last)) break;
      if (first == begin && last == end) {
        Whole(s, counts.data());
      } else {
        pieces.push_back({s, std::vector<Count>(counts.size())});
        counter_.Count(batch_.Letters(first, last),
                       pieces.back().counts.data());
      }
    }
    return pieces;
  }

  // Puts the pieces of each cut sequence together.
  void Join(std::vector<Pieces> tiles) const {
    Piece<Count> sum{-1, {}};
    for (Pieces& pieces : tiles) {
      for (Piece<Count>& piece : pieces) {
        if (piece.sequence == sum.sequence) {
          AppendWords(counter_.shape(), sum.counts.data(), piece.counts.data());
        } else {
          if (sum.sequence >= 0) Finish(sum.sequence, sum.counts.data());
          sum = std::move(piece);
        }
      }
    }
    if (sum.sequence >= 0) Finish(sum.sequence, sum.counts.data());
  }

 private:
  void Whole(std::int64_t s, Count* counts) const {
    const auto letters =
        batch_.Letters(batch_.offsets[s], batch_.offsets[s + 1]);
    if (static_cast<std::int64_t>(letters.size()) < options_.t) {
      const ArrayView sketch = out_.Slice(s * options_.dim, options_.dim);
      std::memset(sketch.data(), 0, static_cast<std::size_t>(sketch.bytes()));
      return;
    }
    counter_.Count(letters, counts);
    Finish(s, counts);
  }

  void Finish(std::int64_t s, const Count* counts) const {
    if constexpr (std::is_same_v<Count, double>) {
      hasher_.SketchNormalized(counts, out_.data<double>() + s * options_.dim);
    } else {
      hasher_.Sketch(counts, out_.data<std::int64_t>() + s * options_.dim);
    }
  }

  const WordCounter& counter_;
  const WordHasher& hasher_;
  const Batch& batch_;
  const TensorSketch::Options& options_;
  const ArrayView out_;
};

class TensorSketchTbb : public OnTbb<TensorSketch> {
 public:
  absl::Status Compute(ConstArrayView letters, ConstArrayView offsets,
                       ConstArrayView hashes, ConstArrayView signs,
                       ArrayView out, const Options& options) override {
    RETURN_IF_ERROR(
        CheckSketchElements(letters, offsets, hashes, signs, out, options));

    const SketchRows rows(offsets.span<std::int64_t>(), options);
    if (WordCounter::Fits(options.alphabet_size, options.t) &&
        (!options.normalized || options.t <= kLongestWordInDoubles)) {
      const WordCounter counter(options.alphabet_size, options.t);
      const Batch batch = {
          letters.data<std::uint8_t>(), offsets.span<std::int64_t>(),
          static_cast<std::int64_t>(kAdditionsPerWord * counter.shape().size() /
                                    counter.additions_per_letter())};
      if (WordsAreCheaper(counter, batch, rows, options)) {
        const WordHasher hasher(
            counter.shape(), options.alphabet_size, options.t, options.dim,
            hashes.data<std::int32_t>(), signs.data<std::int32_t>());
        if (options.window > 0) {
          SketchWindows(backend(), letters.data<std::uint8_t>(), rows, counter,
                        hasher, options, out);
        } else if (options.normalized) {
          Sketch(WordSketcher<double>(counter, hasher, batch, options, out),
                 batch);
        } else {
          Sketch(
              WordSketcher<std::uint64_t>(counter, hasher, batch, options, out),
              batch);
        }
        return absl::OkStatus();
      }
    }
    SketchByRecurrence(backend(), letters.data<std::uint8_t>(), rows,
                       hashes.data<std::int32_t>(), signs.data<std::int32_t>(),
                       options, out);
    return absl::OkStatus();
  }

 private:
  // How many parts the work is cut into.
  std::int64_t Tiles(const Batch& batch) const {
    if (backend().threads() == 1) return 1;
    return std::clamp<std::int64_t>(batch.cost() / kLeastTile, 1,
                                    kTilesPerThread * backend().threads());
  }

  // Compares the additions made either way; while words are counted by several
  // threads at once, one of them would follow the longest sequence through the
  // recurrence.
  bool WordsAreCheaper(const WordCounter& counter, const Batch& batch,
                       const SketchRows& rows, const Options& options) const {
    std::int64_t longest = 0;
    double letters = 0;
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      longest = std::max(longest, rows[row].size());
      letters += static_cast<double>(rows[row].size());
    }
    // A window is not shared between threads either way.
    const std::int64_t busy_threads =
        options.window > 0
            ? 1
            : std::min<std::int64_t>(Tiles(batch), backend().threads());
    const double recurrence =
        kRecurrencePenalty * RecurrenceAdditions(options) *
        std::max(letters, static_cast<double>(busy_threads * longest));
    const double words = counter.additions_per_letter() * letters +
                         kAdditionsPerWord *
                             static_cast<double>(counter.shape().size()) *
                             static_cast<double>(rows.size() + 1);
    return words < recurrence;
  }

  template <typename Sketcher>
  void Sketch(const Sketcher& sketcher, const Batch& batch) {
    const std::int64_t cost = batch.cost();
    const std::int64_t tiles = Tiles(batch);
    if (tiles == 1) {
      sketcher.Tile({0, 0}, CutAt(batch, cost));
      return;
    }
    std::vector<typename Sketcher::Pieces> pieces(tiles);
    backend().ForEach(tiles, [&](std::int64_t i) {
      // Products of a cost and a number of tiles stay far below 2^63.
      pieces[i] = sketcher.Tile(CutAt(batch, cost * i / tiles),
                                CutAt(batch, cost * (i + 1) / tiles));
    });
    sketcher.Join(std::move(pieces));
  }
};

const bool kRegistered = Registry<TensorSketch>::Get().Add<TensorSketchTbb>(
    "tbb", "word_counts", /*rank=*/10,
    "counts all words by products around their middle, hashes them once",
    Contract()
        // Of normalized sketches: where a sequence is cut depends on the
        // threads.
        .Determined(Determinism::kNone)
        .Boundaries({kDnaBlock, kLeastTile, 2 * kLeastTile, kDnaSegment})
        .Notes("counts words while there are at most 32768 of t letters and "
               "that is the cheaper way: 16 additions a letter for alphabet "
               "and t up to 4, else the sum of alphabet^k for k < t, and 4 for "
               "each count and sequence, against 1.5 * ((t - 1) * dim + 12 * "
               "t) a letter for the recurrence, which takes over beyond"));

}  // namespace
}  // namespace concord::tensor_sketch
