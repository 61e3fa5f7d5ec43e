// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_MODULE_CACHE_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_MODULE_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace concord::spliced {

// Machine code that was compiled before, in files of one folder: one for each
// key, which says everything that the code depends on. A file has its whole
// key, and a checksum. What is damaged, unreadable or of another key counts as
// absent; so does everything in a folder that others than its owner may write.
//
// Any number of processes may use a folder at once: a file appears whole, by
// its new name.
class ModuleCache {
 public:
  static constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;

  // In $CONCORD_CACHE; without it in `concord` of $XDG_CACHE_HOME, or of
  // ~/.cache. An empty $CONCORD_CACHE is a cache of nothing.
  static ModuleCache FromEnvironment();

  // An empty name is a cache of nothing. Of more bytes, files that were not
  // used for longest are removed.
  explicit ModuleCache(std::string directory,
                       std::int64_t most_bytes = kMostBytes)
      : directory_(std::move(directory)), most_bytes_(most_bytes) {}

  const std::string& directory() const { return directory_; }

  std::optional<std::string> Find(absl::string_view key) const;

  // Makes the folder, if need be, for its owner alone. An error says why there
  // is no file now; callers who can do without it go on.
  absl::Status Store(absl::string_view key, absl::string_view code) const;

  // Where Store puts it.
  std::string PathOf(absl::string_view key) const;

 private:
  void RemoveOldest() const;

  std::string directory_;
  std::int64_t most_bytes_;
};

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_MODULE_CACHE_H_
