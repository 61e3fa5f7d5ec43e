// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_OUTPUT_FILE_H_
#define CONCORD_CORE_OUTPUT_FILE_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/temporary_file.h"

namespace concord {

// A file that appears whole or not at all: what is written goes to a file of no
// name in the folder of `path`, which takes that name in Commit() and not
// before. Without Commit() nothing is left, however the process ends. A
// symbolic link stays, and its file is written. Where that makes no sense,
// content goes straight to its destination: devices, pipes, and descriptors
// that are open, which are "-" (standard output), /dev/stdout and /dev/fd/N.
// What is written through a descriptor goes where its file stands.
//
// Some file systems have no such files (NFS). There it is a temporary file of a
// name of its own, which only SIGKILL and a crash leave.
//
// An old file keeps its permissions, owner and group. It may allow that it is
// written but not that it is replaced: another user's, one that is mounted, or
// one in a folder that may not be written. Commit() copies the content into it,
// and a disk that fills up meanwhile leaves a part. Where its folder takes no
// other file, the content is in $TMPDIR or /tmp until then.
//
// Of several replicas (replicas.h) the first writes; what the others write goes
// nowhere.
//
// Example:
//   absl::StatusOr<OutputFile> file = OutputFile::Open("lengths.txt");
//   if (!file.ok()) return file.status();
//   if (absl::Status s = file->Write("1 2 3\n"); !s.ok()) return s;
//   return file->Commit();
class OutputFile {
 public:
  // InvalidArgument: nothing can be written there, and why.
  static absl::StatusOr<OutputFile> Open(const std::string& path);
  // The same, called by all replicas together: the first makes the file, and
  // those others can map it too if it is regular. On several hosts it has a
  // name from the beginning. Errors are the same for all (AgreeAsOne).
  static absl::StatusOr<OutputFile> OpenByAll(const std::string& path);

  OutputFile(OutputFile&& other);
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // ResourceExhausted names the path and the reason, such as a full disk.
  absl::Status Write(absl::string_view bytes);

  // Whether it is a file that takes its name in Commit(), which can be mapped.
  bool IsRegular() const { return is_regular_; }
  int descriptor() const { return descriptor_; }

  // The file is complete. No call may follow.
  absl::Status Commit();
  // Before the Commit() of each of several files: what can fail without another
  // program's doing fails here, when all old files are still there.
  absl::Status Prepare();

 private:
  OutputFile(std::string path, std::string target);

  // Makes the file that is to be target_, where `old` is that of now or null.
  // False with the reason in errno.
  bool OpenRegular(const struct stat* old);
  // The same in the folder of `beside`.
  bool OpenBeside(const std::string& beside, mode_t mode);
  // What the others do to have the file open that the first has: without a
  // name, where all can (otherwise false and nothing done); by a name. Called
  // by all replicas together.
  absl::StatusOr<bool> JoinUnnamed();
  absl::Status JoinNamed();
  // False with the reason in errno.
  bool TakeTemporaryName();
  bool TakeName();
  bool CopyIntoTarget() const;
  // Closes the file once more than it is open: some file systems say only then
  // that the disk is full.
  absl::Status CheckStored() const;

  // As the caller named it, for messages.
  std::string path_;
  // The file that Commit() replaces, behind symbolic links.
  std::string target_;
  // In whose folder the temporary file is: target_, unless that folder takes
  // none.
  std::string beside_;
  // Empty where there is none: when the file has no name, on all replicas but
  // the first, and when the destination is written directly.
  TemporaryName temporary_;
  // -1 before it is open, after Commit() and in an object that was moved from.
  int descriptor_ = -1;
  bool is_regular_ = false;
  // Commit() gives it one.
  bool is_unnamed_ = false;
  // Commit() copies the content into the old file, which it cannot replace.
  bool stays_in_place_ = false;
};

// ResourceExhausted, with the reason that is in errno.
absl::Status CannotWrite(const std::string& path);

// What Open(path) would fail with, as far as one can tell without writing. For
// programs that compute for long before they write.
absl::Status CheckWritable(const std::string& path);

// The file `path` with this content, whole or not at all.
absl::Status WriteFile(const std::string& path, absl::string_view content);

}  // namespace concord

#endif  // CONCORD_CORE_OUTPUT_FILE_H_
