// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_PASS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_PASS_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/pass_arrays.h"
#include "concord/algorithms/sequence/pass_maker.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/interpreter/arrays.h"
#include "concord/core/array.h"
#include "concord/core/expression/function.h"

namespace concord::sequence {

// One pass over columns on a GPU, whose functions kernels of this program
// interpret. Nothing is compiled; results have the bits of SplicedPass.
class InterpretedPass : public MadePass {
 public:
  // out[..][i] = function(columns[..][i]) at index i.
  static absl::StatusOr<std::unique_ptr<InterpretedPass>> Map(
      std::shared_ptr<CudaBackend> backend,
      const expression::Function& function);

  // The pass of a plan, which is no kCount.
  static absl::StatusOr<std::unique_ptr<InterpretedPass>> Of(
      std::shared_ptr<CudaBackend> backend, const Pass& pass);

  absl::StatusOr<PassOutcome> Run(std::int64_t n,
                                  absl::Span<const ConstArrayView> columns,
                                  absl::Span<const ConstArrayView> tables,
                                  absl::Span<const ArrayView> out,
                                  std::int64_t index) override;

  // The elements [begin, end) of columns that begin with element 0.
  struct Call {
    std::int64_t begin;
    std::int64_t end;
    absl::Span<const ConstArrayView> columns;
    absl::Span<const ArrayView> out;
    // Has columns, tables and results.
    machine::Arrays arrays;
  };

 protected:
  explicit InterpretedPass(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  // Queues its kernels.
  virtual absl::Status Launch(const Call& call) = 0;
  // How many of them a filter has kept.
  virtual Count Kept() const { return {}; }

  CudaBackend& backend() { return *backend_; }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  OutsideReport outside_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_PASS_H_
