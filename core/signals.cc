// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/signals.h"

namespace concord {

void HandleUnlessIgnored(int signal, const struct sigaction& action,
                         struct sigaction* before) {
  struct sigaction found = {};
  sigaction(signal, nullptr, &found);
  if (found.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  if (before != nullptr) *before = found;
}

}  // namespace concord
