// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a text that is no JSON, or other JSON than is wanted.

#ifndef CONCORD_TESTING_ENGINE_JSON_PROBLEM_H_
#define CONCORD_TESTING_ENGINE_JSON_PROBLEM_H_

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace concord {

// What the JSON library says, as in "parse error at line 1, column 6: ...", but
// for "[json.exception.parse_error.101] ", which it begins with.
inline absl::string_view JsonProblem(const nlohmann::json::exception& problem) {
  const absl::string_view text = problem.what();
  const std::size_t end = text.find("] ");
  return text.substr(end == text.npos ? 0 : end + 2);
}

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_JSON_PROBLEM_H_
