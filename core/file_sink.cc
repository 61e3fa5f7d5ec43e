// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/file_sink.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/core/array_io.h"
#include "concord/core/checked_size.h"
#include "concord/core/npy.h"

namespace concord {

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::Open(
    const std::string& path) {
  absl::StatusOr<OutputFile> file = OutputFile::Open(path);
  if (!file.ok()) return file.status();
  return std::unique_ptr<FileSink>(new FileSink(path, *std::move(file)));
}

FileSink::~FileSink() { (void)Unmap(); }

absl::StatusOr<ArrayView> FileSink::Room(
    ElementType type, const std::vector<std::int64_t>& shape) {
  type_ = type;
  if (!file_.IsRegular() || !absl::EndsWith(path_, ".npy")) {
    return array_.Room(type, shape);
  }
  absl::StatusOr<std::int64_t> bytes = CheckedBytes(shape, type);
  if (!bytes.ok()) return bytes.status();
  header_bytes_ = static_cast<std::int64_t>(NpyHeader(type, shape).size());
  // Room on the disk now: a full one must not show as a signal later.
  if (const int error = posix_fallocate(file_.descriptor(), 0,
                                        header_bytes_ + *bytes);
      error != 0) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot write ", path_, ": ", std::strerror(error), " (", *bytes,
        " bytes of elements)"));
  }
  mapped_bytes_ = header_bytes_ + *bytes;
  void* const mapped =
      mmap(nullptr, static_cast<std::size_t>(mapped_bytes_),
           PROT_READ | PROT_WRITE, MAP_SHARED, file_.descriptor(), 0);
  if (mapped == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot map ", path_, ": ", std::strerror(errno)));
  }
  mapped_ = static_cast<char*>(mapped);
  return ArrayView(mapped_ + header_bytes_, type, Shape(shape), Memory::Host());
}

absl::Status FileSink::Take(const std::vector<std::int64_t>& shape) {
  if (mapped_ == nullptr) {
    absl::Status status = array_.Take(shape);
    return status.ok() ? WriteArray(file_, path_, array_.value()) : status;
  }
  // As long as that of the whole room, which had no fewer digits.
  const std::string header = NpyHeader(type_, shape, header_bytes_);
  std::memcpy(mapped_, header.data(), header.size());
  const std::int64_t bytes =
      header_bytes_ + Shape(shape).size() * SizeOf(type_);
  absl::Status status = Unmap();
  if (status.ok() && ftruncate(file_.descriptor(), bytes) != 0) {
    status = absl::ResourceExhaustedError(
        absl::StrCat("cannot write ", path_, ": ", std::strerror(errno)));
  }
  return status;
}

absl::Status FileSink::Unmap() {
  char* const mapped = std::exchange(mapped_, nullptr);
  if (mapped == nullptr ||
      munmap(mapped, static_cast<std::size_t>(mapped_bytes_)) == 0) {
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("cannot unmap ", path_, ": ", std::strerror(errno)));
}

}  // namespace concord
