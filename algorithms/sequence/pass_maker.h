// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PASS_MAKER_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PASS_MAKER_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/core/array.h"
#include "concord/core/expression/function.h"

namespace concord::sequence {

// A pass of a plan that is ready to run on arrays of a backend, again and
// again.
class MadePass {
 public:
  virtual ~MadePass() = default;
  // As SplicedPass::Run (spliced/pass.h); no output is a column.
  virtual absl::StatusOr<PassOutcome> Run(
      std::int64_t n, absl::Span<const ConstArrayView> columns,
      absl::Span<const ConstArrayView> tables, absl::Span<const ArrayView> out,
      std::int64_t index) = 0;
};

// How an implementation runs passes: all else is the same for each.
class PassMaker {
 public:
  virtual ~PassMaker() = default;
  // Of a pass that is no kCount.
  virtual absl::StatusOr<std::unique_ptr<MadePass>> Make(const Pass& pass) = 0;

  // A function of columns, element by element.
  absl::StatusOr<std::unique_ptr<MadePass>> MakeMap(
      expression::Function function) {
    Pass pass;
    pass.prologue = std::move(function);
    return Make(pass);
  }
};

// A value with such a Run.
template <typename P>
class MadePassOf : public MadePass {
 public:
  explicit MadePassOf(P pass) : pass_(std::move(pass)) {}

  absl::StatusOr<PassOutcome> Run(std::int64_t n,
                                  absl::Span<const ConstArrayView> columns,
                                  absl::Span<const ConstArrayView> tables,
                                  absl::Span<const ArrayView> out,
                                  std::int64_t index) override {
    return pass_.Run(n, columns, tables, out, index);
  }

 private:
  P pass_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PASS_MAKER_H_
