// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_CUDA_BUILT_IN_SCAN_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_CUDA_BUILT_IN_SCAN_CUH_

#include <memory>
#include <optional>
#include <utility>

#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/sequence/pass_maker.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::sequence {

// A scan by + * min or max, by an implementation of `scan`: the prologue is
// stored before it, and start and epilogue are a map behind it.
class BuiltInScan {
 public:
  // Whether the pass is one with the same bits: sums and products of floats
  // begin with their start, so only those without one are.
  static bool CanRun(const Pass& pass) {
    if (pass.kind != Pass::Kind::kScan || !pass.op->built_in().has_value() ||
        pass.op->types()[0] == expression::Type::kBool) {
      return false;
    }
    const bool ordered = pass.order == Pass::Order::kNodes;
    return OpOf(*pass.op->built_in()).has_value() &&
           !(ordered && pass.start.has_value());
  }

  static absl::StatusOr<BuiltInScan> Create(
      std::shared_ptr<CudaBackend> backend, PassMaker& maker,
      const Pass& pass) {
    BuiltInScan scan(backend);
    // Takes the order of scan.h where that matters.
    ASSIGN_OR_RETURN(scan.scan_,
                     Registry<Scan>::Get().Create(backend, "fixed_order"));
    scan.options_.op = *OpOf(*pass.op->built_in());
    scan.options_.kind =
        pass.before ? Scan::Kind::kExclusive : Scan::Kind::kInclusive;
    if (!IsColumn(*pass.prologue)) {
      ASSIGN_OR_RETURN(scan.prologue_, maker.MakeMap(*pass.prologue));
    }
    ASSIGN_OR_RETURN(std::optional<expression::Function> epilogue,
                     EpilogueFromStart(pass));
    if (epilogue.has_value()) {
      ASSIGN_OR_RETURN(scan.epilogue_, maker.MakeMap(*std::move(epilogue)));
    }
    return scan;
  }

  absl::StatusOr<PassOutcome> Run(const PassCall& call) {
    PassOutcome outcome;
    ArrayView scanned = call.outputs[0];
    Array before_epilogue;
    if (epilogue_ != nullptr) {
      const ElementType type = StoredAs(call.pass.op->types()[0]);
      ASSIGN_OR_RETURN(before_epilogue, backend_->Allocate(type, call.n));
      scanned = before_epilogue.view();
    }
    if (prologue_ != nullptr) {
      ASSIGN_OR_RETURN(outcome, prologue_->Run(call.n, call.inputs, call.tables,
                                               {scanned}, 0));
    }
    const ConstArrayView x =
        prologue_ != nullptr ? ConstArrayView(scanned) : call.inputs[0];
    RETURN_IF_ERROR(scan_->Run(x, scanned, options_));
    if (epilogue_ != nullptr) {
      RETURN_IF_ERROR(
          epilogue_->Run(call.n, {scanned}, {}, call.outputs, 0).status());
    }
    return outcome;
  }

 private:
  explicit BuiltInScan(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  static std::optional<Scan::Op> OpOf(expression::Op op) {
    switch (op) {
      case expression::Op::kAdd:
        return Scan::Op::kAdd;
      case expression::Op::kMultiply:
        return Scan::Op::kMul;
      case expression::Op::kMinimum:
        return Scan::Op::kMin;
      case expression::Op::kMaximum:
        return Scan::Op::kMax;
      default:
        return std::nullopt;
    }
  }

  static bool IsColumn(const expression::Function& function) {
    return function.nodes().size() == 1 &&
           function.nodes()[0].op == expression::Op::kParameter;
  }

  std::shared_ptr<CudaBackend> backend_;
  std::unique_ptr<Scan> scan_;
  Scan::Options options_;
  std::unique_ptr<MadePass> prologue_, epilogue_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_CUDA_BUILT_IN_SCAN_CUH_
