// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/temporary_file.h"

#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "concord/core/signals.h"

namespace concord {
namespace {

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

void RemoveTemporaryFilesAndEnd(int signal) {
  for (std::atomic<char*>& place : temporary_files) {
    if (const char* name = place.load(); name != nullptr) unlink(name);
  }
  // The handler is gone by now: this ends the process as if there had been
  // none, so that a shell stops its loop as well.
  raise(signal);
}

}  // namespace

int MakeTemporaryFile(const std::filesystem::path& target, std::string& name,
                      absl::FunctionRef<int(const char*)> make) {
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
    ForgetTemporaryFile(mine);
    if (errno != EEXIST) break;
  }
  return made;
}

void ForgetTemporaryFile(const std::string& name) {
  for (std::atomic<char*>& place : temporary_files) {
    char* kept = place.load();
    if (kept == nullptr || name != kept) continue;
    if (place.compare_exchange_strong(kept, nullptr)) std::free(kept);
    return;
  }
}

void RemoveTemporaryFilesWhenInterrupted() {
  struct sigaction action = {};
  action.sa_handler = RemoveTemporaryFilesAndEnd;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ}) {
    HandleUnlessIgnored(signal, action);
  }
}

}  // namespace concord
