// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// All sketches as one block that is compared with itself (tiled_pairs.cc).

#include <cstdint>
#include <memory>

#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/algorithms/similar_pairs/tbb/tiled_pairs.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::similar_pairs {
namespace {

// Writes a sketch's pairs to their places, as far as there is room.
BlockPairs::Take WriteTo(const SimilarPairs::Outputs& outputs) {
  auto* const pairs = outputs.pairs.data<std::int64_t>();
  double* const distances = outputs.distances.has_value()
                                ? outputs.distances->data<double>()
                                : nullptr;
  const std::int64_t room = outputs.pairs.size() / 2;
  return [=](std::int64_t i, std::int64_t place,
             absl::Span<const Neighbour> neighbours) {
    for (const Neighbour& neighbour : neighbours) {
      if (place >= room) return;
      pairs[2 * place] = i;
      pairs[2 * place + 1] = neighbour.j;
      if (distances != nullptr) distances[place] = neighbour.distance2;
      ++place;
    }
  };
}

class SimilarPairsTbb : public OnTbb<SimilarPairs> {
 public:
  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) override {
    const std::unique_ptr<BlockPairs> pairs =
        NewTiledPairs(backend(), in.type(), options);
    RETURN_IF_ERROR(pairs->Hold({in}));
    ASSIGN_OR_RETURN(const std::int64_t count,
                     pairs->Find({in}, WriteTo(outputs)));
    *outputs.count.data<std::int64_t>() = count;
    return CheckPairsFit(count, outputs.pairs.size() / 2);
  }
};

const bool kRegistered = Registry<SimilarPairs>::Get().Add<SimilarPairsTbb>(
    "tbb", "tiled", /*rank=*/10,
    "tiles in float32 rule pairs out; what they leave is computed exactly",
    SimilarPairsContract({kPanel, kBand})
        .Notes("needs a float32 copy of the sketches, and each thread 16 bytes "
               "for a pair of a band of 128 sketches"));

}  // namespace
}  // namespace concord::similar_pairs
