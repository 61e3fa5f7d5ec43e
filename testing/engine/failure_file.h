// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_FAILURE_FILE_H_
#define CONCORD_TESTING_ENGINE_FAILURE_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/examiner.h"

namespace concord {

// A failure in a form that outlives the program: all that is needed to repeat
// it elsewhere, in JSON. Integers are JSON numbers. Floats are text that reads
// back to the same bits; a NaN is "nan:" and its bits in hexadecimal.
struct FailureRecord {
  std::string implementation;  // "scan/tbb/one_pass"
  Trial trial;
  std::string kind;
  std::string message;
};

// Cases of more elements than this are saved as the request that generates
// them, if there is one.
constexpr std::int64_t kMostElementsInFile = std::int64_t{1} << 22;

// Of all inputs together.
std::int64_t ElementsOf(const Case& test_case);

std::string FormatFailure(const FailureRecord& record);
// `source` names the text in errors. The case is as it was saved, or generated
// by the algorithm from the request that was saved.
absl::StatusOr<FailureRecord> ParseFailure(absl::string_view text,
                                           absl::string_view source);
// The same of a subject that is not in the registry.
absl::StatusOr<FailureRecord> ParseFailureOf(const Subject& subject,
                                             absl::string_view text,
                                             absl::string_view source);

// Saves to a file in `folder`, whose name follows from the content, and returns
// its path. An empty folder stands for that of the test's outputs, or else the
// one for temporary files.
absl::StatusOr<std::string> SaveFailure(const FailureRecord& record,
                                        const std::string& folder);
absl::StatusOr<FailureRecord> LoadFailure(const std::string& path);

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_FAILURE_FILE_H_
