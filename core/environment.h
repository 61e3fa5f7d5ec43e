// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Environment variables whose values mean nothing. What reads one when it is
// opened refuses such a value itself. A program asks for all of them before it
// does anything: it might otherwise go without what could not be opened.

#ifndef CONCORD_CORE_ENVIRONMENT_H_
#define CONCORD_CORE_ENVIRONMENT_H_

#include "absl/status/status.h"

namespace concord {

using EnvironmentCheck = absl::Status (*)();

// Stands at the bottom of the file of what reads the variable:
//   const bool kChecked = RegisterEnvironmentCheck(CheckNamedSimdTarget);
bool RegisterEnvironmentCheck(EnvironmentCheck check);

// InvalidArgument: a variable that names nothing.
absl::Status CheckEnvironment();

}  // namespace concord

#endif  // CONCORD_CORE_ENVIRONMENT_H_
