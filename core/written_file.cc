// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/written_file.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/numbers.h"

namespace concord {
namespace {

namespace fs = std::filesystem;

// As many as Linux follows before it speaks of a loop.
constexpr int kMostLinks = 40;

// The file that the symbolic link `file` leads to, over further ones until
// stops(file).
template <typename Stops>
fs::path BehindLinks(fs::path file, const Stops& stops) {
  std::error_code error;
  for (int links = 0; links < kMostLinks && !stops(file); ++links) {
    if (!fs::is_symlink(file, error)) break;
    file = file.parent_path() / fs::read_symlink(file, error);
  }
  return file;
}

fs::path FolderOf(const fs::path& file, std::error_code& error) {
  return fs::weakly_canonical(file.has_parent_path() ? file.parent_path() : ".",
                              error);
}

// Which of the descriptors of this process /proc shows as `file`, or -1.
int DescriptorAt(const fs::path& file) {
  int descriptor = -1;
  if (!absl::SimpleAtoi(file.filename().string(), &descriptor)) return -1;
  std::error_code error;
  const fs::path folder = FolderOf(file, error);
  const bool is_there =
      !folder.empty() && folder == fs::weakly_canonical("/proc/self/fd", error);
  return is_there ? descriptor : -1;
}

}  // namespace

std::string WrittenFile(const std::string& path) {
  const fs::path file = BehindLinks(path == "-" ? "/dev/stdout" : path,
                                    [](const fs::path&) { return false; });
  std::error_code error;
  const fs::path folder = FolderOf(file, error);
  return error ? path : (folder / file.filename()).string();
}

int DescriptorNamed(const std::string& path) {
  if (path == "-") return STDOUT_FILENO;
  return DescriptorAt(BehindLinks(
      path, [](const fs::path& file) { return DescriptorAt(file) >= 0; }));
}

}  // namespace concord
