// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/turns.h"

#include <unistd.h>

#include <cerrno>

namespace concord {

absl::Status Turns::Await() const {
  char byte = '.';
  ssize_t moved = 0;
  do moved = write(asks_, &byte, 1);
  while (moved < 0 && errno == EINTR);
  if (moved == 1) {
    do moved = read(granted_, &byte, 1);
    while (moved < 0 && errno == EINTR);
  }
  return moved == 1 ? absl::OkStatus()
                    : absl::CancelledError("nobody grants the next turn");
}

}  // namespace concord
