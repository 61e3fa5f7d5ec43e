// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// All pairs, tile by tile, with two looks at each. The first is at a copy of
// the sketches in float32 (panels.h), a panel of rows against another in
// vector registers, and leaves off as soon as no pair of the two can be
// similar. The second computes those that may be, as the contract says.
//
// Threads take bands of rows, in order. A band's pairs are put in order and
// written where they belong, which the bands before it tell (decoupled
// look-back).

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "concord/algorithms/similar_pairs/distance.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/algorithms/similar_pairs/tbb/panels.h"
#include "concord/backends/tbb/chunk_sums.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/operators.h"
#include "concord/core/registry.h"

namespace concord::similar_pairs {
namespace {

// Of two sketches that have nothing in common the first few numbers tell.
[[maybe_unused]] constexpr std::int64_t kPlacesBetweenLooks = 8;

}  // namespace
}  // namespace concord::similar_pairs

#define CONCORD_SIMD_FILE "concord/algorithms/similar_pairs/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::similar_pairs {
namespace {

// Their float32 copy stays in the second-level cache while all others pass by:
// 48 KiB at 96 numbers.
constexpr std::int64_t kBandPanels = 8;
constexpr std::int64_t kBand = kBandPanels * kPanel;

struct FoundPair {
  std::int64_t i, j;
  double distance2;
};

template <typename T>
class AllPairs {
 public:
  using Outputs = SimilarPairs::Outputs;

  AllPairs(ConstArrayView in, const Outputs& outputs,
           const SimilarPairs::Options& options)
      : rows_(in.data<T>()),
        dim_(options.dim),
        sketches_(in.size() / dim_),
        limit_(options.distance2),
        outputs_(outputs),
        room_(outputs.pairs.size() / 2),
        panels_(rows_, sketches_, dim_),
        bands_((sketches_ + kBand - 1) / kBand),
        sums_(bands_) {}

  absl::Status Run(TbbBackend& backend) {
    if (sketches_ == 0) return Finish(0);
    if (!sums_.ok()) return OutOfMemory();
    RETURN_IF_ERROR(panels_.Fill(backend));
    root_ = panels_.RootOf(limit_);
    backend.ForEach(backend.threads(), [&](std::int64_t) { Work(); });
    if (out_of_memory_) return OutOfMemory();
    return Finish(count_);
  }

 private:
  static absl::Status OutOfMemory() {
    return absl::ResourceExhaustedError(
        "no memory for the pairs of similar_pairs/tbb/tiled");
  }

  absl::Status Finish(std::int64_t count) {
    *outputs_.count.template data<std::int64_t>() = count;
    return CheckPairsFit(count, room_);
  }

  void Work() {
    std::vector<FoundPair> found;
    for (std::int64_t band = sums_.Take(); band < bands_; band = sums_.Take()) {
      // Those who wait for this band must not wait in vain.
      std::int64_t count = 0;
      try {
        if (!out_of_memory_) count = FindBand(band, found);
      } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
      }
      const std::int64_t before = sums_.Publish(band, count);
      if (out_of_memory_) continue;
      Write(band * kBand, before, found);
      if (band == bands_ - 1) count_ = before + count;
    }
  }

  // The pairs whose first is in the band: how many, and those for which there
  // may be room.
  std::int64_t FindBand(std::int64_t band, std::vector<FoundPair>& found) {
    found.clear();
    std::int64_t count = 0;
    const std::int64_t first = band * kBandPanels;
    const std::int64_t last = std::min(first + kBandPanels, panels_.size());
    for (std::int64_t b = first; b < panels_.size(); ++b) {
      for (std::int64_t a = first; a < std::min(last, b + 1); ++a) {
        std::uint16_t near[kPanel];
        if (!near_rows_(panels_[a], panels_[b], dim_,
                        panels_.LimitOf(a, b, root_), near)) {
          continue;
        }
        for (std::int64_t row = 0; row < kPanel; ++row) {
          count += Decide(a * kPanel + row, b * kPanel, near[row], found);
        }
      }
    }
    return count;
  }

  // Of the rows from `first` on whose bits are set, those that are similar to
  // row i, and behind it.
  std::int64_t Decide(std::int64_t i, std::int64_t first, std::uint32_t near,
                      std::vector<FoundPair>& found) const {
    constexpr int kTogether = 4;
    const Distance<T> distance(limit_, dim_);
    std::int64_t count = 0;
    while (near != 0) {
      std::int64_t others[kTogether];
      const T* rows[kTogether];
      int size = 0;
      for (; near != 0 && size < kTogether; near &= near - 1) {
        const std::int64_t j = first + __builtin_ctz(near);
        if (j > i && j < sketches_) others[size++] = j;
      }
      if (size == 0) break;
      // Too few are made up by the last.
      for (int r = 0; r < kTogether; ++r) {
        rows[r] = rows_ + others[std::min(r, size - 1)] * dim_;
      }
      double distances[kTogether];
      const std::uint32_t within = distance.template Within<kTogether>(
          rows_ + i * dim_, rows, distances);
      for (int r = 0; r < size; ++r) {
        if ((within >> r & 1) == 0) continue;
        ++count;
        found.push_back({i, others[r], distances[r]});
      }
    }
    return count;
  }

  // For each row they were found in order.
  void Write(std::int64_t first, std::int64_t before,
             const std::vector<FoundPair>& found) {
    std::int64_t next[kBand + 1] = {};
    for (const FoundPair& pair : found) ++next[pair.i - first + 1];
    next[0] = before;
    for (std::int64_t row = 0; row < kBand; ++row) next[row + 1] += next[row];
    auto* const pairs = outputs_.pairs.template data<std::int64_t>();
    double* const distances = outputs_.distances.has_value()
                                  ? outputs_.distances->template data<double>()
                                  : nullptr;
    for (const FoundPair& pair : found) {
      const std::int64_t place = next[pair.i - first]++;
      if (place >= room_) continue;
      pairs[2 * place] = pair.i;
      pairs[2 * place + 1] = pair.j;
      if (distances != nullptr) distances[place] = pair.distance2;
    }
  }

  const T* const rows_;
  const std::int64_t dim_;
  const std::int64_t sketches_;
  const double limit_;
  const Outputs outputs_;
  const std::int64_t room_;
  Panels<T> panels_;
  double root_ = 0;
  const std::int64_t bands_;
  ChunkSums sums_;
  decltype(CONCORD_SIMD_CHOOSE(NearRowsOfPanels)) const near_rows_ =
      CONCORD_SIMD_CHOOSE(NearRowsOfPanels);
  std::int64_t count_ = 0;
  std::atomic<bool> out_of_memory_{false};
};

class SimilarPairsTbb : public OnTbb<SimilarPairs> {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    return DispatchSketches(in.type(), [&](auto tag) {
      return AllPairs<decltype(tag)>(in, outputs, options).Run(this->backend());
    });
  }
};

const bool kRegistered = Registry<SimilarPairs>::Get().Add<SimilarPairsTbb>(
    "tbb", "tiled", /*rank=*/10,
    "tiles in float32 rule pairs out; what they leave is computed exactly",
    SimilarPairsContract({kPanel, kBand})
        .Notes("needs a float32 copy of the sketches, and each thread 24 bytes "
               "for a pair of a band of 128 sketches"));

}  // namespace
}  // namespace concord::similar_pairs
