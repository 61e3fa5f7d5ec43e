// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_REQUIRED_H_
#define CONCORD_TESTING_ENGINE_REQUIRED_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace concord {

// $CONCORD_REQUIRE, backend names separated by commas, says what must not be
// missing: absent is not passed.
std::vector<std::string> RequiredBackends();
bool IsRequired(absl::string_view backend);

// Ok when every required backend can run here. InvalidArgument: this program
// has none of that name. Unavailable: it has, with stage and reason.
absl::Status CheckRequiredBackends();

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_REQUIRED_H_
