// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/file_sink.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "concord/core/array_io.h"
#include "concord/core/checked_size.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/npy.h"

namespace concord {
namespace {

// MADV_COLLAPSE of Linux 6.1, which the headers of older C libraries lack.
constexpr int kCollapse = 25;

constexpr std::int64_t kHugePage = std::int64_t{2} << 20;

// Before a collapse the kernel waits for every CPU, which shows with less than
// this at a time. More would count as memory of the process, all at once.
constexpr std::int64_t kCollapsedAtATime = 32 * kHugePage;

// The file at an address that huge pages can have, unless another thread takes
// the address meanwhile. MAP_FAILED with the reason in errno.
void* MapFile(int descriptor, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  void* const found = mmap(nullptr, size + kHugePage, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return MAP_FAILED;
  munmap(found, size + kHugePage);
  const auto address = reinterpret_cast<std::uintptr_t>(found);
  const auto aligned = (address + kHugePage - 1) / kHugePage * kHugePage;
  return mmap(reinterpret_cast<void*>(aligned), size, PROT_READ | PROT_WRITE,
              MAP_SHARED, descriptor, 0);
}

// Gives the file room on the disk: 0, or what is wrong. A signal, such as that
// of a window that changes its size, is no reason to stop.
int Allocate(int descriptor, std::int64_t first, std::int64_t bytes) {
  int error = 0;
  do {
    error = posix_fallocate(descriptor, first, bytes);
  } while (error == EINTR);
  return error;
}

// Gives a file in memory (tmpfs) its room in huge pages, as far as the kernel
// has them. Small ones take longer to allocate and to map than most results
// take to compute. Promises nothing: the file may still lack room.
void TakeHugePages(int descriptor, char* mapped, std::int64_t bytes) {
  struct statfs facts;
  if (fstatfs(descriptor, &facts) != 0 || facts.f_type != TMPFS_MAGIC ||
      static_cast<std::int64_t>(facts.f_bavail) < bytes / facts.f_bsize) {
    return;
  }
  const std::int64_t end = bytes / kHugePage * kHugePage;
  for (std::int64_t first = 0; first < end; first += kCollapsedAtATime) {
    const std::int64_t last = std::min(end, first + kCollapsedAtATime);
    // The kernel makes a huge page only where there is some page already.
    for (std::int64_t page = first; page < last; page += kHugePage) {
      if (Allocate(descriptor, page + kHugePage - 1, 1) != 0) return;
    }
    const auto size = static_cast<std::size_t>(last - first);
    // EAGAIN: some had to be left as they were.
    if (madvise(mapped + first, size, kCollapse) != 0 && errno != EAGAIN) {
      return;
    }
    // The file keeps them. Only what the run touches is to count as memory of
    // the process, which may be little of the room.
    madvise(mapped + first, size, MADV_DONTNEED);
  }
}

}  // namespace

std::string OutputOf(const SignatureData& signature, const OptionSpec& option) {
  std::string name = OutputOfOption(option);
  for (const OutputText& output : signature.outputs) {
    if (output.name == name) return name;
  }
  return absl::StrCat("out_", name);
}

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::Open(
    const std::string& path, bool shared_out) {
  return Guarded([&]() -> absl::StatusOr<std::unique_ptr<FileSink>> {
    ASSIGN_OR_RETURN(OutputFile file, OutputFile::OpenByAll(path));
    return std::unique_ptr<FileSink>(
        new FileSink(path, std::move(file), shared_out));
  });
}

FileSink::~FileSink() { (void)Unmap(); }

absl::StatusOr<ArrayView> FileSink::Room(
    ElementType type, const std::vector<std::int64_t>& shape) {
  type_ = type;
  if (!file_.IsRegular() || !absl::EndsWith(path_, ".npy")) {
    return array_.Room(type, shape);
  }
  ASSIGN_OR_RETURN(const std::int64_t bytes, CheckedBytes(shape, type));
  header_bytes_ = static_cast<std::int64_t>(NpyHeader(type, shape).size());
  room_bytes_ = header_bytes_ + bytes;
  if (IsAside()) {
    absl::StatusOr<ArrayView> room = array_.Room(type, shape);
    RETURN_IF_ERROR(AgreeAsOne(room.status()));
    return room;
  }
  bool is_mapped = true;
  if (shared_out_) {
    ASSIGN_OR_RETURN(is_mapped, AreOnOneHost());
  }
  RETURN_IF_ERROR(is_mapped ? MapRoom() : MakeStoredRoom());
  return ArrayView(room_ + header_bytes_, type, Shape(shape), Memory::Host());
}

absl::Status FileSink::MapRoom() {
  absl::Status status;
  void* const mapped = MapFile(file_.descriptor(), room_bytes_);
  if (mapped == MAP_FAILED) {
    status = ResourceExhaustedError("cannot map ", path_, ": ",
                                    std::strerror(errno));
  } else {
    room_ = static_cast<char*>(mapped);
    if (IsFirstReplica()) {
      TakeHugePages(file_.descriptor(), room_, room_bytes_);
      status = TakeRoomOnDisk();
    }
  }
  RETURN_IF_ERROR(AgreeAsOne(status));
  if (shared_out_ && ReplicaCount() > 1) shared_.emplace(room_, room_bytes_);
  return absl::OkStatus();
}

absl::Status FileSink::MakeStoredRoom() {
  absl::Status status;
  if (IsFirstReplica()) {
    status = TakeRoomOnDisk();
    // Where the C library takes the room by writing, that reaches the server
    // before what the others write.
    if (status.ok() && fsync(file_.descriptor()) != 0)
      status = CannotWrite(path_);
  }
  RETURN_IF_ERROR(AgreeAsOne(status));
  absl::StatusOr<std::unique_ptr<StoredRoom>> made =
      StoredRoom::Make(file_.descriptor(), path_, room_bytes_);
  RETURN_IF_ERROR(AgreeAsOne(made.status()));
  stored_ = *std::move(made);
  room_ = stored_->begin();
  shared_.emplace(room_, room_bytes_,
                  [this](const void* at, absl::string_view bytes) {
                    return stored_->Store(at, bytes);
                  });
  return absl::OkStatus();
}

absl::Status FileSink::TakeRoomOnDisk() {
  // A full disk must not show as a signal later.
  const int error = Allocate(file_.descriptor(), 0, room_bytes_);
  if (error == 0) return absl::OkStatus();
  return ResourceExhaustedError(
      "cannot write ", path_, ": ", std::strerror(error), " (",
      room_bytes_ - header_bytes_, " bytes of elements)");
}

absl::Status FileSink::Take(const std::vector<std::int64_t>& shape) {
  if (room_bytes_ == 0) {
    absl::Status status = array_.Take(shape);
    if (status.ok()) status = WriteArray(file_, path_, array_.value());
    return AgreeAsOne(status);
  }
  if (IsFirstReplica()) {
    // As long as that of the whole room, which had no fewer digits.
    const std::string header = NpyHeader(type_, shape, header_bytes_);
    std::memcpy(room_, header.data(), header.size());
  }
  const std::int64_t bytes =
      header_bytes_ + Shape(shape).size() * SizeOf(type_);
  RETURN_IF_ERROR(AgreeAsOne(Complete(bytes)));
  absl::Status cut;
  if (IsFirstReplica() && ftruncate(file_.descriptor(), bytes) != 0) {
    cut = CannotWrite(path_);
  }
  return AgreeAsOne(cut);
}

absl::Status FileSink::Complete(std::int64_t bytes) {
  if (stored_ != nullptr && IsFirstReplica()) {
    // Where no replica has stored its part, each has computed all of it.
    const std::int64_t mine = stored_->has_parts() ? header_bytes_ : bytes;
    RETURN_IF_ERROR(
        stored_->Store(room_, {room_, static_cast<std::size_t>(mine)}));
  }
  return Unmap();
}

absl::Status FileSink::Unmap() {
  char* const mapped = std::exchange(room_, nullptr);
  shared_.reset();
  if (stored_ != nullptr) {
    stored_.reset();
    return absl::OkStatus();
  }
  if (mapped == nullptr ||
      munmap(mapped, static_cast<std::size_t>(room_bytes_)) == 0) {
    return absl::OkStatus();
  }
  return InternalError("cannot unmap ", path_, ": ", std::strerror(errno));
}

}  // namespace concord
