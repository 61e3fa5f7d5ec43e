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
#include "concord/core/stored_room.h"

namespace concord {

// The output that goes to the file of an option: X of --output-X, or out_X
// where no output is called X.
std::string OutputOf(const SignatureData& signature, const OptionSpec& option);

// A file that an output is computed into: .npy in a regular file is given its
// room on the disk, mapped, and cut to the size of the results; in memory
// (tmpfs) it gets huge pages where the kernel has them. Text, pipes and devices
// are written when the output is complete.
//
// Replicas (replicas.h) call it together. If the backend shares its arrays out,
// all on one host map the file, and each may write a part of it; on several
// hosts each writes its part when it is there (stored_room.h). Text is written
// by the first, from the whole output, and so is on several hosts an output of
// which each of them has all. If each replica computes all of the output by
// itself, only the first has the file; the others compute in memory of their
// own, as an implementation may read what it has written.
class FileSink : public Sink {
 public:
  // Errors as OutputFile::Open has them: before anything is computed that could
  // then not be kept.
  static absl::StatusOr<std::unique_ptr<FileSink>> Open(
      const std::string& path, bool shared_out = false);
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
  FileSink(const std::string& path, OutputFile file, bool shared_out)
      : path_(path), file_(std::move(file)), shared_out_(shared_out) {}

  // Whether this replica computes all of what the first has in the file.
  bool IsAside() const { return !shared_out_ && !IsFirstReplica(); }
  // The mapped file, or on several hosts memory that stands for it: room_.
  absl::Status MapRoom();
  absl::Status MakeStoredRoom();
  // Gives the file its room on the disk.
  absl::Status TakeRoomOnDisk();
  // The results are so many bytes with the header, which room_ has, and all of
  // them are in the file when all replicas have done this.
  absl::Status Complete(std::int64_t bytes);
  absl::Status Unmap();

  std::string path_;
  OutputFile file_;
  bool shared_out_;
  ElementType type_ = ElementType::kUInt8;
  // Null where this replica does not compute it into the file.
  char* room_ = nullptr;
  // 0 where the output is written when it is complete.
  std::int64_t room_bytes_ = 0;
  std::int64_t header_bytes_ = 0;
  // What room_ belongs to; null where it is mapped.
  std::unique_ptr<StoredRoom> stored_;
  std::optional<SharedRoom> shared_;
  // Where there is no room_.
  HostArraySink array_;
};

}  // namespace concord

#endif  // CONCORD_CORE_FILE_SINK_H_
