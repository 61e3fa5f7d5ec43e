// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "concord/core/guarded.h"

namespace concord {

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  return Guarded([&]() -> absl::StatusOr<MappedFile> {
    const absl::Status cannot =
        absl::FailedPreconditionError(absl::StrCat("cannot map ", path));
    // Standard input, whatever file may have that name.
    if (path == "-") return cannot;
    // To open a pipe is an event for whoever writes it.
    struct stat facts;
    if (stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode))
      return cannot;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return cannot;
    const auto size = fstat(descriptor, &facts) == 0
                          ? static_cast<std::size_t>(facts.st_size)
                          : std::size_t{0};
    void* const data =
        size == 0 ? MAP_FAILED
                  : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (data == MAP_FAILED) return cannot;
    return MappedFile(static_cast<const char*>(data), size);
  });
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

}  // namespace concord
