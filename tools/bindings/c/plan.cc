// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The outputs of a call, before it.

#include <vector>

#include "concord/core/errors.h"
#include "concord/core/signature_data.h"
#include "concord/tools/bindings/c/array.h"
#include "concord/tools/bindings/c/kernel.h"
#include "concord/tools/bindings/c/status.h"

struct concord_plan {
  std::vector<concord::OutputSpec> outputs;
  concord_device device;
};

using concord::bindings::Give;
using concord::bindings::NotNull;

namespace {

absl::StatusOr<const concord::OutputSpec*> OutputOf(const concord_plan* plan,
                                                    std::size_t index) {
  RETURN_IF_ERROR(NotNull({{"plan", plan}}));
  if (index < plan->outputs.size()) return &plan->outputs[index];
  return concord::OutOfRangeError("there is no output number ", index,
                                  "; there are ", plan->outputs.size());
}

// NULL for "".
const char* NameOrNull(const std::string& name) {
  return name.empty() ? nullptr : name.c_str();
}

}  // namespace

concord_status* concord_kernel_plan(concord_kernel* kernel,
                                    const concord_array* inputs,
                                    size_t input_count, concord_plan** plan) {
  return Give("plan", plan, [&]() -> absl::StatusOr<concord_plan*> {
    RETURN_IF_ERROR(NotNull({{"kernel", kernel}}));
    if (input_count > 0) RETURN_IF_ERROR(NotNull({{"inputs", inputs}}));
    ASSIGN_OR_RETURN(
        std::vector<concord::OutputSpec> outputs,
        kernel->kernel->Plan(concord::bindings::CArrays(inputs, input_count)));
    return new concord_plan{std::move(outputs),
                            kernel->kernel->backend().device()};
  });
}

concord_status* concord_plan_output_count(const concord_plan* plan,
                                          size_t* count) {
  return Give("count", count, [&]() -> absl::StatusOr<size_t> {
    RETURN_IF_ERROR(NotNull({{"plan", plan}}));
    return plan->outputs.size();
  });
}

concord_status* concord_plan_output(const concord_plan* plan, size_t index,
                                    concord_array* output) {
  return Give("output", output, [&]() -> absl::StatusOr<concord_array> {
    ASSIGN_OR_RETURN(const concord::OutputSpec* const spec,
                     OutputOf(plan, index));
    concord_array array = {};
    array.name = spec->name.c_str();
    array.device = plan->device;
    array.dimensions = static_cast<int32_t>(spec->shape.size());
    array.type = concord::bindings::ToC(spec->type);
    array.shape = spec->shape.data();
    return array;
  });
}

concord_status* concord_plan_count_in(const concord_plan* plan, size_t index,
                                      const char** name) {
  return Give("name", name, [&]() -> absl::StatusOr<const char*> {
    ASSIGN_OR_RETURN(const concord::OutputSpec* const spec,
                     OutputOf(plan, index));
    return NameOrNull(spec->size_in);
  });
}

concord_status* concord_plan_in_place_of(const concord_plan* plan, size_t index,
                                         const char** name) {
  return Give("name", name, [&]() -> absl::StatusOr<const char*> {
    ASSIGN_OR_RETURN(const concord::OutputSpec* const spec,
                     OutputOf(plan, index));
    return NameOrNull(spec->in_place_of);
  });
}

void concord_plan_free(concord_plan* plan) { delete plan; }
