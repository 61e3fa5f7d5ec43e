// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spliced/pass.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/algorithms/sequence/spliced/templates.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/core/errors.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/memory.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Op;
using expression::Type;
using expression::Word;
using spliced::Arguments;
using spliced::PassFunctions;
using spliced::PassTemplate;

constexpr std::uint64_t kNoElement = ~std::uint64_t{0};

std::int64_t DivideUp(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
std::int64_t RoundUp(std::int64_t a, std::int64_t b) {
  return DivideUp(a, b) * b;
}

bool AreWide(const std::vector<Type>& types) {
  return std::any_of(types.begin(), types.end(),
                     [](Type type) { return spliced::BytesOf(type) == 8; });
}

// The template of a frame for tuples of these types.
PassTemplate TemplateFor(absl::string_view frame,
                         const std::vector<Type>& types) {
  std::size_t words = 1;
  while (words < types.size()) words *= 2;
  const bool wide = AreWide(types);
  const std::string name = absl::StrCat(frame, "_", words, "x", wide ? 64 : 32);
  return {name, TemplateText(name), wide};
}

template <typename View>
bool AreAligned(absl::Span<const View> views) {
  constexpr std::uintptr_t kVectorBytes = 16;
  return std::all_of(views.begin(), views.end(), [](const View& view) {
    return reinterpret_cast<std::uintptr_t>(view.data()) % kVectorBytes == 0;
  });
}

// How many states all groups of `count` leave, group by group.
std::int64_t AllGroups(std::int64_t count) {
  std::int64_t groups = 0;
  while (count > 1) groups += count = DivideUp(count, kFoldBlockRows);
  return groups;
}

}  // namespace

absl::StatusOr<SplicedPass> SplicedPass::Map(
    std::shared_ptr<CudaBackend> backend, Function function) {
  return Create(std::move(backend), Frame::kMap, {std::move(function)},
                {"map", TemplateText("map"), false});
}

absl::StatusOr<SplicedPass> SplicedPass::Reduce(
    std::shared_ptr<CudaBackend> backend, Function prologue,
    const expression::Operator& op, std::optional<Function> epilogue) {
  constexpr std::size_t kMostValues = 8;
  if (op.types().size() > kMostValues) {
    return InvalidArgumentError("an operator on tuples of ", op.types().size(),
                                " values; there can be ", kMostValues);
  }
  if (epilogue.has_value() && !epilogue->tables().empty()) {
    return InvalidArgumentError(
        "the function of a reduction's result reads a table");
  }
  PassFunctions functions{std::move(prologue), op.function(),
                          std::move(epilogue)};
  const bool is_tree = op.built_in().has_value() && op.identity().has_value();
  if (is_tree) functions.identity = *op.identity();
  const Frame frame = is_tree ? Frame::kReduce : Frame::kFold;
  PassTemplate from = TemplateFor(is_tree ? "reduce" : "fold", op.types());
  ASSIGN_OR_RETURN(
      SplicedPass pass,
      Create(std::move(backend), frame, std::move(functions), std::move(from)));
  pass.order_matters_ =
      expression::IsFloat(op.types()[0]) &&
      (op.built_in() == Op::kAdd || op.built_in() == Op::kMultiply);
  return pass;
}

absl::StatusOr<SplicedPass> SplicedPass::Create(
    std::shared_ptr<CudaBackend> backend, Frame frame, PassFunctions functions,
    PassTemplate from) {
  RETURN_IF_ERROR(backend->Activate());
  ASSIGN_OR_RETURN(spliced::SplicedModule module,
                   spliced::SplicedModule::Get(from, functions, *backend));
  SplicedPass pass(std::move(backend), frame, std::move(functions),
                   std::move(from), std::move(module));
  const char* const name = frame == Frame::kMap      ? "concord_map"
                           : frame == Frame::kReduce ? "concord_reduce"
                                                     : "concord_fold";
  ASSIGN_OR_RETURN(pass.kernel_, pass.module_.Kernel(name));
  if (frame == Frame::kFold) {
    ASSIGN_OR_RETURN(pass.combine_,
                     pass.module_.Kernel("concord_fold_combine"));
  }
  return pass;
}

absl::Status SplicedPass::Run(std::int64_t n,
                              absl::Span<const ConstArrayView> columns,
                              absl::Span<const ConstArrayView> tables,
                              absl::Span<const ArrayView> out) {
  if (n == 0) return absl::OkStatus();
  RETURN_IF_ERROR(backend_->Activate());
  Arguments arguments{};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    arguments.in[k] = columns[k].data();
  }
  for (std::size_t k = 0; k < out.size(); ++k) arguments.out[k] = out[k].data();
  for (std::size_t k = 0; k < tables.size(); ++k) {
    arguments.tables[k] = {tables[k].data(), tables[k].size()};
  }
  arguments.end = n;
  arguments.aligned =
      AreAligned(columns) && (frame_ != Frame::kMap || AreAligned(out)) ? 1 : 0;
  if (tables.empty()) return Launch(arguments);

  if (outside_.size() == 0) {
    ASSIGN_OR_RETURN(outside_, backend_->Allocate(ElementType::kUInt64, 1));
  }
  std::uint64_t first[1] = {kNoElement};
  RETURN_IF_ERROR(backend_->Copy(ConstArrayView(absl::MakeConstSpan(first)),
                                 outside_.view()));
  arguments.outside = outside_.data<std::uint64_t>();
  RETURN_IF_ERROR(Launch(arguments));
  RETURN_IF_ERROR(
      backend_->Copy(outside_.view(), ArrayView(absl::MakeSpan(first))));
  return first[0] == kNoElement ? absl::OkStatus()
                                : ReadOutside(first[0], columns, tables);
}

absl::Status SplicedPass::Launch(const Arguments& arguments) {
  if (frame_ == Frame::kReduce) return LaunchReduce(arguments);
  if (frame_ == Frame::kFold) return LaunchFold(arguments);
  Arguments copy = arguments;
  void* parameters[] = {&copy};
  return module_.driver().Launch(
      kernel_, {DivideUp(arguments.end, kMapTile), kMapThreads},
      backend_->stream(), parameters, template_.name);
}

absl::Status SplicedPass::LaunchReduce(Arguments arguments) {
  using Tree = concord::Reduce;
  constexpr int kLanes = 32;
  // As algorithms/reduce/cuda/warp_shuffle.cu has it.
  constexpr int kShortSegment = 8;
  const std::int64_t bytes = template_.wide ? 8 : 4;
  const std::int64_t row = Tree::kRowBytes / bytes;
  int rows = Tree::kRowsPerSegment;
  const auto chunks_of = [&](std::int64_t elements) {
    return DivideUp(elements, rows * row * Tree::kSegmentsPerChunk);
  };
  const std::int64_t chunks = chunks_of(arguments.end);
  if (!order_matters_ && 2 * chunks < backend_->multiprocessors()) {
    rows = kShortSegment;
  }
  const std::int64_t blocks = chunks_of(arguments.end);
  std::int64_t results = 1;
  for (std::int64_t level = blocks; level > 1; level = chunks_of(level)) {
    results += RoundUp(level, 16 / bytes);
  }
  RETURN_IF_ERROR(Reserve(results * bytes, 1));
  void* chunk_results = scratch_.data<char>();
  void* arrivals = counters_.data<char>();
  void* parameters[] = {&arguments, &rows, &chunk_results, &arrivals};
  return module_.driver().Launch(
      kernel_, {blocks, Tree::kSegmentsPerChunk * kLanes}, backend_->stream(),
      parameters, template_.name);
}

absl::Status SplicedPass::LaunchFold(Arguments arguments) {
  const std::int64_t rows = DivideUp(arguments.end, kFoldRow);
  const std::int64_t blocks = DivideUp(rows, kFoldBlockRows);
  const std::int64_t groups = AllGroups(blocks);
  std::int64_t words = 1;
  const std::int64_t values =
      static_cast<std::int64_t>(functions_.prologue.results().size());
  while (words < values) words *= 2;
  const std::int64_t state = words * (template_.wide ? 8 : 4);
  RETURN_IF_ERROR(Reserve((blocks + groups + 1) * state, groups + 1));
  void* arrivals = counters_.data<char>();
  void* chunk_states = scratch_.data<char>();
  void* group_states = scratch_.data<char>() + blocks * state;
  void* fold_parameters[] = {&arguments, &chunk_states};
  RETURN_IF_ERROR(module_.driver().Launch(kernel_, {blocks, kFoldBlockRows},
                                          backend_->stream(), fold_parameters,
                                          template_.name));
  auto count = static_cast<unsigned>(blocks);
  void* combine_parameters[] = {&arguments, &count, &chunk_states,
                                &group_states, &arrivals};
  return module_.driver().Launch(
      combine_, {DivideUp(blocks, kFoldBlockRows), kFoldBlockRows},
      backend_->stream(), combine_parameters, template_.name);
}

absl::Status SplicedPass::Reserve(std::int64_t bytes, std::int64_t counters) {
  if (bytes > scratch_.size()) {
    scratch_ = Array();  // what is given back first can serve the new array
    ASSIGN_OR_RETURN(scratch_, backend_->Allocate(ElementType::kUInt8, bytes));
  }
  if (counters <= counters_.size()) return absl::OkStatus();
  counters_ = Array();
  ASSIGN_OR_RETURN(counters_,
                   backend_->Allocate(ElementType::kUInt32, counters));
  const std::vector<std::uint32_t> zeros(static_cast<std::size_t>(counters));
  return backend_->Copy(ConstArrayView(absl::MakeConstSpan(zeros)),
                        counters_.view());
}

// What the prologue reads there, by the definition.
absl::Status SplicedPass::ReadOutside(std::uint64_t element,
                                      absl::Span<const ConstArrayView> columns,
                                      absl::Span<const ConstArrayView> tables) {
  const auto index = static_cast<std::int64_t>(element);
  const Function& function = functions_.prologue;
  const auto copied = [&](const ConstArrayView& view, std::int64_t first,
                          std::int64_t count) -> absl::StatusOr<Array> {
    ASSIGN_OR_RETURN(Array host, backend_->AllocateHost(view.type(), count));
    const ConstArrayView part(
        view.data<char>() +
            first * static_cast<std::int64_t>(SizeOf(view.type())),
        view.type(), count, view.memory());
    RETURN_IF_ERROR(backend_->Copy(part, host.view()));
    return host;
  };
  std::vector<Word> arguments;
  const std::vector<Type> types = function.ParameterTypes();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    ASSIGN_OR_RETURN(const Array value, copied(columns[k], index, 1));
    arguments.push_back(
        expression::LoadValue(types[k], value.view().data(), 0));
  }
  std::vector<Array> host_tables;
  std::vector<ConstArrayView> views;
  for (const ConstArrayView& table : tables) {
    ASSIGN_OR_RETURN(Array host, copied(table, 0, table.size()));
    views.push_back(host.view());
    host_tables.push_back(std::move(host));
  }
  const expression::Evaluated evaluated =
      expression::Evaluate(function, arguments, index, views);
  if (!evaluated.outside.has_value()) {
    return InternalError("element ", index, " reads outside, but not here");
  }
  const std::string& name = function.tables()[evaluated.outside->table].name;
  return OutOfRangeError("element ", index, " reads ", name, "[",
                         evaluated.outside->index, "], and ", name, " has ",
                         tables[evaluated.outside->table].size(), " elements");
}

}  // namespace concord::sequence
