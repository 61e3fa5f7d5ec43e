// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_CUDA_PASS_INTERPRETER_H_
#define CONCORD_ALGORITHMS_SEQUENCE_CUDA_PASS_INTERPRETER_H_

#include <memory>
#include <utility>

#include "concord/algorithms/sequence/built_in_scan.h"
#include "concord/algorithms/sequence/interpreted/pass.h"
#include "concord/algorithms/sequence/pass_maker.h"

namespace concord::sequence {

// Scans by built-in operators are those of `scan`, between maps.
class PassInterpreter : public PassMaker {
 public:
  explicit PassInterpreter(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  absl::StatusOr<std::unique_ptr<MadePass>> Make(const Pass& pass) override {
    if (BuiltInScan::CanRun(pass)) {
      return BuiltInScan::Create(backend_, *this, pass);
    }
    return InterpretedPass::Of(backend_, pass);
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_CUDA_PASS_INTERPRETER_H_
