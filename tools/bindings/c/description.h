// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_BINDINGS_C_DESCRIPTION_H_
#define CONCORD_TOOLS_BINDINGS_C_DESCRIPTION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/testing/engine/described_spec.h"

namespace concord::bindings {

// How far results may be from those wanted: `absolute`, and `relative` times
// what is wanted.
struct Allowance {
  double absolute = 0;
  double relative = 0;
};

struct DescribedFunction {
  Description description;
  Allowance allowance;
};

// As concord_differential_create takes it. InvalidArgument says what of it has
// no meaning.
absl::StatusOr<DescribedFunction> ParseDescription(absl::string_view json);

}  // namespace concord::bindings

#endif  // CONCORD_TOOLS_BINDINGS_C_DESCRIPTION_H_
