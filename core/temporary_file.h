// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_TEMPORARY_FILE_H_
#define CONCORD_CORE_TEMPORARY_FILE_H_

#include <filesystem>
#include <string>

#include "absl/functional/function_ref.h"

namespace concord {

// Makes a file in the folder of `target` by make(name), of a name that nobody
// has. Returns what `make` does: not -1, or -1 with the reason in errno.
// Signals remove it, see below, until ForgetTemporaryFile(name).
int MakeTemporaryFile(const std::filesystem::path& target, std::string& name,
                      absl::FunctionRef<int(const char*)> make);

// It has another name by now, or is removed.
void ForgetTemporaryFile(const std::string& name);

// From now on a signal that ends the process, such as SIGINT, SIGTERM, SIGHUP
// and SIGPIPE, removes the temporary files that have a name before. A shell
// sees the same status as without. A signal that is ignored stays so. For
// programs: a library must not take over signals by itself.
void RemoveTemporaryFilesWhenInterrupted();

}  // namespace concord

#endif  // CONCORD_CORE_TEMPORARY_FILE_H_
