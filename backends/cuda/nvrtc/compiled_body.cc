// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/nvrtc/compiled_body.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/core/errors.h"
#include "concord/core/expression/graph.h"

namespace concord::nvrtc {

using expression::Node;
using expression::Op;
using expression::Type;
using spliced::BitsOf;
using spliced::CarrierOf;
using spliced::Place;
using spliced::PtxWriter;
using spliced::Register;
using spliced::Values;

namespace {

// What stands between the braces of the kernel.
absl::StatusOr<absl::string_view> BodyOf(absl::string_view ptx,
                                         absl::string_view kernel) {
  const std::string head = absl::StrCat(".entry ", kernel, "(");
  std::size_t begin = ptx.find(head);
  if (begin == absl::string_view::npos) {
    return InternalError("the compiled functions have no ", kernel);
  }
  begin = ptx.find("\n{", begin);
  const std::size_t end =
      begin == absl::string_view::npos ? begin : ptx.find("\n}", begin);
  if (end == absl::string_view::npos) {
    return InternalError("the compiled ", kernel, " has no end");
  }
  return ptx.substr(begin + 2, end - begin - 2);
}

std::string Move(Type type, absl::string_view to, absl::string_view from) {
  return absl::StrCat("mov.", BitsOf(type), " ", to, ", ", from, ";\n");
}

}  // namespace

absl::Status CompiledBody::AddPlace(absl::string_view text) {
  Line line;
  line.place = spliced::ParsedPlace(text);
  const Place& place = *line.place;
  const std::size_t numbered = place.name == "index"    ? 0
                               : place.name == "gather" ? 2
                                                        : 1;
  const std::size_t count = place.name == "gather"     ? tables_.size()
                            : place.name == "result"   ? results_.size()
                            : place.name == "argument" ? parameters_.size()
                            : place.name == "index"    ? 1
                                                       : 0;
  const bool has_operands = place.operands.size() == numbered + 1;
  if (!has_operands ||
      (numbered > 0 &&
       !absl::SimpleAtoi(place.operands[numbered], &line.number)) ||
      line.number < 0 || static_cast<std::size_t>(line.number) >= count) {
    return InternalError("a compiled function has the place ", text);
  }
  lines_.push_back(std::move(line));
  return absl::OkStatus();
}

absl::Status CompiledBody::Add(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  // Registers get names that neither templates nor emitted code has.
  const std::string renamed = absl::StrReplaceAll(line, {{"%", "%f_"}});
  absl::string_view text = renamed;
  if (absl::ConsumePrefix(&text, spliced::kPlaceMark)) return AddPlace(text);
  if (text.empty() || absl::StartsWith(text, "//")) return absl::OkStatus();
  lines_.push_back({renamed});
  return absl::OkStatus();
}

absl::StatusOr<CompiledBody> CompiledBody::Of(absl::string_view ptx,
                                              absl::string_view kernel,
                                              std::vector<Type> parameters,
                                              std::vector<Type> results,
                                              std::vector<Type> tables) {
  ASSIGN_OR_RETURN(const absl::string_view text, BodyOf(ptx, kernel));
  CompiledBody body(std::move(parameters), std::move(results),
                    std::move(tables));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    RETURN_IF_ERROR(body.Add(line));
  }
  // The end of the kernel is that of the block; results stand before it.
  if (body.lines_.empty() || body.lines_.back().text != "ret;") {
    return InternalError("the compiled ", kernel, " does not end in 'ret'");
  }
  body.lines_.pop_back();
  std::vector<bool> given(body.results_.size());
  for (const Line& line : body.lines_) {
    if (absl::StrContains(line.text, "ret;")) {
      return InternalError("the compiled ", kernel, " ends early");
    }
    if (line.place.has_value() && line.place->name == "result") {
      given[static_cast<std::size_t>(line.number)] = true;
    }
  }
  for (const bool is_given : given) {
    if (!is_given)
      return InternalError("the compiled ", kernel, " lacks results");
  }
  return body;
}

Values CompiledBody::Emit(PtxWriter& ptx, const Values& arguments,
                          const std::string& index,
                          const std::string& kernel_arguments) const {
  Values carried;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    carried.push_back(spliced::EmitCarried(ptx, parameters_[k], arguments[k]));
  }
  Values results;
  for (const Type type : results_) results.push_back(ptx.New(CarrierOf(type)));
  ptx.Nested("{\n");
  for (const Line& line : lines_) {
    if (!line.place.has_value()) {
      ptx.Nested(absl::StrCat(line.text, "\n"));
      continue;
    }
    const auto number = static_cast<std::size_t>(line.number);
    const std::vector<std::string>& operands = line.place->operands;
    if (line.place->name == "argument") {
      ptx.Nested(Move(parameters_[number], operands[0], carried[number]));
    } else if (line.place->name == "index") {
      ptx.Nested(Move(Type::kInt64, operands[0], index));
    } else if (line.place->name == "result") {
      ptx.Nested(Move(results_[number], results[number], operands[0]));
    } else {
      Node gather = {Op::kGather, tables_[number]};
      gather.bits = number;
      const std::string value = spliced::EmitGather(ptx, gather, operands[1],
                                                    index, kernel_arguments);
      ptx.Nested(Move(gather.type, operands[0], value));
    }
  }
  ptx.Nested("}\n");
  for (std::size_t k = 0; k < results_.size(); ++k) {
    if (results_[k] != Type::kBool) continue;
    results[k] = spliced::EmitUncarried(ptx, Type::kBool, results[k]);
  }
  return results;
}

}  // namespace concord::nvrtc
