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
#include "concord/core/expression/parser.h"
#include "concord/core/implementation.h"

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

// Whether a maker of passes can compile here: it tries the smallest kernel,
// which the cache on the disk has from then on.
template <typename Maker>
bool CanCompile(Backend& backend) {
  const std::shared_ptr<CudaBackend> not_owned(
      std::shared_ptr<void>(), static_cast<CudaBackend*>(&backend));
  absl::StatusOr<expression::Function> same =
      expression::ParseFunction("x", {expression::Type::kInt32});
  return same.ok() && Maker(not_owned).MakeMap(*std::move(same)).ok();
}

inline Requirement SplicingRequirement() {
  return {
      "compute capability 8.0 or later, and a driver with its compiler "
      "(libnvidia-ptxjitcompiler.so.1) that is not older than the CUDA toolkit "
      "of this program",
      CanCompile<PassSplicer>};
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_CUDA_PASS_SPLICER_H_
