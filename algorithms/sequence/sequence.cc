// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/sequence.h"

#include <string>
#include <utility>

#include "concord/algorithms/sequence/column_names.h"
#include "concord/algorithms/sequence/program_cache.h"
#include "concord/algorithms/sequence/program_call.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/core/value_or_throw.h"

namespace concord {
namespace {

using Options = SequenceProgram::Options;
using sequence::kColumnNames;
using sequence::KnownSize;
using sequence::kOutputNames;
using sequence::kOutputOptions;
using sequence::Program;

constexpr int kMostColumns = SequenceProgram::kMostColumns;
constexpr int kCount = kMostColumns;  // where the outputs have it

// For calls whose program has been parsed before.
std::shared_ptr<const Program> ParsedProgram(const Options& options,
                                             Views inputs) {
  return ValueOrThrow(sequence::CallOf(options.program, inputs)).program;
}

absl::StatusOr<KnownSize> SizeOfResult(const Options& options, Views inputs) {
  ASSIGN_OR_RETURN(const sequence::ProgramCall call,
                   sequence::CallOf(options.program, inputs));
  return call.size;
}

std::string WordsOfColumns(std::size_t columns) {
  return absl::StrCat("the result has ", columns,
                      columns == 1 ? " column" : " columns");
}

absl::Status TooManyColumns(std::size_t columns) {
  return InvalidArgumentError("there can be ", kMostColumns, " columns, not ",
                              columns);
}

// x, y, z and w, whether or not they are given.
std::vector<ConstArrayView> InputsOf(Views columns) {
  std::vector<ConstArrayView> inputs(columns.begin(), columns.end());
  inputs.resize(kMostColumns);
  return inputs;
}

absl::Status CheckProgram(const Options& options, Views inputs) {
  ASSIGN_OR_RETURN(const sequence::ProgramCall call,
                   sequence::CallOf(options.program, inputs));
  const std::size_t columns = call.program->types().size();
  if (columns > kMostColumns) {
    return InvalidArgumentError(WordsOfColumns(columns), "; there can be ",
                                kMostColumns);
  }
  const bool wanted[] = {false, options.output_y, options.output_z,
                         options.output_w};
  for (std::size_t k = columns; k < kMostColumns; ++k) {
    if (!wanted[k]) continue;
    return InvalidArgumentError(WordsOfColumns(columns),
                                ", so nothing is for --", kOutputOptions[k]);
  }
  // Also whether sequences that are zipped can be of one size.
  return call.size.status();
}

// The rules of column `k` of the result. One that is not there has any type: it
// is refused, whatever it is.
Rule<Options, ElementType> TypeOfColumn(std::size_t k) {
  return {"that of the program's result; a bool is uint8",
          [k](const Options& options, Views inputs) {
            const auto program = ParsedProgram(options, inputs);
            return k < program->types().size() ? StoredAs(program->types()[k])
                                               : ElementType::kUInt8;
          }};
}
Rule<Options, bool> HasColumn(std::size_t k) {
  return {absl::StrCat("where the result has ", k + 1, " columns",
                       k + 1 < kMostColumns ? " or more" : ""),
          [k](const Options& options, Views inputs) {
            return k < ParsedProgram(options, inputs)->types().size();
          }};
}

Signature<SequenceProgram>::OutputRule Column(std::size_t k, const char* help) {
  Signature<SequenceProgram>::OutputRule rule = {kOutputNames[k],    help,
                                                 TypeOfColumn(k),    {"rows"},
                                                 /*in_place_of=*/"",
                                                 /*size_in=*/"count"};
  if (k > 0) rule.when = HasColumn(k);
  return rule;
}

// A count that is not known before the run.
bool HasCount(const Options& options, Views inputs) {
  const absl::StatusOr<KnownSize> size = SizeOfResult(options, inputs);
  return size.ok() && !size->exact;
}

absl::Status CheckOutputs(const Options& options, const Program& program,
                          Views inputs, MutableViews outputs) {
  const std::size_t columns = program.types().size();
  for (std::size_t k = columns; k < kMostColumns; ++k) {
    if (!outputs[k].given()) continue;
    return InvalidArgumentError(WordsOfColumns(columns),
                                ", and there is an array for one more");
  }
  if (!outputs[kCount].given() || HasCount(options, inputs)) {
    return absl::OkStatus();
  }
  return InvalidArgumentError(
      "'count' is given, but the size of the result is known without a run");
}

OptionSpec ColumnFile(std::size_t k) {
  return OptionSpec::File(
      kColumnNames[k],
      absl::StrCat("the file with the column ", kColumnNames[k]));
}

InputSpec ColumnInput(std::size_t k) {
  InputSpec input = {kColumnNames[k],
                     absl::StrCat("the column ", kColumnNames[k])};
  input.shape = {kColumnNames[k]};
  input.optional = true;
  return input;
}

}  // namespace

const Signature<SequenceProgram>& SequenceProgram::GetSignature() {
  static const auto* const signature = new Signature<SequenceProgram>(
      Signature<SequenceProgram>("a program of your own on sequences")
          .Text("program",
                "what to compute, such as 'map 2 * x + 1 |> reduce a + b'; "
                "@FILE on the command line for the text in a file",
                "x",
                [](absl::string_view text, Options& options) {
                  options.program = std::string(text);
                  return absl::OkStatus();
                })
          .UsualWork([](const Options& options) {
            return options.program == Options().program;
          })
          .Option(ColumnFile(1))
          .Option(ColumnFile(2))
          .Option(ColumnFile(3))
          .WantedOutput(kOutputOptions[1], "the second column of the result",
                        &Options::output_y)
          .WantedOutput(kOutputOptions[2], "the third column of the result",
                        &Options::output_z)
          .WantedOutput(kOutputOptions[3], "the fourth column of the result",
                        &Options::output_w)
          .Input(
              {kColumnNames[0], "the column x", AllElementTypes(), {"n"}, true})
          .Input(ColumnInput(1))
          .Input(ColumnInput(2))
          .Input(ColumnInput(3))
          .Extent({"rows", "as many as the program gives, or at most gives"},
                  [](const Options& options,
                     Views inputs) -> absl::StatusOr<std::int64_t> {
                    ASSIGN_OR_RETURN(const KnownSize size,
                                     SizeOfResult(options, inputs));
                    return size.most;
                  })
          .Output(Column(0, "the result, or its first column"))
          .Output(Column(1, "the second column of the result"))
          .Output(Column(2, "the third column of the result"))
          .Output(Column(3, "the fourth column of the result"))
          .Output({"count",
                   "how many elements the result has",
                   Always{ElementType::kInt64},
                   {"1"},
                   "",
                   "",
                   {},
                   Rule<Options, bool>{
                       "where a filter or groups decide how many there are",
                       HasCount}})
          .Requires(CheckProgram)
          .Calls([](SequenceProgram& sequence, Views inputs,
                    MutableViews outputs,
                    const Options& options) -> absl::Status {
            const auto program = ParsedProgram(options, inputs);
            RETURN_IF_ERROR(CheckOutputs(options, *program, inputs, outputs));
            return sequence.Compute(*program, sequence::ColumnsOf(inputs),
                                    outputs);
          }));
  return *signature;
}

absl::Status SequenceProgram::Run(Views columns, const Outputs& outputs,
                                  const Options& options) {
  return Guarded([&] {
    if (columns.size() > kMostColumns) return TooManyColumns(columns.size());
    std::vector<ArrayView> all(std::begin(outputs.columns),
                               std::end(outputs.columns));
    all.push_back(outputs.count);
    return GetSignature().Run(*this, InputsOf(columns), all, options);
  });
}

Contract sequence::SequenceContract() {
  return Contract().SpecialValues(
      "each operation as core/expression defines it; any NaN of a result is "
      "the "
      "quiet NaN");
}

namespace {

absl::StatusOr<std::vector<HostArray>> Computed(
    const std::shared_ptr<Backend>& backend, const Options& options,
    Views inputs, absl::string_view variant) {
  const Signature<SequenceProgram>& signature = SequenceProgram::GetSignature();
  ASSIGN_OR_RETURN(const std::vector<OutputSpec> specs,
                   signature.Plan(options, inputs));
  std::vector<HostArray> results;
  for (const OutputSpec& spec : specs) {
    ASSIGN_OR_RETURN(HostArray result, HostArray::Make(spec.type, spec.shape));
    results.push_back(std::move(result));
  }
  Outputs by_name;
  for (std::size_t k = 0; k < specs.size(); ++k) {
    by_name.emplace(specs[k].name, results[k].view());
  }
  std::vector<ArrayView> outputs;
  RETURN_IF_ERROR(PutInOrder(signature.data(), by_name, outputs));
  RETURN_IF_ERROR(
      RunOnHost<SequenceProgram>(backend, variant, options, inputs, outputs));
  if (specs.front().size_in.empty()) return results;
  const std::int64_t count = *results.back().data<std::int64_t>();
  results.pop_back();
  for (HostArray& column : results) column.Cut({count});
  return results;
}

}  // namespace

absl::StatusOr<std::vector<HostArray>> ComputeSequence(
    const std::shared_ptr<Backend>& backend, absl::string_view program,
    Views columns, absl::string_view variant) {
  return Guarded([&]() -> absl::StatusOr<std::vector<HostArray>> {
    if (columns.size() > kMostColumns) return TooManyColumns(columns.size());
    Options options;
    options.program = std::string(program);
    return Computed(backend, options, InputsOf(columns), variant);
  });
}

namespace {

const bool kRegistered = RegisterAlgorithm<SequenceProgram>();

}  // namespace
}  // namespace concord
