// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/terminal.h"

#include <unistd.h>

#include <cstdlib>

#include "absl/strings/string_view.h"

namespace concord {

bool OutputHasColours() {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_rank = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  return isatty(STDOUT_FILENO) && !is_rank &&
         (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
         absl::string_view(terminal) != "dumb";
}

}  // namespace concord
