// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"
#include "concord/core/write_all.h"
#include "concord/core/written_file.h"

namespace concord {
namespace {

namespace fs = std::filesystem;

absl::Status CannotOpen(const std::string& path) {
  const std::string message =
      absl::StrCat("cannot write ", path, ": ", std::strerror(errno));
  return errno == ENOSPC || errno == EDQUOT
             ? absl::ResourceExhaustedError(message)
             : absl::InvalidArgumentError(message);
}

// Writes all that `from` holds to `into`. False with the reason in errno.
bool CopyAll(int from, int into) {
  std::array<char, 1 << 16> part;
  off_t done = 0;
  while (true) {
    const ssize_t count = pread(from, part.data(), part.size(), done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    const auto size = static_cast<std::size_t>(count);
    if (!WriteAll(into, {part.data(), size})) return false;
    done += count;
  }
}

// Whether rename() gives this reason for a file that can only be written where
// it is: another user's in a folder such as /tmp, or one that is mounted.
bool StaysInPlace(int reason) {
  return reason == EPERM || reason == EBUSY || reason == EXDEV;
}

// Whether a new file cannot be made for this reason where an old one can be
// written: the folder may not be written, or only the old file is mounted to be
// written.
bool TakesNoOtherFile(int reason) {
  return reason == EACCES || reason == EROFS;
}

// Gives a file the owner and the group of `old`. False where that is not
// allowed.
bool TakeOwner(int descriptor, const struct stat& old) {
  struct stat now;
  return fstat(descriptor, &now) == 0 &&
         ((now.st_uid == old.st_uid && now.st_gid == old.st_gid) ||
          fchown(descriptor, old.st_uid, old.st_gid) == 0);
}

// Where the kernel shows what a process has open.
std::string OpenFilePath(absl::string_view process, int descriptor) {
  return absl::StrCat("/proc/", process, "/fd/", descriptor);
}

// A file of no name in the folder of `target`, which is gone when nobody has it
// open. -1 where the file system has no such files, or /proc is not there,
// which it takes to give one a name.
int OpenUnnamed(const fs::path& target, mode_t mode) {
  const int descriptor =
      open(target.parent_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor < 0) return -1;
  absl::Cleanup closing = [descriptor] { close(descriptor); };
  if (access(OpenFilePath("self", descriptor).c_str(), F_OK) != 0) return -1;
  std::move(closing).Cancel();
  return descriptor;
}

// Gives a file of no name this one: 0, or -1 with the reason in errno.
int GiveName(int descriptor, const char* name) {
  return linkat(AT_FDCWD, OpenFilePath("self", descriptor).c_str(), AT_FDCWD,
                name, AT_SYMLINK_FOLLOW);
}

// Which file that is, among all of all hosts; "" where there is none.
std::string IdentityOf(const std::string& path) {
  struct stat facts;
  const absl::StatusOr<std::string> kernel =
      ReadFile("/proc/sys/kernel/random/boot_id");
  if (!kernel.ok() || stat(path.c_str(), &facts) != 0) return "";
  return absl::StrCat(facts.st_dev, " ", facts.st_ino, " ", *kernel);
}

// What another process has open at `path`, if it is that file: -1 on another
// host, or where the processes do not see each other.
int OpenOfOther(const std::string& path, absl::string_view identity) {
  return identity.empty() || IdentityOf(path) != identity
             ? -1
             : open(path.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace

// The object is made before the file is opened, wherever that is: there may be
// no memory for it.
absl::StatusOr<OutputFile> OutputFile::Open(const std::string& path) {
  return Guarded([&]() -> absl::StatusOr<OutputFile> {
    if (!IsFirstReplica()) {
      OutputFile file(path, "");
      file.descriptor_ = open("/dev/null", O_WRONLY | O_CLOEXEC);
      if (file.descriptor_ < 0) return CannotOpen("/dev/null");
      return file;
    }
    if (const int named = DescriptorNamed(path); named >= 0) {
      OutputFile file(path == "-" ? "standard output" : path, "");
      file.descriptor_ = fcntl(named, F_DUPFD_CLOEXEC, 0);
      if (file.descriptor_ < 0) return CannotOpen(file.path_);
      return file;
    }
    struct stat facts;
    const bool exists = stat(path.c_str(), &facts) == 0;
    if (!exists && errno != ENOENT) return CannotOpen(path);
    if (exists && S_ISDIR(facts.st_mode)) {
      errno = EISDIR;
      return CannotOpen(path);
    }
    if (exists && !S_ISREG(facts.st_mode)) {
      OutputFile file(path, path);
      file.descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (file.descriptor_ < 0) return CannotOpen(path);
      return file;
    }
    // A file that may not be written may not be replaced either.
    if (exists && access(path.c_str(), W_OK) != 0) return CannotOpen(path);

    // A symbolic link stays, also one to a file that is yet to be.
    OutputFile file(path, WrittenFile(path));
    file.is_regular_ = true;
    if (!file.OpenRegular(exists ? &facts : nullptr)) return CannotOpen(path);
    return file;
  });
}

bool OutputFile::OpenRegular(const struct stat* old) {
  if (old == nullptr) return OpenBeside(target_, 0666);
  const mode_t mode = old->st_mode & 0777;
  if (OpenBeside(target_, mode)) {
    stays_in_place_ = !TakeOwner(descriptor_, *old);
    // What the user's umask took away.
    if (!stays_in_place_) fchmod(descriptor_, mode);
    return true;
  }
  const int reason = errno;
  std::error_code error;
  const fs::path elsewhere = fs::temp_directory_path(error);
  // Nobody else reads it there, as in the folder of the old file.
  stays_in_place_ = TakesNoOtherFile(reason) && !error &&
                    OpenBeside(elsewhere / fs::path(target_).filename(), 0600);
  errno = reason;
  return stays_in_place_;
}

bool OutputFile::OpenBeside(const std::string& beside, mode_t mode) {
  beside_ = beside;
  descriptor_ = OpenUnnamed(beside, mode);
  is_unnamed_ = descriptor_ >= 0;
  if (is_unnamed_) return true;
  descriptor_ = temporary_.Make(beside, [mode](const char* name) {
    return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  });
  return descriptor_ >= 0;
}

absl::StatusOr<OutputFile> OutputFile::OpenByAll(const std::string& path) {
  return Guarded([&]() -> absl::StatusOr<OutputFile> {
    absl::StatusOr<OutputFile> file = Open(path);
    if (ReplicaCount() == 1) return file;
    RETURN_IF_ERROR(AgreeAsOne(file.status()));
    ASSIGN_OR_RETURN(const std::string is_regular,
                     FromFirst(file->is_regular_ ? "regular" : ""));
    if (is_regular.empty()) return file;
    ASSIGN_OR_RETURN(const bool joined, file->JoinUnnamed());
    if (!joined) RETURN_IF_ERROR(file->JoinNamed());
    file->is_regular_ = true;
    return file;
  });
}

absl::StatusOr<bool> OutputFile::JoinUnnamed() {
  std::string mine;
  if (is_unnamed_) {
    mine = absl::StrCat(OpenFilePath(absl::StrCat(getpid()), descriptor_), "\n",
                        IdentityOf(OpenFilePath("self", descriptor_)));
  }
  ASSIGN_OR_RETURN(const std::string first, FromFirst(mine));
  if (first.empty()) return false;
  int opened = -1;
  const absl::Cleanup closing = [&opened] {
    if (opened >= 0) close(opened);
  };
  if (!IsFirstReplica()) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(first, absl::MaxSplits('\n', 1));
    opened = OpenOfOther(parts.first, parts.second);
  }
  const bool sees_it = IsFirstReplica() || opened >= 0;
  ASSIGN_OR_RETURN(const std::vector<std::string> all,
                   FromAll(sees_it ? "sees it" : ""));
  const bool joined = std::find(all.begin(), all.end(), "") == all.end();
  if (!IsFirstReplica() && joined) std::swap(descriptor_, opened);
  return joined;
}

absl::Status OutputFile::JoinNamed() {
  absl::Status named;
  if (is_unnamed_ && !TakeTemporaryName()) named = CannotOpen(path_);
  RETURN_IF_ERROR(AgreeAsOne(named));
  ASSIGN_OR_RETURN(const std::string temporary, FromFirst(temporary_.name()));
  absl::Status joined;
  if (!IsFirstReplica()) {
    close(descriptor_);
    descriptor_ = open(temporary.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor_ < 0) {
      joined = InvalidArgumentError(
          "cannot write ", path_, ": rank ", ReplicaIndex(),
          " does not see the file of the first: ", std::strerror(errno));
    }
  }
  return AgreeAsOne(joined);
}

bool OutputFile::TakeTemporaryName() {
  const int descriptor = descriptor_;
  if (temporary_.Make(beside_, [descriptor](const char* name) {
        return GiveName(descriptor, name);
      }) < 0) {
    return false;
  }
  is_unnamed_ = false;
  return true;
}

OutputFile::OutputFile(std::string path, std::string target)
    : path_(std::move(path)), target_(std::move(target)) {}

OutputFile::OutputFile(OutputFile&& other)
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      beside_(std::move(other.beside_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_regular_(other.is_regular_),
      is_unnamed_(other.is_unnamed_),
      stays_in_place_(other.stays_in_place_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.name().c_str());
}

absl::Status OutputFile::Write(absl::string_view bytes) {
  return Guarded([&]() -> absl::Status {
    if (!IsFirstReplica()) return absl::OkStatus();
    return WriteAll(descriptor_, bytes) ? absl::OkStatus() : CannotWrite(path_);
  });
}

absl::Status OutputFile::CheckStored() const {
  const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  return copy >= 0 && close(copy) == 0 ? absl::OkStatus() : CannotWrite(path_);
}

absl::Status OutputFile::Prepare() {
  return Guarded([&]() -> absl::Status {
    if (is_unnamed_ || !temporary_.empty()) RETURN_IF_ERROR(CheckStored());
    if (!is_unnamed_ || stays_in_place_) return absl::OkStatus();
    return TakeTemporaryName() ? absl::OkStatus() : CannotWrite(path_);
  });
}

bool OutputFile::TakeName() {
  if (stays_in_place_) return CopyIntoTarget();
  if (is_unnamed_) {
    if (GiveName(descriptor_, target_.c_str()) == 0) return true;
    if (errno != EEXIST || !TakeTemporaryName()) return false;
  }
  if (std::rename(temporary_.name().c_str(), target_.c_str()) == 0) {
    temporary_.Forget();
    return true;
  }
  return StaysInPlace(errno) && CopyIntoTarget();
}

bool OutputFile::CopyIntoTarget() const {
  const int old = open(target_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (old < 0) return false;
  const bool copied = CopyAll(descriptor_, old);
  return close(old) == 0 && copied;
}

absl::Status OutputFile::Commit() {
  return Guarded([&]() -> absl::Status {
    if (is_unnamed_ || !temporary_.empty()) {
      RETURN_IF_ERROR(CheckStored());
      if (!TakeName()) return CannotWrite(path_);
    }
    const int descriptor = std::exchange(descriptor_, -1);
    return close(descriptor) == 0 ? absl::OkStatus() : CannotWrite(path_);
  });
}

absl::Status CannotWrite(const std::string& path) {
  return ResourceExhaustedError("cannot write ", path, ": ",
                                std::strerror(errno));
}

absl::Status CheckWritable(const std::string& path) {
  return Guarded([&]() -> absl::Status {
    struct stat facts;
    // To open a pipe is an event for whoever reads it.
    if (DescriptorNamed(path) < 0 && stat(path.c_str(), &facts) == 0 &&
        !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) {
      return access(path.c_str(), W_OK) == 0 ? absl::OkStatus()
                                             : CannotOpen(path);
    }
    // The file goes with the object.
    return OutputFile::Open(path).status();
  });
}

absl::Status WriteFile(const std::string& path, absl::string_view content) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Open(path));
  RETURN_IF_ERROR(file.Write(content));
  return file.Commit();
}

}  // namespace concord
