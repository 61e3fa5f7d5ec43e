// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_SELECTION_H_
#define CONCORD_TOOLS_CONCORD_SELECTION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"

namespace concord {

// An implementation and the backend that it is to run on.
struct Candidate {
  // "tbb:2", as it was asked for.
  std::string backend_spec;
  ImplementationInfo info;
  // Null when the implementation cannot run here.
  std::shared_ptr<Backend> backend;
  // Why it cannot.
  std::string reason;

  // "tbb:2/one_pass"
  std::string name() const;
};

// What `backends` (specs separated by commas; empty: every backend of this
// program) and `variant` (empty: all of them) select, in that order.
//
// Backends that are not named may be unavailable: their candidates say why.
// Unavailable: one that is named is, or has not the variant. NotFound: no
// backend has it. All say `asked` for the algorithm.
absl::StatusOr<std::vector<Candidate>> SelectCandidates(
    const Algorithm& algorithm, absl::string_view backends,
    absl::string_view variant, absl::string_view asked);

// The implementation on one backend; an empty variant is the backend's default.
// NotFound, and Unavailable where another backend has it, list those there are;
// Unavailable says what the one named needs. All say `asked` for the algorithm.
absl::StatusOr<ImplementationInfo> FindImplementation(
    const Algorithm& algorithm, Backend& backend, absl::string_view variant,
    absl::string_view asked);

// Why the implementation does not take an input of this type and size, by its
// own contract; "" when it does.
std::string RefusalOf(const ImplementationInfo& info, ElementType type,
                      std::int64_t size, absl::string_view unit);

// Whether `name` has `pattern` in it or, when that holds one of *?[, matches it
// as a shell would. Everything matches the empty pattern.
bool Matches(const std::string& pattern, const std::string& name);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_SELECTION_H_
