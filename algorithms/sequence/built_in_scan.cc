// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/built_in_scan.h"

#include <optional>
#include <utility>

#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::sequence {
namespace {

std::optional<Scan::Op> OpOf(expression::Op op) {
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

bool IsColumn(const expression::Function& function) {
  return function.nodes().size() == 1 &&
         function.nodes()[0].op == expression::Op::kParameter;
}

}  // namespace

bool BuiltInScan::CanRun(const Pass& pass) {
  if (pass.kind != Pass::Kind::kScan || !pass.op->built_in().has_value() ||
      pass.op->types()[0] == expression::Type::kBool) {
    return false;
  }
  const bool ordered = pass.order == Pass::Order::kNodes;
  return OpOf(*pass.op->built_in()).has_value() &&
         !(ordered && pass.start.has_value());
}

bool BuiltInScan::IsAll(const Pass& pass) {
  return CanRun(pass) && IsColumn(*pass.prologue) && !pass.start.has_value() &&
         !pass.epilogue.has_value();
}

absl::StatusOr<std::unique_ptr<MadePass>> BuiltInScan::Create(
    std::shared_ptr<Backend> backend, PassMaker& maker, const Pass& pass) {
  std::unique_ptr<BuiltInScan> scan(
      new BuiltInScan(backend, StoredAs(pass.op->types()[0])));
  // Takes the order of scan.h where that matters.
  ASSIGN_OR_RETURN(scan->scan_, Registry<Scan>::Get().Create(std::move(backend),
                                                             "fixed_order"));
  scan->options_.op = *OpOf(*pass.op->built_in());
  scan->options_.kind =
      pass.before ? Scan::Kind::kExclusive : Scan::Kind::kInclusive;
  if (!IsColumn(*pass.prologue)) {
    ASSIGN_OR_RETURN(scan->prologue_, maker.MakeMap(*pass.prologue));
  }
  ASSIGN_OR_RETURN(std::optional<expression::Function> epilogue,
                   EpilogueFromStart(*pass.op, pass.start, pass.epilogue));
  if (epilogue.has_value()) {
    ASSIGN_OR_RETURN(scan->epilogue_, maker.MakeMap(*std::move(epilogue)));
  }
  return scan;
}

absl::StatusOr<PassOutcome> BuiltInScan::Run(
    std::int64_t n, absl::Span<const ConstArrayView> columns,
    absl::Span<const ConstArrayView> tables, absl::Span<const ArrayView> out,
    std::int64_t index) {
  PassOutcome outcome;
  ArrayView scanned = out[0];
  Array before_epilogue;
  if (epilogue_ != nullptr) {
    ASSIGN_OR_RETURN(before_epilogue, backend_->Allocate(type_, n));
    scanned = before_epilogue.view();
  }
  if (prologue_ != nullptr) {
    ASSIGN_OR_RETURN(outcome,
                     prologue_->Run(n, columns, tables, {scanned}, index));
  }
  // Only a prologue is made from no column at all.
  const ConstArrayView x =
      prologue_ != nullptr ? ConstArrayView(scanned) : columns[0];
  RETURN_IF_ERROR(scan_->Run(x, scanned, options_));
  if (epilogue_ != nullptr) {
    RETURN_IF_ERROR(epilogue_->Run(n, {scanned}, {}, out, index).status());
  }
  return outcome;
}

}  // namespace concord::sequence
