// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_FILE_H_
#define CONCORD_CORE_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace concord {

// Wherever a path names an input, "-" is standard input. Errors say why the
// input cannot be read. NotFound: there is no such file. InvalidArgument: it is
// a directory, may not be read, is closed, or fails while it is read.

// What messages call the input: "standard input" or the path.
std::string SourceName(const std::string& path);

// Whether the input may be other than a file on a disk, such as standard input
// or a pipe, whose bytes come only once.
bool IsReadOnce(const std::string& path);

// A descriptor of the caller's, who closes it, also for standard input. Among
// replicas (replicas.h), the first one reads what is read once, and all get the
// whole of it, in memory; each of them calls this at the same point.
absl::StatusOr<int> OpenForReading(const std::string& path);

// All of the input. ResourceExhausted: more than the memory holds.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace concord

#endif  // CONCORD_CORE_FILE_H_
