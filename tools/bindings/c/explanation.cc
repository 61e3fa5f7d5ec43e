// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a call would do. Nothing runs.

#include "concord/core/explanation.h"

#include <string>
#include <utility>
#include <vector>

#include "concord/core/algorithm.h"
#include "concord/core/errors.h"
#include "concord/core/functions.h"
#include "concord/core/signature_data.h"
#include "concord/tools/bindings/c/array.h"
#include "concord/tools/bindings/c/kernel.h"
#include "concord/tools/bindings/c/status.h"
#include "concord/tools/concord/descriptions.h"

namespace concord::bindings {
namespace {

absl::StatusOr<ConstArrayView> TypeAndShapeOf(const concord_array& array) {
  ASSIGN_OR_RETURN(const ElementType type, TypeOf(array, array.name));
  ASSIGN_OR_RETURN(Shape shape, ShapeOf(array, array.name));
  return WithoutElements(type, std::move(shape));
}

absl::StatusOr<std::string> Explain(absl::string_view algorithm,
                                    const OptionMap& options, CArrays arrays) {
  ASSIGN_OR_RETURN(const Algorithm* const named, FindAlgorithm(algorithm));
  RETURN_IF_ERROR(RefuseFiles(*named, options));
  Inputs inputs;
  RETURN_IF_ERROR(
      ForEachView(arrays, TypeAndShapeOf,
                  [&](const char* name, const ConstArrayView& view) {
                    return inputs.emplace(name, view).second;
                  }));
  ASSIGN_OR_RETURN(const ProgramCall call, AsProgram(*named, options));
  if (call.algorithm != named) {
    std::vector<ConstArrayView> ordered;
    RETURN_IF_ERROR(PutInOrder(named->signature(), inputs, ordered));
    inputs = ByName(call.algorithm->signature(), ordered);
  }
  const std::string name = call.algorithm->name();
  ASSIGN_OR_RETURN(const ExplainedCall explanation,
                   ExplainCall(name, call.options, inputs));
  return AsJson(name, explanation);
}

}  // namespace
}  // namespace concord::bindings

using concord::bindings::CArrays;
using concord::bindings::NotNull;

concord_status* concord_explain(const char* algorithm,
                                const char* const* options, size_t option_count,
                                const concord_array* inputs, size_t input_count,
                                char** json) {
  return concord::bindings::Give("json", json, [&]() -> absl::StatusOr<char*> {
    RETURN_IF_ERROR(NotNull({{"algorithm", algorithm}}));
    if (input_count > 0) RETURN_IF_ERROR(NotNull({{"inputs", inputs}}));
    ASSIGN_OR_RETURN(const concord::OptionMap map,
                     concord::bindings::OptionsOf(options, option_count));
    ASSIGN_OR_RETURN(const std::string text,
                     concord::bindings::Explain(algorithm, map,
                                                CArrays(inputs, input_count)));
    return concord::bindings::CopyOf(text);
  });
}
