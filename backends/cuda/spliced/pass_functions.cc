// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/pass_functions.h"

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/spliced/fold_step.h"
#include "concord/backends/cuda/spliced/place_values.h"
#include "concord/core/errors.h"
#include "concord/core/expression/printer.h"

namespace concord::spliced {
namespace {

using expression::Function;
using expression::Type;
using expression::Word;

std::string TypedText(const Function& function) {
  std::string text;
  for (Type type : function.ParameterTypes()) {
    absl::StrAppend(&text, expression::Name(type), " ");
  }
  for (const expression::Table& table : function.tables()) {
    absl::StrAppend(
        &text, expression::Name(expression::ValueTypeOf(table.type)), "[] ");
  }
  return absl::StrCat(text, ": ", expression::ToText(function));
}

}  // namespace

std::string PassFunctions::Canonical() const {
  std::string text = absl::StrCat("prologue ", TypedText(prologue), "\n");
  if (op.has_value()) absl::StrAppend(&text, "op ", TypedText(*op), "\n");
  if (epilogue.has_value()) {
    absl::StrAppend(&text, "epilogue ", TypedText(*epilogue), "\n");
  }
  for (Word word : identity) {
    absl::StrAppend(&text, "identity ", absl::Hex(word), "\n");
  }
  return text;
}

std::optional<Function> PartOf(const PassFunctions& pass, Part part) {
  switch (part) {
    case Part::kPrologue:
      return pass.prologue;
    case Part::kOp:
      return pass.op;
    case Part::kEpilogue:
      return pass.epilogue;
    case Part::kStep:
      break;
  }
  return pass.op.has_value() ? StepOf(pass) : std::nullopt;
}

absl::StatusOr<std::string> FillPlaceOfPass(const PassFunctions& pass,
                                            bool wide, const Place& place,
                                            const PassCode* code) {
  for (absl::Span<const NamedPlace> places : {ElementPlaces(), StatePlaces()}) {
    for (const NamedPlace& named : places) {
      if (named.name != place.name) continue;
      PlaceValues values(pass, wide, place, code);
      RETURN_IF_ERROR(named.fill(values));
      return values.ptx().Block();
    }
  }
  return InternalError("there is no place '", place.name, "'");
}

}  // namespace concord::spliced
