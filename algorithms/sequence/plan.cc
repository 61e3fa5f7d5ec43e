// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/plan.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/sequence/planner.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/expression/compose.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/value_type.h"

namespace concord::sequence {
namespace {

using expression::Function;

int CountOperations(const std::optional<Function>& function) {
  return function.has_value() ? function->CountOperations() : 0;
}

// A column of the program, or the pass that made the array. Which of that
// pass's results it is says `number`, if there are several.
struct Source {
  std::string name;
  std::string number = "";
};

Source SourceOf(const Plan& plan, int array,
                const std::vector<expression::Parameter>& columns) {
  const int buffer = array - static_cast<int>(columns.size());
  if (buffer < 0) return {columns[array].name};
  for (std::size_t k = 0; k < plan.passes.size(); ++k) {
    const std::vector<int>& made = plan.passes[k].outputs;
    const auto found = std::find(made.begin(), made.end(), buffer);
    if (found == made.end()) continue;
    const std::string pass = absl::StrCat("p", k + 1);
    if (made.size() == 1) return {pass};
    return {pass, absl::StrCat("_", found - made.begin() + 1)};
  }
  return {};
}

// What gives the arrays that the pass reads, each once.
std::string SourcesOf(const Plan& plan, const Pass& pass,
                      const std::vector<expression::Parameter>& columns) {
  std::vector<std::string> names;
  for (const Input& input : pass.inputs) {
    std::string name = SourceOf(plan, input.array, columns).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return absl::StrCat(names.size() > 1 ? "zip " : "",
                      absl::StrJoin(names, " "));
}

// Whether it gives its parameters and nothing else.
bool ChangesNothing(const Function& function) {
  const std::vector<int>& results = function.results();
  bool same = results.size() == function.parameters().size();
  for (std::size_t k = 0; same && k < results.size(); ++k) {
    const expression::Node& node = function.nodes()[results[k]];
    same = node.op == expression::Op::kParameter && node.bits == k;
  }
  return same;
}

std::string CombinationOf(const Pass& pass) {
  const bool scans = pass.kind == Pass::Kind::kScan;
  std::string text =
      absl::StrCat(!scans        ? "reduce"
                   : pass.before ? "scan_before"
                                 : "scan",
                   " ", expression::OperatorToText(pass.op->function()));
  if (pass.start.has_value()) {
    absl::StrAppend(&text, " from ",
                    expression::ToString(pass.op->types(), *pass.start));
  }
  return text;
}

// The prologue, with the names of what its tables are.
std::string PrologueOf(const Plan& plan, const Pass& pass,
                       const std::vector<expression::Parameter>& columns) {
  expression::Scope scope = pass.prologue->scope();
  for (std::size_t k = 0; k < pass.reads.size(); ++k) {
    const Source source = SourceOf(plan, pass.reads[k].array, columns);
    scope.tables[k].name = source.name + source.number;
  }
  const absl::StatusOr<Function> named =
      Function::Create(std::move(scope), pass.prologue->form());
  return expression::ToText(named.ok() ? *named : *pass.prologue);
}

// The pass as stages of a program.
std::string TextOf(const Plan& plan, const Pass& pass,
                   const std::vector<expression::Parameter>& columns) {
  std::vector<std::string> stages;
  const std::string source = SourcesOf(plan, pass, columns);
  if (!source.empty()) stages.push_back(source);
  if (pass.kind == Pass::Kind::kCount) stages.push_back("count");
  if (pass.kind == Pass::Kind::kSort) {
    stages.push_back(pass.outputs.size() == 1 ? "radix_sort"
                                              : "radix_sort, with positions");
  }
  if (pass.prologue.has_value() && !ChangesNothing(*pass.prologue)) {
    stages.push_back(absl::StrCat(source.empty() ? "tabulate "
                                  : pass.kind == Pass::Kind::kFilter ? "filter "
                                                                     : "map ",
                                  PrologueOf(plan, pass, columns)));
  }
  if (pass.op.has_value()) stages.push_back(CombinationOf(pass));
  if (pass.epilogue.has_value()) {
    stages.push_back(absl::StrCat("map ", expression::ToText(*pass.epilogue)));
  }
  if (pass.last) stages.push_back("last");
  return absl::StrJoin(stages, " |> ");
}

// Of a column, or a buffer where extents have these values.
std::int64_t BytesOfArray(const Plan& plan, int array,
                          absl::Span<const std::int64_t> sizes,
                          absl::Span<const std::int64_t> values) {
  const int buffer = array - static_cast<int>(plan.column_types.size());
  if (buffer < 0) {
    return SaturatedProduct(BytesOf(plan.column_types[array]), sizes[array]);
  }
  const Buffer& made = plan.buffers[buffer];
  return SaturatedProduct(BytesOf(made.type), values[made.extent]);
}

// By number, whether an extent is known only when a filter has run.
std::vector<bool> DependOnFilters(const Plan& plan) {
  std::vector<bool> depend;
  for (const Extent& extent : plan.extents) {
    depend.push_back(extent.kind == Extent::Kind::kKept ||
                     std::any_of(extent.of.begin(), extent.of.end(),
                                 [&](int part) { return depend[part]; }));
  }
  return depend;
}

}  // namespace

int Pass::operations() const {
  return CountOperations(prologue) + CountOperations(epilogue) +
         (op.has_value() ? op->function().CountOperations() : 0);
}

int Pass::bytes_read() const {
  int bytes = 0;
  for (const Input& input : inputs) bytes += BytesOf(input.type);
  return bytes;
}

absl::StatusOr<Plan> MakePlan(const Program& program, Fusion fusion) {
  return Planner(program, fusion).Run();
}

std::vector<std::int64_t> ExtentValues(
    const Plan& plan, absl::Span<const std::int64_t> sizes,
    const std::optional<std::vector<std::int64_t>>& kept) {
  std::vector<std::int64_t> values;
  for (const Extent& extent : plan.extents) {
    std::int64_t value = extent.count;
    switch (extent.kind) {
      case Extent::Kind::kColumn:
        value = sizes[extent.number];
        break;
      case Extent::Kind::kConstant:
        break;
      case Extent::Kind::kKept:
        value = kept.has_value() ? (*kept)[extent.number]
                                 : values[plan.passes[extent.number].extent];
        break;
      case Extent::Kind::kSlice: {
        const std::int64_t size = values[extent.of[0]];
        value = std::min(value, size - std::min(extent.first, size));
        break;
      }
      case Extent::Kind::kSum:
        value = 0;
        for (int part : extent.of) value = SaturatedSum(value, values[part]);
    }
    values.push_back(value);
  }
  return values;
}

std::vector<PassSummary> Summarize(
    const Plan& plan, const std::vector<expression::Parameter>& columns,
    absl::Span<const std::int64_t> sizes) {
  std::vector<PassSummary> summaries;
  const std::vector<std::int64_t> values = ExtentValues(plan, sizes);
  const std::vector<bool> depend_on_filters = DependOnFilters(plan);
  for (const Pass& pass : plan.passes) {
    PassSummary summary;
    summary.text = TextOf(plan, pass, columns);
    summary.elements = pass.last ? 1 : values[pass.extent];
    summary.at_most = depend_on_filters[pass.extent];
    summary.operations = pass.operations();
    summary.bytes_read = SaturatedProduct(pass.bytes_read(), summary.elements);
    for (const TableRead& read : pass.reads) {
      summary.bytes_read = SaturatedSum(
          summary.bytes_read, BytesOfArray(plan, read.array, sizes, values));
    }
    const bool one =
        pass.kind == Pass::Kind::kReduce || pass.kind == Pass::Kind::kCount;
    for (const int output : pass.outputs) {
      const std::int64_t element = BytesOf(plan.buffers[output].type);
      summary.bytes_written =
          SaturatedSum(summary.bytes_written,
                       SaturatedProduct(element, one ? 1 : summary.elements));
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

std::int64_t BytesRead(const std::vector<PassSummary>& passes) {
  std::int64_t bytes = 0;
  for (const PassSummary& pass : passes) {
    bytes = SaturatedSum(bytes, pass.bytes_read);
  }
  return bytes;
}

std::vector<int> LastUsers(const Plan& plan) {
  std::vector<int> users(plan.buffers.size());
  const auto columns = static_cast<int>(plan.column_types.size());
  const auto use = [&](int array, int pass) {
    if (array >= columns) users[array - columns] = pass;
  };
  for (std::size_t k = 0; k < plan.passes.size(); ++k) {
    const auto number = static_cast<int>(k);
    for (const Input& input : plan.passes[k].inputs) use(input.array, number);
    for (const TableRead& read : plan.passes[k].reads) use(read.array, number);
    for (int output : plan.passes[k].outputs) use(columns + output, number);
  }
  return users;
}

absl::StatusOr<std::optional<Function>> EpilogueFromStart(
    const expression::Operator& op,
    const std::optional<std::vector<expression::Word>>& start,
    const std::optional<Function>& epilogue) {
  if (!start.has_value()) return epilogue;
  const std::vector<expression::Type>& types = op.types();
  return FunctionOver(types, [&](expression::Graph& graph,
                                 const std::vector<int>& total) {
    std::vector<int> operands;
    for (std::size_t k = 0; k < types.size(); ++k) {
      operands.push_back(graph.Constant(types[k], (*start)[k]));
    }
    operands.insert(operands.end(), total.begin(), total.end());
    std::vector<int> results = Inline(op.function(), {operands}, graph);
    return epilogue.has_value() ? Inline(*epilogue, {results}, graph) : results;
  });
}

}  // namespace concord::sequence
