// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/stored_room.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "concord/core/output_file.h"
#include "concord/core/write_all.h"

namespace concord {
namespace {

// The same file, opened so that NFS sends the bytes that are written and no
// others of their page. It fills up a page that it may read, and sends a page
// that it has whole, unless every write has to reach the server at once.
int OpenForExactWrites(int descriptor) {
  return open(absl::StrCat("/proc/self/fd/", descriptor).c_str(),
              O_WRONLY | O_DSYNC | O_CLOEXEC);
}

}  // namespace

absl::StatusOr<std::unique_ptr<StoredRoom>> StoredRoom::Make(
    int descriptor, std::string path, std::int64_t bytes) {
  std::unique_ptr<StoredRoom> room(new StoredRoom(std::move(path), bytes));
  room->descriptor_ = OpenForExactWrites(descriptor);
  if (room->descriptor_ < 0) return CannotWrite(room->path_);
  void* const found =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return CannotWrite(room->path_);
  room->begin_ = static_cast<char*>(found);
  return room;
}

StoredRoom::~StoredRoom() {
  if (begin_ != nullptr) munmap(begin_, static_cast<std::size_t>(bytes_));
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status StoredRoom::Store(const void* at, absl::string_view bytes) {
  has_parts_ = true;
  const std::int64_t place = static_cast<const char*>(at) - begin_;
  return WriteAllAt(descriptor_, place, bytes) ? absl::OkStatus()
                                               : CannotWrite(path_);
}

}  // namespace concord
