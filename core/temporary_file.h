// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_TEMPORARY_FILE_H_
#define CONCORD_CORE_TEMPORARY_FILE_H_

#include <filesystem>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"

namespace concord {

// The name of a temporary file; "" where there is none.
class TemporaryName {
 public:
  TemporaryName() = default;
  TemporaryName(TemporaryName&& other)
      : name_(std::exchange(other.name_, "")),
        place_(std::exchange(other.place_, -1)) {}
  // Forgets it.
  ~TemporaryName() { Forget(); }

  bool empty() const { return name_.empty(); }
  const std::string& name() const { return name_; }

  // Makes a file in the folder of `target` by make(name), of a name that nobody
  // has. Returns what `make` does: not -1, or -1 with the reason in errno.
  // Signals remove it, see below, until it is forgotten.
  int Make(const std::filesystem::path& target,
           absl::FunctionRef<int(const char*)> make);

  // The file has another name by now, or is removed.
  void Forget();

 private:
  std::string name_;
  // Where a signal finds it, or -1.
  int place_ = -1;
};

// From now on a signal that ends the process, such as SIGINT, SIGTERM, SIGHUP
// and SIGPIPE, removes the temporary files that have a name before. A shell
// sees the same status as without. A signal that is ignored stays so. For
// programs: a library must not take over signals by itself.
void RemoveTemporaryFilesWhenInterrupted();

}  // namespace concord

#endif  // CONCORD_CORE_TEMPORARY_FILE_H_
