// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_MAPPED_FILE_H_
#define CONCORD_CORE_MAPPED_FILE_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace concord {

// A regular file as memory that is read when it is looked at.
class MappedFile {
 public:
  // FailedPrecondition: it is no regular file with content that can be mapped,
  // and has to be read.
  static absl::StatusOr<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other)
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  absl::string_view content() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, std::size_t size) : data_(data), size_(size) {}

  const char* data_;
  std::size_t size_;
};

}  // namespace concord

#endif  // CONCORD_CORE_MAPPED_FILE_H_
