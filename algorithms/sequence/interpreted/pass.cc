// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/interpreted/pass.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/sequence/interpreted/code_on_device.h"
#include "concord/algorithms/sequence/interpreted/ordered.h"
#include "concord/algorithms/sequence/pass_arrays.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/core/errors.h"
#include "concord/core/expression/compose.h"
#include "concord/core/registry.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Op;
using expression::Operator;
using expression::Type;
using machine::Arrays;
using machine::Encoded;
using machine::Places;

std::int64_t DivideUp(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

class InterpretedMapPass : public InterpretedPass {
 public:
  InterpretedMapPass(std::shared_ptr<CudaBackend> backend,
                     InterpretedFunction function)
      : InterpretedPass(std::move(backend)), function_(std::move(function)) {}

 private:
  absl::Status Launch(const Call& call) override {
    return function_.Launch(backend(), call.arrays);
  }

  InterpretedFunction function_;
};

// A reduction by a built-in operator, in the tree of `reduce`.
class InterpretedTreePass : public InterpretedPass {
 public:
  static absl::StatusOr<std::unique_ptr<InterpretedPass>> Create(
      std::shared_ptr<CudaBackend> backend, const Function& prologue,
      const Operator& op, const std::optional<Function>& epilogue) {
    const Type type = op.types()[0];
    Places places;
    places.results = Places::Of::kAccumulator;
    const bool wide =
        machine::NeedsWideWords(prologue) || machine::IsWide(type);
    Encoded encoded = Encode(prologue, places, wide);
    TreeCall call{};
    call.combine = machine::CombiningCode(*op.built_in(), type, wide);
    call.identity = (*op.identity())[0];
    call.wide_elements = machine::IsWide(type);
    call.ordered =
        expression::IsFloat(type) &&
        (op.built_in() == Op::kAdd || op.built_in() == Op::kMultiply);
    ASSIGN_OR_RETURN(CodeOnDevice code,
                     CodeOnDevice::Create(*backend, std::move(encoded.steps)));
    // Without an epilogue, what they amount to.
    Function last = *expression::FunctionOver(
        {type}, [](expression::Graph&, const std::vector<int>& total) {
          return total;
        });
    ASSIGN_OR_RETURN(
        InterpretedFunction finish,
        InterpretedFunction::Create(*backend, epilogue.value_or(last)));
    return std::unique_ptr<InterpretedPass>(
        new InterpretedTreePass(std::move(backend), std::move(code),
                                encoded.slots, wide, call, std::move(finish)));
  }

 private:
  InterpretedTreePass(std::shared_ptr<CudaBackend> backend, CodeOnDevice code,
                      int slots, bool wide, TreeCall call,
                      InterpretedFunction finish)
      : InterpretedPass(std::move(backend)),
        code_(std::move(code)),
        slots_(slots),
        wide_(wide),
        call_(call),
        finish_(std::move(finish)) {}

  absl::Status Launch(const Call& call) override {
    using Tree = concord::Reduce;
    // Rows of a segment where the order is free.
    constexpr int kLongSegment = 16, kShortSegment = 4;
    TreeCall tree = call_;
    tree.steps = code_.steps();
    tree.rows = Tree::kRowsPerSegment;
    const std::int64_t n = call.arrays.end;
    // Short segments occupy multiprocessors more evenly, long ones have less to
    // do at their ends.
    if (!tree.ordered) {
      const int blocks = 32 * backend().multiprocessors();
      tree.rows = kLongSegment;
      while (tree.rows > kShortSegment &&
             DivideUp(n, TreeChunk(tree)) < blocks) {
        tree.rows /= 2;
      }
    }
    // The levels, up to one word.
    std::int64_t words = 0, level = n;
    do {
      level = DivideUp(level, TreeChunk(tree));
      words += level;
    } while (level > 1);
    const std::int64_t bytes = wide_ ? 8 : 4;
    ASSIGN_OR_RETURN(char* const chunks,
                     chunks_.Reserve(backend(), words * bytes));
    tree.chunks = chunks;
    ASSIGN_OR_RETURN(const SlotRoom room,
                     RoomFor(backend(), slots_, TreeThreads(), scratch_));
    RETURN_IF_ERROR(LaunchTree(backend(), wide_, call.arrays, tree, room));
    Arrays total = call.arrays;
    total.in[0] = {chunks + (words - 1) * bytes, 0, 1};
    total.end = 1;
    total.aligned = 0;
    return finish_.Launch(backend(), total);
  }

  const CodeOnDevice code_;
  const int slots_;
  const bool wide_;
  const TreeCall call_;
  InterpretedFunction finish_;
  DeviceScratch chunks_, scratch_;
};

class InterpretedFilterPass : public InterpretedPass {
 public:
  static absl::StatusOr<std::unique_ptr<InterpretedPass>> Create(
      std::shared_ptr<CudaBackend> backend, const Function& function) {
    Places keep_places;
    keep_places.results = Places::Of::kAccumulator;
    Places value_places;
    value_places.results = Places::Of::kKept;
    expression::Nodes keep = function.form(), values = function.form();
    keep.results.resize(1);
    values.results.erase(values.results.begin());
    ASSIGN_OR_RETURN(const Function keeps,
                     Function::Create(function.scope(), std::move(keep)));
    ASSIGN_OR_RETURN(const Function gives,
                     Function::Create(function.scope(), std::move(values)));
    const bool wide = machine::NeedsWideWords(function);
    Encoded of_keep = Encode(keeps, keep_places, wide);
    Encoded of_values = Encode(gives, value_places, wide);
    auto pass = std::unique_ptr<InterpretedFilterPass>(
        new InterpretedFilterPass(backend));
    pass->slots_ = std::max(of_keep.slots, of_values.slots);
    pass->wide_ = wide;
    ASSIGN_OR_RETURN(pass->keep_,
                     CodeOnDevice::Create(*backend, std::move(of_keep.steps)));
    ASSIGN_OR_RETURN(pass->values_, CodeOnDevice::Create(
                                        *backend, std::move(of_values.steps)));
    ASSIGN_OR_RETURN(pass->scan_,
                     Registry<concord::Scan>::Get().Create(std::move(backend)));
    return pass;
  }

 private:
  using InterpretedPass::InterpretedPass;

  absl::Status Launch(const Call& call) override {
    ASSIGN_OR_RETURN(const SlotRoom room,
                     RoomFor(backend(), slots_, 0, scratch_));
    // The last of the starts is how many there are in all.
    tiles_ = DivideUp(call.arrays.end, TileOf(wide_, room.threads));
    for (Array* const array : {&counts_, &starts_}) {
      if (array->size() > tiles_) continue;
      ASSIGN_OR_RETURN(*array,
                       backend().Allocate(ElementType::kInt64, tiles_ + 1));
    }
    ASSIGN_OR_RETURN(
        char* const kept,
        kept_.Reserve(backend(),
                      tiles_ * room.threads * std::int64_t{sizeof(uint16_t)}));
    const FilterCall filter{keep_->steps(), values_->steps(),
                            reinterpret_cast<std::uint16_t*>(kept),
                            counts_.data<std::int64_t>(),
                            starts_.data<std::int64_t>()};
    RETURN_IF_ERROR(
        LaunchFilterCount(backend(), wide_, call.arrays, filter, room));
    concord::Scan::Options before;
    before.kind = concord::Scan::Kind::kExclusive;
    RETURN_IF_ERROR(scan_->Run(counts_.view().Slice(0, tiles_ + 1),
                               starts_.view().Slice(0, tiles_ + 1), before));
    return LaunchFilterPut(backend(), wide_, call.arrays, filter, room);
  }

  Count Kept() const override { return {0, starts_.view().Slice(tiles_, 1)}; }

  std::optional<CodeOnDevice> keep_, values_;
  int slots_ = 0;
  bool wide_ = false;
  std::unique_ptr<concord::Scan> scan_;
  std::int64_t tiles_ = 0;
  Array counts_, starts_;
  DeviceScratch kept_, scratch_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<InterpretedPass>> InterpretedPass::Map(
    std::shared_ptr<CudaBackend> backend, const Function& function) {
  RETURN_IF_ERROR(backend->Activate());
  ASSIGN_OR_RETURN(InterpretedFunction interpreted,
                   InterpretedFunction::Create(*backend, function));
  return std::unique_ptr<InterpretedPass>(
      new InterpretedMapPass(std::move(backend), std::move(interpreted)));
}

absl::StatusOr<std::unique_ptr<InterpretedPass>> InterpretedPass::Of(
    std::shared_ptr<CudaBackend> backend, const Pass& pass) {
  RETURN_IF_ERROR(backend->Activate());
  switch (pass.kind) {
    case Pass::Kind::kMap:
      return Map(std::move(backend), *pass.prologue);
    case Pass::Kind::kFilter:
      return InterpretedFilterPass::Create(std::move(backend), *pass.prologue);
    case Pass::Kind::kScan:
      return InterpretedScan(std::move(backend), pass);
    case Pass::Kind::kReduce: {
      ASSIGN_OR_RETURN(const std::optional<Function> epilogue,
                       EpilogueFromStart(*pass.op, pass.start, pass.epilogue));
      if (pass.op->built_in().has_value() && pass.op->identity().has_value()) {
        return InterpretedTreePass::Create(std::move(backend), *pass.prologue,
                                           *pass.op, epilogue);
      }
      return InterpretedFold(std::move(backend), *pass.prologue, *pass.op,
                             epilogue);
    }
    case Pass::Kind::kCount:
    case Pass::Kind::kSort:
      break;
  }
  return InternalError("a pass without functions");
}

absl::StatusOr<PassOutcome> InterpretedPass::Run(
    std::int64_t n, absl::Span<const ConstArrayView> columns,
    absl::Span<const ConstArrayView> tables, absl::Span<const ArrayView> out,
    std::int64_t index) {
  PassOutcome outcome;
  outcome.outside.resize(tables.size());
  if (n == 0) return outcome;
  RETURN_IF_ERROR(backend_->Activate());
  Call call{index, index + n, columns, out, Arrays{}};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    call.arrays.in[k] = {columns[k].data(), -index, 1};
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    call.arrays.out[k] = {out[k].data(), -index, 1};
  }
  for (std::size_t k = 0; k < tables.size(); ++k) {
    call.arrays.tables[k] = {tables[k].data(), tables[k].size()};
  }
  call.arrays.begin = call.begin;
  call.arrays.end = call.end;
  call.arrays.aligned = index == 0 && AreAligned(columns) && AreAligned(out);
  ASSIGN_OR_RETURN(call.arrays.outside,
                   outside_.Begin(*backend_, tables.size()));
  RETURN_IF_ERROR(Launch(call));
  ASSIGN_OR_RETURN(outcome.outside, outside_.Read(*backend_, index));
  outcome.kept = Kept();
  return outcome;
}

}  // namespace concord::sequence
