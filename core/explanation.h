// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPLANATION_H_
#define CONCORD_CORE_EXPLANATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/core/options.h"
#include "concord/core/signature_data.h"

namespace concord {

// What a call would do, found without running it. Only an algorithm whose work
// depends on what its options say has something to explain.
struct ExplainedCall {
  struct Step {
    std::string what;
    // So many, or fewer where `at_most` is set.
    std::int64_t elements = 0;
    bool at_most = false;
    // Of each element.
    std::int64_t operations = 0;
    std::int64_t bytes_read = 0;
    std::int64_t bytes_written = 0;
  };

  // One after the other, as they are defined.
  std::vector<Step> steps;
  // The least that any implementation must move: inputs once, results once.
  std::int64_t least_read = 0;
  std::int64_t least_written = 0;
};

// Of a call with these options on inputs of these types and shapes; their
// elements are not looked at. InvalidArgument for a call that breaks the
// algorithm's rules.
using Explainer = std::function<absl::StatusOr<ExplainedCall>(const OptionMap&,
                                                              const Inputs&)>;

// Stands beside the algorithm:
//   const bool kRegistered = RegisterExplainer("sequence", Explain);
bool RegisterExplainer(const std::string& algorithm, Explainer explainer);

// The algorithms that have one.
std::vector<std::string> ExplainedAlgorithms();

// NotFound lists these.
absl::StatusOr<ExplainedCall> ExplainCall(const std::string& algorithm,
                                          const OptionMap& options,
                                          const Inputs& inputs);

}  // namespace concord

#endif  // CONCORD_CORE_EXPLANATION_H_
