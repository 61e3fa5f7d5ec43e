// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/patience.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/numbers.h"

namespace concord {

double PatienceSeconds(double usual) {
  const char* const text = std::getenv("CONCORD_PATIENCE");
  double seconds = 0;
  const bool given =
      text != nullptr && absl::SimpleAtod(text, &seconds) && seconds > 0;
  return given ? std::min(seconds, kMostSeconds) : usual;
}

}  // namespace concord
