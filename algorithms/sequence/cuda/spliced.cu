// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The passes of the program's plan (plan.h), in kernels into which the driver's
// compiler has put the program's functions (spliced/pass.h). Scans by built-in
// operators are those of `scan`.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/cuda/built_in_scan.cuh"
#include "concord/algorithms/sequence/key_sorter.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program_text.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/core/errors.h"
#include "concord/core/expression/parser.h"

namespace concord::sequence {
namespace {

// Programs that an implementation can run without preparing them again.
constexpr std::size_t kMostPrepared = 32;

// A program's plan, with the kernels of those of its passes that have run.
class PreparedProgram : public PassRunner {
 public:
  PreparedProgram(std::string key, Plan plan,
                  std::shared_ptr<CudaBackend> backend, KeySorter& sorter)
      : key_(std::move(key)),
        plan_(std::move(plan)),
        backend_(std::move(backend)),
        sorter_(sorter),
        passes_(plan_.passes.size()) {}

  const std::string& key() const { return key_; }
  const Plan& plan() const { return plan_; }

  absl::StatusOr<PassOutcome> Run(const PassCall& call) override {
    if (call.pass.kind == Pass::Kind::kSort) {
      RETURN_IF_ERROR(sorter_.Run(*backend_, call));
      return PassOutcome();
    }
    PreparedPass& pass =
        passes_[static_cast<std::size_t>(&call.pass - plan_.passes.data())];
    if (BuiltInScan::CanRun(call.pass)) {
      if (!pass.scan.has_value()) {
        ASSIGN_OR_RETURN(pass.scan, BuiltInScan::Create(backend_, call.pass));
      }
      return pass.scan->Run(call);
    }
    if (!pass.spliced.has_value()) {
      ASSIGN_OR_RETURN(pass.spliced, SplicedPass::Of(backend_, call.pass));
    }
    return pass.spliced->Run(call.n, call.inputs, call.tables, call.outputs,
                             call.index);
  }

 private:
  // One of them, once it has run.
  struct PreparedPass {
    std::optional<SplicedPass> spliced;
    std::optional<BuiltInScan> scan;
  };

  const std::string key_;
  const Plan plan_;
  const std::shared_ptr<CudaBackend> backend_;
  KeySorter& sorter_;
  std::vector<PreparedPass> passes_;
};

// What a program is, with the types of its columns.
std::string KeyOf(const Program& program) {
  std::string key;
  for (const expression::Parameter& column : program.columns()) {
    absl::StrAppend(&key, expression::Name(column.type), " ", column.name, " ");
  }
  return absl::StrCat(key, ": ", ToText(program));
}

class SequenceSpliced : public OnCuda<SequenceProgram> {
 public:
  using OnCuda::OnCuda;

  absl::Status Compute(const Program& program, Views columns,
                       MutableViews outputs) override {
    ASSIGN_OR_RETURN(PreparedProgram* const prepared, Prepared(program));
    ASSIGN_OR_RETURN(const std::int64_t size,
                     RunPlan(program, prepared->plan(), columns,
                             outputs.subspan(0, program.types().size()),
                             *backend(), *prepared));
    const ArrayView& count = outputs[kMostColumns];
    if (!count.given()) return absl::OkStatus();
    return Store(size, count.data<std::int64_t>());
  }

 private:
  absl::StatusOr<PreparedProgram*> Prepared(const Program& program) {
    std::string key = KeyOf(program);
    for (const std::unique_ptr<PreparedProgram>& prepared : prepared_) {
      if (prepared->key() == key) return prepared.get();
    }
    ASSIGN_OR_RETURN(Plan plan, MakePlan(program));
    auto prepared = std::make_unique<PreparedProgram>(
        std::move(key), std::move(plan), backend(), sorter_);
    PreparedProgram* const result = prepared.get();
    if (prepared_.size() < kMostPrepared) {
      prepared_.push_back(std::move(prepared));
    } else {
      prepared_[oldest_] = std::move(prepared);
      oldest_ = (oldest_ + 1) % kMostPrepared;
    }
    return result;
  }

  // Of all programs: its scratch memory is as large as the keys.
  KeySorter sorter_;
  std::vector<std::unique_ptr<PreparedProgram>> prepared_;
  std::size_t oldest_ = 0;
};

// Tries the smallest kernel, which the cache on the disk has from then on.
Requirement SplicingRequirement() {
  return {
      "compute capability 8.0 or later, and a driver with its compiler "
      "(libnvidia-ptxjitcompiler.so.1) that is not older than the CUDA toolkit "
      "of this program",
      [](Backend& backend) {
        const std::shared_ptr<CudaBackend> not_owned(
            std::shared_ptr<void>(), static_cast<CudaBackend*>(&backend));
        absl::StatusOr<expression::Function> same =
            expression::ParseFunction("x", {expression::Type::kInt32});
        return same.ok() && SplicedPass::Map(not_owned, *std::move(same)).ok();
      }};
}

const bool kRegistered = RegisterOnCuda<SequenceSpliced>(
    "spliced", /*rank=*/10,
    "fused passes, in kernels that the driver compiles with the functions in "
    "them",
    SequenceContract(), SplicingRequirement());

}  // namespace
}  // namespace concord::sequence
