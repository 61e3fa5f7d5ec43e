// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/temporary_file.h"

#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>

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
struct Place {
  enum State { kFree, kTaken, kNamed };

  // The name is read while it is kNamed. Who leaves that state owns the place.
  std::atomic<State> state = kFree;
  std::array<char, PATH_MAX> name;
};
constexpr int kMaxTemporaryFiles = 16;
std::array<Place, kMaxTemporaryFiles> places;

// Which place has it now, or -1.
int Remember(const std::string& temporary) {
  if (temporary.size() >= PATH_MAX) return -1;
  for (int i = 0; i < kMaxTemporaryFiles; ++i) {
    Place& place = places[static_cast<std::size_t>(i)];
    Place::State state = Place::kFree;
    if (!place.state.compare_exchange_strong(state, Place::kTaken)) continue;
    temporary.copy(place.name.data(), temporary.size());
    place.name[temporary.size()] = '\0';
    place.state = Place::kNamed;
    return i;
  }
  return -1;
}

// Not where the handler has it: then the process ends.
void ForgetPlace(int i) {
  if (i < 0) return;
  Place::State state = Place::kNamed;
  places[static_cast<std::size_t>(i)].state.compare_exchange_strong(
      state, Place::kFree);
}

void RemoveTemporaryFilesAndEnd(int signal) {
  for (Place& place : places) {
    Place::State state = Place::kNamed;
    if (place.state.compare_exchange_strong(state, Place::kTaken)) {
      unlink(place.name.data());
    }
  }
  // The handler is gone by now: this ends the process as if there had been
  // none, so that a shell stops its loop as well.
  raise(signal);
}

}  // namespace

int TemporaryName::Make(const std::filesystem::path& target,
                        absl::FunctionRef<int(const char*)> make) {
  const std::string begin =
      target.parent_path() /
      target.filename().string().substr(0, kMostOfNameKept);
  int made = -1;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    std::uint32_t suffix = 0;
    if (getrandom(&suffix, sizeof(suffix), 0) < 0) break;
    const std::string name =
        absl::StrCat(begin, ".", absl::Hex(suffix, absl::kZeroPad8), ".tmp");
    // Known to the handler before it exists, so that no signal comes between.
    const int place = Remember(name);
    made = make(name.c_str());
    if (made >= 0) {
      name_ = name;
      place_ = place;
      return made;
    }
    ForgetPlace(place);
    if (errno != EEXIST) break;
  }
  return made;
}

void TemporaryName::Forget() {
  ForgetPlace(std::exchange(place_, -1));
  name_.clear();
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
