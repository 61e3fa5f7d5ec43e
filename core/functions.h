// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_FUNCTIONS_H_
#define CONCORD_CORE_FUNCTIONS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/algorithm.h"
#include "concord/core/options.h"

namespace concord {

// Options that are functions of the caller's. The signature says which option
// takes them, and which call then computes the same:
//
//   reduce --op='a > b ? a : b'
//   sequence --program='reduce a > b ? a : b'

// A call, by the algorithm that computes it.
struct ProgramCall {
  const Algorithm* algorithm;
  OptionMap options;
};

// Whether the option takes a function, or is that of the programs which
// functions become.
bool TakesFunction(const Algorithm& algorithm, absl::string_view option);

// Where one of these options is a function: the call that computes it, which
// has an input for each of the algorithm's, in their order. Otherwise the call
// itself, unchanged. InvalidArgument: an option that is not for functions.
absl::StatusOr<ProgramCall> AsProgram(const Algorithm& algorithm,
                                      const OptionMap& options);

// The same for callers whose arrays have the names that `algorithm` gives them:
// an algorithm with its signature, but with the implementations of the one that
// computes the call, and with the few options that functions have. Otherwise
// `algorithm` itself.
absl::StatusOr<std::shared_ptr<const Algorithm>> TakingFunctions(
    const Algorithm& algorithm, const OptionMap& options);

}  // namespace concord

#endif  // CONCORD_CORE_FUNCTIONS_H_
