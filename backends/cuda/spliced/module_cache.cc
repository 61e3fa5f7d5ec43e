// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/module_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/core/cache_folder.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"
#include "concord/core/write_all.h"

namespace concord::spliced {
namespace {

// A file: the magic, the sizes of key and code, key, code, and the hash of all
// that.
constexpr absl::string_view kMagic = "Concord module 1\n";
constexpr absl::string_view kSuffix = ".module";
constexpr absl::string_view kTemporary = ".writing-";
// No process takes so long to write a file.
constexpr std::time_t kAbandonedAfterSeconds = 3600;

// FNV-1a, mixed once more. Changing one byte always changes it.
std::uint64_t HashOf(absl::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  return RandomBits(hash, 0);
}

std::string Bytes(std::uint64_t number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

std::optional<std::uint64_t> TakeNumber(absl::string_view& from) {
  std::uint64_t number = 0;
  if (from.size() < sizeof(number)) return std::nullopt;
  std::memcpy(&number, from.data(), sizeof(number));
  from.remove_prefix(sizeof(number));
  return number;
}

std::string Packed(absl::string_view key, absl::string_view code) {
  std::string file =
      absl::StrCat(kMagic, Bytes(key.size()), Bytes(code.size()), key, code);
  file += Bytes(HashOf(file));
  return file;
}

// The code, if the file is whole and that of the key.
std::optional<std::string> Unpacked(absl::string_view file,
                                    absl::string_view key) {
  if (!absl::StartsWith(file, kMagic)) return std::nullopt;
  absl::string_view rest = file.substr(kMagic.size());
  const std::optional<std::uint64_t> key_size = TakeNumber(rest);
  const std::optional<std::uint64_t> code_size = TakeNumber(rest);
  if (!key_size.has_value() || !code_size.has_value()) return std::nullopt;
  if (*key_size != key.size() || rest.size() < key.size() ||
      rest.substr(0, key.size()) != key) {
    return std::nullopt;
  }
  rest.remove_prefix(key.size());
  if (rest.size() < sizeof(std::uint64_t) ||
      *code_size != rest.size() - sizeof(std::uint64_t)) {
    return std::nullopt;
  }
  absl::string_view sum = rest.substr(*code_size);
  const std::size_t summed = file.size() - sizeof(std::uint64_t);
  if (*TakeNumber(sum) != HashOf(file.substr(0, summed))) return std::nullopt;
  return std::string(rest.substr(0, *code_size));
}

absl::Status ErrnoStatus(absl::string_view doing, const std::string& path) {
  return UnavailableError(doing, " ", path, ": ", std::strerror(errno));
}

// Closes what it has.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

std::optional<std::string> ReadAll(int descriptor) {
  std::string bytes;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = read(descriptor, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
}

// Code that others could have put there must not run here.
bool IsOwnersAlone(const struct stat& status) {
  return status.st_uid == geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}
bool IsOwnersDirectory(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         IsOwnersAlone(status);
}

absl::Status MakeDirectories(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string prefix = path.substr(0, end);
    if (mkdir(prefix.c_str(), 0700) != 0 && errno != EEXIST) {
      return ErrnoStatus("making", prefix);
    }
    if (end == std::string::npos) return absl::OkStatus();
  }
}

struct Entry {
  std::string path;
  std::int64_t bytes;
  struct timespec used;
};

bool UsedBefore(const Entry& x, const Entry& y) {
  return x.used.tv_sec != y.used.tv_sec ? x.used.tv_sec < y.used.tv_sec
                                        : x.used.tv_nsec < y.used.tv_nsec;
}

// Modules, after it has removed what nobody writes any more.
std::vector<Entry> EntriesOf(const std::string& directory) {
  std::vector<Entry> entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(directory.c_str()),
                                                 closedir);
  if (open == nullptr) return entries;
  while (const dirent* entry = readdir(open.get())) {
    const std::string path = absl::StrCat(directory, "/", entry->d_name);
    struct stat status;
    if (lstat(path.c_str(), &status) != 0) continue;
    if (absl::EndsWith(entry->d_name, kSuffix)) {
      entries.push_back({path, status.st_size, status.st_mtim});
    } else if (absl::StartsWith(entry->d_name, kTemporary) &&
               status.st_mtim.tv_sec + kAbandonedAfterSeconds <
                   std::time(nullptr)) {
      unlink(path.c_str());
    }
  }
  return entries;
}

}  // namespace

ModuleCache ModuleCache::FromEnvironment() {
  return ModuleCache(CacheFolder());
}

std::string ModuleCache::PathOf(absl::string_view key) const {
  return absl::StrCat(directory_, "/", absl::Hex(HashOf(key), absl::kZeroPad16),
                      kSuffix);
}

std::optional<std::string> ModuleCache::Find(absl::string_view key) const {
  if (directory_.empty() || !IsOwnersDirectory(directory_)) return std::nullopt;
  const Descriptor file(open(PathOf(key).c_str(),
                             O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0 ||
      !S_ISREG(status.st_mode) || !IsOwnersAlone(status) ||
      status.st_size > most_bytes_) {
    return std::nullopt;
  }
  const std::optional<std::string> bytes = ReadAll(file.get());
  if (!bytes.has_value()) return std::nullopt;
  std::optional<std::string> code = Unpacked(*bytes, key);
  // It has been used now.
  if (code.has_value()) futimens(file.get(), nullptr);
  return code;
}

absl::Status ModuleCache::Store(absl::string_view key,
                                absl::string_view code) const {
  if (directory_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(MakeDirectories(directory_));
  if (!IsOwnersDirectory(directory_)) {
    return UnavailableError(directory_, " may be written by others");
  }
  std::string temporary = absl::StrCat(directory_, "/", kTemporary, "XXXXXX");
  {
    // For its owner alone.
    const Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
    if (file.get() < 0) return ErrnoStatus("making", temporary);
    if (!WriteAll(file.get(), Packed(key, code))) {
      const absl::Status status = ErrnoStatus("writing", temporary);
      unlink(temporary.c_str());
      return status;
    }
  }
  if (rename(temporary.c_str(), PathOf(key).c_str()) != 0) {
    const absl::Status status = ErrnoStatus("renaming", temporary);
    unlink(temporary.c_str());
    return status;
  }
  RemoveOldest();
  return absl::OkStatus();
}

void ModuleCache::RemoveOldest() const {
  std::vector<Entry> entries = EntriesOf(directory_);
  std::int64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  std::sort(entries.begin(), entries.end(), UsedBefore);
  for (const Entry& entry : entries) {
    if (bytes <= most_bytes_) return;
    unlink(entry.path.c_str());
    bytes -= entry.bytes;
  }
}

}  // namespace concord::spliced
