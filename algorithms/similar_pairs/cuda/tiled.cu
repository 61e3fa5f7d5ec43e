// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// All pairs, tile by tile, with two looks at each. The first is at a copy of
// the sketches in float32, a panel of 128 rows against another
// (first_look.cuh). The second computes what the first leaves, as the contract
// says, and writes what is similar (second_look.cuh).

#include "concord/algorithms/similar_pairs/cuda/first_look.cuh"
#include "concord/algorithms/similar_pairs/cuda/run.cuh"

namespace concord::similar_pairs {
namespace {

class SimilarPairsTiled : public SimilarPairsOnCuda<Points> {
 public:
  using SimilarPairsOnCuda<Points>::SimilarPairsOnCuda;

 protected:
  absl::Status Look(const Points& points, const Band& band) override {
    return Queue(FirstLook, {BlocksFor(band, kLookBlocks), kLookThreads},
                 points, band);
  }
};

const bool kRegistered = RegisterOnCuda<SimilarPairsTiled>(
    "tiled", /*rank=*/5,
    "tiles in float32 rule pairs out; what they leave is computed exactly",
    ContractOnCuda().Keeps(
        "a float32 copy of the sketches and 256 MiB of bits, or less for fewer "
        "than 46,000 sketches"),
    /*requirement=*/{}, {BandOption()});

}  // namespace
}  // namespace concord::similar_pairs
