// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

// Of a terminal that does not say how wide it is.
constexpr std::size_t kUsualWidth = 80;

std::size_t TerminalWidth() {
  winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kUsualWidth;
  }
  return size.ws_col;
}

std::string Duration(double seconds) {
  if (seconds < 60) return absl::StrCat(std::ceil(seconds), " s");
  const int minutes = static_cast<int>(std::ceil(seconds / 60));
  if (minutes < 60) return absl::StrCat(minutes, " min");
  return absl::StrCat(minutes / 60, " h ", minutes % 60, " min");
}

}  // namespace

std::string ProgressText(int done, int rows, double seconds,
                         absl::string_view row, std::size_t width) {
  const std::string before = absl::StrCat("[", done, "/", rows, "] ");
  const std::string after =
      done == 0
          ? ""
          : absl::StrCat(": about ", Duration(seconds / done * (rows - done)),
                         " left");
  const std::size_t room = width > before.size() + after.size()
                               ? width - before.size() - after.size()
                               : 0;
  return absl::StrCat(before, row.substr(0, room), after).substr(0, width);
}

Progress::Progress(int rows)
    : on_terminal_(isatty(STDERR_FILENO) && IsFirstReplica()), rows_(rows) {}

void Progress::Begin(absl::string_view row) {
  if (!on_terminal_) return;
  const double seconds =
      std::chrono::duration<double>(Clock::now() - start_).count();
  // Into the last column one writes at the price of a line.
  std::cerr << "\r\x1b[K"
            << ProgressText(done_, rows_, seconds, row, TerminalWidth() - 1)
            << std::flush;
}

void Progress::End() {
  ++done_;
  if (on_terminal_) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace concord
