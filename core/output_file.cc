// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

namespace fs = std::filesystem;

// As many as Linux follows before it speaks of a loop.
constexpr int kMostLinks = 40;

// Of the name of a file this much begins the name of its temporary file, which
// is then short enough for every file system.
constexpr std::size_t kMostOfNameKept = 200;

// Names of temporary files that are tried, 32 random bits each.
constexpr int kMostAttempts = 100;

// The temporary files that exist now, where a signal handler can read them:
// no lock, no allocation. A program writes a handful of files at a time; one
// that finds no place is merely not removed by a signal.
constexpr int kMaxTemporaryFiles = 16;
std::array<std::atomic<char*>, kMaxTemporaryFiles> temporary_files;

void Remember(const std::string& temporary) {
  char* const name = strdup(temporary.c_str());
  for (std::atomic<char*>& place : temporary_files) {
    char* expected = nullptr;
    if (place.compare_exchange_strong(expected, name)) return;
  }
  std::free(name);
}

void Forget(const std::string& temporary) {
  for (std::atomic<char*>& place : temporary_files) {
    char* name = place.load();
    if (name == nullptr || temporary != name) continue;
    if (place.compare_exchange_strong(name, nullptr)) std::free(name);
    return;
  }
}

void RemoveTemporaryFilesAndEnd(int signal) {
  for (std::atomic<char*>& place : temporary_files) {
    if (const char* name = place.load(); name != nullptr) unlink(name);
  }
  // The handler is gone by now: this ends the process as if there had been
  // none, so that a shell stops its loop as well.
  raise(signal);
}

absl::Status CannotOpen(const std::string& path) {
  const std::string message =
      absl::StrCat("cannot write ", path, ": ", std::strerror(errno));
  return errno == ENOSPC || errno == EDQUOT
             ? absl::ResourceExhaustedError(message)
             : absl::InvalidArgumentError(message);
}

absl::Status CannotWrite(const std::string& path) {
  return ResourceExhaustedError("cannot write ", path, ": ",
                                std::strerror(errno));
}

bool IsWrittenDirectly(const std::string& path, bool exists,
                       const struct stat& facts) {
  return (exists && !S_ISREG(facts.st_mode)) ||
         (absl::StartsWith(path, "/dev/") &&
          !absl::StartsWith(path, "/dev/shm/")) ||
         absl::StartsWith(path, "/proc/");
}

// Makes a file in the folder of `target` by make(name), of a name that nobody
// has. Returns what `make` does: not -1, or -1 with the reason in errno.
template <typename Make>
int MakeTemporary(const fs::path& target, std::string& name, const Make& make) {
  const std::string begin =
      target.parent_path() /
      target.filename().string().substr(0, kMostOfNameKept);
  int made = -1;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    std::uint32_t suffix = 0;
    if (getrandom(&suffix, sizeof(suffix), 0) < 0) break;
    std::string mine =
        absl::StrCat(begin, ".", absl::Hex(suffix, absl::kZeroPad8), ".tmp");
    // Known to the handler before it exists, so that no signal comes between.
    Remember(mine);
    made = make(mine.c_str());
    if (made >= 0) {
      name.swap(mine);
      return made;
    }
    Forget(mine);
    if (errno != EEXIST) break;
  }
  return made;
}

int OpenTemporary(const fs::path& target, mode_t mode, std::string& name) {
  return MakeTemporary(target, name, [mode](const char* temporary) {
    return open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  });
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

std::string WrittenFile(const std::string& path) {
  std::error_code error;
  fs::path file = path == "-" ? "/dev/stdout" : path;
  for (int links = 0; links < kMostLinks && fs::is_symlink(file, error);
       ++links) {
    file = file.parent_path() / fs::read_symlink(file, error);
  }
  const fs::path folder = fs::weakly_canonical(
      file.has_parent_path() ? file.parent_path() : ".", error);
  return error ? path : (folder / file.filename()).string();
}

// The object is made before the file is opened, wherever that is: there may be
// no memory for it.
absl::StatusOr<OutputFile> OutputFile::Open(const std::string& path) {
  if (!IsFirstReplica()) {
    OutputFile file(path, "");
    file.descriptor_ = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return CannotOpen("/dev/null");
    return file;
  }
  if (path == "-") {
    OutputFile file("standard output", "");
    file.descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (file.descriptor_ < 0) return CannotOpen("standard output");
    return file;
  }
  struct stat facts;
  const bool exists = stat(path.c_str(), &facts) == 0;
  if (!exists && errno != ENOENT) return CannotOpen(path);
  if (exists && S_ISDIR(facts.st_mode)) {
    errno = EISDIR;
    return CannotOpen(path);
  }
  if (IsWrittenDirectly(path, exists, facts)) {
    OutputFile file(path, path);
    file.descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return CannotOpen(path);
    return file;
  }
  // A file that may not be written may not be replaced either.
  if (exists && access(path.c_str(), W_OK) != 0) return CannotOpen(path);

  // A symbolic link stays, also one to a file that is yet to be.
  const std::string target = WrittenFile(path);
  const mode_t mode = exists ? facts.st_mode & 0777 : 0666;
  OutputFile file(path, target);
  file.is_regular_ = true;
  file.descriptor_ = OpenUnnamed(target, mode);
  file.is_unnamed_ = file.descriptor_ >= 0;
  if (!file.is_unnamed_) {
    file.descriptor_ = OpenTemporary(target, mode, file.temporary_);
  }
  if (file.descriptor_ < 0) return CannotOpen(path);
  // What the user's umask took away.
  if (exists) fchmod(file.descriptor_, mode);
  return file;
}

absl::StatusOr<OutputFile> OutputFile::OpenByAll(const std::string& path) {
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
  ASSIGN_OR_RETURN(const std::string temporary, FromFirst(temporary_));
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
  if (MakeTemporary(target_, temporary_, [descriptor](const char* name) {
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
      temporary_(std::exchange(other.temporary_, "")),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_regular_(other.is_regular_),
      is_unnamed_(other.is_unnamed_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  Forget(temporary_);
}

absl::Status OutputFile::Write(absl::string_view bytes) {
  if (!IsFirstReplica()) return absl::OkStatus();
  return WriteAll(descriptor_, bytes) ? absl::OkStatus() : CannotWrite(path_);
}

absl::Status OutputFile::Commit() {
  // Some file systems say only when it is closed that the disk is full: what
  // has no name yet is closed once more before.
  if (is_unnamed_) {
    const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (copy < 0 || close(copy) != 0) return CannotWrite(path_);
    if (GiveName(descriptor_, target_.c_str()) != 0 &&
        (errno != EEXIST || !TakeTemporaryName())) {
      return CannotWrite(path_);
    }
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (close(descriptor) != 0) return CannotWrite(path_);
  if (temporary_.empty()) return absl::OkStatus();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    return CannotWrite(path_);
  }
  Forget(temporary_);
  temporary_.clear();
  return absl::OkStatus();
}

absl::Status CheckWritable(const std::string& path) {
  struct stat facts;
  const bool exists = path != "-" && stat(path.c_str(), &facts) == 0;
  // To open a pipe is an event for whoever reads it.
  if (exists && !S_ISDIR(facts.st_mode) &&
      IsWrittenDirectly(path, exists, facts)) {
    return access(path.c_str(), W_OK) == 0 ? absl::OkStatus()
                                           : CannotOpen(path);
  }
  // The file goes with the object.
  return OutputFile::Open(path).status();
}

absl::Status WriteFile(const std::string& path, absl::string_view content) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Open(path));
  RETURN_IF_ERROR(file.Write(content));
  return file.Commit();
}

void RemoveTemporaryFilesWhenInterrupted() {
  struct sigaction action = {};
  action.sa_handler = RemoveTemporaryFilesAndEnd;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace concord
