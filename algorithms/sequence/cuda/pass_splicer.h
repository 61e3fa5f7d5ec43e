// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_CUDA_PASS_SPLICER_H_
#define CONCORD_ALGORITHMS_SEQUENCE_CUDA_PASS_SPLICER_H_

#include <memory>
#include <utility>

#include "concord/algorithms/sequence/built_in_scan.h"
#include "concord/algorithms/sequence/pass_maker.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/backends/cuda/spliced/spliced_module.h"
#include "concord/core/errors.h"

namespace concord::sequence {

// Scans of a column by built-in operators, and nothing else, are those of
// `scan`.
class PassSplicer : public PassMaker {
 public:
  explicit PassSplicer(std::shared_ptr<CudaBackend> backend,
                       const spliced::Compilation& how = {})
      : backend_(std::move(backend)), how_(how) {}

  absl::StatusOr<std::unique_ptr<MadePass>> Make(const Pass& pass) override {
    if (BuiltInScan::IsAll(pass)) {
      return BuiltInScan::Create(backend_, *this, pass);
    }
    ASSIGN_OR_RETURN(SplicedPass spliced,
                     SplicedPass::Of(backend_, pass, how_));
    return std::make_unique<MadePassOf<SplicedPass>>(std::move(spliced));
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  const spliced::Compilation how_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_CUDA_PASS_SPLICER_H_
