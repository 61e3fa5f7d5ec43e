// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// As tiled.cu, with a first look by matrix units at a copy of the sketches in
// half precision (matrix_look.cuh).

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/similar_pairs/cuda/matrix_look.cuh"
#include "concord/algorithms/similar_pairs/cuda/run.cuh"
#include "concord/backends/cuda/cuda_status.h"

namespace concord::similar_pairs {
namespace {

class SimilarPairsMatrix : public SimilarPairsOnCuda<Halves> {
 public:
  using SimilarPairsOnCuda<Halves>::SimilarPairsOnCuda;

 protected:
  absl::Status Look(const Halves& halves, const Band& band) override {
    const int64_t blocks = BlocksFor(band, kMatrixBlocks);
    constexpr int64_t kTurns = 8;
    const int64_t of_turn = std::clamp(band.tiles() / (blocks * kTurns),
                                       int64_t{1}, kMostTilesOfTurn);
    return Queue(IsResident(halves) ? MatrixLook<true> : MatrixLook<false>,
                 {blocks, kMatrixThreads, SharedBytesFor(halves)}, halves, band,
                 of_turn);
  }
};

const bool kRegistered = RegisterOnCuda<SimilarPairsMatrix>(
    "matrix", /*rank=*/10,
    "products of float16 on matrix units rule pairs out; what they leave is "
    "computed exactly",
    ContractOnCuda().Keeps(
        "a float16 copy of the sketches and 256 MiB of bits, or less for fewer "
        "than 46,000 sketches"),
    {"compute capability 8.0 or later, and code for it in this program",
     [](Backend& backend) {
       cudaFuncAttributes attributes;
       return static_cast<CudaBackend&>(backend).Activate().ok() &&
              TryCuda(cudaFuncGetAttributes(&attributes, MatrixLook<true>)) &&
              attributes.ptxVersion >= 80;
     }},
    {BandOption()});

}  // namespace
}  // namespace concord::similar_pairs
