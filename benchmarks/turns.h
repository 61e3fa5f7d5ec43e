// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_TURNS_H_
#define CONCORD_BENCHMARKS_TURNS_H_

#include "absl/status/status.h"

namespace concord {

// Lets two programs measure in turns, sample by sample. Whoever holds both ends
// lets one of them run at a time: from the byte that grants it a turn until the
// byte with which it asks for the next one, or its end.
class Turns {
 public:
  // The descriptors are open for writing and for reading.
  Turns(int asks, int granted) : asks_(asks), granted_(granted) {}

  // Returns when it is our turn. Cancelled: nobody is there to grant it.
  absl::Status Await() const;

 private:
  int asks_;
  int granted_;
};

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_TURNS_H_
