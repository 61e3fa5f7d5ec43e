// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_SIGNALS_H_
#define CONCORD_CORE_SIGNALS_H_

#include <signal.h>

namespace concord {

// What a terminal, a user or a queue of jobs sends to a program that is to end.
inline constexpr int kInterruptions[] = {SIGINT, SIGTERM, SIGHUP};

// From now on the signal is handled so, and `before` is how it was. One that is
// ignored, as nohup has it, stays so: it ends nothing.
void HandleUnlessIgnored(int signal, const struct sigaction& action,
                         struct sigaction* before = nullptr);

}  // namespace concord

#endif  // CONCORD_CORE_SIGNALS_H_
