// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"
#include "concord/core/write_all.h"

namespace concord {
namespace {

// Standard input says nothing about its size; this much is read at a time.
constexpr std::size_t kReadAtATime = 1 << 20;

absl::Status CannotRead(const std::string& path, int error) {
  const std::string message = absl::StrCat("cannot read ", SourceName(path),
                                           ": ", std::strerror(error));
  return error == ENOENT ? NotFoundError(message)
                         : InvalidArgumentError(message);
}

absl::StatusOr<std::string> ReadDescriptor(int descriptor,
                                           const std::string& path) {
  std::string content;
  struct stat facts;
  if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
    // One byte more, so that the end is seen without growing the string.
    content.resize(static_cast<std::size_t>(facts.st_size) + 1);
  }
  std::size_t size = 0;
  while (true) {
    if (size == content.size()) content.resize(2 * size + kReadAtATime);
    const ssize_t count =
        read(descriptor, &content[size], content.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return CannotRead(path, errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  content.resize(size);
  return content;
}

absl::StatusOr<int> OpenHere(const std::string& path) {
  const int descriptor = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                     : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return CannotRead(path, errno);
  struct stat facts;
  if (fstat(descriptor, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    close(descriptor);
    return CannotRead(path, EISDIR);
  }
  return descriptor;
}

absl::StatusOr<std::string> ReadAndClose(int descriptor,
                                         const std::string& path) {
  // There may be no memory for the message either.
  const absl::Cleanup closing = [descriptor] { close(descriptor); };
  try {
    return ReadDescriptor(descriptor, path);
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("there is not enough memory for ",
                                  SourceName(path));
  } catch (const std::length_error&) {
    return ResourceExhaustedError(SourceName(path),
                                  " is larger than any memory");
  }
}

absl::StatusOr<std::string> ReadHere(const std::string& path) {
  ASSIGN_OR_RETURN(const int descriptor, OpenHere(path));
  return ReadAndClose(descriptor, path);
}

// A file in memory with this content, read from its beginning.
absl::StatusOr<int> FileInMemory(absl::string_view content,
                                 const std::string& path) {
  const int descriptor = memfd_create("concord", MFD_CLOEXEC);
  if (descriptor < 0) return CannotRead(path, errno);
  if (!WriteAll(descriptor, content)) {
    close(descriptor);
    return ResourceExhaustedError("there is not enough memory for ",
                                  SourceName(path));
  }
  lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}

// What replicas cannot each read has to be read once, for all of them.
absl::StatusOr<int> OpenAmongReplicas(const std::string& path) {
  // For some of them the path may be something else.
  ASSIGN_OR_RETURN(const std::optional<OtherReplica> other,
                   UnlikeFirst(absl::StrCat("read once: ", path)));
  if (other.has_value()) {
    return FailedPreconditionError(
        SourceName(path), " is not for all ranks what can be read only once");
  }
  absl::StatusOr<std::string> content = std::string();
  if (IsFirstReplica()) content = ReadHere(path);
  RETURN_IF_ERROR(AgreeAsOne(content.status()));
  content = FromFirst(*content);
  RETURN_IF_ERROR(content.status());
  absl::StatusOr<int> file = FileInMemory(*content, path);
  const absl::Status agreed = AgreeAsOne(file.status());
  if (!agreed.ok() && file.ok()) close(*file);
  RETURN_IF_ERROR(agreed);
  return file;
}

}  // namespace

std::string SourceName(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

bool IsReadOnce(const std::string& path) {
  // Replicas have descriptors of their own behind these names, or none.
  for (const char* const of_process :
       {"/dev/fd/", "/dev/stdin", "/proc/self/fd/"}) {
    if (absl::StartsWith(path, of_process)) return true;
  }
  struct stat facts;
  return path == "-" || (stat(path.c_str(), &facts) == 0 &&
                         !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode));
}

absl::StatusOr<int> OpenForReading(const std::string& path) {
  return Guarded([&] {
    return ReplicaCount() > 1 && IsReadOnce(path) ? OpenAmongReplicas(path)
                                                  : OpenHere(path);
  });
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  return Guarded([&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const int descriptor, OpenForReading(path));
    return ReadAndClose(descriptor, path);
  });
}

}  // namespace concord
