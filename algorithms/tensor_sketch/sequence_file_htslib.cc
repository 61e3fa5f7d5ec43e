// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "concord/algorithms/tensor_sketch/sequence_file.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"

namespace concord::tensor_sketch {
namespace {

// What bgzf_compression says; htslib has no names for its answers.
constexpr int kPlain = 0;
constexpr int kBgzf = 2;

static_assert(SequenceFile::kBufferSize == BGZF_MAX_BLOCK_SIZE,
              "as much as htslib decompresses at a time");

struct Close {
  void operator()(BGZF* file) const { bgzf_close(file); }
};

using OpenFile = std::unique_ptr<BGZF, Close>;

class HtslibFile : public SequenceFile {
 public:
  HtslibFile(std::string name, OpenFile file)
      : name_(std::move(name)), file_(std::move(file)) {}

  absl::StatusOr<std::size_t> Read(char* buffer) override {
    const ssize_t count = bgzf_read(file_.get(), buffer, kBufferSize);
    if (count >= 0) return static_cast<std::size_t>(count);
    return InvalidArgumentError(
        name_, bgzf_compression(file_.get()) == kPlain
                   ? ": cannot be read to its end"
                   : ": the compressed file is cut short or damaged");
  }

 private:
  std::string name_;
  OpenFile file_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SequenceFile>> OpenSequenceFile(
    const std::string& path) {
  // htslib would print its own version of what we return.
  hts_set_log_level(HTS_LOG_OFF);
  ASSIGN_OR_RETURN(const int descriptor, OpenForReading(path));
  // Owned at once: what follows may find no memory.
  OpenFile file(bgzf_dopen(descriptor, "r"));
  if (file == nullptr) {
    const int error = errno;
    close(descriptor);
    return InvalidArgumentError("cannot read ", SourceName(path), ": ",
                                std::strerror(error));
  }
  // 0: there is no marker where one should be; other answers are fine or cannot
  // know.
  if (bgzf_compression(file.get()) == kBgzf &&
      bgzf_check_EOF(file.get()) == 0) {
    return InvalidArgumentError(
        SourceName(path),
        ": the compressed file is cut short: it has no end marker");
  }
  return std::make_unique<HtslibFile>(SourceName(path), std::move(file));
}

}  // namespace concord::tensor_sketch
