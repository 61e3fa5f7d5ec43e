// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// All pairs of two blocks, tile by tile, with two looks at each. The first is
// at a copy of the sketches in float32 (panels.h), a panel of rows against
// another in vector registers, and leaves off as soon as no pair of the two can
// be similar. The second computes those that may be, as the contract says.
//
// Threads take bands of rows, in order. Where a band's pairs belong, the bands
// before it tell (decoupled look-back).

#include "concord/algorithms/similar_pairs/tbb/tiled_pairs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "concord/algorithms/similar_pairs/distance.h"
#include "concord/algorithms/similar_pairs/tbb/panels.h"
#include "concord/backends/tbb/chunk_sums.h"
#include "concord/backends/tbb/simd.h"
#include "concord/core/errors.h"
#include "concord/core/operators.h"

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

absl::Status NoMemoryForPairs() {
  return absl::ResourceExhaustedError(
      "no memory for the pairs of similar_pairs/tbb/tiled");
}

// Those of a row of `a` and a row behind it of `b`, which is the same block or
// a later one.
template <typename T>
class Search {
 public:
  Search(const Panels<T>& a, const Panels<T>& b,
         const SimilarPairs::Options& options, const BlockPairs::Take& take)
      : a_(a),
        b_(b),
        offset_(b.first() - a.first()),
        dim_(options.dim),
        limit_(options.distance2),
        take_(take),
        root_(a.RootOf(limit_)),
        bands_((a.sketches() + kBand - 1) / kBand),
        sums_(bands_) {}

  absl::StatusOr<std::int64_t> Run(TbbBackend& backend) {
    if (bands_ == 0) return 0;
    if (!sums_.ok()) return NoMemoryForPairs();
    backend.ForEach(backend.threads(), [&](std::int64_t) { Work(); });
    if (out_of_memory_) return NoMemoryForPairs();
    return count_;
  }

 private:
  // Of each row of a band.
  using Found = std::array<std::vector<Neighbour>, kBand>;

  void Work() {
    Found found;
    for (std::int64_t band = sums_.Take(); band < bands_; band = sums_.Take()) {
      // Those who wait for this band must not wait in vain.
      std::int64_t count = 0;
      try {
        if (!out_of_memory_) count = FindBand(band, found);
      } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
      }
      const std::int64_t before = sums_.Publish(band, count);
      if (band == bands_ - 1) count_ = before + count;
      try {
        if (!out_of_memory_) HandOver(band, before, found);
      } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
      }
    }
  }

  // The pairs whose first is in the band.
  std::int64_t FindBand(std::int64_t band, Found& found) const {
    for (std::vector<Neighbour>& row : found) row.clear();
    const std::int64_t first = band * kBandPanels;
    const std::int64_t last = std::min(first + kBandPanels, a_.size());
    // Panels whose rows are all in front of the band's have none.
    const std::int64_t from =
        std::max<std::int64_t>(first * kPanel - offset_, 0) / kPanel;
    for (std::int64_t b = from; b < b_.size(); ++b) {
      const std::int64_t behind = (offset_ + (b + 2) * kPanel - 2) / kPanel;
      for (std::int64_t a = first; a < std::min(last, behind); ++a) {
        std::uint16_t near[kPanel];
        const float limit = LimitOf(root_, a_.ErrorOf(a), b_.ErrorOf(b), dim_);
        if (!near_rows_(a_[a], b_[b], dim_, limit, near)) continue;
        const std::int64_t rows =
            std::min<std::int64_t>(a_.sketches() - a * kPanel, kPanel);
        for (std::int64_t row = 0; row < rows; ++row) {
          const std::int64_t i = a * kPanel + row;
          Decide(i, b * kPanel, near[row],
                 found[static_cast<std::size_t>(i - band * kBand)]);
        }
      }
    }
    std::int64_t count = 0;
    for (const std::vector<Neighbour>& row : found) {
      count += static_cast<std::int64_t>(row.size());
    }
    return count;
  }

  // Of b's rows from `first` on whose bits are set, those that are similar to
  // row i of a, and behind it.
  void Decide(std::int64_t i, std::int64_t first, std::uint32_t near,
              std::vector<Neighbour>& found) const {
    constexpr int kTogether = 4;
    const Distance<T> distance(limit_, dim_);
    while (near != 0) {
      std::int64_t others[kTogether];
      const T* rows[kTogether];
      int size = 0;
      for (; near != 0 && size < kTogether; near &= near - 1) {
        const std::int64_t j = first + __builtin_ctz(near);
        if (offset_ + j > i && j < b_.sketches()) others[size++] = j;
      }
      if (size == 0) break;
      // Too few are made up by the last.
      for (int r = 0; r < kTogether; ++r) {
        rows[r] = b_.rows() + others[std::min(r, size - 1)] * dim_;
      }
      double distances[kTogether];
      const std::uint32_t within = distance.template Within<kTogether>(
          a_.rows() + i * dim_, rows, distances);
      for (int r = 0; r < size; ++r) {
        if ((within >> r & 1) == 0) continue;
        found.push_back({b_.first() + others[r], distances[r]});
      }
    }
  }

  void HandOver(std::int64_t band, std::int64_t before,
                const Found& found) const {
    std::int64_t i = a_.first() + band * kBand;
    for (const std::vector<Neighbour>& row : found) {
      if (!row.empty()) take_(i, before, row);
      before += static_cast<std::int64_t>(row.size());
      ++i;
    }
  }

  const Panels<T>& a_;
  const Panels<T>& b_;
  // Where b begins, from where a does.
  const std::int64_t offset_;
  const std::int64_t dim_;
  const double limit_;
  const BlockPairs::Take& take_;
  const double root_;
  const std::int64_t bands_;
  ChunkSums sums_;
  decltype(CONCORD_SIMD_CHOOSE(NearRowsOfPanels)) const near_rows_ =
      CONCORD_SIMD_CHOOSE(NearRowsOfPanels);
  std::int64_t count_ = 0;
  std::atomic<bool> out_of_memory_{false};
};

template <typename T>
class TiledPairs : public BlockPairs {
 public:
  TiledPairs(TbbBackend& backend, const SimilarPairs::Options& options)
      : backend_(backend), options_(options) {}

  absl::Status Hold(const Block& block) override {
    held_ = block;
    panels_.emplace(block, options_.dim);
    return panels_->Fill(backend_);
  }

  absl::StatusOr<std::int64_t> Find(const Block& other,
                                    const Take& take) override {
    if (held_.empty() || other.empty()) return 0;
    if (other == held_) {
      return Search<T>(*panels_, *panels_, options_, take).Run(backend_);
    }
    Panels<T> panels(other, options_.dim);
    RETURN_IF_ERROR(panels.FillLike(backend_, *panels_));
    const bool behind = other.first >= held_.first;
    return Search<T>(behind ? *panels_ : panels, behind ? panels : *panels_,
                     options_, take)
        .Run(backend_);
  }

 private:
  TbbBackend& backend_;
  const SimilarPairs::Options options_;
  Block held_;
  std::optional<Panels<T>> panels_;
};

}  // namespace

std::unique_ptr<BlockPairs> NewTiledPairs(
    TbbBackend& backend, ElementType type,
    const SimilarPairs::Options& options) {
  return DispatchSketches(type, [&](auto tag) -> std::unique_ptr<BlockPairs> {
    return std::make_unique<TiledPairs<decltype(tag)>>(backend, options);
  });
}

}  // namespace concord::similar_pairs
