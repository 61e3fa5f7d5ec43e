// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_CUDA_SEQUENCE_ON_CUDA_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_CUDA_SEQUENCE_ON_CUDA_CUH_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/key_sorter.h"
#include "concord/algorithms/sequence/pass_maker.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/core/errors.h"

namespace concord::sequence {

// Programs that an implementation can run without preparing them again.
inline constexpr std::size_t kMostPrepared = 32;

// A program's plan, with those of its passes that have run.
class PreparedProgram : public PassRunner {
 public:
  PreparedProgram(std::uint64_t program, Plan plan,
                  std::shared_ptr<CudaBackend> backend, PassMaker& maker,
                  KeySorter& sorter)
      : program_(program),
        plan_(std::move(plan)),
        backend_(std::move(backend)),
        maker_(maker),
        sorter_(sorter),
        passes_(plan_.passes.size()) {}

  // Its id.
  std::uint64_t program() const { return program_; }
  const Plan& plan() const { return plan_; }

  absl::StatusOr<PassOutcome> Run(const PassCall& call) override {
    if (call.pass.kind == Pass::Kind::kSort) {
      RETURN_IF_ERROR(sorter_.Run(*backend_, call));
      return PassOutcome();
    }
    std::unique_ptr<MadePass>& pass =
        passes_[static_cast<std::size_t>(&call.pass - plan_.passes.data())];
    if (pass == nullptr) {
      ASSIGN_OR_RETURN(pass, maker_.Make(call.pass));
    }
    return pass->Run(call.n, call.inputs, call.tables, call.outputs,
                     call.index);
  }

 private:
  const std::uint64_t program_;
  const Plan plan_;
  const std::shared_ptr<CudaBackend> backend_;
  PassMaker& maker_;
  KeySorter& sorter_;
  // Those that have run.
  std::vector<std::unique_ptr<MadePass>> passes_;
};

// Runs the passes of a program's plan as `Maker`, which is made from a backend,
// makes them.
template <typename Maker, Fusion kFusion = Fusion::kAll>
class SequenceOnCuda : public OnCuda<SequenceProgram> {
 public:
  explicit SequenceOnCuda(std::shared_ptr<Backend> given)
      : OnCuda(std::move(given)), maker_(backend()) {}

  absl::Status Compute(const Program& program, Views columns,
                       MutableViews outputs) override {
    ASSIGN_OR_RETURN(PreparedProgram* const prepared, Prepared(program));
    ASSIGN_OR_RETURN(const Count size,
                     QueuePlan(program, prepared->plan(), columns,
                               outputs.subspan(0, program.types().size()),
                               *backend(), *prepared));
    const ArrayView& count = outputs[kMostColumns];
    if (!count.given()) return absl::OkStatus();
    if (size.there.has_value()) return backend()->Copy(*size.there, count);
    return Store(size.known, count.data<std::int64_t>());
  }

 private:
  absl::StatusOr<PreparedProgram*> Prepared(const Program& program) {
    for (const std::unique_ptr<PreparedProgram>& prepared : prepared_) {
      if (prepared->program() == program.id()) return prepared.get();
    }
    ASSIGN_OR_RETURN(Plan plan, MakePlan(program, kFusion));
    auto prepared = std::make_unique<PreparedProgram>(
        program.id(), std::move(plan), backend(), maker_, sorter_);
    PreparedProgram* const result = prepared.get();
    if (prepared_.size() < kMostPrepared) {
      prepared_.push_back(std::move(prepared));
    } else {
      prepared_[oldest_] = std::move(prepared);
      oldest_ = (oldest_ + 1) % kMostPrepared;
    }
    return result;
  }

  Maker maker_;
  // Of all programs: its scratch memory is as large as the keys.
  KeySorter sorter_;
  std::vector<std::unique_ptr<PreparedProgram>> prepared_;
  std::size_t oldest_ = 0;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_CUDA_SEQUENCE_ON_CUDA_CUH_
