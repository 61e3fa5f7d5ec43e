// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_FILLS_H_
#define CONCORD_CORE_FILLS_H_

#include "absl/status/status.h"
#include "concord/core/array.h"

namespace concord {

// What a backend is, beside Backend, that can fill its memory. It stands apart
// because not every backend can, and only measurements ask for it.
class Fills {
 public:
  virtual ~Fills() = default;

  // Sets every byte of `data`, in this backend's memory, to zero, as fast as
  // the backend can: the ceiling for algorithms that only write. Queued like
  // other work.
  virtual absl::Status Fill(ArrayView data) = 0;
};

}  // namespace concord

#endif  // CONCORD_CORE_FILLS_H_
