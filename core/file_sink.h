// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_FILE_SINK_H_
#define CONCORD_CORE_FILE_SINK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/core/call.h"
#include "concord/core/output_file.h"
#include "concord/core/replicas.h"

namespace concord {

// The output that goes to the file of an option: X of --output-X, or out_X
// where no output is called X.
std::string OutputOf(const SignatureData& signature, const OptionSpec& option);

// A file that an output is computed into: .npy in a regular file is given its
// room on the disk, mapped, and cut to the size of the results; in memory
// (tmpfs) it gets huge pages where the kernel has them. Text, pipes and devices
// are written when the output is complete.
//
// Replicas (replicas.h) call it together. All of them map the file, and each
// may write a part of it; text is written by the first, from the whole output.
class FileSink : public Sink {
 public:
  // Errors as OutputFile::Open has them: before anything is computed that could
  // then not be kept.
  static absl::StatusOr<std::unique_ptr<FileSink>> Open(
      const std::string& path);
  ~FileSink() override;

  // ResourceExhausted: the disk has no room for the output.
  absl::StatusOr<ArrayView> Room(
      ElementType type, const std::vector<std::int64_t>& shape) override;
  absl::Status Take(const std::vector<std::int64_t>& shape) override;

  // The file takes its name. Without it nothing is left. Prepare(), as that of
  // OutputFile, comes before where there are several.
  absl::Status Prepare() { return file_.Prepare(); }
  absl::Status Commit() { return file_.Commit(); }

 private:
  FileSink(const std::string& path, OutputFile file)
      : path_(path), file_(std::move(file)) {}

  // Gives the mapped file its room on the disk.
  absl::Status TakeRoom();
  absl::Status Unmap();

  std::string path_;
  OutputFile file_;
  ElementType type_ = ElementType::kUInt8;
  // The mapped file, or null.
  char* mapped_ = nullptr;
  std::int64_t mapped_bytes_ = 0;
  std::int64_t header_bytes_ = 0;
  std::optional<SharedRoom> shared_;
  // Where nothing is mapped.
  HostArraySink array_;
};

}  // namespace concord

#endif  // CONCORD_CORE_FILE_SINK_H_
