// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/run_plan.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/errors.h"
#include "concord/core/expression/evaluate.h"

namespace concord::sequence {
namespace {

using expression::Evaluate;
using expression::Function;
using expression::Word;

// The error of the first stage that has one, at its first element: what running
// stage by stage would meet first. What follows from an error is an error of a
// later stage.
class FirstError {
 public:
  bool IsBefore(int stage, std::int64_t element) const {
    return status_.ok() || std::pair(stage, element) < place_;
  }
  void Set(int stage, std::int64_t element, absl::Status status) {
    if (!IsBefore(stage, element)) return;
    place_ = {stage, element};
    status_ = std::move(status);
  }
  const absl::Status& status() const { return status_; }

 private:
  std::pair<int, std::int64_t> place_;
  absl::Status status_;
};

class Run {
 public:
  Run(const Program& program, const Plan& plan,
      absl::Span<const ConstArrayView> columns,
      absl::Span<const ArrayView> results, Backend& backend, PassRunner& runner)
      : program_(program),
        plan_(plan),
        columns_(columns),
        results_(results),
        backend_(backend),
        runner_(runner),
        kept_(plan.passes.size()),
        views_(plan.buffers.size()),
        owned_(plan.buffers.size()),
        last_users_(LastUsers(plan)) {
    for (const ConstArrayView& column : columns) {
      sizes_.push_back(column.size());
    }
    extents_ = ExtentValues(plan_, sizes_, kept_);
  }

  absl::StatusOr<Count> All() {
    const int passes = static_cast<int>(plan_.passes.size());
    for (int k = 0; k < passes; ++k) {
      RETURN_IF_ERROR(KnowWhatIsKeptBy(k - 1));
      RETURN_IF_ERROR(One(k));
      GiveBackAfter(k);
    }
    if (NobodyAsksTheLastFilter()) {
      RETURN_IF_ERROR(error_.status());
      return Count{0, unknown_};
    }
    RETURN_IF_ERROR(KnowWhatIsKeptBy(passes - 1));
    CheckZips();
    RETURN_IF_ERROR(error_.status());
    std::int64_t size = 0;
    for (std::size_t k = 0; k < plan_.buffers.size(); ++k) {
      const Buffer& buffer = plan_.buffers[k];
      if (buffer.result < 0) continue;
      size = SizeOf(buffer.extent);
      const ArrayView& result = results_[buffer.result];
      if (result.data() == views_[k]->data() || size == 0) continue;
      RETURN_IF_ERROR(
          backend_.Copy(views_[k]->Slice(0, size), result.Slice(0, size)));
    }
    return Count{size};
  }

 private:
  // Waits for the pass that has run last, if it is a filter that the host has
  // not waited for.
  absl::Status KnowWhatIsKeptBy(int last) {
    if (!unknown_.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::int64_t kept,
                     (Count{0, unknown_}.Get(backend_)));
    SetKept(last, kept);
    unknown_.reset();
    return absl::OkStatus();
  }

  void SetKept(int filter, std::int64_t elements) {
    kept_[filter] = elements;
    extents_ = ExtentValues(plan_, sizes_, kept_);
  }

  // All results are what it keeps, and stand in their places.
  bool NobodyAsksTheLastFilter() const {
    if (!unknown_.has_value() || !plan_.zips.empty()) return false;
    const int last = static_cast<int>(plan_.passes.size()) - 1;
    for (std::size_t k = 0; k < plan_.buffers.size(); ++k) {
      const Buffer& buffer = plan_.buffers[k];
      if (buffer.result < 0) continue;
      const Extent& extent = plan_.extents[buffer.extent];
      if (extent.kind != Extent::Kind::kKept || extent.number != last ||
          views_[k]->data() != results_[buffer.result].data()) {
        return false;
      }
    }
    return true;
  }

  // Of filters that are known.
  std::int64_t SizeOf(int extent) const { return extents_[extent]; }

  // Elements of an array from input's first on.
  std::int64_t SizeOf(const Input& input) const {
    const int buffer = input.array - static_cast<int>(columns_.size());
    const std::int64_t size =
        buffer < 0 ? sizes_[input.array] : SizeOf(plan_.buffers[buffer].extent);
    return std::max<std::int64_t>(size - input.first, 0);
  }

  absl::Status One(int number) {
    const Pass& pass = plan_.passes[number];
    std::int64_t size = SizeOf(pass.extent);
    // Less where zip is an error.
    for (const Input& input : pass.inputs) size = std::min(size, SizeOf(input));
    PassCall call{pass, pass.last ? std::min<std::int64_t>(size, 1) : size,
                  pass.last ? size - 1 : 0};
    RETURN_IF_ERROR(Allocate(pass, call.n));
    call.outputs = Outputs(pass, call.n);
    if (pass.kind == Pass::Kind::kCount) {
      return Put(static_cast<Word>(size), call.outputs[0]);
    }
    if (size == 0) return OfNone(pass, call.outputs);
    for (const Input& input : pass.inputs) {
      call.inputs.push_back(
          Whole(input).Slice(input.first + call.index, call.n));
    }
    for (const TableRead& read : pass.reads) {
      const Input table = {read.array, 0, /*type=*/{}};
      call.tables.push_back(Whole(table).Slice(0, SizeOf(table)));
    }
    ASSIGN_OR_RETURN(const PassOutcome outcome, runner_.Run(call));
    if (pass.kind == Pass::Kind::kFilter) SetKept(number, outcome.kept.known);
    unknown_ = outcome.kept.there;
    for (std::size_t k = 0; k < outcome.outside.size(); ++k) {
      const std::optional<std::int64_t>& element = outcome.outside[k];
      if (element.has_value() && pass.reads[k].stage >= 0 &&
          error_.IsBefore(pass.reads[k].stage, *element)) {
        ASSIGN_OR_RETURN(const std::string what,
                         ReadOutside(call, pass.reads[k], *element));
        error_.Set(pass.reads[k].stage, *element, absl::OutOfRangeError(what));
      }
    }
    return absl::OkStatus();
  }

  ConstArrayView Whole(const Input& input) const {
    const int buffer = input.array - static_cast<int>(columns_.size());
    return buffer < 0 ? columns_[input.array] : ConstArrayView(*views_[buffer]);
  }

  // Memory for the pass's results, if it is the first that writes them.
  absl::Status Allocate(const Pass& pass, std::int64_t n) {
    for (int output : pass.outputs) {
      if (views_[output].has_value()) continue;
      const Buffer& buffer = plan_.buffers[output];
      const std::int64_t size =
          pass.kind == Pass::Kind::kFilter ? n : SizeOf(buffer.extent);
      if (buffer.result >= 0 && results_[buffer.result].size() >= size) {
        views_[output] = results_[buffer.result];
        continue;
      }
      ASSIGN_OR_RETURN(owned_[output],
                       backend_.Allocate(StoredAs(buffer.type), size));
      views_[output] = owned_[output].view();
    }
    return absl::OkStatus();
  }

  // What no later pass asks for. A GPU's memory goes back in the order of the
  // stream, behind the passes that are queued.
  void GiveBackAfter(int pass) {
    for (std::size_t k = 0; k < owned_.size(); ++k) {
      if (last_users_[k] != pass || plan_.buffers[k].result >= 0) continue;
      views_[k].reset();
      owned_[k] = Array();
    }
  }

  std::vector<ArrayView> Outputs(const Pass& pass, std::int64_t n) const {
    const bool one =
        pass.kind == Pass::Kind::kReduce || pass.kind == Pass::Kind::kCount;
    std::int64_t first = 0;
    for (int extent : pass.output_after) first += SizeOf(extent);
    std::vector<ArrayView> outputs;
    for (int output : pass.outputs) {
      outputs.push_back(views_[output]->Slice(first, one ? 1 : n));
    }
    return outputs;
  }

  // A pass over no elements.
  absl::Status OfNone(const Pass& pass, const std::vector<ArrayView>& outputs) {
    if (pass.last) {
      error_.Set(pass.stage, 0, absl::InvalidArgumentError("last of nothing"));
    }
    if (pass.kind != Pass::Kind::kReduce) return absl::OkStatus();
    std::optional<Tuple> total =
        pass.start.has_value() ? pass.start : OfNothing(*pass.op);
    if (!total.has_value()) {
      error_.Set(pass.stage, 0,
                 absl::InvalidArgumentError("reduce of nothing, by an operator "
                                            "whose identity is not known; say "
                                            "after 'from' what to begin with"));
      total = Tuple(pass.op->types().size());
    }
    if (pass.epilogue.has_value()) {
      total = Evaluate(*pass.epilogue, *total).results;
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      RETURN_IF_ERROR(Put((*total)[k], outputs[k]));
    }
    return absl::OkStatus();
  }

  // Makes it the one element of an array of the backend's.
  absl::Status Put(Word value, const ArrayView& to) {
    Word element = 0;
    expression::Store(to.type(), &element, 0, value);
    return backend_.Copy(ConstArrayView(&element, to.type(), 1, Memory::Host()),
                         to);
  }

  // Copies in host memory, which they own.
  absl::StatusOr<std::vector<Array>> OnHost(
      const std::vector<ConstArrayView>& views) {
    std::vector<Array> copies;
    for (const ConstArrayView& view : views) {
      copies.emplace_back();
      if (view.empty()) continue;
      ASSIGN_OR_RETURN(copies.back(),
                       backend_.AllocateHost(view.type(), view.size()));
      RETURN_IF_ERROR(backend_.Copy(view, copies.back().view()));
    }
    return copies;
  }
  static std::vector<ConstArrayView> ViewsOf(const std::vector<Array>& arrays) {
    std::vector<ConstArrayView> views;
    for (const Array& array : arrays) views.push_back(array.view());
    return views;
  }

  // What the stage that reads a table says of its element.
  absl::StatusOr<std::string> ReadOutside(const PassCall& call,
                                          const TableRead& read,
                                          std::int64_t element) {
    const Stage& stage = program_.stages()[read.stage];
    Tuple arguments;
    if (read.arguments.has_value()) {
      std::vector<ConstArrayView> elements;
      for (const ConstArrayView& input : call.inputs) {
        elements.push_back(input.Slice(element, 1));
      }
      ASSIGN_OR_RETURN(const std::vector<Array> values, OnHost(elements));
      ASSIGN_OR_RETURN(const std::vector<Array> tables, OnHost(call.tables));
      Tuple x;
      for (std::size_t k = 0; k < values.size(); ++k) {
        x.push_back(expression::LoadValue(call.pass.inputs[k].type,
                                          values[k].data<char>(), 0));
      }
      arguments =
          Evaluate(*read.arguments, x, element, ViewsOf(tables)).results;
    }
    std::vector<ConstArrayView> tables;
    for (int column : stage.tables) tables.push_back(columns_[column]);
    ASSIGN_OR_RETURN(const std::vector<Array> on_host, OnHost(tables));
    const auto outside =
        Evaluate(*stage.function, arguments, element, ViewsOf(on_host)).outside;
    if (!outside.has_value()) {
      return InternalError("element ", element, " does not read outside");
    }
    const std::string& name = stage.function->tables()[outside->table].name;
    return absl::StrCat("element ", element, " reads ", name, "[",
                        outside->index, "], and ", name, " has ",
                        tables[outside->table].size(), " elements");
  }

  void CheckZips() {
    for (const Plan::SameSize& zip : plan_.zips) {
      const std::int64_t first = SizeOf(zip.extents[0]);
      for (int extent : zip.extents) {
        if (SizeOf(extent) == first) continue;
        error_.Set(zip.stage, 0, UnequalZip(first, SizeOf(extent)));
        break;
      }
    }
  }

  const Program& program_;
  const Plan& plan_;
  const absl::Span<const ConstArrayView> columns_;
  const absl::Span<const ArrayView> results_;
  Backend& backend_;
  PassRunner& runner_;
  std::vector<std::int64_t> sizes_;
  // By filters, and what extents are by that.
  std::vector<std::int64_t> kept_;
  std::vector<std::int64_t> extents_;
  // Where the number of the pass that has run last is, while it is not known.
  std::optional<ConstArrayView> unknown_;
  // Of each buffer that there is, and its memory where it is not a result's.
  std::vector<std::optional<ArrayView>> views_;
  std::vector<Array> owned_;
  const std::vector<int> last_users_;
  FirstError error_;
};

}  // namespace

absl::StatusOr<std::int64_t> Count::Get(Backend& backend) const {
  if (!there.has_value()) return known;
  std::int64_t number[1] = {0};
  RETURN_IF_ERROR(backend.Copy(*there, ArrayView(absl::MakeSpan(number))));
  return number[0];
}

absl::StatusOr<Count> QueuePlan(const Program& program, const Plan& plan,
                                absl::Span<const ConstArrayView> columns,
                                absl::Span<const ArrayView> results,
                                Backend& backend, PassRunner& runner) {
  return Run(program, plan, columns, results, backend, runner).All();
}

absl::StatusOr<std::int64_t> RunPlan(const Program& program, const Plan& plan,
                                     absl::Span<const ConstArrayView> columns,
                                     absl::Span<const ArrayView> results,
                                     Backend& backend, PassRunner& runner) {
  ASSIGN_OR_RETURN(const Count size,
                   QueuePlan(program, plan, columns, results, backend, runner));
  return size.Get(backend);
}

}  // namespace concord::sequence
