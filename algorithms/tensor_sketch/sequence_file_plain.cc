// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/tensor_sketch/sequence_file.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"

namespace concord::tensor_sketch {
namespace {

class PlainFile : public SequenceFile {
 public:
  explicit PlainFile(std::string name) : name_(std::move(name)) {}
  ~PlainFile() override {
    if (descriptor_ >= 0) close(descriptor_);
  }

  absl::Status Open(const std::string& path) {
    ASSIGN_OR_RETURN(descriptor_, OpenForReading(path));
    return absl::OkStatus();
  }

  absl::StatusOr<std::size_t> Read(char* buffer) override {
    // A pipe gives what has come so far: too little to tell by.
    std::size_t size = 0;
    while (size < kBufferSize) {
      const ssize_t count =
          read(descriptor_, buffer + size, kBufferSize - size);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        return InvalidArgumentError("cannot read ", name_, ": ",
                                    std::strerror(errno));
      }
      if (count == 0) break;
      size += static_cast<std::size_t>(count);
    }
    // How gzip and BGZF begin.
    if (std::exchange(at_start_, false) &&
        absl::StartsWith(absl::string_view(buffer, size), "\x1f\x8b")) {
      return InvalidArgumentError(
          name_,
          ": is compressed, and this program was built without htslib; "
          "decompress the file first");
    }
    return size;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  bool at_start_ = true;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SequenceFile>> OpenSequenceFile(
    const std::string& path) {
  auto file = std::make_unique<PlainFile>(SourceName(path));
  RETURN_IF_ERROR(file->Open(path));
  return file;
}

}  // namespace concord::tensor_sketch
