// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_BUILT_IN_SCAN_H_
#define CONCORD_ALGORITHMS_SEQUENCE_BUILT_IN_SCAN_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/sequence/pass_maker.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/core/backend.h"

namespace concord::sequence {

// A scan by + * min or max, by an implementation of `scan`: the prologue is
// stored before it, and start and epilogue are a map behind it.
class BuiltInScan : public MadePass {
 public:
  // Whether the pass is one with the same bits: sums and products of floats
  // begin with their start, so only those without one are.
  static bool CanRun(const Pass& pass);
  // Whether it is, and nothing else: the scan of a column.
  static bool IsAll(const Pass& pass);

  // Of a pass that it can run. `maker` makes the maps, if there are any.
  static absl::StatusOr<std::unique_ptr<MadePass>> Create(
      std::shared_ptr<Backend> backend, PassMaker& maker, const Pass& pass);

  absl::StatusOr<PassOutcome> Run(std::int64_t n,
                                  absl::Span<const ConstArrayView> columns,
                                  absl::Span<const ConstArrayView> tables,
                                  absl::Span<const ArrayView> out,
                                  std::int64_t index) override;

 private:
  BuiltInScan(std::shared_ptr<Backend> backend, ElementType type)
      : backend_(std::move(backend)), type_(type) {}

  const std::shared_ptr<Backend> backend_;
  const ElementType type_;
  std::unique_ptr<Scan> scan_;
  Scan::Options options_;
  std::unique_ptr<MadePass> prologue_, epilogue_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_BUILT_IN_SCAN_H_
